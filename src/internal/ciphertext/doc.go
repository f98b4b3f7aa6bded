// Package ciphertext recognizes the encrypted values of credential files in instance repositories, and encrypts and decrypts those of
// Fernet, each by itself. Its keys also have the age identities for files of SOPS, which package sops reads.
//
// No error and no String method shows a key or a plaintext.
//
// It may import the domain, value, yaml and sops; it must not import anything else.
package ciphertext
