// Package suggest finds the known name that is nearest to a misspelled one, for the remedies of
// errors. It imports nothing but the standard library.
package suggest
