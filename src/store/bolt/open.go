package bolt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Options of a store. The zero value is what a server wants.
type Options struct {
	// Clock tells the time of commits; nil means time.Now.
	Clock func() time.Time
	// History is how many commits Changes can look back; 0 means 100,000. A commit takes about 150
	// bytes for each of its documents.
	History int
	// LockTimeout is how long Open waits for another process to let go of the file; 0 means a second.
	LockTimeout time.Duration
	// ReadOnly opens an existing file without changing it. Several processes may do that at once,
	// while none has it open for writing.
	ReadOnly bool
	// Logger gets what operators should know; nil means nothing is logged.
	Logger *slog.Logger

	// mapSize is how much address space to set aside for the file, and maxSize limits the file; for tests.
	mapSize, maxSize int
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.History <= 0 {
		o.History = 100_000
	}
	if o.LockTimeout <= 0 {
		o.LockTimeout = time.Second
	}
	if o.mapSize == 0 {
		o.mapSize = defaultMapSize()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Open opens the store in the file at path, which with its folders is created when it is not there.
// Close must be called in the end.
//
// Errors: CodeUnavailable when the file is in use by another process or cannot be read or written,
// CodeCorrupt when it is damaged, CodeInvalid when it is something else: a folder, the database of
// another program, a store of another format. A file that is refused is not changed.
func Open(path string, options Options) (*Backend, error) {
	b, err := open(path, options.withDefaults())
	if err != nil {
		return nil, openError(path, err)
	}
	return b, nil
}

func open(path string, options Options) (*Backend, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("%s is a folder", path),
			Remedy: "name a file in it"}
	}
	if !options.ReadOnly {
		if err := createIfAbsent(path); err != nil {
			return nil, err
		}
	}
	db, err := openBolt(path, options)
	if errors.Is(err, syscall.ENOMEM) {
		options.mapSize = 0 // the process may not map that much
		db, err = openBolt(path, options)
	}
	if err != nil {
		return nil, err
	}
	b := newBackend(db, path, options)
	if err := b.load(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if !options.ReadOnly {
		go b.run()
	}
	return b, nil
}

// openBolt is bbolt.Open, but for a damaged file it returns an error instead of a panic, and leaves
// the file unlocked.
func openBolt(path string, options Options) (db *bbolt.DB, err error) {
	var file *os.File
	defer catchFaults()()
	defer func() {
		if p := recover(); p != nil {
			// The mapping, which nobody can undo now, would keep the lock of a closed file.
			db, err = nil, errors.Join(fmt.Errorf("panic: %v", p), unlock(file), file.Close())
		}
	}()
	return bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout:         options.LockTimeout,
		ReadOnly:        options.ReadOnly,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: options.mapSize,
		MaxSize:         options.maxSize,
		NoStatistics:    true,
		OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		},
	})
}

// defaultMapSize is how much address space to set aside for the file, so that it can grow without
// being mapped anew, which makes all wait for the slowest reader. It costs neither memory nor disk,
// but for Windows, where the file would take that size at once.
func defaultMapSize() int {
	if strconv.IntSize < 64 || runtime.GOOS == "windows" {
		return 0
	}
	return 16 << 30
}

// load checks the file and reads what the backend keeps of it in memory.
func (b *Backend) load() (err error) {
	defer catchFaults()()
	defer guard(&err)
	if !b.options.ReadOnly {
		if err := fillIfEmpty(b.db); err != nil {
			return err
		}
	}
	return b.view(context.Background(), func(tx *bbolt.Tx) (err error) {
		b.identity, err = checkFile(tx, b.path)
		return err
	})
}

// Close waits for the commits in flight and closes the file.
func (b *Backend) Close() error {
	b.queue.close()
	b.news.close()
	if !b.options.ReadOnly {
		<-b.done
	}
	if b.stuck {
		return b.broken.Load() // closing would wait for ever
	}
	if err := b.db.Close(); err != nil {
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the store's file was not closed properly",
			Remedy: "see the server's log; what was acknowledged is safe", Err: err}
	}
	return nil
}
