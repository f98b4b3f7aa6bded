package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
)

// TestDiskRefusesWrites starts a server on a disk that is full, and on one that is read-only: it serves what it has, says why it takes no writes, and
// takes them again when the disk does. Commands that only read work, too.
func TestDiskRefusesWrites(t *testing.T) {
	disks := []struct {
		name, reason, gauge string
		refuse, allow       func(t *testing.T, folder string)
	}{
		{"full", "disk-full", "dovetail_store_disk_full", fillDisk, func(t *testing.T, folder string) {
			if err := os.Remove(filepath.Join(folder, "rest")); err != nil {
				t.Fatal(err)
			}
		}},
		{"read-only", "read-only", "dovetail_store_read_only", func(t *testing.T, folder string) { remount(t, folder, syscall.MS_RDONLY) },
			func(t *testing.T, folder string) { remount(t, folder, 0) }},
	}
	memdir.Small(t, func(t *testing.T, folder string) {
		given := map[string]string{"store": "bolt:" + filepath.Join(folder, "store.db"), "log-level": "error"}
		first := start(t, given)
		first.must(t, 201, "POST", "/v2/clusters", named("before"))
		if err := first.stop(); err != nil {
			t.Fatal(err)
		}
		for _, disk := range disks {
			disk.refuse(t, folder)
			for _, args := range [][]string{{"get", "cluster/before"}, {"get", "clusters"}, {"history", "cluster/before"}, {"export"}, {"fsck"},
				{"backup", filepath.Join(t.TempDir(), "a.backup")}, {"backup", filepath.Join(t.TempDir(), "b.db"), "--checkpoint"}} {
				var said strings.Builder
				deps := cli.Deps{Out: &said, Err: &said, Open: Open, VerifyCheckpoint: VerifyCheckpoint}
				if code := cli.Run(t.Context(), deps, append(args, "--store", given["store"])); code != 0 {
					t.Errorf("%s: %v ends with %d: %s", disk.name, args, code, said.String())
				}
			}

			server := start(t, given)
			server.must(t, 200, "GET", "/v2/clusters/before", "")
			if text := server.must(t, 503, "POST", "/v2/clusters", named(disk.name)); !strings.Contains(text, `"reason":"`+disk.reason+`"`) {
				t.Errorf("%s: a write is answered %s", disk.name, text)
			}
			if ready := server.must(t, 200, "GET", "/readyz", ""); !strings.Contains(ready, `"name":"store","status":"degraded","detail":"writes are refused`) {
				t.Errorf("%s: ready: %s", disk.name, ready)
			}
			if metrics := server.must(t, 200, "GET", "/metrics", ""); !strings.Contains(metrics, "\n"+disk.gauge+" 1\n") {
				t.Errorf("%s: %s is not 1", disk.name, disk.gauge)
			}
			disk.allow(t, folder)
			eventually(t, "the store takes writes", func() bool {
				return strings.Contains(server.must(t, 200, "GET", "/readyz", ""), `"name":"store","status":"ok"`)
			})
			server.must(t, 201, "POST", "/v2/clusters", named(disk.name))
			if metrics := server.must(t, 200, "GET", "/metrics", ""); strings.Contains(metrics, "\n"+disk.gauge+" 1\n") {
				t.Errorf("%s: %s is still 1", disk.name, disk.gauge)
			}
			if err := server.stop(); err != nil {
				t.Fatal(err)
			}
		}
		command(t, 0, "", "fsck", "--store", given["store"])
	})
}

func remount(t *testing.T, folder string, flags uintptr) {
	t.Helper()
	if err := syscall.Mount("", folder, "", syscall.MS_REMOUNT|flags, ""); err != nil {
		t.Fatal(err)
	}
}

// fillDisk leaves no space on the disk of a folder.
func fillDisk(t *testing.T, folder string) {
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
