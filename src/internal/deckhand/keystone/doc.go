// Package keystone is a client of OpenStack Keystone by its Identity API v3: it authenticates an account of its own, with a password
// or an application credential, and validates tokens.
//
// Package access decides about rights.
package keystone
