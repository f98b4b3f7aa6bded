// Package ciphertext recognizes the encrypted values of credential files in instance repositories, and opens and makes those of
// Fernet, which are encrypted each by itself. Its keys also have the identities of age that open files of SOPS, which package sops reads.
//
// What it opens is for the caller only: no error and no String method shows a key or a plain text.
//
// It may import the domain, value, yaml and sops; it must not import anything else.
package ciphertext
