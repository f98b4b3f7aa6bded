// Package forwarded finds the address that a request comes from when proxies stand between its client and this
// process. Only proxies that the operator trusts are believed.
//
// It imports no other package of Dovetail.
package forwarded
