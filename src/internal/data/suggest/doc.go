// Package suggest finds the known name that is nearest to a misspelled one, for the remedies of errors.
package suggest
