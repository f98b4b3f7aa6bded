package kv

import (
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
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
)

// Options of a database.
type Options struct {
	// Spaces are the names of the spaces, at most 100. A file is opened with those it was made with.
	Spaces []string
	// Format is the version of what the spaces hold. A file of another one is refused.
	Format string
	// Earlier are older formats, whose spaces can be read as they are, but some may be missing. A file of one is given those and the
	// format when it is opened; one that is opened for reading only stays as it is.
	Earlier []string
	// LockTimeout is how long Open waits for another process to release the file; 0 means a second.
	LockTimeout time.Duration
	// ReadOnly opens an existing file without changing it. Several processes may do that at once,
	// while none has it open for writing.
	ReadOnly bool
	// Logger gets what operators should know; nil means nothing is logged.
	Logger *slog.Logger
	// TableSize is how much is written before it is flushed from memory into the file; 0 means 4 MiB.
	TableSize int
	// MapSize is how much address space to set aside for the file, or twice its size where that is more, so that it can grow
	// without being mapped again, which makes all wait for the slowest reader; 0 means 16 GiB where that costs
	// neither memory nor disk.
	MapSize int
	// MaxSize limits the file; 0 means no limit but the disk's.
	MaxSize int
	// Clock is by which failed writes to the file are tried again; nil means that of the operating system.
	Clock clock.Clock

	spillSize int // how much of a batch is held before it goes into the log; tests take less than the default
}

func (o Options) withDefaults() Options {
	if o.LockTimeout <= 0 {
		o.LockTimeout = time.Second
	}
	if o.Clock == nil {
		o.Clock = clock.System
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.TableSize <= 0 {
		o.TableSize = 4 << 20
	}
	if o.spillSize <= 0 {
		o.spillSize = growth
	}
	// On Windows the file would take the size of its mapping at once.
	if o.MapSize <= 0 && strconv.IntSize == 64 && runtime.GOOS != "windows" {
		o.MapSize = 16 << 30
	}
	return o
}

// Open opens the database in the file at path, which with its folders is created when it is not
// there. Close must be called in the end. Where the disk is full or read-only, or the file may only be read, so that a file that exists can be read but not written, the database
// is opened all the same: it refuses writes, as Health says, until they are possible.
//
// Errors: CodeUnavailable when the file is in use by another process or cannot be read or written,
// CodeCorrupt when it or its log is damaged, CodeInvalid when it is something else: a folder, the
// database of another program, one of another format. A file that is refused is not changed.
func Open(path string, options Options) (*DB, error) {
	db, err := open(path, options.withDefaults())
	if err != nil {
		return nil, openError(path, err)
	}
	return db, nil
}

func open(path string, options Options) (*DB, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("%s is a folder", path),
			Remedy: "name a file in it"}
	}
	if !options.ReadOnly {
		if err := createIfAbsent(path, options); err != nil {
			return nil, err
		}
	}
	file, err := openBolt(path, options)
	if onlyReads(err) {
		reading := options
		reading.ReadOnly = true
		file, err = openBolt(path, reading)
	}
	if err != nil {
		return nil, err
	}
	db := newDB(file, path, options)
	err = db.load()
	if err == nil && !options.ReadOnly {
		err = db.trySettle()
	}
	if err != nil {
		return nil, errors.Join(err, db.file.Load().Close())
	}
	if !options.ReadOnly {
		go db.runFlusher()
	}
	return db, nil
}

// openBolt is mapBolt, without setting aside address space where the process may not map that much.
func openBolt(path string, options Options) (*bbolt.DB, error) {
	db, err := mapBolt(path, options)
	if errors.Is(err, syscall.ENOMEM) {
		options.MapSize = 0
		db, err = mapBolt(path, options)
	}
	return db, err
}

