//go:build !linux

package kv

import "os"

// syncData makes what was written to the file durable.
func syncData(f *os.File) error { return f.Sync() }
