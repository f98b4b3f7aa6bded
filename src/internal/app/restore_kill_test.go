package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/internal/apptest"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
)

// TestKilledInRestore kills a restore by SIGKILL when it has stored some documents: no server serves what is there and no command
// reads it, and the same restore, repeated, makes it the store that was backed up.
func TestKilledInRestore(t *testing.T) {
	rounds.Soak(t)
	const documents = 5000
	path, err := apptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, file := "bolt:"+filepath.Join(dir, "source.db"), filepath.Join(dir, "backup")
	all := make([]string, documents)
	for n := range all {
		all[n] = fmt.Sprintf(`{"kind":"cluster","metadata":{"name":"c%05d"},"spec":{"text":%q}}`, n, strings.Repeat("word ", 50))
	}
	command(t, 0, "["+strings.Join(all, ",")+"]", "apply", "-f", "-", "--store", source)
	command(t, 0, "", "backup", file, "--store", source)
	want := command(t, 0, "", "export", "--store", source)

	killed := func(t *testing.T, fresh func() (location string, some func() bool)) {
		t.Helper()
		for attempt := 1; ; attempt++ {
			if attempt > 20 {
				t.Fatal("no restore is killed before it is over")
			}
			location, some := fresh()
			restore := exec.Command(path, "restore", file, "--store", location)
			if err := restore.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { _ = restore.Wait(); close(ended) }()
			for over := false; !over && !some(); {
				select {
				case <-ended:
					over = true
				case <-time.After(time.Millisecond):
				}
			}
			_ = restore.Process.Kill()
			<-ended
			if restore.ProcessState.Success() {
				continue
			}
			output, err := exec.Command(path, "serve", "--store", location, "--listen", "127.0.0.1:0").CombinedOutput()
			if err == nil || !strings.Contains(string(output), "restore") {
				t.Fatalf("a server on half a restore: %v %s", err, output)
			}
			output, err = exec.Command(path, "export", "--store", location).CombinedOutput()
			if err == nil || !strings.Contains(string(output), "restore") {
				t.Fatalf("an export of half a restore: %v %s", err, output)
			}
			command(t, 0, "", "restore", file, "--store", location)
			if got := command(t, 0, "", "export", "--store", location); got != want {
				t.Fatalf("the restored store has %d bytes, or others, of %d", len(got), len(want))
			}
			requireWhole(t, location)
			return
		}
	}
	t.Run("bolt", func(t *testing.T) {
		killed(t, func() (string, func() bool) {
			at := filepath.Join(t.TempDir(), "restored.db")
			return "bolt:" + at, func() bool {
				var stored int64
				_ = filepath.Walk(filepath.Dir(at), func(_ string, info os.FileInfo, err error) error {
					if err == nil && !info.IsDir() {
						stored += info.Size()
					}
					return nil
				})
				return stored > documents*100
			}
		})
	})
	t.Run("mongo", func(t *testing.T) {
		killed(t, func() (string, func() bool) {
			uri := freshMongo(t)
			restored := onMongo(t, uri).Collection("documents")
			return uri.String(), func() bool {
				n, err := restored.CountDocuments(t.Context(), bson.D{{Key: "kind", Value: "cluster"}})
				return err == nil && n > documents/10
			}
		})
	})
}
