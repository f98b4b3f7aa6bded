// Package cli is the command line: one verb per file, each with the same parts: an options struct,
// newXxxCommand and run. A verb works on the Store interface and does not know whether a server or a
// database file is behind it; Deps has the functions that start a server or open either.
//
// It uses no environment, file descriptor or clock except those in Deps.
package cli
