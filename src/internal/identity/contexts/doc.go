// Package contexts reads and edits the file of contexts of the command line: named servers, each with the credentials for it,
// and which of them is the current one.
//
// It is pure: the command line reads and writes the file. Edits keep the comments of a file. No error shows a token.
package contexts
