package kv

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Salvage writes what is intact of the database at path, whose log is damaged, to a new file: what the file has, and the whole
// records of the log before and behind each damage. It returns what was left out, as the errors with which Open
// refuses the database. Nothing of the original is changed. What was written may refer to what was left out: Salvage knows of
// batches only, so that those who know what they mean must check them.
//
// Errors: those of Open where the file itself is damaged; CodeInvalid when there is a file of the new name.
func Salvage(path, to string, options Options) (lost []error, err error) {
	options = options.withDefaults()
	options.ReadOnly = true
	file, err := openBolt(path, options)
	if err != nil {
		return nil, openError(path, err)
	}
	db := newDB(file, path, options)
	defer func() { _ = file.Close() }() // it was only read
	if err := guarded(func() (err error) { lost, err = db.salvage(to); return err }); err != nil {
		return nil, openError(path, err)
	}
	return lost, nil
}

func (db *DB) salvage(to string) (lost []error, err error) {
	var header header
	if err := db.file.Load().View(func(tx *bbolt.Tx) (err error) {
		header, err = checkFile(tx, db.path, db.options)
		return err
	}); err != nil {
		return nil, err
	}
	intact := newTable()
	last, err := readLog(logReading{path: db.path, identity: header.identity, flushed: header.generation, required: header.logged,
		replay: intact.replay, skip: func(err error) { lost = append(lost, err) }})
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("%s exists already", to),
			Remedy: "name a file that does not exist: what is intact is saved in a new one"})
	}
	temporary := to + ".new"
	err = db.writeIntact(temporary, intact, last)
	if err == nil {
		err = os.Rename(temporary, to)
	}
	if err != nil {
		return nil, errors.Join(NotWritten(err), os.Remove(temporary))
	}
	return lost, syncFolder(to)
}

// writeIntact copies the file and adds the table. The copy is a closed database with an identity of its own, to which no log belongs.
func (db *DB) writeIntact(to string, intact table, last uint64) error {
	if err := db.file.Load().View(func(tx *bbolt.Tx) error { return tx.CopyFile(to, 0o600) }); err != nil {
		return err
	}
	options := db.options
	options.ReadOnly = false
	file, err := openBolt(to, options)
	if err != nil {
		return err
	}
	copied := newDB(file, to, options)
	_, err = copied.flush(intact, last)
	if err == nil {
		_, err = copied.update(func(tx *bbolt.Tx) error {
			own := tx.Bucket(ownBucket)
			return errors.Join(own.Put(identityKey, []byte(newIdentity())), own.Delete(loggedKey))
		})
	}
	return errors.Join(err, file.Close())
}
