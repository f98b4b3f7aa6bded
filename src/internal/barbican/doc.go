// Package barbican reads secrets of OpenStack Barbican by its Key Manager API v1.
//
// It may import the domain and the client of Keystone.
package barbican
