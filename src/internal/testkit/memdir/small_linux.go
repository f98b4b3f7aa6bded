package memdir

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// mountedEnv names the test that runs in a process of its own.
const mountedEnv = "DOVETAIL_TEST_MOUNTED"

// Small runs the rest of the calling test in a process with a user and mount namespace of its
// own, where any user may mount, with a file system of 8 MiB in memory at folder. Where the system
// does not allow that, the test is skipped.
func Small(t *testing.T, rest func(t *testing.T, folder string)) {
	t.Helper()
	if os.Getenv(mountedEnv) == t.Name() {
		folder := t.TempDir()
		if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=8m"); err != nil {
			t.Skipf("cannot mount: %v", err)
		}
		defer func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) }()
		rest(t, folder)
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), mountedEnv+"="+t.Name())
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	output, err := child.CombinedOutput()
	switch {
	case len(output) == 0 && err != nil:
		t.Skipf("no user namespaces: %v", err)
	case err != nil:
		t.Errorf("%v\n%s", err, output)
	case strings.Contains(string(output), "--- SKIP"):
		t.Skipf("%s", output)
	}
}
