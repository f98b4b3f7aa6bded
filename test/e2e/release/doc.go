// Package release_test tests what makes and checks releases: the configuration of GoReleaser, the script that signs, and the
// workflows. It builds nothing.
package release_test
