// Package ciphertext recognizes, opens and makes the encrypted values of credential files in instance repositories:
// those of Fernet, each value by itself, and those of SOPS for recipients of age, with metadata for the whole file.
//
// What it opens is for the caller only: no error and no String method shows a key or a plain text.
//
// It may import the domain and value; it must not import anything else.
package ciphertext
