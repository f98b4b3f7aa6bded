// Package state is what an ActiveResolution asks for and what its status says: conditions, selections, entities and
// the files of an activator. Given a document, an answer and the status before, it makes the next one, and it
// reports whether a status speaks of a document as it is.
//
// It is pure.
package state
