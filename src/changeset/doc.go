// Package changeset keeps change sets: proposed states of documents over a base position, with reviews. A change set is read
// as a view of the whole store (View), and merged into it as one transaction with a three-way merge by value.
//
// A change set is a document of the kind changeSet, and each document that is staged in it one of the kind changeSetOperation
// below. Every edit writes the status of the first, so that its version locks the whole change set. The service reads all
// operations; users see those of documents that they may read.
package changeset
