package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
)

// What the objects may be that a remote sends in one pack. Objects that are compressed well, or that are differences, are many times as large in
// memory as in the pack. Files may be of any size: they are never in memory as a whole, and one that is too large to be read is listed as such.
var (
	maxPacked   = limit.Limit{Bytes: 1 << 30, Of: "the repository's history", Remedy: "follow a repository with less history, or without large files"}
	maxUnpacked = limit.Limit{Bytes: 16 << 30, Of: "the repository's history, unpacked,", Remedy: "follow a repository with less history, or without large files"}
	maxCommit   = limit.Limit{Bytes: 1 << 20, Of: "a commit or tag of the repository", Remedy: "take it out of the history of the branch"}
	maxFolder   = limit.Limit{Bytes: 8 << 20, Of: "a folder of the repository", Remedy: "split the folder, and take the commits with it out of the history of the branch"}
	maxDelta    = limit.Limit{Bytes: 32 << 20, Of: "a file that the repository stores as a difference, or the one it differs from,",
		Remedy: "store large files as a whole: git config core.bigFileThreshold 16m, then git repack -adF"}
)

const (
	maxObjects = 1_000_000 // in one pack
	maxDepth   = 250       // of differences from differences
)

// packed is an object in a pack.
type packed struct {
	offset int64
	length int64 // of what is in the pack: of the object, or of the difference
	size   int64 // of the object
	chain  int64 // length of all differences that it is made with
	base   int32 // index of the object that it differs from; -1 for none
	depth  int16 // number of the differences
	crc    uint32
	kind   plumbing.ObjectType // of the object, plumbing.InvalidObject before it is resolved
	hash   plumbing.Hash
}

// pack is a pack that is measured and indexed. An object is measured before it is in memory.
type pack struct {
	ctx      context.Context
	scanner  *packfile.Scanner
	objects  []packed                // by offset
	byHash   map[plumbing.Hash]int32 // nil where none is waiting
	waiting  map[int32]plumbing.Hash // objects that differ from one which is named by its hash
	unpacked *limit.Budget
	cache    contents
}

// storePack adds the objects of a pack to the clone in a folder. All or none are added.
func storePack(ctx context.Context, dir string, from io.Reader) (err error) {
	folder := filepath.Join(dir, "objects", "pack")
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return broken(dir, err)
	}
	file, err := os.CreateTemp(folder, unfinished+"*")
	if err != nil {
		return broken(dir, err)
	}
	defer func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}()
	size, err := io.Copy(file, maxPacked.Reader(&ending{ctx, from}))
	if err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return broken(dir, err)
	}
	p := &pack{ctx: ctx, scanner: packfile.NewScanner(file), unpacked: maxUnpacked.Budget(), waiting: make(map[int32]plumbing.Hash)}
	checksum, err := p.scan(size)
	if errors.Is(err, packfile.ErrEmptyPackfile) || err == nil && len(p.objects) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if err := p.resolve(); err != nil {
		return err
	}
	name := filepath.Join(folder, "pack-"+checksum.String())
	if err := p.writeIndex(folder, name+".idx", checksum); err != nil {
		return broken(dir, err)
	}
	if err := finish(file, name+".pack"); err != nil {
		return broken(dir, err)
	}
	return nil
}

// unfinished begins the names of files that are being written.
const unfinished = "tmp_pack_"

// finish gives a file that is written its name.
func finish(file *os.File, name string) error {
	return errors.Join(file.Chmod(0o440), file.Close(), os.Rename(file.Name(), name))
}

// ending is a reader that ends with a context.
type ending struct {
	ctx  context.Context
	from io.Reader
}

// Read implements io.Reader.
func (e *ending) Read(p []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, e.ctx.Err()
	}
	return e.from.Read(p)
}

// minPacked is how many bytes of a pack an object has at least.
const minPacked = 8

// scan reads a pack of a size from its beginning to its checksum, with the hashes of all objects that are no differences.
func (p *pack) scan(size int64) (plumbing.Hash, error) {
	_, count, err := p.scanner.Header()
	switch {
	case err != nil:
		return plumbing.ZeroHash, err
	case count > maxObjects:
		return plumbing.ZeroHash, tooLarge(fmt.Sprintf("the repository's history has more than %d objects", maxObjects), maxPacked.Remedy)
	}
	p.objects = make([]packed, 0, min(int64(count), size/minPacked))
	for range count {
		if p.ctx.Err() != nil {
			return plumbing.ZeroHash, p.ctx.Err()
		}
		if err := p.scanObject(); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	return p.scanner.Checksum()
}

func (p *pack) scanObject() error {
	header, err := p.scanner.NextObjectHeader()
	if err != nil {
		return err
	}
	o := packed{offset: header.Offset, length: header.Length, base: -1}
	var read io.Writer
	var hash plumbing.Hasher
	var sizes deltaSizes
	switch header.Type {
	case plumbing.OFSDeltaObject, plumbing.REFDeltaObject:
		if err := maxDelta.Check(o.length); err != nil {
			return err
		}
		read = &sizes
	default:
		if err := checkSize(header.Type, o.length); err != nil {
			return err
		}
		o.kind, o.size = header.Type, o.length
		hash = plumbing.NewHasher(header.Type, o.length)
		read = hash
	}
	if err := p.unpacked.Take(o.length); err != nil {
		return err
	}
	written, crc, err := p.scanner.NextObject(&endingWriter{p.ctx, read})
	switch {
	case err != nil:
		return err
	case written != o.length:
		return malformed("an object is shorter than its header says")
	}
	o.crc = crc
	this := int32(len(p.objects)) //nolint:gosec // at most maxObjects
	switch header.Type {
	case plumbing.OFSDeltaObject:
		if o.base = p.at(header.OffsetReference); o.base < 0 {
			return malformed("an object differs from one that is not there")
		}
	case plumbing.REFDeltaObject:
		p.waiting[this] = header.Reference
	default:
		o.hash = hash.Sum()
	}
	if hash.Hash == nil {
		if o.size, err = sizes.result(); err != nil {
			return err
		}
	}
	p.objects = append(p.objects, o)
	return nil
}

// endingWriter is a writer that ends with a context: an object may inflate for long.
type endingWriter struct {
	ctx context.Context
	to  io.Writer
}

// Write implements io.Writer.
func (e *endingWriter) Write(p []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, e.ctx.Err()
	}
	return e.to.Write(p)
}

// checkSize refuses an object of which Git, and this package, need all in memory.
func checkSize(kind plumbing.ObjectType, size int64) error {
	switch kind {
	case plumbing.BlobObject:
		return nil
	case plumbing.TreeObject:
		return maxFolder.Check(size)
	case plumbing.CommitObject, plumbing.TagObject:
		return maxCommit.Check(size)
	}
	return malformed("an object is of no known type")
}

func malformed(what string) error { return fmt.Errorf("%w: %s", packfile.ErrMalformedPackFile, what) }

func tooLarge(message, remedy string) error {
	return &dovetail.Error{Code: dovetail.CodeTooLarge, Message: message, Remedy: remedy}
}

// writeIndex writes the index of the pack.
func (p *pack) writeIndex(folder, name string, checksum plumbing.Hash) error {
	var all idxfile.Writer
	for _, o := range p.objects {
		all.Add(o.hash, uint64(o.offset), o.crc) //nolint:gosec // no offset is negative
	}
	if err := all.OnFooter(checksum); err != nil {
		return err
	}
	index, err := all.Index()
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, unfinished+"*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := idxfile.NewEncoder(file).Encode(index); err != nil {
		return errors.Join(err, file.Close())
	}
	return finish(file, name)
}
