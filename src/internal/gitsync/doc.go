// Package gitsync attaches an instance repository in Git to a store: the repository is the truth, and
// the store follows it. Whoever writes documents that the repository holds, writes through here: the
// change becomes one commit, is pushed, and only then made in the store, together with the record of the
// commit up to which the store follows. Commits of others are noticed and brought into the store.
//
// The order is what keeps the two together. A push compares and swaps the branch, so that of two writers
// one loses before anything is changed. The record of the commit is a document that every write to the
// repository's documents requires unchanged, so that of two processes that bring the same commit one
// loses and changes nothing. A process that dies in between leaves a store that is behind, and whoever
// comes next finds it so and brings it on. A pushed commit that the store refuses, since another process wrote what
// it depends on, is reverted by a commit of its own; the history is never rewritten.
//
// What is written is read again before it is pushed, as others will read it. What a file cannot say is
// refused; so nothing gets lost on the way into the repository unseen.
//
// It may import the domain, value, the engines instancerepo and parameters, gitrepo and store; it
// must not import a backend, a service, httpapi, client or cli.
package gitsync
