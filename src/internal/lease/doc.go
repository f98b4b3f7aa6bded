// Package lease lets one of several processes on a database do what must be done once, as to answer a
// change: each has a Lease of the same name, one of them leads, and when that one dies another takes
// over. Who no longer leads may not know yet; its writes carry a fence, a condition that the store
// checks in the same transaction, so that they fail.
//
// A lease is two internal documents. `_lease/<name>` is written only when another process begins to lead:
// its version is the fence. `_beat/<name>` is the sign of life, written again and again on the condition
// that the first is unchanged. Nobody compares clocks: who wants to lead takes over after it saw no sign of
// life for as long as the lease lasts by its own clock. On a database that only one process can have
// open at a time there is nobody to wait for and nothing to prove, so the process leads at once and gives no
// signs of life.
//
// It may import dovetail and the contract of package store; it knows neither services nor HTTP.
package lease
