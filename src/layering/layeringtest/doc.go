// Package layeringtest has helpers that tests of the engine for layered documents and tests of the service share: orders of
// documents, and the results of rendering generated sites.
//
// It may import value; it must not import rendering, whose tests use it.
package layeringtest
