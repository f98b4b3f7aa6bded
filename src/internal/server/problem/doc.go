// Package problem answers HTTP requests with errors: the one table of the status that an error code has, and the one writer of
// application/problem+json (RFC 9457). Servers, gateways and services with an error body of their own use it.
package problem
