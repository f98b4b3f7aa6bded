// Package instrumented is a store.Backend around another one, which calls observers for every operation, for metrics
// and for traces. It changes neither operations nor results.
package instrumented
