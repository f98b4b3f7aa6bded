// Package sealing encrypts documents of sensitive kinds before a backend stores them, and decrypts those that are
// read: Backend is a store.Backend around another one. So the inner one has only sealed values, in its files, its log,
// its history and its backups.
//
// Values are sealed with a data key of the database (AES-256-GCM with random nonces), and data keys, internal
// documents, are wrapped under the main key of a key file. The additional data of a sealed value are the id, uid and
// revision of its document and the place of the value in it, so that it cannot be moved to another document, another
// place, or back in time. A sealed document references its data key, so that a key cannot be deleted while a document
// needs it.
//
// The id, the kind, the references, the times and the version of a document are in plaintext, and so are the values that
// the ref-schema does not mark in a kind that is sensitive in part.
package sealing
