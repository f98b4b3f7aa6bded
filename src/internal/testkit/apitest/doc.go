// Package apitest has common helpers for tests of services: a store on a fresh database with chosen ref-schemas, the
// API with chosen services in front of it, and requests.
package apitest
