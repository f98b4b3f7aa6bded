// Package deckhand converts the database of Airship Deckhand, whose API package layering implements, to migrate its revisions.
//
// It is pure: it gets tables and secrets as read, and returns a history with findings. It may import the domain, value,
// the store's findings, and packages history and rendering of layering.
package deckhand
