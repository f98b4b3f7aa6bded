package kv

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// checkpointOf returns a checkpoint and the content of its instant.
func checkpointOf(t testing.TB, db *DB, note string) (file []byte, content map[string]string) {
	t.Helper()
	var out bytes.Buffer
	announced := int64(0)
	err := db.Checkpoint(func(v *View, size int64) (string, io.Writer, error) {
		content, announced = all(v), size
		return note, &out, nil
	})
	if err != nil {
		t.Fatalf("Checkpoint: %v", err)
	}
	if int64(out.Len()) != announced {
		t.Errorf("the checkpoint has %d bytes, and %d were announced", out.Len(), announced)
	}
	return out.Bytes(), content
}

// stored writes a file into a new folder, and returns its path.
func stored(t testing.TB, file []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func contentOf(t testing.TB, db *DB) (content map[string]string) {
	t.Helper()
	if err := db.View(func(v *View) error { content = all(v); return nil }); err != nil {
		t.Fatal(err)
	}
	return content
}

// TestCheckpointModel takes checkpoints at random moments, with writes in the file, in a frozen table and in the live one: each opens as what the
// database was then, takes writes, and is a database at rest once it is closed.
func TestCheckpointModel(t *testing.T) {
	rounds.Checks(t, 15, 2000)
	root, cases := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		o := options()
		o.TableSize = rapid.SampledFrom([]int{100, 1000, 1 << 20}).Draw(r, "table size")
		cases++
		folder := filepath.Join(root, fmt.Sprint(cases))
		db := mustOpen(t, filepath.Join(folder, "kv.db"), o)
		defer func() { db.Close() }()
		for n := range rapid.IntRange(0, 40).Draw(r, "batches") {
			switch rapid.IntRange(0, 9).Draw(r, "step") {
			case 0:
				db = reopen(t, db, o)
			case 1, 2:
				file, want := checkpointOf(t, db, fmt.Sprint("note ", n))
				if note, _, err := VerifyCheckpoint(bytes.NewReader(file)); err != nil || note != fmt.Sprint("note ", n) {
					r.Fatalf("verified: %q, %v", note, err)
				}
				path := filepath.Join(folder, fmt.Sprintf("copy%d.db", n))
				if err := os.WriteFile(path, file, 0o600); err != nil {
					r.Fatal(err)
				}
				later := mustOpen(t, path, o)
				if got := contentOf(t, later); !maps.Equal(got, want) {
					r.Fatalf("the checkpoint holds\n%v\nand the database held\n%v", got, want)
				}
				if later.Identity() == db.Identity() || !slices.Contains(later.Former(), fmt.Sprint("note ", n)) {
					r.Fatalf("it is %s, from %q", later.Identity(), later.Former())
				}
				write(t, later, "new=1")
				later = reopen(t, later, o)
				if got := contentOf(t, later); len(got) != len(want)+1 {
					r.Fatalf("after a write it holds %v", got)
				}
				if rapid.Bool().Draw(r, "continue with the copy") {
					db.Close()
					db = later
					write(t, db, "-new")
					continue
				}
				later.Close()
			default:
				key := rapid.StringMatching(`[a-h]{1,2}`).Draw(r, "key")
				if rapid.IntRange(0, 3).Draw(r, "delete") == 0 {
					write(t, db, "-"+key)
					continue
				}
				write(t, db, key+"="+strings.Repeat(fmt.Sprint(n), rapid.IntRange(1, 60).Draw(r, "size")))
			}
		}
	})
}

