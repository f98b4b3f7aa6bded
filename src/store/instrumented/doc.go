// Package instrumented is a store.Backend around another one, which calls observers for every operation, for metrics
// and for traces. It changes neither operations nor results.
//
// It may import dovetail and the contract of package store.
package instrumented
