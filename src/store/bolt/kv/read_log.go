package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// logFiles are the two log files, opened for reading; nil if there is none that counts.
type logFiles [2]*os.File

func (files logFiles) close() {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // it was only read
		}
	}
}

// logReading is how to read the log of a file.
type logReading struct {
	path     string // of the file
	identity string
	flushed  uint64 // generation that the file has
	required bool   // whether the files must be there; otherwise they hold nothing that counts
	// replay is called with the payload of each record that follows the flushed generation, in order.
	replay func(payload []byte) error
	// skip is told of damage, whereupon reading goes on behind it; nil means that damage is an error.
	skip func(error)
}

// damaged returns the error, or nil where reading goes on.
func (r logReading) damaged(err error) error {
	var d *logDamage
	if r.skip == nil || !errors.As(err, &d) {
		return err
	}
	r.skip(err)
	return nil
}

// readLog returns the generation of the last record, or the flushed one when there is none.
func readLog(r logReading) (last uint64, err error) {
	var files logFiles
	var notes [2]note // by the turn of the generation that they speak of
	defer func() { files.close() }()
	for i, name := range logPaths(r.path) {
		f, about, err := openForReading(r, name, i)
		if err != nil {
			if err := r.damaged(err); err != nil {
				return 0, err
			}
			continue
		}
		files[i], notes[1-i] = f, about
	}
	last = r.flushed
	newest := uint64(0) // generation in the files, 0 when there is no record
	for generation := r.flushed + 1; generation <= r.flushed+2; generation++ {
		f := files[generation%2]
		if f == nil {
			continue
		}
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		g := generationReading{logReading: r, file: f, name: f.Name(), size: info.Size(), note: notes[generation%2], generation: generation}
		err = g.read()
		switch {
		case err != nil:
			return 0, err
		case g.first > generation, g.first > r.flushed && !r.required:
			if err := r.damaged(foreignLog(f.Name() + " is of a later state of it")); err != nil {
				return 0, err
			}
		case g.found.records > 0:
			last = generation
		}
		newest = max(newest, g.first)
	}
	if r.required && newest != 0 && newest < r.flushed {
		err = r.damaged(foreignLog("its logs are of an earlier state of it"))
	}
	return last, err
}

// openForReading opens the log file of a turn, and returns what it notes of the other. It returns nil when there is no file, or none with a
// header, and none is required.
func openForReading(r logReading, name string, turn int) (*os.File, note, error) {
	f, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !r.required:
		return nil, note{}, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, note{}, foreignLog(name + " is missing, without which it is not whole")
	case err != nil:
		return nil, note{}, err
	}
	header := make([]byte, headerSize)
	n, err := io.ReadFull(f, header)
	about, ok := decodeNote(header[noteOffset:])
	switch {
	case err == nil && !strings.HasPrefix(string(header), logMagic+r.identity):
		err = foreignLog(name + " belongs to another store, or is damaged")
	case err == nil && !ok:
		err = damagedLog(name, noteOffset, "its note of the other log cannot be read")
	case err == nil && about.records > 0 && int(about.generation%2) == turn:
		err = foreignLog(name + " has the place of the other log")
	case err == nil:
		return f, about, nil
	case n < headerSize && !r.required:
		err = nil // its creation was interrupted
	case n < headerSize:
		err = foreignLog(name + " is damaged: it is cut off at byte " + fmt.Sprint(n))
	}
	f.Close()
	return nil, note{}, err
}

// logDamage is why a log cannot be read to its end.
type logDamage struct{ what, remedy string }

// Error implements error.
func (d *logDamage) Error() string { return d.what }

func foreignLog(what string) error {
	return &logDamage{what, "put the file and its two logs back as they were together; to go back to a copy that was made of a closed store, remove the logs"}
}

func damagedLog(name string, offset int64, what string) error {
	return &logDamage{fmt.Sprintf("%s is damaged at byte %d: %s", name, offset, what), "keep the file and its two logs, and restore the store from a backup"}
}

// refusedLog makes damage an error of the database.
func refusedLog(path string, err error) error {
	var d *logDamage
	if !errors.As(err, &d) {
		return err
	}
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Message: fmt.Sprintf("%s cannot be opened: %s", path, d.what),
		Remedy: fmt.Sprintf("%s; `dovetail fsck --store bolt:%s --salvage FILE` saves what is intact in a new file", d.remedy, path)}
}

