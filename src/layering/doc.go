// Package layering keeps layered documents: buckets of them, the revisions that writing a bucket makes, and what
// rendering a revision gives. Its paths, answers and errors are those of Airship Deckhand, so that clients of it
// move without a change. What documents mean is the business of package rendering.
//
// A revision is an index: for each document the name of its content and the revision it came with. Indexes are
// stored as differences, and now and then whole. The documents of the newest revision are documents of
// the store with their content and with references to what rendering them reads, so that the store's graph and its
// refusals work on them; content that is only in older revisions is kept beside them, each once. A revision is
// committed in one transaction, which also moves the head on: writers that compete see each other there.
//
// It may import the domain, value, yaml, rendering, history, envelope, keyring, store, problem and httpapi; it must not import a backend,
// another service, the client or the command line.
package layering
