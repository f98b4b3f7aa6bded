package app

import (
	"strconv"
	"strings"
)

// cgroupLimits are the files that say how much memory the container has, of both versions of cgroups.
var cgroupLimits = []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}

// availableMemory is how much memory the process may take: the limit of Go, or that of the container where it is less.
func availableMemory(limit int64, read func(string) ([]byte, error)) int64 {
	for _, file := range cgroupLimits {
		text, err := read(file)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 { // else it is "max"
			limit = min(limit, n)
		}
	}
	return limit
}