// generationReading reads the records of one generation.
type generationReading struct {
	logReading
	file       io.ReaderAt
	name       string
	size       int64
	note       note // of the file's records, as the other file has it
	generation uint64

	found note
	first uint64 // generation of the first record in the file, whatever it is; 0 when there is none
	holed bool   // records are missing among those that were found
}

// read replays the records from the start of the file up to the first that is older, or not whole. That is the end when the note
// counts no more records, and when none is behind.
func (g *generationReading) read() (err error) {
	g.found = note{generation: g.generation, end: headerSize}
	for {
		record, err := readRecord(g.file, g.found.end, g.size)
		if err != nil {
			return err
		}
		if record != nil && g.found.end == headerSize {
			g.first = binary.LittleEndian.Uint64(record)
		}
		if record == nil || binary.LittleEndian.Uint64(record) != g.generation {
			if more, err := g.resume(); !more || err != nil {
				return err
			}
			continue
		}
		if err := g.replay(record[recordHeader:]); err != nil {
			if err := g.damaged(damagedLog(g.name, g.found.end, err.Error())); err != nil {
				return err
			}
			g.holed = true
		}
		g.found.add(int64(len(record)), binary.LittleEndian.Uint32(record[12:]))
		if !g.holed && g.note.generation == g.generation && g.note.records == g.found.records && g.note != g.found {
			err := damagedLog(g.name, g.found.end, fmt.Sprintf("its first %d records are not those that were written", g.found.records))
			if err := g.damaged(err); err != nil {
				return err
			}
		}
	}
}

// resume is called where no record follows: it reports whether to go on behind the damage.
func (g *generationReading) resume() (more bool, err error) {
	at := g.found.end
	behind, next, err := findRecord(g.file, g.size, at+1, g.generation)
	if err != nil {
		return false, err
	}
	switch {
	case behind:
		err = damagedLog(g.name, at, fmt.Sprintf("no whole record is there, but one is behind it, at byte %d", next))
	case g.note.generation == g.generation && g.note.end > at:
		err = damagedLog(g.name, at, fmt.Sprintf("no whole record is there, but records were written up to byte %d", g.note.end))
	default:
		return false, nil
	}
	if err := g.damaged(err); err != nil {
		return false, err
	}
	g.holed, g.found.end = true, next
	return behind, nil
}

// findRecord finds the first whole record of the generation that begins at the offset or later. Records are written one after
// another, each when the one before it is synced; so one behind a place that holds none proves that the place is damaged.
func findRecord(f io.ReaderAt, size, offset int64, generation uint64) (found bool, at int64, err error) {
	wanted := binary.LittleEndian.AppendUint64(nil, generation)
	buffer := make([]byte, growth+len(wanted)-1)
	for ; offset < size; offset += growth {
		n, err := f.ReadAt(buffer[:min(int64(len(buffer)), size-offset)], offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, 0, err
		}
		for from := 0; from < n; from++ {
			i := bytes.Index(buffer[from:n], wanted)
			if i < 0 || from+i >= growth {
				break
			}
			from += i
			record, err := readRecord(f, offset+int64(from), size)
			if record != nil || err != nil {
				return record != nil, offset + int64(from), err
			}
		}
	}
	return false, 0, nil
}

// readRecord returns nil if there is no whole record.
func readRecord(f io.ReaderAt, offset, size int64) ([]byte, error) {
	if offset+recordHeader > size {
		return nil, nil
	}
	header := make([]byte, recordHeader)
	if _, err := f.ReadAt(header, offset); err != nil {
		return nil, err
	}
	end := offset + recordHeader + int64(binary.LittleEndian.Uint32(header[8:]))
	if end > size {
		return nil, nil
	}
	record := make([]byte, end-offset)
	if _, err := f.ReadAt(record, offset); err != nil {
		return nil, err
	}
	payload := record[recordHeader:]
	if checksum(record, crc32.Checksum(payload, castagnoli), int64(len(payload))) != binary.LittleEndian.Uint32(record[12:]) {
		return nil, nil
	}
	return record, nil
}
