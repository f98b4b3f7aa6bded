package kv

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"unsafe"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
)

// TestOpenWithoutWriting opens databases, as different ends left them, on a disk that is full and on one that is read-only: they are
// read, nothing is written to them, and when the disk takes writes again so do they.
func TestOpenWithoutWriting(t *testing.T) {
	large := "a=" + strings.Repeat("1", 300_000) // so that the file must grow for what the log has
	ends := []struct {
		name  string
		leave func(t *testing.T, path string)
	}{
		{"closed", func(t *testing.T, path string) {
			db := mustOpen(t, path, options())
			write(t, db, large, "b=2")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}},
		{"crashed", func(t *testing.T, path string) { copyDatabase(t, leave(t, large, "b=2"), path) }},
		{"checkpoint", func(t *testing.T, path string) {
			db := openTemporary(t, options())
			write(t, db, large, "b=2")
			file, _ := checkpointOf(t, db, "note")
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"of an earlier format", func(t *testing.T, path string) {
			db := mustOpen(t, path, Options{Spaces: []string{"red"}, Format: "0"})
			write(t, db, large, "b=2")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}},
	}
	disks := []struct {
		name, reason string
		refuse       func(t *testing.T, folder string)
		allow        func(t *testing.T, folder string)
	}{
		{"full", dovetail.ReasonDiskFull, fill, func(t *testing.T, folder string) {
			if err := os.Remove(filepath.Join(folder, "rest")); err != nil {
				t.Fatal(err)
			}
		}},
		{"read-only", dovetail.ReasonReadOnly, func(t *testing.T, folder string) { remount(t, folder, syscall.MS_RDONLY) },
			func(t *testing.T, folder string) { remount(t, folder, 0) }},
		{"may not be written", dovetail.ReasonReadOnly, func(t *testing.T, folder string) { chmod(t, folder, 0o400, 0o500) },
			func(t *testing.T, folder string) { chmod(t, folder, 0o600, 0o700) }},
		{"file may not be written", dovetail.ReasonReadOnly, func(t *testing.T, folder string) { chmod(t, folder, 0o400, 0o700) },
			func(t *testing.T, folder string) { chmod(t, folder, 0o600, 0o700) }},
	}
	memdir.Small(t, func(t *testing.T, folder string) {
		heedPermissions(t)
		for _, disk := range disks {
			for _, end := range ends {
				path := filepath.Join(folder, "store.db")
				t.Run(disk.name+"/"+end.name, func(t *testing.T) {
					end.leave(t, path)
					before := filesOf(t, path)
					disk.refuse(t, folder)
					synctest.Test(t, func(t *testing.T) {
						o := options()
						o.Earlier = []string{"0"}
						readers := o
						readers.ReadOnly = true
						reader := mustOpen(t, path, readers)
						wantContents(t, reader, large, "b=2")
						if err := reader.Close(); err != nil {
							t.Fatal(err)
						}
						db := mustOpen(t, path, o)
						unwritable(t, db, disk.reason, large, "b=2")
						if err := db.Close(); err != nil {
							t.Errorf("closing without space: %v", err)
						}
						for name, content := range filesOf(t, path) {
							if name != path && !strings.HasPrefix(content, before[name]) {
								t.Errorf("%s was changed", name)
							}
						}
						db = mustOpen(t, path, o)
						unwritable(t, db, disk.reason, large, "b=2")
						clocktest.Advance(3 * retryFlush)
						unwritable(t, db, disk.reason, large, "b=2")
						identity := db.Identity()
						disk.allow(t, folder)
						clocktest.Advance(2 * retryFlush)
						if err := db.Health(); err != nil {
							t.Errorf("there is space again: %v", err)
						}
						if now := db.Identity(); now != identity && end.name != "checkpoint" {
							t.Errorf("the identity is %s instead of %s", now, identity)
						}
						write(t, db, "c=3")
						db = reopen(t, db, o)
						wantContents(t, db, large, "b=2", "c=3")
						if err := db.Close(); err != nil {
							t.Fatal(err)
						}
					})
					for file := range filesOf(t, path) {
						if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
							t.Fatal(err)
						}
					}
					_ = os.Remove(path)
				})
			}
		}
	})
}

// TestCreateWithoutWriting has nothing to read.
func TestCreateWithoutWriting(t *testing.T) {
	memdir.Small(t, func(t *testing.T, folder string) {
		remount(t, folder, syscall.MS_RDONLY)
		_, err := Open(filepath.Join(folder, "new", "store.db"), options())
		wantCode(t, "Open", err, dovetail.CodeUnavailable)
		if err != nil && !strings.Contains(err.Error(), "the file system is read-only") {
			t.Errorf("Open says %q", err)
		}
		remount(t, folder, 0)
		fill(t, folder)
		_, err = Open(filepath.Join(folder, "store.db"), options())
		wantCode(t, "Open", err, dovetail.CodeUnavailable)
		if err != nil && !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("Open says %q", err)
		}
	})
}

// unwritable checks that the database has what it should, takes no writes, and says why.
func unwritable(t *testing.T, db *DB, reason string, want ...string) {
	t.Helper()
	wantContents(t, db, want...)
	for what, err := range map[string]error{"a write": tryWrite(db, "x=1"), "Health": db.Health()} {
		wantCode(t, what, err, dovetail.CodeUnavailable)
		if e := dovetail.AsError(err); e == nil || e.Reason != reason {
			t.Errorf("%s says %v, want the reason %s", what, err, reason)
		}
	}
}

func remount(t *testing.T, folder string, flags uintptr) {
	t.Helper()
	if err := syscall.Mount("", folder, "", syscall.MS_REMOUNT|flags, ""); err != nil {
		t.Fatal(err)
	}
}

// chmod changes the permissions of a folder and of the files in it.
func chmod(t *testing.T, folder string, files, own os.FileMode) {
	t.Helper()
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if err := os.Chmod(file, files); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(folder, own); err != nil {
		t.Fatal(err)
	}
}

// heedPermissions takes the capabilities from this process by which root writes files whatever their permissions are.
func heedPermissions(t *testing.T) {
	t.Helper()
	const version3, override, readSearch = 0x20080522, 1 << 1, 1 << 2 // CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
	header := struct {
		version uint32
		pid     int32
	}{version: version3}
	var sets [2]struct{ effective, permitted, inheritable uint32 }
	at := func(p unsafe.Pointer) uintptr { return uintptr(p) }
	if _, _, err := syscall.RawSyscall(syscall.SYS_CAPGET, at(unsafe.Pointer(&header)), at(unsafe.Pointer(&sets)), 0); err != 0 {
		t.Skipf("cannot read capabilities: %v", err)
	}
	sets[0].effective &^= override | readSearch
	if _, _, err := syscall.AllThreadsSyscall(syscall.SYS_CAPSET, at(unsafe.Pointer(&header)), at(unsafe.Pointer(&sets)), 0); err != 0 {
		t.Skipf("cannot give up capabilities: %v", err) // with the race detector
	}
}

// fill leaves no space on the disk of a folder.
func fill(t *testing.T, folder string) {
	t.Helper()
	f, err := os.Create(filepath.Join(folder, "rest"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}
