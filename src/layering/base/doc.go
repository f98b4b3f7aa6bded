// Package base reads layers from other places: a Git repository, or an artifact in an OCI registry. A lock file pins
// the commit or artifact of each base, and the digest of its files; with the lock file and the cache, no network is needed, and files with
// another digest are refused.
package base
