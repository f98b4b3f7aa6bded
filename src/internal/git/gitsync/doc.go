// Package gitsync syncs a store with an instance repository in Git: the repository is the source of truth, and
// the store follows it. All writes of documents that the repository holds go through this package: the
// change becomes one commit, is pushed, and only then applied to the store, together with the record of the
// commit up to which the store follows. Commits of others are pulled and applied to the store.
//
// The order keeps the two consistent. A push compares and swaps the branch, so that of two writers
// one loses before anything is changed. The record of the commit is a document that every write to the
// repository's documents requires unchanged, so that of two processes that apply the same commit one
// loses and changes nothing. A process that dies in between leaves a store that is behind; the next
// process to sync applies the missing commits. A pushed commit that the store refuses, since another process wrote its
// dependencies, is reverted by a commit of its own; the history is never rewritten.
//
// Edited files are parsed again before they are pushed, as other programs will parse them. A document that files cannot
// represent is refused, so that no data is lost silently.
package gitsync
