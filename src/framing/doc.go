// Package framing refuses HTTP/1 requests that two servers in a row could take for different ones (request smuggling):
// where the one in front sees the end of a request or of a header elsewhere, what is left over becomes a request that
// nobody there has seen. Package net/http refuses most of them; this package adds what it accepts.
//
// It imports no other package of Dovetail.
package framing
