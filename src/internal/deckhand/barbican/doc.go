// Package barbican reads secrets of OpenStack Barbican by its Key Manager API v1.
package barbican
