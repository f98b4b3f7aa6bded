package kv

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

const mountedEnv = "DOVETAIL_TEST_MOUNTED_KV"

// inOwnMounts runs the rest of the calling test in a process with a user and mount namespace of its
// own, where any user may mount, with a small file system in memory at folder. Where the system
// does not allow that, the test is skipped.
func inOwnMounts(t *testing.T, rest func(t *testing.T, folder string)) {
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

// TestForbidden opens a store on a file system that is read-only.
func TestForbidden(t *testing.T) {
	inOwnMounts(t, func(t *testing.T, folder string) {
		path := filepath.Join(folder, "store.db")
		b := mustOpen(t, path, options())
		write(t, b, "a=1")
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("", folder, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{path, filepath.Join(folder, "new", "store.db")} {
			_, err := Open(path, options())
			wantCode(t, "Open", err, dovetail.CodeUnavailable)
			if err != nil && !strings.Contains(err.Error(), "read-only file system") {
				t.Errorf("Open says %q", err)
			}
		}
		ro := options()
		ro.ReadOnly = true
		b = mustOpen(t, path, ro)
		defer b.Close()
		wantContents(t, b, "a=1")
	})
}
