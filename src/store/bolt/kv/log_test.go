package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
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

// tornLog is a log with three batches.
type tornLog struct {
	path  string
	log   string // the file that has the records
	whole []byte
	ends  []int // of the header and of each record
}

var tornSteps = []string{"", "a=1 b=1", "a=2", "a=2 c=3 d=3"}

func leaveTorn(t *testing.T, spillSize int) tornLog {
	t.Helper()
	o := options()
	o.spillSize = spillSize
	path := leaveWith(t, o, "a=1 b=1", "a=2 -b", "c=3 d=3")
	l := tornLog{path: path, log: logPaths(path)[1]} // the first generation is odd
	var err error
	if l.whole, err = os.ReadFile(l.log); err != nil {
		t.Fatal(err)
	}
	l.ends = []int{headerSize}
	for range 3 {
		at := l.ends[len(l.ends)-1]
		l.ends = append(l.ends, at+recordHeader+int(binary.LittleEndian.Uint32(l.whole[at+8:])))
	}
	return l
}

// with copies the database with another content of the log, of which the note counts the first records.
func (l tornLog) with(t *testing.T, content []byte, records int) (path string) {
	t.Helper()
	n := note{generation: 1, end: headerSize}
	for i := range records {
		n.add(int64(l.ends[i+1]-l.ends[i]), binary.LittleEndian.Uint32(l.whole[l.ends[i]+12:]))
	}
	path = filepath.Join(t.TempDir(), "kv.db")
	copyDatabase(t, l.path, path)
	other, err := os.ReadFile(logPaths(path)[0])
	if err == nil {
		copy(other[noteOffset:], n.encode())
		err = errors.Join(os.WriteFile(logPaths(path)[0], other, 0o600), os.WriteFile(logPaths(path)[1], content, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// forSpills runs a test with batches that are written at once and write by write.
func forSpills(t *testing.T, test func(t *testing.T, l tornLog)) {
	for name, spillSize := range map[string]int{"at once": growth, "write by write": 1} {
		t.Run(name, func(t *testing.T) { test(t, leaveTorn(t, spillSize)) })
	}
}

// A record that was being written at a crash is cut off, or has any other content: the batches before it are there.
func TestTornLog(t *testing.T) {
	forSpills(t, func(t *testing.T, l tornLog) {
		check := func(name string, content []byte, step int) {
			db := mustOpen(t, l.with(t, content, step), options())
			defer db.Close()
			if got := strings.Join(contents(t, db, red), " "); got != tornSteps[step] {
				t.Errorf("%s: there is %q, want %q", name, got, tornSteps[step])
			}
			write(t, db, "e=5") // and it goes on
		}
		check("whole", l.whole, 3)
		for last := range 3 {
			behind := l.ends[last+1]
			unwritten := append(slices.Clone(l.whole[:behind]), make([]byte, len(l.whole)-behind)...)
			for at := l.ends[last]; at < behind; at += 3 {
				check(fmt.Sprint("cut at ", at), l.whole[:at], last)
				spoiled := slices.Clone(unwritten)
				spoiled[at] ^= 0x10
				check(fmt.Sprint("spoiled at ", at), spoiled, last)
			}
		}
	})
}

// A record that was acknowledged, or that others follow, is damaged: the database is refused as it is, and all other records can be saved.
func TestDamagedLog(t *testing.T) {
	without := []string{"a=2 c=3 d=3", "a=1 b=1 c=3 d=3", "a=2"} // each of the records
	forSpills(t, func(t *testing.T, l tornLog) {
		for damaged := range 3 {
			for at := l.ends[damaged]; at < l.ends[damaged+1]; at += 3 {
				spoiled := slices.Clone(l.whole)
				spoiled[at] ^= 0x10
				zeroed := slices.Clone(l.whole)
				clear(zeroed[at:])
				cases := []struct {
					name    string
					content []byte
					noted   int
					saved   string
				}{
					{"spoiled", spoiled, 3, without[damaged]},
					{"spoiled, with a note of no record", spoiled, 0, without[damaged]},
					{"cut", l.whole[:at], 3, tornSteps[damaged]},
					{"zeroed to the end", zeroed, 3, tornSteps[damaged]},
				}
				if damaged == 2 {
					cases = slices.Delete(cases, 1, 2) // as if it was being written
				}
				for _, c := range cases {
					path := l.with(t, c.content, c.noted)
					wantDamaged(t, fmt.Sprint(c.name, " at ", at), path, fmt.Sprintf("is damaged at byte %d", l.ends[damaged]), c.saved)
				}
			}
		}
	})
}

// wantDamaged opens a damaged database, which is refused and stays as it is, and saves the rest.
func wantDamaged(t *testing.T, name, path, says, saved string) {
	t.Helper()
	before := filesOf(t, path)
	for _, readOnly := range []bool{true, false} {
		o := options()
		o.ReadOnly = readOnly
		db, err := Open(path, o)
		if err == nil {
			t.Errorf("%s: it is opened with %v", name, contents(t, db, red))
			db.Close()
			return
		}
		if wantCode(t, name, err, dovetail.CodeCorrupt); !strings.Contains(err.Error(), says) {
			t.Errorf("%s: Open says %q, want %q", name, err, says)
		}
	}
	to := filepath.Join(t.TempDir(), "saved.db")
	lost, err := Salvage(path, to, options())
	if err != nil || len(lost) != 1 {
		t.Errorf("%s: Salvage leaves out %v, %v", name, lost, err)
		return
	}
	if !maps.Equal(before, filesOf(t, path)) {
		t.Errorf("%s: the original was changed", name)
	}
	db := mustOpen(t, to, options())
	defer db.Close()
	if got := strings.Join(contents(t, db, red), " "); got != saved {
		t.Errorf("%s: saved is %q, want %q", name, got, saved)
	}
	_, err = Salvage(path, to, options())
	wantCode(t, "Salvage over a file", err, dovetail.CodeInvalid)
}

// filesOf returns the contents of the files of a database.
func filesOf(t testing.TB, path string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	logs := logPaths(path)
	for _, name := range []string{path, logs[0], logs[1]} {
		content, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		files[name] = string(content)
	}
	return files
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
	protected(t, db, db.log.synced.generation%2, func() {
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
	protected(t, db, db.log.synced.generation%2, func() {
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
	turn := db.log.synced.generation % 2
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
