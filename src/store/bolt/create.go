package bolt

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// fileFormat is the version of the layout of buckets and keys. A file of another one is refused.
const fileFormat = "1"

var (
	formatKey = []byte("format")
	storeKey  = []byte("store") // the random identity that cursors carry
)

// createIfAbsent makes an empty store at path unless something is there. The file appears whole or
// not at all, whatever crashes, and two processes may do it at the same time. Where the file system
// has no hard links it leaves the work to fillIfEmpty.
func createIfAbsent(path string) error {
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
	if err := createFile(temporary.Name()); err != nil {
		return err
	}
	if os.Link(temporary.Name(), path) != nil {
		return nil
	}
	return syncFolder(folder)
}

func createFile(path string) error {
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	return errors.Join(fillIfEmpty(db), db.Close())
}

// fillIfEmpty makes the buckets of a bolt database that has none.
func fillIfEmpty(db *bbolt.DB) error {
	empty := false
	err := db.View(func(tx *bbolt.Tx) error {
		first, _ := tx.Cursor().First()
		empty = first == nil
		return nil
	})
	if err != nil || !empty {
		return err
	}
	return db.Update(createBuckets)
}

func createBuckets(tx *bbolt.Tx) error {
	for _, name := range [][]byte{docsBucket, kindsBucket, referrersBucket, logBucket, metaBucket} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	identity := make([]byte, 8)
	rand.Read(identity) // never fails
	meta := tx.Bucket(metaBucket)
	if err := meta.Put(storeKey, hex.AppendEncode(nil, identity)); err != nil {
		return err
	}
	return meta.Put(formatKey, []byte(fileFormat))
}

// syncFolder makes a new name in the folder durable.
func syncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) {
		err = nil // not every file system can
	}
	return errors.Join(err, f.Close())
}

// checkFile makes sure that the open file is a whole store of our format, and returns its identity.
func checkFile(tx *bbolt.Tx, path string) (identity string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if missing := tx.Size() - info.Size(); missing > 0 {
		return "", &dovetail.Error{Code: dovetail.CodeCorrupt,
			Message: fmt.Sprintf("%s is cut off: %d bytes are missing", path, missing),
			Remedy:  "keep the file, and restore the store from a backup"}
	}
	meta := tx.Bucket(metaBucket)
	if meta == nil || meta.Get(formatKey) == nil {
		return "", &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: fmt.Sprintf("%s is a bolt database of another program", path), Remedy: "name another file"}
	}
	if format := string(meta.Get(formatKey)); format != fileFormat {
		return "", &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: fmt.Sprintf("%s has the format %q; this version of Dovetail reads %q", path, format, fileFormat),
			Remedy:  "use the version of Dovetail that wrote it: export there, and import here"}
	}
	for _, name := range [][]byte{docsBucket, kindsBucket, referrersBucket, logBucket} {
		if tx.Bucket(name) == nil {
			return "", fmt.Errorf("bucket %s is missing", name) // openError calls that damaged
		}
	}
	return string(meta.Get(storeKey)), nil
}
