package kv

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

const (
	red Space = iota
	blue
)

func options() Options { return Options{Spaces: []string{"red", "blue"}, Format: "1"} }

// tiny makes tables of a few writes, so that flushes happen all the time.
func tiny() Options {
	o := options()
	o.TableSize = 100
	return o
}

func mustOpen(t testing.TB, path string, o Options) *DB {
	t.Helper()
	db, err := Open(path, o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return db
}

func openTemporary(t *testing.T, o Options) *DB {
	t.Helper()
	db := mustOpen(t, filepath.Join(t.TempDir(), "kv.db"), o)
	t.Cleanup(func() { db.Close() })
	return db
}

func reopen(t testing.TB, db *DB, o Options) *DB {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	return mustOpen(t, db.path, o)
}

// write commits a batch of "key=value" and "-key" in the red space.
func write(t testing.TB, db *DB, writes ...string) {
	t.Helper()
	if err := tryWrite(db, writes...); err != nil {
		t.Fatalf("Commit: %v", err)
	}
}

func tryWrite(db *DB, writes ...string) error {
	return db.Update(func(b *Batch) error { do(b, writes...); return nil })
}

func do(b *Batch, writes ...string) {
	for _, w := range writes {
		if key, ok := strings.CutPrefix(w, "-"); ok {
			b.Delete(red, []byte(key))
			continue
		}
		key, value, _ := strings.Cut(w, "=")
		b.Put(red, []byte(key), []byte(value))
	}
}

// contents returns all entries of a space as "key=value".
func contents(t testing.TB, db *DB, space Space) (all []string) {
	t.Helper()
	err := db.View(func(v *View) error {
		for key, value := range v.Scan(space, nil, nil) {
			all = append(all, string(key)+"="+string(value))
		}
		return nil
	})
	if err != nil {
		t.Fatalf("View: %v", err)
	}
	return all
}

func wantContents(t testing.TB, db *DB, want ...string) {
	t.Helper()
	if got := contents(t, db, red); !slices.Equal(got, want) {
		t.Errorf("there is %v, want %v", got, want)
	}
}

func wantCode(t testing.TB, what string, err error, want dovetail.Code) {
	t.Helper()
	if _, ok := err.(*dovetail.Error); dovetail.CodeOf(err) != want || err != nil && !ok {
		t.Errorf("%s: error %v of type %T, want code %q", what, err, err, want)
	}
}

func TestReadsAndWrites(t *testing.T) {
	db := openTemporary(t, options())
	write(t, db, "a=1", "b=2", "empty=", "c=3")
	write(t, db, "-b", "c=4", "-absent", "d=5", "-d")
	given := errors.New("given up")
	err := db.Update(func(b *Batch) error {
		b.Put(blue, []byte("a"), nil)
		b.Delete(red, []byte("a"))
		if b.Get(red, []byte("a")) != nil || b.Get(blue, []byte("a")) == nil {
			t.Error("a batch does not see its own writes")
		}
		wantContents(t, db, "a=1", "c=4", "empty=") // other readers do not
		return given
	})
	if !errors.Is(err, given) {
		t.Errorf("Update returns %v", err)
	}
	wantContents(t, db, "a=1", "c=4", "empty=")
	wantCode(t, "a batch that panics", db.Update(func(b *Batch) error {
		b.Delete(red, []byte("a"))
		panic("on purpose")
	}), dovetail.CodeCorrupt)
	wantContents(t, db, "a=1", "c=4", "empty=")
	if got := contents(t, db, blue); got != nil {
		t.Errorf("the other space has %v", got)
	}
	for range 2 {
		db = reopen(t, db, options())
		wantContents(t, db, "a=1", "c=4", "empty=")
	}
}

// TestScan scans entries that are spread over the live table, the frozen one, and the file.
func TestScan(t *testing.T) {
	db := openTemporary(t, tiny())
	hold := make(chan struct{})
	write(t, db, "a=file", "b=file", "b/1=file", "b/2=file", "b0=file", "c=file", "gone=file")
	db = reopen(t, db, tiny())
	defer db.Close()
	db.commit = func(tx *bbolt.Tx) error { <-hold; return tx.Commit() }
	write(t, db, "b/1=frozen", "b/1x=frozen", "b/3=frozen", "-c", "-gone", "long="+strings.Repeat("x", 200))
	write(t, db, "b/2=live", "b/3=live", "-b/1x", "gone=live", "b!=live")
	defer close(hold)
	if s := db.state.Load(); s.frozen == nil {
		t.Fatal("nothing is frozen")
	}

	cases := []struct {
		prefix, after string
		want          string
	}{
		{"b/", "", "b/1=frozen b/2=live b/3=live"},
		{"b/", "b/1", "b/2=live b/3=live"},
		{"b/", "b/1x", "b/2=live b/3=live"},
		{"b/", "b/3", ""},
		{"b/", "c", ""},
		{"b/", "a", "b/1=frozen b/2=live b/3=live"},
		{"b", "", "b=file b!=live b/1=frozen b/2=live b/3=live b0=file"},
		{"b", "b", "b!=live b/1=frozen b/2=live b/3=live b0=file"},
		{"c", "", ""},
		{"g", "", "gone=live"},
		{"", "b/3", "b0=file gone=live long"},
		{"zzz", "", ""},
	}
	for _, c := range cases {
		var got []string
		if err := db.View(func(v *View) error {
			for key, value := range v.Scan(red, []byte(c.prefix), []byte(c.after)) {
				text := string(key)
				if len(value) < 100 {
					text += "=" + string(value)
				}
				got = append(got, text)
				if direct := v.Get(red, key); !bytes.Equal(direct, value) {
					t.Errorf("Get(%s) = %s, Scan says %s", key, direct, value)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("Scan(%q, after %q) = %s, want %s", c.prefix, c.after, text, c.want)
		}
	}
}

// crashCopy copies the files as a crash of the process would leave them, and opens the copy. The
// flusher is paused during the copy.
func crashCopy(t testing.TB, db *DB, flushing *sync.Mutex, o Options) *DB {
	t.Helper()
	folder, err := os.MkdirTemp("", "crash") //nolint:usetesting // one of many in a property, closed at the end of all
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	path := filepath.Join(folder, "kv.db")
	flushing.Lock()
	defer flushing.Unlock()
	logs, copies := logPaths(db.path), logPaths(path)
	for from, to := range map[string]string{db.path: path, logs[0]: copies[0], logs[1]: copies[1]} {
		content, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return mustOpen(t, path, o)
}

// TestModel compares random batches with a map, over restarts and crashes.
func TestModel(t *testing.T) {
	rounds.Checks(t, 15, 100)
	rapid.Check(t, func(r *rapid.T) {
		folder, err := os.MkdirTemp("", "kv") //nolint:usetesting // rapid has no folders
		if err != nil {
			r.Fatal(err)
		}
		defer os.RemoveAll(folder)
		o := tiny()
		o.TableSize = rapid.SampledFrom([]int{1, 100, 1000, 1 << 20}).Draw(r, "table size")
		o.spillSize = rapid.SampledFrom([]int{1, 100, growth}).Draw(r, "spill size")
		var flushing sync.Mutex
		open := func(db *DB) *DB {
			db.commit = func(tx *bbolt.Tx) error {
				flushing.Lock()
				defer flushing.Unlock()
				return tx.Commit()
			}
			return unsynced(db)
		}
		db := open(mustOpen(t, filepath.Join(folder, "kv.db"), o))
		defer func() { db.Close() }()
		model := make(map[string]string)
		key := rapid.StringMatching(`[ab/]{1,3}`)

		r.Repeat(map[string]func(*rapid.T){
			"batch": func(r *rapid.T) {
				next := maps.Clone(model)
				var writes []string
				for range rapid.IntRange(0, 8).Draw(r, "writes") {
					k := key.Draw(r, "key")
					if rapid.IntRange(0, 2).Draw(r, "delete?") == 0 {
						writes = append(writes, "-"+k)
						delete(next, k)
						continue
					}
					next[k] = strings.Repeat("v", rapid.IntRange(0, 60).Draw(r, "size"))
					writes = append(writes, k+"="+next[k])
				}
				var given error
				if rapid.IntRange(0, 4).Draw(r, "give up?") == 0 {
					given = errors.New("given up")
				}
				var seen map[string]string
				crash := rapid.IntRange(0, 9).Draw(r, "crash within?") == 0
				err := db.Update(func(b *Batch) error {
					do(b, writes...)
					seen = all(&b.View)
					if crash { // what is in the log already does not count
						crashed := crashCopy(t, db, &flushing, o)
						defer crashed.Close()
						viewed(r, crashed, model)
					}
					return given
				})
				if !maps.Equal(seen, next) {
					r.Fatalf("the batch sees %v, want %v", seen, next)
				}
				switch {
				case !errors.Is(err, given):
					r.Fatalf("Update: %v, want %v", err, given)
				case err == nil:
					model = next
				}
			},
			"restart": func(r *rapid.T) { db = open(reopen(t, db, o)) },
			"crash": func(r *rapid.T) {
				crashed := crashCopy(t, db, &flushing, o)
				defer crashed.Close()
				viewed(r, crashed, model)
			},
			"go on after a crash": func(r *rapid.T) {
				crashed := crashCopy(t, db, &flushing, o)
				db.Close()
				db = open(crashed)
			},
			"": func(r *rapid.T) { viewed(r, db, model) },
		})
	})
}

// unsynced does not wait for the disk any more. What is lost is then what a test leaves out, not what a disk forgets.
func unsynced(db *DB) *DB {
	db.log.sync = func(*os.File) error { return nil }
	db.file.Load().NoSync = true
	return db
}

// viewed compares what a view shows with the model.
func viewed(r *rapid.T, db *DB, model map[string]string) {
	var seen map[string]string
	if err := db.View(func(v *View) error { seen = all(v); return nil }); err != nil {
		r.Fatal(err)
	}
	if !maps.Equal(seen, model) {
		r.Fatalf("there is %v, want %v", seen, model)
	}
}

// all returns what Scan yields in the red space, and with an entry "out of order" or "strange" what
// is wrong about it.
func all(v *View) map[string]string {
	m := make(map[string]string)
	last := ""
	for key, value := range v.Scan(red, nil, nil) {
		if string(key) <= last {
			m["out of order"] = string(key)
		}
		last = string(key)
		if got := v.Get(red, key); got == nil || !bytes.Equal(got, value) {
			m["strange"] = string(key)
		}
		m[last] = string(value)
	}
	return m
}

// TestSnapshots writes pairs of equal values while readers look: none sees half of a batch, or goes
// back in time, whatever the flusher does.
func TestSnapshots(t *testing.T) {
	db := unsynced(openTemporary(t, tiny()))
	write(t, db, "x=000000", "y=000000")
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			last := ""
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := db.View(func(v *View) error {
					x, y := string(v.Get(red, []byte("x"))), string(v.Get(red, []byte("y")))
					var scanned []string
					for _, value := range v.Scan(red, nil, nil) {
						scanned = append(scanned, string(value))
					}
					if x != y || len(scanned) != 2 || scanned[0] != x || scanned[1] != x || x < last {
						t.Errorf("a view shows %q and %q, and scans %v, after %q", x, y, scanned, last)
					}
					last = x
					return nil
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := 1; i <= 1500; i++ {
		write(t, db, fmt.Sprintf("x=%06d", i), fmt.Sprintf("y=%06d", i))
	}
	close(done)
	readers.Wait()
}
