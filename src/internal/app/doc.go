// Package app is the composition root: it reads the configuration, opens the backend, compiles the
// ref-schema, and runs the chosen services behind one HTTP server in one process.
//
// It is the only package beside the main program that may import everything.
package app
