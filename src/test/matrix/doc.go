// Package matrix tests that every way to write keeps every promise of the store.
//
// A way brings a change about: a PUT, a batch, the merge of a change set, a rollback. A promise is kept by refusing some changes
// or shows after each that was made. A way does not know the promises, and a promise does not know the ways: every pair of
// them is a cell, which is tested, or for which pairs_test.go has the reason why there is nothing to test.
//
// To add a way, add an entry to ways; to add a promise, add an entry to trials or to effects.
package matrix
