// Package deckhand reads the database of Airship Deckhand, the service that package layering answers like, so that its revisions
// can be taken over.
//
// It is pure: it gets tables and secrets as they were read, and returns a history with findings. It may import the domain, value,
// the store's findings, and packages history and rendering of layering.
package deckhand
