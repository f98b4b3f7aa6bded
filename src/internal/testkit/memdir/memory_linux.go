package memdir

import "syscall"

const (
	memory    = "/dev/shm"
	tmpfs     = 0x01021994 // the type of file systems in memory
	leastRoom = 1 << 30    // containers often have 64 MiB, which large tests fill
)

// hasRoom reports whether there is a file system in memory that is large enough for the databases of all tests that run.
func hasRoom() bool {
	var found syscall.Statfs_t
	return syscall.Statfs(memory, &found) == nil && found.Type == tmpfs && found.Bavail >= leastRoom/uint64(found.Bsize)
}
