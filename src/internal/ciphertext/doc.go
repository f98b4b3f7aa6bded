// Package ciphertext recognizes the encrypted values of credential files in instance repositories, and opens and makes those of
// Fernet, which are encrypted each by itself. Those of SOPS, which belong to a whole file, it only recognizes.
//
// What it opens is for the caller only: no error and no String method shows a key or a plain text.
//
// It may import the domain and value; it must not import anything else.
package ciphertext
