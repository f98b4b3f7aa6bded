// Package ciphertext recognizes the encrypted values of credential files in instance repositories, and encrypts and decrypts those of
// Fernet, each by itself. Its keys also have the age identities for files of SOPS, which package sops reads.
//
// No error and no String method shows a key or a plaintext.
package ciphertext
