// Package deckhand converts the database of Airship Deckhand, whose API package layering implements, to migrate its revisions.
//
// It is pure: it gets tables and secrets as read, and returns a history with findings.
package deckhand
