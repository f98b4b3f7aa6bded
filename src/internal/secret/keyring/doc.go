// Package keyring keeps data keys as documents of the store, and rotates them. Sealed documents refer to the document of
// their data key, so that no key can be deleted while it is needed.
//
// A document that holds a secret has, beside spec, a member "sealed"; spec has secretKey, the name of the data key,
// and content, the associated data: it must be the same when the secret is opened, so that a sealed
// secret cannot be moved to another document.
package keyring
