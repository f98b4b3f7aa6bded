//go:build unix && !solaris && !aix

package bolt

import (
	"os"
	"syscall"
)

// unlock takes back bbolt's lock on the file.
func unlock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }
