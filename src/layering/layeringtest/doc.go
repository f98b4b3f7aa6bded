// Package layeringtest has helpers that tests of the engine for layered documents and tests of the service share: orders of
// documents, and the results of rendering generated sites.
package layeringtest
