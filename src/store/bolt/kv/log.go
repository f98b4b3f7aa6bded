package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// A log file is a header and records, one for each batch:
//
//	header   logMagic, identity of the store; padded to headerSize
//	record   generation (8 bytes), length of the payload (4), checksum (4), payload
//
// All numbers are little-endian. The two files take turns and are written over from the start, so
// that their blocks are on the disk already and a sync has no more to do than write the records.
// What follows the last record is older: its generation or its checksum is not the one expected.
const (
	logMagic     = "dovetail log 1\n"
	headerSize   = 512
	recordHeader = 16
	maxPayload   = 1 << 30
	// growth is by how much a file grows ahead of its records.
	growth = 256 << 10
	// keptSize is what a file is cut back to when its turn comes, after an unusually large batch.
	keptSize = 16 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// log appends records to the file whose turn it is. It belongs to one goroutine.
type log struct {
	files      [2]*os.File
	sizes      [2]int64
	identity   string
	generation uint64 // of the records to come
	offset     int64  // where the next begins
	buffer     []byte

	sync func(*os.File) error // tests let it fail
}

func logPaths(path string) [2]string { return [2]string{path + "-log0", path + "-log1"} }

// createLog makes both files anew, for records from the generation on.
func createLog(path, identity string, generation uint64) (*log, error) {
	l := &log{identity: identity, sync: syncData}
	for i, name := range logPaths(path) {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		l.files[i] = f
		header := append([]byte(logMagic), identity...)
		header = append(header, make([]byte, headerSize-len(header))...)
		if _, err = f.Write(header); err == nil {
			err = f.Sync()
		}
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		l.sizes[i] = headerSize
	}
	return l, l.begin(generation)
}

// begin turns to the file of the generation, which holds nothing that is needed.
func (l *log) begin(generation uint64) error {
	l.generation, l.offset = generation, headerSize
	turn := generation % 2
	if l.sizes[turn] <= keptSize {
		return nil
	}
	l.sizes[turn] = headerSize
	return l.files[turn].Truncate(headerSize)
}

// append writes a record and syncs it. When it returns an error the record does not count, unless
// unsure is true: then nobody knows.
func (l *log) append(payload []byte) (unsure bool, err error) {
	if len(payload) > maxPayload {
		return false, &dovetail.Error{Code: dovetail.CodeTooLarge, Message: "the writes take more than a gibibyte together"}
	}
	b := append(l.buffer[:0], make([]byte, recordHeader)...)
	b = append(b, payload...)
	binary.LittleEndian.PutUint64(b, l.generation)
	binary.LittleEndian.PutUint32(b[8:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(b[12:], checksum(b))
	if cap(b) <= growth {
		l.buffer = b
	}

	turn := l.generation % 2
	if err := l.grow(turn, l.offset+int64(len(b))); err != nil {
		return false, err
	}
	if _, err := l.files[turn].WriteAt(b, l.offset); err != nil {
		// It may be there nevertheless. No later record must make it count.
		_, spoiled := l.files[turn].WriteAt(make([]byte, recordHeader), l.offset)
		return spoiled != nil, err
	}
	if err := l.sync(l.files[turn]); err != nil {
		return true, err
	}
	l.offset += int64(len(b))
	return false, nil
}

// grow fills the file with zeros beyond the size that is needed.
func (l *log) grow(turn uint64, size int64) error {
	if size <= l.sizes[turn] {
		return nil
	}
	size += growth
	_, err := l.files[turn].WriteAt(make([]byte, size-l.sizes[turn]), l.sizes[turn])
	if err == nil {
		l.sizes[turn] = size
	}
	return err
}

// checksum covers a record but for the field of the checksum.
func checksum(record []byte) uint32 {
	sum := crc32.Update(0, castagnoli, record[:12])
	return crc32.Update(sum, castagnoli, record[recordHeader:])
}

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

// readLog calls replay with the payload of each record that follows the flushed generation, in
// order, and returns the generation of the last, or flushed when there is none. required says that
// the files must be there.
func readLog(path, identity string, flushed uint64, required bool, replay func(payload []byte) error) (last uint64, err error) {
	var files [2]*os.File
	for i, name := range logPaths(path) {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) && !required {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			return 0, strangeLog(path, name+" is missing, without which it is not complete")
		}
		if err != nil {
			return 0, err
		}
		defer f.Close()
		if err := checkHeader(path, name, identity, f); err != nil {
			return 0, err
		}
		files[i] = f
	}
	last = flushed
	for generation := flushed + 1; generation <= flushed+2; generation++ {
		f := files[generation%2]
		if f == nil {
			break
		}
		found, newest, err := readRecords(f, generation, required, replay)
		switch {
		case err != nil:
			return 0, err
		case newest > flushed+2 || newest > flushed && !required:
			return 0, strangeLog(path, f.Name()+" is of a later state of it")
		case found:
			last = generation
		}
	}
	return last, nil
}

func checkHeader(path, name, identity string, f *os.File) error {
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(f, header); err != nil {
		return fmt.Errorf("%s has no header: %w", name, err)
	}
	if want := logMagic + identity; string(header[:len(want)]) != want {
		return strangeLog(path, name+" belongs to another store")
	}
	return nil
}

func strangeLog(path, message string) error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Message: fmt.Sprintf("%s cannot be opened: %s", path, message),
		Remedy: "put back the file and its two logs as they were together; to go back to a copy that was made of a closed store, remove the logs"}
}

// readRecords replays the records of the generation from the start of a file. newest is the
// generation of the first record, whatever it is.
func readRecords(f *os.File, generation uint64, wanted bool, replay func([]byte) error) (found bool, newest uint64, err error) {
	info, err := f.Stat()
	if err != nil {
		return false, 0, err
	}
	for offset := int64(headerSize); offset+recordHeader <= info.Size(); {
		record := make([]byte, recordHeader)
		if _, err := f.ReadAt(record, offset); err != nil {
			return false, 0, err
		}
		size := int64(binary.LittleEndian.Uint32(record[8:]))
		if size > info.Size()-offset-recordHeader {
			break
		}
		record = append(record, make([]byte, size)...)
		if _, err := f.ReadAt(record[recordHeader:], offset+recordHeader); err != nil {
			return false, 0, err
		}
		if checksum(record) != binary.LittleEndian.Uint32(record[12:]) {
			break
		}
		got := binary.LittleEndian.Uint64(record)
		if offset == headerSize {
			newest = got
		}
		if got != generation || !wanted {
			break
		}
		if err := replay(record[recordHeader:]); err != nil {
			return false, 0, err
		}
		found = true
		offset += recordHeader + size
	}
	return found, newest, nil
}
