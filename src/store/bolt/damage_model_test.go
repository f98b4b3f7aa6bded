package bolt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

// storeFiles are the files of a store by what follows its path.
type storeFiles map[string][]byte

func readFiles(t *testing.T, path string) storeFiles {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	files := make(storeFiles)
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(name, path)] = content
	}
	return files
}

// content opens a copy of the files, and returns the documents as JSON, or false where the store says itself that it is damaged.
func (files storeFiles) content(t *testing.T) (content string, intact bool) {
	t.Helper()
	folder := memdir.New(t)
	defer os.RemoveAll(folder) // there are thousands
	path := filepath.Join(folder, "store.db")
	for suffix, content := range files {
		if err := os.WriteFile(path+suffix, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return contentOf(t, path)
}

// damage changes one of the files at random, and says how.
func (files storeFiles) damage(random *rand.Rand, earlier storeFiles) string {
	names := slices.Sorted(maps.Keys(files))
	name := names[random.IntN(len(names))]
	switch random.IntN(10) {
	case 0:
		other := names[random.IntN(len(names))]
		files[name], files[other] = files[other], files[name]
		return name + " exchanged with " + other
	case 1:
		old, ok := earlier[name]
		if !ok {
			delete(files, name)
			return name + " removed"
		}
		files[name] = old
		return name + " as it was"
	}
	damaged, what := rounds.Damage(random, files[name])
	files[name] = damaged
	return name + " " + what
}

func contentOf(t *testing.T, path string) (content string, intact bool) {
	t.Helper()
	b, err := Open(path, Options{})
	if err != nil {
		return "", false
	}
	defer b.Close()
	for _, err := range b.Check(t.Context(), false) {
		return fmt.Sprint(err), false
	}
	var text strings.Builder
	for d, err := range b.List(t.Context(), store.Query{}) {
		if err != nil {
			return "", false
		}
		line, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s %s\n", line, d.Data)
	}
	head, err := b.Head(t.Context())
	if err != nil {
		return "", false
	}
	fmt.Fprintln(&text, sequenceOf(t, b, head))
	return text.String(), true
}

// Whatever happens to one of the files that a crash leaves, the store holds what it held, or it refuses to open, or a check finds what
// is wrong: never fewer documents without a word.
func TestDamageIsNeverSilent(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	var logged, outcomes = 0, make(map[string]int)
	for image := range rounds.Of(8, 200) {
		b := mustOpen(t, filepath.Join(memdir.New(t), "store.db"), Options{tableSize: 1 << (8 + random.IntN(12))})
		s := newChangeScript()
		s.random = random
		s.commitNext(t, b, random.IntN(20))
		earlier := readFiles(t, b.path)
		s.commitNext(t, b, 1+random.IntN(60))
		files := settled(t, b)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if image%4 == 3 {
			files = readFiles(t, b.path)
		}
		want, intact := files.content(t)
		if !intact {
			t.Fatalf("the files of a crash are damaged: %s", want)
		}
		logged += len(files) - 1
		for range rounds.Of(30, 50) {
			damaged := maps.Clone(files)
			what := damaged.damage(random, earlier)
			got, intact := damaged.content(t)
			switch {
			case !intact:
				outcomes["told"]++
			case got == want:
				outcomes["equal"]++
			default:
				t.Errorf("image %d, %s: the store holds\n%s\ninstead of\n%s", image, what, got, want)
			}
		}
	}
	if logged == 0 || outcomes["told"] == 0 || outcomes["equal"] == 0 {
		t.Errorf("%d logs, outcomes %v", logged, outcomes)
	}
	t.Log(outcomes)
}

// TestDamagedCheckpointIsNeverSilent: a checkpoint that is not, to the byte, what was written is refused before it becomes a store, and so it is
// by its verification.
func TestDamagedCheckpointIsNeverSilent(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for image := range rounds.Of(4, 100) {
		b := mustOpen(t, filepath.Join(memdir.New(t), "store.db"), Options{tableSize: 1 << (8 + random.IntN(12))})
		s := newChangeScript()
		s.random = random
		s.commitNext(t, b, 1+random.IntN(60))
		path, _ := checkpoint(t, b)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if content, intact := (storeFiles{"": file}).content(t); !intact {
			t.Fatalf("a checkpoint is damaged: %s", content)
		}
		for range rounds.Of(60, 100) {
			damaged, what := rounds.Damage(random, file)
			if bytes.Equal(damaged, file) {
				continue
			}
			if _, err := VerifyCheckpoint(bytes.NewReader(damaged)); err == nil {
				t.Errorf("image %d, %s: it is verified", image, what)
			}
			if content, intact := (storeFiles{"": damaged}).content(t); intact {
				t.Errorf("image %d, %s: it is opened, and holds\n%s", image, what, content)
			}
		}
	}
}

// settled returns the files while no table is being flushed.
func settled(t *testing.T, b *Backend) storeFiles {
	t.Helper()
	for {
		before := readFiles(t, b.path)
		if after := readFiles(t, b.path); maps.EqualFunc(before, after, bytes.Equal) {
			return after
		}
	}
}
