// Package suggest finds what somebody may have meant who wrote a name that does not exist, for the remedies of
// errors. It imports nothing but the standard library.
package suggest