// TestCheckpointWhileWritten takes checkpoints through a slow writer while others write: each is of the one instant that its view had.
func TestCheckpointWhileWritten(t *testing.T) {
	o := options()
	o.TableSize = 4000
	db := openTemporary(t, o)
	for n := range 100 {
		write(t, db, fmt.Sprintf("k%03d=0", n))
	}
	stop, written := make(chan struct{}), make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			default:
				if err := tryWrite(db, fmt.Sprintf("k%03d=%d", n*7%100, n), fmt.Sprintf("count=%d", n), fmt.Sprintf("-gone%d", n-1), fmt.Sprintf("gone%d=%d", n, n)); err != nil {
					t.Error(err)
				}
				select {
				case written <- struct{}{}:
				default:
				}
			}
		}
	})
	for range rounds.Of(10, 200) {
		var out bytes.Buffer
		var want map[string]string
		err := db.Checkpoint(func(v *View, _ int64) (string, io.Writer, error) {
			want = all(v)
			return "", writerFunc(func(p []byte) (int, error) {
				<-written // others go on meanwhile
				return out.Write(p)
			}), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		later := mustOpen(t, stored(t, out.Bytes()), options())
		if got := contentOf(t, later); !maps.Equal(got, want) {
			t.Errorf("the checkpoint holds %d keys, or others, of %d", len(got), len(want))
		}
		if err := later.Close(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	busy.Wait()
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestCheckpointRefused cuts a checkpoint off, and changes it, everywhere: neither a verification nor a store takes it.
func TestCheckpointRefused(t *testing.T) {
	db := openTemporary(t, options())
	for n := range 50 {
		write(t, db, fmt.Sprintf("k%d=%d", n, n))
	}
	file, want := checkpointOf(t, db, "a note")
	refused := func(what string, damaged []byte, from int) {
		t.Helper()
		if _, _, err := VerifyCheckpoint(bytes.NewReader(damaged)); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%s: verified, %v", what, err)
		}
		path := stored(t, damaged)
		for _, readOnly := range []bool{true, false} {
			o := options()
			o.ReadOnly = readOnly
			opened, err := Open(path, o)
			if err == nil {
				opened.Close()
				t.Errorf("%s: opened", what)
			} else if code := dovetail.CodeOf(err); code != dovetail.CodeCorrupt && from > 4096*2 {
				t.Errorf("%s: %v", what, err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || from > 4096*2 && !bytes.Equal(got, damaged) {
			t.Errorf("%s: the file was changed", what)
		}
	}
	for n := 1; n < len(file); n += 997 {
		refused(fmt.Sprintf("cut off at %d of %d", n, len(file)), file[:n], n)
		changed := bytes.Clone(file)
		changed[n] ^= 0x40
		refused(fmt.Sprintf("changed at %d", n), changed, n)
	}
	refused("cut off by a byte", file[:len(file)-1], len(file))
	whole := mustOpen(t, stored(t, file), options())
	defer whole.Close()
	if got := contentOf(t, whole); !maps.Equal(got, want) {
		t.Errorf("the whole one holds %v", got)
	}
}

// TestInterruptedTakeover stops the first opening of a checkpoint after each of its steps: the next one ends it.
func TestInterruptedTakeover(t *testing.T) {
	db := openTemporary(t, options())
	write(t, db, "a=1", "b=2")
	db = reopen(t, db, options())
	defer db.Close()
	write(t, db, "b=3")
	file, want := checkpointOf(t, db, "a note")
	path := stored(t, file)
	taken, err := openBolt(path, options().withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	found, err := newDB(taken, path, options().withDefaults()).findCheckpoint(f)
	if err != nil || found == nil {
		t.Fatal(found, err)
	}
	if _, err := found.moveLog(path, f); err != nil {
		t.Fatal(err)
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	names := logPaths(path)
	last, other := names[found.generation%2], names[(found.generation+1)%2]
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name    string
		before  func()
		foreign bool
	}{
		{name: "logs complete", before: func() {}},
		{name: "last log not renamed", before: func() { must(os.Rename(last, last+".new")) }},
		{name: "last log cut off before its renaming", before: func() { must(os.Rename(last, last+".new")); must(os.Truncate(last+".new", 600)) }},
		{name: "other log cut off", before: func() { os.Remove(last); must(os.Truncate(other, 20)) }},
		{name: "other log empty", before: func() { os.Remove(last); must(os.Truncate(other, 0)) }},
		{name: "no logs", before: func() { os.Remove(last); os.Remove(other) }},
		{name: "logs of the store that was copied", foreign: true, before: func() {
			for i, name := range logPaths(db.path) {
				text, err := os.ReadFile(name)
				if err == nil {
					err = os.WriteFile(names[i], text, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}},
	} {
		t.Run(step.name, func(t *testing.T) {
			folder := t.TempDir()
			copied := filepath.Join(folder, "copy.db")
			copyDatabase(t, path, copied)
			was := names
			names, last, other = logPaths(copied), logPaths(copied)[found.generation%2], logPaths(copied)[(found.generation+1)%2]
			defer func() { names = was }()
			step.before()
			for _, readOnly := range []bool{true, false} {
				o := options()
				o.ReadOnly = readOnly
				opened, err := Open(copied, o)
				if step.foreign {
					wantCode(t, "opening", err, dovetail.CodeCorrupt)
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := contentOf(t, opened); !maps.Equal(got, want) {
					t.Errorf("it holds %v, want %v", got, want)
				}
				if err := opened.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestCheckpointWriterFails gives the error of a writer that fails at any byte, and the database goes on.
func TestCheckpointWriterFails(t *testing.T) {
	db := openTemporary(t, options())
	write(t, db, "a="+strings.Repeat("x", 500_000))
	file, _ := checkpointOf(t, db, "")
	full := &fs.PathError{Op: "write", Path: "copy.db", Err: syscall.ENOSPC}
	for _, most := range []int{0, 1, 4096, 200_000, len(file) - endSize, len(file) - 1} {
		left := most
		err := db.Checkpoint(func(*View, int64) (string, io.Writer, error) {
			return "", writerFunc(func(p []byte) (int, error) {
				n := min(left, len(p))
				if left -= n; n < len(p) {
					return n, full
				}
				return n, nil
			}), nil
		})
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room for %d bytes: %v", most, err)
		}
	}
	if err := db.Checkpoint(func(*View, int64) (string, io.Writer, error) { return "", nil, full }); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("no writer: %v", err)
	}
	write(t, db, "b=1")
	if err := db.Health(); err != nil {
		t.Error(err)
	}
}
