package kv

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// leave makes a database as a crash leaves it, with what the batches wrote in the log, and returns
// the path. Generations are as given: after each but the last the table is flushed.
func leave(t *testing.T, batches ...string) string { return leaveWith(t, options(), batches...) }

func leaveWith(t *testing.T, o Options, batches ...string) string {
	t.Helper()
	db := openTemporary(t, o)
	for _, batch := range batches {
		write(t, db, strings.Fields(batch)...)
	}
	path := filepath.Join(t.TempDir(), "kv.db")
	copyDatabase(t, db.path, path)
	return path
}

func copyDatabase(t *testing.T, from, to string) {
	t.Helper()
	fromLogs, toLogs := logPaths(from), logPaths(to)
	for from, to := range map[string]string{from: to, fromLogs[0]: toLogs[0], fromLogs[1]: toLogs[1]} {
		content, err := os.ReadFile(from)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(to, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestTornLog truncates the log at each byte, and corrupts each byte: the whole batches before the damage
// are there.
func TestTornLog(t *testing.T) {
	for _, tt := range []struct {
		name      string
		spillSize int
	}{{"at once", growth}, {"write by write", 1}} {
		t.Run(tt.name, func(t *testing.T) {
			o := options()
			o.spillSize = tt.spillSize
			tear(t, leaveWith(t, o, "a=1 b=1", "a=2 -b", "c=3 d=3"))
		})
	}
}

func tear(t *testing.T, path string) {
	t.Helper()
	steps := []string{"", "a=1 b=1", "a=2", "a=2 c=3 d=3"}
	logPath := logPaths(path)[1] // the first generation is odd
	whole, err := os.ReadFile(logPath)
	if err != nil {
		t.Fatal(err)
	}
	end := len(bytes.TrimRight(whole, "\x00"))
	check := func(name string, content []byte) (step int) {
		copied := filepath.Join(t.TempDir(), "kv.db")
		copyDatabase(t, path, copied)
		if err := os.WriteFile(logPaths(copied)[1], content, 0o600); err != nil {
			t.Fatal(err)
		}
		db := mustOpen(t, copied, options())
		defer db.Close()
		step = slices.Index(steps, strings.Join(contents(t, db, red), " "))
		if step < 0 {
			t.Errorf("%s: there is %v", name, contents(t, db, red))
		}
		write(t, db, "e=5") // and it goes on
		return step
	}
	if step := check("whole", whole); step != 3 {
		t.Errorf("of the whole log %d of 3 batches are there", step)
	}
	last := 3
	for at := end; at >= headerSize; at -= 5 {
		step := check(fmt.Sprint("cut at ", at), whole[:at])
		if step > last {
			t.Errorf("cut at %d there are %d batches, cut later %d", at, step, last)
		}
		last = step
		spoiled := slices.Clone(whole)
		spoiled[at] ^= 0x10
		check(fmt.Sprint("spoiled at ", at), spoiled)
	}
	if last != 0 {
		t.Errorf("of an empty log %d batches are there", last)
	}
}

// TestForeignLogs opens a file with logs that are not its own: it is refused, and nothing is changed.
func TestForeignLogs(t *testing.T) {
	closedCopy := func(t *testing.T) (path string) { // of a database that is written to afterwards
		db := openTemporary(t, options())
		write(t, db, "a=1")
		db = reopen(t, db, options())
		path = filepath.Join(t.TempDir(), "kv.db")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		copyDatabase(t, db.path, path)
		db = mustOpen(t, db.path, options())
		defer db.Close()
		write(t, db, "a=2")
		logs, copies := logPaths(db.path), logPaths(path)
		for i := range logs {
			content, err := os.ReadFile(logs[i])
			if err == nil {
				err = os.WriteFile(copies[i], content, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	cases := []struct {
		name string
		path func(t *testing.T) string
		says string
	}{
		{"one is missing", func(t *testing.T) string {
			path := leave(t, "a=1")
			if err := os.Remove(logPaths(path)[1]); err != nil {
				t.Fatal(err)
			}
			return path
		}, "is missing"},
		{"of another database", func(t *testing.T) string {
			path, other := leave(t, "a=1"), leave(t, "b=1")
			for i := range 2 {
				if err := os.Rename(logPaths(other)[i], logPaths(path)[i]); err != nil {
					t.Fatal(err)
				}
			}
			return path
		}, "belongs to another"},
		{"of a later state", closedCopy, "of a later state"},
		{"without a header", func(t *testing.T) string {
			path := leave(t, "a=1")
			if err := os.Truncate(logPaths(path)[0], 100); err != nil {
				t.Fatal(err)
			}
			return path
		}, "is damaged"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := c.path(t)
			before, _ := os.ReadFile(path)
			for _, readOnly := range []bool{true, false} {
				o := options()
				o.ReadOnly = readOnly
				_, err := Open(path, o)
				wantCode(t, "Open", err, dovetail.CodeCorrupt)
				if err != nil && (!strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path)) {
					t.Errorf("Open says %q", err)
				}
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

// TestInterruptedStart finds logs that were being made when the process died for the first time.
func TestInterruptedStart(t *testing.T) {
	for _, content := range []string{"", logMagic[:5], strings.Repeat("\x00", headerSize-1)} {
		db := openTemporary(t, options())
		write(t, db, "a=1")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(logPaths(db.path)[0], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		db = mustOpen(t, db.path, options())
		wantContents(t, db, "a=1")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadOnlyAfterCrash reads what is in the log only, and changes nothing.
func TestReadOnlyAfterCrash(t *testing.T) {
	path := leave(t, "a=1 b=1", "-a")
	o := options()
	o.ReadOnly = true
	for range 2 {
		db := mustOpen(t, path, o)
		wantContents(t, db, "b=1")
		wantCode(t, "a write", tryWrite(db, "c=1"), dovetail.CodeUnavailable)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	db := mustOpen(t, path, options())
	defer db.Close()
	wantContents(t, db, "b=1")
}

// TestOneFileAtRest leaves nothing but the file after Close.
func TestOneFileAtRest(t *testing.T) {
	db := openTemporary(t, tiny())
	for i := range 50 {
		write(t, db, fmt.Sprintf("key%d=%d", i, i))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(db.path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// TestLargeBatch writes more than the log usually holds, and cuts the log back afterwards.
func TestLargeBatch(t *testing.T) {
	db := openTemporary(t, options())
	const large = 1 << 20
	var all []string
	for i := range 20 {
		all = append(all, string(rune('a'+i))+"="+strings.Repeat("v", large))
	}
	write(t, db, all...)
	for range 4 { // each takes a table of its own
		awaitFlush(db)
		write(t, db, "a="+strings.Repeat("w", 5*large))
	}
	for i, size := range db.log.sizes {
		if size > keptSize {
			t.Errorf("log %d still has %d bytes", i, size)
		}
	}
	if got := contents(t, db, red); len(got) != 20 {
		t.Errorf("%d of 20 entries are there", len(got))
	}
}

// protected does something while one of the logs cannot be written, as on a full disk.
func protected(t *testing.T, db *DB, turn uint64, do func()) {
	t.Helper()
	file := db.log.files[turn]
	readable, err := os.Open(file.Name()) // writing to it fails
	if err != nil {
		t.Fatal(err)
	}
	db.log.files[turn] = readable
	do()
	readable.Close()
	db.log.files[turn] = file
}

// afterCrash compares what a crash leaves.
func afterCrash(t *testing.T, db *DB, want ...string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kv.db")
	copyDatabase(t, db.path, path)
	crashed := mustOpen(t, path, options())
	defer crashed.Close()
	wantContents(t, crashed, want...)
}

// TestLogCannotBeWritten fails the write of a record: the batch is not done, and since its place in the log cannot be
// overwritten either, the outcome is unknown.
func TestLogCannotBeWritten(t *testing.T) {
	db := openTemporary(t, options())
	write(t, db, "a=1")
	protected(t, db, db.log.generation%2, func() {
		wantCode(t, "Commit", tryWrite(db, "b=2"), dovetail.CodeUnknown)
		wantCode(t, "the next", tryWrite(db, "c=3"), dovetail.CodeUnavailable)
	})
	wantContents(t, db, "a=1")
}

// TestLogCannotBeSpilledTo fails the write of a part of a record: the batch is not done, and the log goes on.
func TestLogCannotBeSpilledTo(t *testing.T) {
	o := options()
	o.spillSize = 20
	db := openTemporary(t, o)
	write(t, db, "a=1")
	protected(t, db, db.log.generation%2, func() {
		wantCode(t, "Commit", tryWrite(db, "b=2", "c=3", "d=4"), dovetail.CodeUnavailable)
	})
	wantContents(t, db, "a=1")
	write(t, db, "e=5")
	afterCrash(t, db, "a=1", "e=5")
}

// TestLogCannotBeCutBack fails to cut back the other log when its turn comes, twice: this one stays, with all that is in it.
func TestLogCannotBeCutBack(t *testing.T) {
	db := openTemporary(t, options())
	write(t, db, "a=1")
	turn := db.log.generation % 2
	db.log.sizes[turn], db.log.sizes[1-turn] = keptSize+1, keptSize+1
	protected(t, db, 1-turn, func() {
		for range 2 {
			if err := db.drain(); err == nil {
				t.Error("the log was cut back without being writable")
			}
		}
	})
	afterCrash(t, db, "a=1")
	write(t, db, "b=2")
	afterCrash(t, db, "a=1", "b=2")
}

// TestChecksum is that of a record as a whole.
func TestChecksum(t *testing.T) {
	record := make([]byte, 3*growth)
	for i := range record {
		record[i] = byte(i * i >> 3)
	}
	for _, size := range []int{0, 1, 1000, growth, growth + 1, 3*growth - recordHeader} {
		payload := record[recordHeader : recordHeader+size]
		want := crc32.Update(crc32.Checksum(record[:12], castagnoli), castagnoli, payload)
		if got := checksum(record, crc32.Checksum(payload, castagnoli), int64(size)); got != want {
			t.Errorf("of %d bytes it is %x, want %x", size, got, want)
		}
	}
}

// TestSyncFails cannot know whether a batch is done, and takes no more. After a restart it shows.
func TestSyncFails(t *testing.T) {
	db := openTemporary(t, options())
	write(t, db, "a=1")
	db.log.sync = func(*os.File) error { return syscall.EIO }
	wantCode(t, "Commit", tryWrite(db, "b=2"), dovetail.CodeUnknown)
	wantCode(t, "the next", tryWrite(db, "c=3"), dovetail.CodeUnavailable)
	wantCode(t, "Health", db.Health(), dovetail.CodeUnavailable)
	wantContents(t, db, "a=1")
	wantCode(t, "Close", db.Close(), dovetail.CodeUnavailable)
	db = mustOpen(t, db.path, options())
	defer db.Close()
	wantContents(t, db, "a=1", "b=2")
	write(t, db, "c=3")
}

// FuzzReplay reads records of anything: nothing panics, and what is read is written the same again.
func FuzzReplay(f *testing.F) {
	f.Add(appendWrite(appendWrite(nil, red, []byte("key"), []byte("value")), blue, []byte("gone"), nil))
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, payload []byte) {
		first := newTable()
		if err := first.replay(payload); err != nil {
			wantCode(t, "replay", err, dovetail.CodeCorrupt)
			return
		}
		var again []byte
		for entry, value := range first.all("") {
			again = appendWrite(again, Space(entry[0]), []byte(entry[1:]), value)
		}
		second := newTable()
		if err := second.replay(again); err != nil || second.entries.Len() != first.entries.Len() {
			t.Errorf("%d entries become %d, %v", first.entries.Len(), second.entries.Len(), err)
		}
	})
}
