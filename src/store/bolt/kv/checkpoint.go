package kv

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// A checkpoint is a copy of the database as of one instant, which is a database itself once it was opened:
//
//	pages   the bbolt file as of a read transaction
//	log     a log file with the writes that were in memory then, under the generation that follows the file's; its header
//	        also has its length
//	end     endMagic and a checkpointEnd as JSON, padded with zeros to endSize
//
// What of the file is copied while others write to it does not matter: bbolt writes to no page that a reader may need.
const (
	endMagic = "dovetail checkpoint 1\n"
	endSize  = 1024
	// checkpointRecord is how large the records of its log are, except where one value is larger.
	checkpointRecord = 1 << 20
	checkpointBuffer = 256 << 10
)

// checkpointEnd is how a checkpoint ends.
type checkpointEnd struct {
	Store       string `json:"store"` // identity of the database that was copied
	Transaction int    `json:"transaction"`
	Pages       int64  `json:"pages"` // bytes
	Log         int64  `json:"log"`   // bytes
	Note        string `json:"note"`
	SHA256      string `json:"sha256"` // of all that, with the end, in which it is empty
}

func (e checkpointEnd) size() int64 { return e.Pages + e.Log + endSize }

func (e checkpointEnd) encode() ([]byte, error) {
	text, err := json.Marshal(e)
	if err == nil && len(endMagic)+len(text) > endSize {
		err = errors.New("the note of a checkpoint is too long")
	}
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	block := make([]byte, endSize)
	copy(block[copy(block, endMagic):], text)
	return block, nil
}

// digest completes the digest of what comes before the end.
func (e checkpointEnd) digest(before hash.Hash) (string, error) {
	e.SHA256 = ""
	block, err := e.encode()
	if err != nil {
		return "", err
	}
	_, _ = before.Write(block) // never fails
	return hex.EncodeToString(before.Sum(nil)), nil
}

// decodeEnd reads an end, which must be exactly as encode writes it.
func decodeEnd(block []byte) (e checkpointEnd, ok bool) {
	text, ok := bytes.CutPrefix(block, []byte(endMagic))
	if !ok || json.Unmarshal(bytes.TrimRight(text, "\x00"), &e) != nil {
		return e, false
	}
	again, err := e.encode()
	return e, err == nil && bytes.Equal(again, block)
}

// Checkpoint writes a checkpoint of what the database holds at one instant to what begin returns, while others read and write.
// begin is given a view of that instant and the size of the checkpoint; the note that it returns comes with the checkpoint. Memory
// is what View takes, and the newest writes, until all is written. Errors of the writer are returned as they are.
//
// While it runs, the file reuses no pages that are part of the checkpoint.
func (db *DB) Checkpoint(begin func(v *View, size int64) (note string, to io.Writer, err error)) (err error) {
	defer catchFaults()()
	defer guard(&err)
	v, err := db.view()
	if err != nil {
		return err
	}
	defer v.tx.Rollback()
	header, err := checkFile(v.tx, db.path, db.options)
	if err != nil {
		return openError(db.path, err)
	}
	var length counter
	if err := writeLog(&length, header, v.tables, 0); err != nil {
		return err
	}
	end := checkpointEnd{Store: header.identity, Transaction: v.tx.ID(), Pages: v.tx.Size(), Log: int64(length)}
	note, to, err := begin(&v, end.size())
	if err != nil {
		return err
	}
	end.Note = note
	w := &checkpointWriter{to: to, sum: sha256.New()}
	buffered := bufio.NewWriterSize(w, checkpointBuffer)
	err = errors.Join(copyPages(buffered, &v), writeLog(buffered, header, v.tables, end.Log), buffered.Flush())
	if w.err != nil {
		return w.err
	}
	if err != nil {
		return dovetail.AsError(err)
	}
	if end.SHA256, err = end.digest(w.sum); err != nil {
		return err
	}
	block, err := end.encode()
	if err != nil {
		return err
	}
	_, err = to.Write(block)
	return err
}

func copyPages(to io.Writer, v *View) error {
	n, err := v.tx.WriteTo(to)
	if err == nil && n != v.tx.Size() {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the store's file cannot be read", Remedy: "see the server's log, and check the disk", Err: err}
	}
	return nil
}

// writeLog writes a log file of the tables, of which the newest comes first.
func writeLog(to io.Writer, file header, tables []table, length int64) error {
	head := make([]byte, headerSize)
	copy(head, checkpointLogHead(file.identity)+fmt.Sprintf("%d\n", length))
	if _, err := to.Write(head); err != nil {
		return err
	}
	record := make([]byte, recordHeader)
	write := func() error {
		payload := record[recordHeader:]
		binary.LittleEndian.PutUint64(record, file.generation+1)
		binary.LittleEndian.PutUint32(record[8:], uint32(len(payload)))
		binary.LittleEndian.PutUint32(record[12:], checksum(record[:recordHeader], crc32.Checksum(payload, castagnoli), int64(len(payload))))
		_, err := to.Write(record)
		record = record[:recordHeader]
		return err
	}
	for _, t := range slices.Backward(tables) {
		for entry, value := range t.all("") {
			record = appendWrite(record, Space(entry[0]), []byte(entry[1:]), value)
			if len(record) < checkpointRecord {
				continue
			}
			if err := write(); err != nil {
				return err
			}
		}
	}
	if len(record) == recordHeader {
		return nil
	}
	return write()
}

// checkpointLogHead is how the log of a checkpoint begins; the length of the log follows.
func checkpointLogHead(identity string) string { return logMagic + identity + "\ncheckpoint " }

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// checkpointWriter knows the digest of what was written, and whether writing failed rather than reading.
type checkpointWriter struct {
	to  io.Writer
	sum hash.Hash
	err error
}

// Write implements io.Writer.
func (w *checkpointWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	_, _ = w.sum.Write(p[:n]) // never fails
	w.err = err
	return n, err
}

// VerifyCheckpoint reads a checkpoint that nothing has opened yet to its end, and returns its note and its digest.
//
// Errors: CodeInvalid when it is cut off, was changed, or is something else.
func VerifyCheckpoint(from io.Reader) (note, digest string, err error) {
	r := bufio.NewReaderSize(from, checkpointBuffer)
	sum, total := sha256.New(), int64(0)
	for {
		part, err := r.Peek(checkpointBuffer)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", "", refusedCheckpoint("cannot be read at byte %d: %v", total, err)
		}
		if whole := len(part) - endSize; err != nil { // the rest
			if whole < 0 {
				return "", "", refusedCheckpoint("is cut off at byte %d, or is something else", total+int64(len(part)))
			}
			_, _ = sum.Write(part[:whole])
			return verifyEnd(sum, part[whole:], total+int64(len(part)))
		}
		n := len(part) - endSize
		_, _ = sum.Write(part[:n])
		total += int64(n)
		_, _ = r.Discard(n)
	}
}

func verifyEnd(sum hash.Hash, block []byte, total int64) (note, digest string, err error) {
	end, ok := decodeEnd(block)
	if !ok {
		return "", "", refusedCheckpoint("has no end: it is cut off, or a store has opened it since")
	}
	digest, err = end.digest(sum)
	switch {
	case err != nil:
		return "", "", err
	case end.size() != total || end.SHA256 != digest:
		return "", "", refusedCheckpoint("is damaged: its content is not that of its digest")
	}
	return end.Note, digest, nil
}

func refusedCheckpoint(format string, args ...any) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the checkpoint " + fmt.Sprintf(format, args...),
		Remedy: "use another copy of it, or make a new one with `dovetail backup --checkpoint`"}
}
