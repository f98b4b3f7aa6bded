//go:build !unix

package app

// fileLimit is how many files the process may have open: any number.
func fileLimit() (limit uint64, open int) { return 1 << 62, 0 }
