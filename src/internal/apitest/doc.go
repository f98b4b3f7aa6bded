// Package apitest has common helpers for tests of services: a store on a fresh database with chosen ref-schemas, the
// API with chosen services in front of it, and requests.
//
// It may import the store, its embedded backend, schema and httpapi; it imports no service, so that the tests of each can import it.
package apitest
