// Package envelope encrypts secrets: they are sealed with data keys, and data keys are wrapped by the holder of
// the main key, an age identity in a file or a key service outside.
//
// The package does no I/O except reading key files. Package keyring keeps the data keys in the store.
package envelope
