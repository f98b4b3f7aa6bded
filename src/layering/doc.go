// Package layering stores layered documents: in buckets, with a revision for each write of a bucket, and renders
// revisions. Its paths, answers and errors are those of Airship Deckhand, so that Deckhand's clients
// work unchanged. Package rendering defines the meaning of documents.
//
// A revision is an index: for each document the name of its content and the revision it came with. Indexes are
// stored as differences, and periodically in full. The documents of the newest revision are documents of
// the store with their content and with references to the inputs of their rendering, so that the store's graph and
// integrity checks work on them; content that is only in older revisions is stored beside them, each once. A revision is
// committed in one transaction, which also advances the head: competing writers conflict there.
package layering
