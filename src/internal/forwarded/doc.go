// Package forwarded finds the address that a request comes from when proxies stand between its client and this
// process. It uses only the headers of proxies that the operator trusts.
//
// It imports no other package of Dovetail.
package forwarded
