package kv

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// A checkpoint becomes a database when it is opened first. Its log is moved into log files of a new identity, then the
// file is given that identity, in one transaction, which makes it like one after a crash. Until then the
// checkpoint is what it was, and an interrupted takeover is done again.

// formerKey holds the notes of the checkpoints that the database comes from, a line each.
var formerKey = []byte("former")

// Former returns the notes of the checkpoints that the database comes from, the oldest first.
func (db *DB) Former() []string { return db.owner.Load().former }

// checkpoint is one that was found at the end of a file.
type checkpoint struct {
	checkpointEnd
	generation uint64 // of its log
}

// verifiedCheckpoint returns the checkpoint that the file is and that was never opened, nil where it is none.
func (db *DB) verifiedCheckpoint() (*checkpoint, error) {
	f, err := os.Open(db.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := db.findCheckpoint(f)
	if c == nil || err != nil {
		return nil, err
	}
	db.options.Logger.Info("verifying a checkpoint, which is opened for the first time", "file", db.path)
	if err := c.verify(f); err != nil {
		return nil, damagedCheckpoint(db.path, err)
	}
	return c, noLogs(db.path, c)
}

// takeOver makes a checkpoint that was never opened a database. It does nothing where the file is none.
func (db *DB) takeOver() error {
	c := db.checkpoint
	if c == nil {
		return nil
	}
	f, err := os.Open(db.path)
	if err != nil {
		return err
	}
	defer f.Close()
	identity, err := c.moveLog(db.path, f)
	if err != nil {
		return err
	}
	former := append(slices.Clone(db.Former()), c.Note)
	if _, err := db.update(func(tx *bbolt.Tx) error {
		own := tx.Bucket(ownBucket)
		return errors.Join(own.Put(identityKey, []byte(identity)), own.Put(formerKey, []byte(strings.Join(former, "\n")+"\n")), own.Put(loggedKey, []byte{1}))
	}); err != nil {
		return err
	}
	db.owner.Store(&owner{identity, former})
	db.checkpoint, db.logged = nil, true
	return nil
}

// findCheckpoint returns what follows the pages of the file, nil when nothing does that belongs to them.
func (db *DB) findCheckpoint(f *os.File) (found *checkpoint, err error) {
	err = db.file.Load().View(func(tx *bbolt.Tx) error {
		own := tx.Bucket(ownBucket)
		if own == nil {
			return nil
		}
		identity := string(own.Get(identityKey))
		head := make([]byte, headerSize)
		if _, err := f.ReadAt(head, tx.Size()); err != nil {
			return nil //nolint:nilerr // nothing, or too little, follows
		}
		text, ok := strings.CutPrefix(string(head), checkpointLogHead(identity))
		length, err := strconv.ParseInt(text[:max(0, strings.IndexByte(text, '\n'))], 10, 64)
		if !ok || err != nil || length < headerSize {
			return nil //nolint:nilerr // another's
		}
		block := make([]byte, endSize)
		n, err := f.ReadAt(block, tx.Size()+length)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		end, ok := decodeEnd(block)
		if n < endSize || !ok || end.Pages != tx.Size() || end.Log != length || end.Store != identity || end.Transaction != tx.ID() {
			return damagedCheckpoint(db.path, errors.New("it has no end"))
		}
		if info, err := f.Stat(); err != nil || info.Size() != end.size() {
			return errors.Join(err, damagedCheckpoint(db.path, errors.New("something was appended to it")))
		}
		found = &checkpoint{end, generationOf(own) + 1}
		return nil
	})
	return found, err
}

// verify compares the file with the digest of the checkpoint.
func (c *checkpoint) verify(f *os.File) error {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, c.Pages+c.Log)); err != nil {
		return err
	}
	digest, err := c.digest(sum)
	if err == nil && digest != c.SHA256 {
		err = errors.New("its content is not that of its digest")
	}
	return err
}

func damagedCheckpoint(path string, cause error) error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Message: fmt.Sprintf("the checkpoint %s is cut off or damaged: %v", path, cause),
		Remedy: "use another copy of the checkpoint, or make a new one with `dovetail backup --checkpoint`"}
}

// log is the log of the checkpoint in its file.
func (c *checkpoint) log(f io.ReaderAt) *io.SectionReader {
	return io.NewSectionReader(f, c.Pages, c.Log)
}

// movedHead is how log files begin that hold the log of this checkpoint.
func (c *checkpoint) movedHead(identity string) string {
	return logMagic + identity + "\nfrom " + c.SHA256 + "\n"
}

// moveLog makes log files of the checkpoint's log under a new identity, and returns that. Both are there only once they are complete.
func (c *checkpoint) moveLog(path string, f *os.File) (identity string, err error) {
	names := logPaths(path)
	last, other := names[c.generation%2], names[(c.generation+1)%2]
	if identity, err = c.moved(path, last, other); identity != "" || err != nil {
		return identity, err
	}
	identity = newIdentity()
	if err := c.writeLogFile(other, identity, nil); err != nil {
		return "", err
	}
	temporary := last + ".new"
	if err := c.writeLogFile(temporary, identity, c.log(f)); err != nil {
		return "", errors.Join(err, os.Remove(temporary))
	}
	if err := os.Rename(temporary, last); err != nil {
		return "", err
	}
	return identity, syncFolder(path)
}

// moved returns the identity of the log files of an interrupted takeover, "" when they are not complete.
func (c *checkpoint) moved(path, last, other string) (identity string, err error) {
	for _, name := range []string{other, last} {
		identity = ""
		head, err := readHead(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", nil
		case err != nil:
			return "", err
		case len(head) == headerSize:
			identity = head[min(len(logMagic), len(head)):][:hex.EncodedLen(identityBytes)]
			if !strings.HasPrefix(head, c.movedHead(identity)) {
				return "", refusedLog(path, foreignLog(name+" belongs to another store, and the file is a checkpoint, which needs no log"))
			}
		}
	}
	return identity, nil
}

// noLogs returns an error where there are logs of another store.
func noLogs(path string, c *checkpoint) error {
	names := logPaths(path)
	_, err := c.moved(path, names[0], names[1])
	return err
}

// readHead returns the header of a log file, shorter than headerSize where its creation was interrupted.
func readHead(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, headerSize)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return string(head[:n]), err
}

// writeLogFile writes a log file with the records of a log, nil if there is none.
func (c *checkpoint) writeLogFile(name, identity string, log *io.SectionReader) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	head := make([]byte, headerSize)
	copy(head, c.movedHead(identity))
	_, err = f.Write(head)
	if err == nil && log != nil {
		_, err = io.Copy(f, io.NewSectionReader(log, headerSize, log.Size()-headerSize))
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func lines(text []byte) []string {
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

func newIdentity() string {
	identity := make([]byte, identityBytes)
	rand.Read(identity) // never fails
	return hex.EncodeToString(identity)
}
