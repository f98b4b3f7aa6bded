package kv

import (
	"os"
	"syscall"
)

// syncData makes what was written to the file durable. Unlike Sync it leaves out the times of the
// file, which would cost a second write.
func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
