package soak_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// TestKilledInRestore kills a restore by SIGKILL when it has stored some documents: no server serves what is there and no command
// reads it, and the same restore, repeated, makes it the store that was backed up.
func TestKilledInRestore(t *testing.T) {
	rounds.Soak(t)
	const documents = 5000
	dir := t.TempDir()
	source, file := "bolt:"+filepath.Join(dir, "source.db"), filepath.Join(dir, "backup")
	all := make([]string, documents)
	for n := range all {
		all[n] = fmt.Sprintf(`{"kind":"cluster","metadata":{"name":"c%05d"},"spec":{"text":%q}}`, n, strings.Repeat("word ", 50))
	}
	command(t, 0, "["+strings.Join(all, ",")+"]", "apply", "-f", "-", "--store", source)
	command(t, 0, "", "backup", file, "--store", source)
	want := command(t, 0, "", "export", "--store", source)

	killed := func(t *testing.T, fresh func() (location string, begun func() bool)) {
		t.Helper()
		var location string
		for attempt := 1; ; attempt++ {
			if attempt > 20 {
				t.Fatal("no restore is killed before it is over")
			}
			var begun func() bool
			if location, begun = fresh(); apptest.KillWithin(t, 0, begun, "restore", file, "--store", location) {
				break
			}
		}
		for _, refused := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"export"}} {
			output, err := apptest.Command(t, append(refused, "--store", location)...).CombinedOutput()
			if err == nil || !strings.Contains(string(output), "restore") {
				t.Fatalf("%s on half a restore: %v %s", refused[0], err, output)
			}
		}
		command(t, 0, "", "restore", file, "--store", location)
		if got := command(t, 0, "", "export", "--store", location); got != want {
			t.Fatalf("the restored store has %d bytes, or others, of %d", len(got), len(want))
		}
		requireWhole(t, location)
	}
	t.Run("bolt", func(t *testing.T) {
		killed(t, func() (string, func() bool) {
			folder := t.TempDir()
			return "bolt:" + filepath.Join(folder, "restored.db"), func() bool { return apptest.Size(folder) > documents*100 }
		})
	})
	t.Run("mongo", func(t *testing.T) {
		killed(t, func() (string, func() bool) {
			uri := mongotest.Location(t)
			restored := mongotest.Database(t, uri).Collection("documents")
			return uri.String(), func() bool {
				n, err := restored.CountDocuments(t.Context(), bson.D{{Key: "kind", Value: "cluster"}})
				return err == nil && n > documents/10
			}
		})
	})
}
