// Package client speaks to a Dovetail server over HTTP. It takes and gives the types of the domain,
// maps ids to URLs with the ref-schema that the server shows, repeats requests that a busy or
// restarting server turned away, and rebuilds the server's errors, so that a caller sees the same
// *dovetail.Error as next to the store.
//
// It may import what describes documents (dovetail, value, schema, store); it must not import
// httpapi, a backend or the command line.
package client