// mapBolt is bbolt.Open, except a damaged file it returns an error instead of a panic, and leaves
// the file unlocked.
func mapBolt(path string, options Options) (db *bbolt.DB, err error) {
	var file *os.File
	defer catchFaults()()
	defer func() {
		if p := recover(); p != nil {
			// The mapping, which can no longer be removed, would keep the lock of a closed file.
			db, err = nil, errors.Join(fmt.Errorf("panic: %v", p), unlock(file), file.Close())
		}
	}()
	mapSize := options.MapSize
	if info, err := os.Stat(path); err == nil && mapSize > 0 {
		mapSize = max(mapSize, 2*int(info.Size()))
	}
	return bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout:         options.LockTimeout,
		ReadOnly:        options.ReadOnly,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: mapSize,
		MaxSize:         options.MaxSize,
		NoStatistics:    true,
		OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		},
	})
}

// load checks the file and reads the log, and changes neither; only a file that is empty yet is filled.
func (db *DB) load() (err error) {
	defer catchFaults()()
	defer guard(&err)
	file := db.file.Load()
	if !file.IsReadOnly() {
		if err := fillIfEmpty(file, db.options); err != nil {
			return err
		}
	}
	if db.checkpoint, err = db.verifiedCheckpoint(); err != nil {
		return err
	}
	var header header
	if err := file.View(func(tx *bbolt.Tx) (err error) {
		if header, err = checkFile(tx, db.path, db.options); err == nil {
			db.owner.Store(&owner{header.identity, lines(tx.Bucket(ownBucket).Get(formerKey))})
		}
		return err
	}); err != nil {
		return err
	}
	replayed := newTable()
	if db.replayed, err = db.replayLog(header, replayed.replay); err != nil {
		return err
	}
	db.logged = header.logged
	db.live = newTable()
	db.state.Store(&state{live: db.live.copy(), frozen: &replayed})
	return nil
}

// replayLog reads the log beside the file, or that in it where the file is a checkpoint.
func (db *DB) replayLog(header header, replay func(payload []byte) error) (last uint64, err error) {
	c := db.checkpoint
	if c == nil {
		last, err = readLog(logReading{path: db.path, identity: header.identity, flushed: header.generation, required: header.logged, replay: replay})
		return last, refusedLog(db.path, err)
	}
	f, err := os.Open(db.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	records := generationReading{logReading: logReading{path: db.path, replay: replay}, file: c.log(f), name: db.path, size: c.Log, generation: c.generation}
	if err = records.read(); err == nil && records.found.end != c.Log {
		err = damagedCheckpoint(db.path, fmt.Errorf("its log ends at byte %d of %d", records.found.end, c.Log))
	}
	return c.generation, err
}

// markLogged notes in the file whether there is a log.
func (db *DB) markLogged(is, want bool) error {
	if is == want {
		return nil
	}
	if want {
		if err := syncFolder(db.path); err != nil {
			return err
		}
	}
	_, err := db.update(func(tx *bbolt.Tx) error {
		if want {
			return tx.Bucket(ownBucket).Put(loggedKey, []byte{1})
		}
		return tx.Bucket(ownBucket).Delete(loggedKey)
	})
	return err
}

// Close flushes what is in memory, and closes the file. When that cannot be written it stays in the
// log, for the next Open. Nothing else may be running.
func (db *DB) Close() error {
	if db.closed.Swap(true) {
		return nil
	}
	err := db.stopFlusher()
	if db.log != nil {
		err = errors.Join(err, db.log.close())
		if err == nil && !db.stuck {
			if err = db.markLogged(true, false); err == nil {
				err = removeLog(db.path)
			}
		}
	}
	if db.stuck {
		return db.broken.Load() // bbolt would wait for ever
	}
	if err = errors.Join(err, db.file.Load().Close()); err != nil {
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the store was not closed properly",
			Remedy: "see the server's log; what was acknowledged is safe in the file and its two logs", Err: err}
	}
	return nil
}

// stopFlusher ends the flusher, after a last flush.
func (db *DB) stopFlusher() error {
	if db.options.ReadOnly {
		return nil
	}
	err := db.drain()
	close(db.work)
	<-db.flusherDone
	return err
}
