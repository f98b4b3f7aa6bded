//go:build unix

package app

import (
	"os"
	"syscall"
)

// fileLimit is how many files the process may have open, and how many it has. Where that is not known they are taken to be
// any number, and few.
func fileLimit() (limit uint64, open int) {
	open = reserveFiles
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		open = len(entries)
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return 1 << 62, open
	}
	return uint64(files.Cur), open //nolint:unconvert // its type differs between systems
}
