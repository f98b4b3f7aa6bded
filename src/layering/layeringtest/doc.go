// Package layeringtest has what tests of the engine for layered documents and tests of the service share: orders of
// documents, and what rendering generated sites gives.
//
// It may import value; it must not import rendering, whose tests use it.
package layeringtest
