// Package ratelimit bounds how much of a server one user takes: how often, and how much at once. It remembers only
// those who use it now, and not too many of them, so that strangers cannot fill the memory either.
//
// It imports no other package of Dovetail.
package ratelimit
