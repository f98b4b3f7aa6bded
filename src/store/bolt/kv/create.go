package kv

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// fileFormat is the version of the layout of the file and the log. Together with Options.Format it
// is what a file must have.
const fileFormat = "2"

// ownBucket holds what the database notes for itself.
var (
	ownBucket     = []byte("kv")
	formatKey     = []byte("format")
	identityKey   = []byte("store")
	generationKey = []byte("generation")
	loggedKey     = []byte("log")
)

const identityBytes = 8

// header is what the file says of itself.
type header struct {
	identity   string
	generation uint64 // of the table that was flushed last
	logged     bool   // the log may hold more
}

// createIfAbsent creates an empty database at path unless a file exists. The file appears whole or
// not at all, even after a crash, and two processes may do it at the same time. Where the file system
// has no hard links it leaves the work to fillIfEmpty.
func createIfAbsent(path string, options Options) error {
	_, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(folder, filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	if err := temporary.Close(); err != nil {
		return err
	}
	if err := createFile(temporary.Name(), options); err != nil {
		return err
	}
	if os.Link(temporary.Name(), path) != nil {
		return nil
	}
	return syncFolder(path)
}

func createFile(path string, options Options) error {
	file, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	return errors.Join(fillIfEmpty(file, options), file.Close())
}

// fillIfEmpty makes the buckets of a bolt database that has none.
func fillIfEmpty(file *bbolt.DB, options Options) error {
	empty := false
	err := file.View(func(tx *bbolt.Tx) error {
		first, _ := tx.Cursor().First()
		empty = first == nil
		return nil
	})
	if err != nil || !empty {
		return err
	}
	return file.Update(func(tx *bbolt.Tx) error {
		for _, name := range options.Spaces {
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		own, err := tx.CreateBucket(ownBucket)
		if err != nil {
			return err
		}
		return errors.Join(own.Put(identityKey, []byte(newIdentity())), own.Put(formatKey, []byte(format(options))))
	})
}

func format(options Options) string { return fileFormat + "." + options.Format }

// isEarlier reports whether a format is one that Options.Earlier names.
func isEarlier(got string, options Options) bool {
	return slices.ContainsFunc(options.Earlier, func(earlier string) bool { return got == fileFormat+"."+earlier })
}

// upgrade gives a file of an earlier format the spaces that it lacks, and the format.
func (db *DB) upgrade() error {
	var got string
	if err := db.file.Load().View(func(tx *bbolt.Tx) error {
		if own := tx.Bucket(ownBucket); own != nil {
			got = string(own.Get(formatKey))
		}
		return nil
	}); err != nil || !isEarlier(got, db.options) {
		return err
	}
	db.options.Logger.Info("taking over a store of an earlier format", "file", db.path, "from", got, "to", format(db.options))
	_, err := db.update(func(tx *bbolt.Tx) error {
		for _, name := range db.options.Spaces {
			if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		return tx.Bucket(ownBucket).Put(formatKey, []byte(format(db.options)))
	})
	return err
}

// generationOf is that of the table that was flushed last.
func generationOf(own *bbolt.Bucket) uint64 {
	if value := own.Get(generationKey); len(value) == 8 {
		return binary.BigEndian.Uint64(value)
	}
	return 0
}

// syncFolder makes the names in the folder of a file durable.
func syncFolder(path string) error {
	f, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) {
		err = nil // not every file system can
	}
	return errors.Join(err, f.Close())
}

// checkFile makes sure that the open file is a whole database of our format.
func checkFile(tx *bbolt.Tx, path string, options Options) (header, error) {
	info, err := os.Stat(path)
	if err != nil {
		return header{}, err
	}
	if missing := tx.Size() - info.Size(); missing > 0 {
		return header{}, &dovetail.Error{Code: dovetail.CodeCorrupt,
			Message: fmt.Sprintf("%s is cut off: %d bytes are missing", path, missing),
			Remedy:  "keep the file, and restore the store from a backup"}
	}
	own := tx.Bucket(ownBucket)
	if own == nil || own.Get(formatKey) == nil {
		return header{}, &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: fmt.Sprintf("%s is a bolt database of another program", path), Remedy: "name another file"}
	}
	got, want := string(own.Get(formatKey)), format(options)
	if got != want && !isEarlier(got, options) {
		return header{}, &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: fmt.Sprintf("%s has the format %q; this version of Dovetail reads %q", path, got, want),
			Remedy:  "use the version of Dovetail that wrote it: export there, and import here"}
	}
	f := header{identity: string(own.Get(identityKey)), logged: own.Get(loggedKey) != nil, generation: generationOf(own)}
	if len(f.identity) != hex.EncodedLen(identityBytes) {
		return header{}, errors.New("the identity is damaged") // openError says that the file is
	}
	for _, name := range options.Spaces {
		if tx.Bucket([]byte(name)) == nil && got == want {
			return header{}, fmt.Errorf("bucket %s is missing", name)
		}
	}
	return f, nil
}
