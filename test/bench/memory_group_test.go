package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// memoryGroup is a control group that bounds the memory of a process, as a container's does. Without a right to make one, procs is empty.
type memoryGroup struct{ procs string }

// newMemoryGroup makes a group with the limit of a pod, of the hierarchy (version 2) or of the memory controller (version 1).
func newMemoryGroup(t *testing.T) memoryGroup {
	t.Helper()
	errs := []error{errors.New("left out: a control group, so that the kernel enforces no limit of memory; only the most resident memory is checked")}
	for _, version := range []struct{ root, limit string }{
		{"/sys/fs/cgroup", "memory.max"},
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
	} {
		folder := filepath.Join(version.root, fmt.Sprintf("dovetail-bench-%d", os.Getpid()))
		if err := os.Mkdir(folder, 0o755); err != nil {
			errs = append(errs, err)
			continue
		}
		t.Cleanup(func() {
			if err := os.Remove(folder); err != nil {
				t.Errorf("the control group stays: %v", err)
			}
		})
		// The files of a group are there from the beginning: one that must be made shows that this is no control group.
		limit, err := os.OpenFile(filepath.Join(folder, version.limit), os.O_WRONLY, 0)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		_, err = fmt.Fprint(limit, podMemory)
		if err := errors.Join(err, limit.Close()); err != nil {
			errs = append(errs, err)
			continue
		}
		t.Logf("the kernel enforces %d bytes: %s", podMemory, folder)
		return memoryGroup{procs: filepath.Join(folder, "cgroup.procs")}
	}
	t.Log(errors.Join(errs...))
	return memoryGroup{}
}
