// Package forwarded finds the address that a request comes from when proxies stand between its client and this
// process, using only the headers of proxies that the operator trusts, and the credentials that it comes with.
package forwarded
