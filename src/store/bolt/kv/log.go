package kv

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// A log file is a header and records, one for each batch:
//
//	header   logMagic, identity of the store, zeros, and a note of what the other file holds; see note.go
//	record   generation (8 bytes), length of the payload (4), checksum (4), payload
//
// All numbers are little-endian. The two files take turns and are written over from the start, so
// that their blocks are on the disk already and a sync has no more to do than write the records.
// What follows the last record is older, or was being written when the process ended: its generation or its checksum
// is not the one expected. Where the note counts more records, or one is behind, the log is damaged.
const (
	logMagic     = "dovetail log 1\n"
	headerSize   = 512
	recordHeader = 16
	maxRecord    = 1 << 30
	// growth is by how much a file grows ahead of its records.
	growth = 256 << 10
	// keptSize is what a file is cut back to when its turn comes, after an unusually large batch.
	keptSize = 16 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// log appends records to the current file of two. It belongs to one goroutine.
type log struct {
	files    [2]*os.File
	sizes    [2]int64
	identity string
	synced   note   // the records of the current file; the next begins at its end
	spilled  int64  // bytes of its payload that are in the file already
	sum      uint32 // their checksum

	sync func(*os.File) error // tests let it fail
}

func logPaths(path string) [2]string { return [2]string{path + "-log0", path + "-log1"} }

// openLog opens both files for records from the generation on. Files that are not fresh are as
// readLog found them.
func openLog(path, identity string, generation uint64, fresh bool) (*log, error) {
	l := &log{identity: identity, sync: syncData}
	for i, name := range logPaths(path) {
		if err := l.open(i, name, fresh); err != nil {
			return nil, errors.Join(err, l.close())
		}
	}
	if err := l.begin(generation, keptSize); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (l *log) open(i int, name string, fresh bool) error {
	flag := os.O_RDWR
	if fresh {
		flag |= os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return err
	}
	l.files[i] = f
	if fresh {
		header := make([]byte, headerSize)
		copy(header, logMagic+l.identity)
		if _, err := f.Write(header); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	l.sizes[i] = info.Size()
	return nil
}

// begin turns to the file of the generation, which holds nothing that is needed. If it is larger than it may be kept, it is cut back.
func (l *log) begin(generation uint64, kept int64) error {
	if turn := generation % 2; l.sizes[turn] > kept {
		if err := l.files[turn].Truncate(headerSize); err != nil {
			return err
		}
		l.sizes[turn] = headerSize
	}
	l.synced = note{generation: generation, end: headerSize}
	l.drop()
	return nil
}

// spill writes a part of the payload of the record to come, so that a large batch is not held in memory twice. It
// counts only once append has put a header before it.
func (l *log) spill(part []byte) error {
	if l.spilled+int64(len(part)) > maxRecord {
		return tooLarge()
	}
	at := l.synced.end + recordHeader + l.spilled
	if err := l.grow(at + int64(len(part))); err != nil {
		return err
	}
	if _, err := l.file().WriteAt(part, at); err != nil {
		return err
	}
	l.spilled += int64(len(part))
	l.sum = crc32.Update(l.sum, castagnoli, part)
	return nil
}

// drop forgets what was spilled.
func (l *log) drop() { l.spilled, l.sum = 0, 0 }

// append writes a record and syncs it: its first recordHeader bytes are free for the header, the others are the rest of
// the payload. When it returns an error the record does not count, unless unsure is true: then it may.
func (l *log) append(record []byte) (unsure bool, err error) {
	defer l.drop()
	header, rest := record[:recordHeader], record[recordHeader:]
	size := l.spilled + int64(len(rest))
	if size > maxRecord {
		return false, tooLarge()
	}
	binary.LittleEndian.PutUint64(header, l.synced.generation)
	binary.LittleEndian.PutUint32(header[8:], uint32(size))
	sum := checksum(header, crc32.Update(l.sum, castagnoli, rest), size)
	binary.LittleEndian.PutUint32(header[12:], sum)

	if err := l.grow(l.synced.end + recordHeader + size); err != nil {
		return false, err
	}
	if l.spilled > 0 {
		if _, err := l.file().WriteAt(rest, l.synced.end+recordHeader+l.spilled); err != nil {
			return false, err
		}
		record = header
	}
	if _, err := l.file().WriteAt(record, l.synced.end); err != nil {
		// It may be there nevertheless. No later record must make it count.
		_, spoiled := l.file().WriteAt(make([]byte, recordHeader), l.synced.end)
		return spoiled != nil, err
	}
	if err := l.sync(l.file()); err != nil {
		return true, err
	}
	l.synced.add(recordHeader+size, sum)
	l.writeNote()
	return false, nil
}

func tooLarge() error {
	return &dovetail.Error{Code: dovetail.CodeTooLarge, Message: "the writes take more than a gibibyte together"}
}

// file is the current one.
func (l *log) file() *os.File { return l.files[l.synced.generation%2] }

// grow fills the file with zeros beyond the size that is needed.
func (l *log) grow(size int64) error {
	turn := l.synced.generation % 2
	if size <= l.sizes[turn] {
		return nil
	}
	for size += growth; l.sizes[turn] < size; {
		n, err := l.files[turn].WriteAt(zeroBytes[:min(growth, size-l.sizes[turn])], l.sizes[turn])
		l.sizes[turn] += int64(n)
		if err != nil {
			return err
		}
	}
	return nil
}

// checksum covers a record except the field of the checksum: the rest of the header, and the payload, of which the
// sum and the size are given. It is the sum of the two in a row, by the rule that the sum of a and b in a row is
//
//	sum(a and zeros) xor sum(zeros) xor sum(b), with as many zeros as b is long
func checksum(header []byte, payload uint32, size int64) uint32 {
	sum, zeros := crc32.Update(0, castagnoli, header[:12]), uint32(0)
	for size > 0 {
		n := min(size, int64(len(zeroBytes)))
		sum = crc32.Update(sum, castagnoli, zeroBytes[:n])
		zeros = crc32.Update(zeros, castagnoli, zeroBytes[:n])
		size -= n
	}
	return sum ^ zeros ^ payload
}

var zeroBytes [growth]byte

func (l *log) close() error {
	var errs []error
	for _, f := range l.files {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// removeLog deletes the files.
func removeLog(path string) error {
	var errs []error
	for _, name := range logPaths(path) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
