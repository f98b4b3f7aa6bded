// Package load puts an HTTP/1.1 server under load from many connections that are kept open.
//
// It is written by hand on plain TCP, without net/http, because it shares the machine with the server that it
// measures: what it spends itself is taken from the result. Requests are bytes that the caller makes; of an answer
// it reads the status and skips the body.
package load
