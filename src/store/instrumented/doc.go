// Package instrumented is a store.Backend around another one, that tells observers of every operation: for metrics,
// and for traces. It knows neither; what it passes on it leaves as it is.
//
// It may import dovetail and the contract of package store.
package instrumented
