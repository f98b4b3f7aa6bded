package gitrepo

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/utils/ioutil"
)

const (
	openPacks   = 16        // packs that are open at the same time
	smallObject = 256 << 10 // size of objects that are kept when they were read, as trees are again and again
	objectCache = 16 * cache.MiByte
)

// storage is a clone whose objects are read in bounded memory: the library has all objects in memory with which one is made of differences. It is
// not safe for concurrent use.
type storage struct {
	*filesystem.Storage
	dir   string
	packs []indexed // nil before the first object is read
	open  []opened  // the last one first
	cache contents
	small cache.Object
}

func newStorage(files *filesystem.Storage, dir string) *storage {
	return &storage{Storage: files, dir: dir, small: cache.NewObjectLRU(objectCache)}
}

// indexed is a pack with its index.
type indexed struct {
	file string
	*idxfile.MemoryIndex
}

// opened is a pack that is open.
type opened struct {
	pack    int
	file    *os.File
	scanner *packfile.Scanner
}

// HasEncodedObject implements storer.EncodedObjectStorer.
func (s *storage) HasEncodedObject(hash plumbing.Hash) error {
	_, err := s.EncodedObject(plumbing.AnyObject, hash)
	return err
}

// EncodedObject implements storer.EncodedObjectStorer. The content of a large object is read when it is asked for.
func (s *storage) EncodedObject(kind plumbing.ObjectType, hash plumbing.Hash) (plumbing.EncodedObject, error) {
	found, is := s.small.Get(hash)
	if !is {
		var err error
		if found, err = s.find(hash); err != nil {
			return nil, err
		}
	}
	if kind != plumbing.AnyObject && kind != found.Type() {
		return nil, plumbing.ErrObjectNotFound
	}
	return found, nil
}

// find finds an object, and reads a small one.
func (s *storage) find(hash plumbing.Hash) (plumbing.EncodedObject, error) {
	if err := s.index(); err != nil {
		return nil, err
	}
	found, err := s.loose(hash)
	for i := 0; i < len(s.packs) && errors.Is(err, plumbing.ErrObjectNotFound); i++ {
		offset, missing := s.packs[i].FindOffset(hash)
		if missing != nil {
			err = missing
			continue
		}
		found, err = s.packed(i, offset, hash)
	}
	if err != nil || found.size > smallObject {
		return found, err
	}
	text, err := found.open()
	if err != nil {
		return nil, err
	}
	read := new(plumbing.MemoryObject)
	read.SetType(found.kind)
	_, err = io.Copy(read, text)
	if err := errors.Join(err, text.Close()); err != nil {
		return nil, err
	}
	s.small.Put(read)
	return read, nil
}

// index reads the indexes of all packs.
func (s *storage) index() error {
	if s.packs != nil {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "objects", "pack", "pack-*.pack"))
	if err != nil {
		return err
	}
	packs := make([]indexed, 0, len(files))
	for _, name := range files {
		file, err := os.Open(name[:len(name)-len("pack")] + "idx")
		if err != nil {
			return err
		}
		index := idxfile.NewMemoryIndex()
		if err := errors.Join(idxfile.NewDecoder(file).Decode(index), file.Close()); err != nil {
			return err
		}
		packs = append(packs, indexed{name, index})
	}
	s.packs = packs
	return nil
}

// loose finds an object that is a file of its own.
func (s *storage) loose(hash plumbing.Hash) (*stowed, error) {
	name := hash.String()
	at := filepath.Join(s.dir, "objects", name[:2], name[2:])
	open := func() (*objfile.Reader, io.Closer, error) {
		file, err := os.Open(at)
		if err != nil {
			return nil, nil, err
		}
		reader, err := objfile.NewReader(file)
		if err != nil {
			return nil, nil, errors.Join(err, file.Close())
		}
		return reader, file, nil
	}
	reader, file, err := open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, plumbing.ErrObjectNotFound
	}
	if err != nil {
		return nil, err
	}
	kind, size, err := reader.Header()
	if err := errors.Join(err, reader.Close(), file.Close()); err != nil {
		return nil, err
	}
	return &stowed{hash: hash, kind: kind, size: size, open: func() (io.ReadCloser, error) {
		reader, file, err := open()
		if err != nil {
			return nil, err
		}
		if _, _, err := reader.Header(); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return ioutil.NewReadCloser(reader, file), nil
	}}, nil
}

// packed finds an object in a pack, and of which differences it is made.
func (s *storage) packed(pack int, offset int64, hash plumbing.Hash) (*stowed, error) {
	from, err := s.scanner(pack)
	if err != nil {
		return nil, err
	}
	o := &stowed{hash: hash}
	var chain []int64
	for {
		header, err := from.SeekObjectHeader(offset)
		if err != nil {
			return nil, err
		}
		if chain = append(chain, offset); len(chain) == 1 {
			o.size = header.Length
		}
		if header.Type == plumbing.OFSDeltaObject || header.Type == plumbing.REFDeltaObject {
			if len(chain) == 1 {
				if o.size, err = resultSize(from); err != nil {
					return nil, err
				}
			}
			offset = header.OffsetReference
			if header.Type == plumbing.REFDeltaObject {
				if offset, err = s.packs[pack].FindOffset(header.Reference); err != nil {
					return nil, err
				}
			}
			continue
		}
		o.kind = header.Type
		break
	}
	if len(chain) == 1 && o.size > MaxListed { // it is read from the file as it is asked for
		o.open = func() (io.ReadCloser, error) { return openPacked(s.packs[pack].file, offset) }
		return o, nil
	}
	o.open = func() (io.ReadCloser, error) {
		from, err := s.scanner(pack)
		if err != nil {
			return nil, err
		}
		data, err := s.cache.build(from, pack, chain, func(int64) error { return nil })
		return io.NopCloser(bytes.NewReader(data)), err
	}
	return o, nil
}

// resultSize returns the size of the object that the difference is made of which a scanner is at.
func resultSize(from *packfile.Scanner) (int64, error) {
	text, err := from.ReadObject()
	if err != nil {
		return 0, err
	}
	var sizes deltaSizes
	_, err = io.CopyN(&sizes, text, deltaHead)
	if err = errors.Join(text.Close(), err); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return sizes.result()
}

// scanner returns a scanner of a pack, which stays open while other packs are not used more often.
func (s *storage) scanner(pack int) (*packfile.Scanner, error) {
	for i, o := range s.open {
		if o.pack == pack {
			copy(s.open[1:i+1], s.open[:i])
			s.open[0] = o
			return o.scanner, nil
		}
	}
	file, err := os.Open(s.packs[pack].file)
	if err != nil {
		return nil, err
	}
	if len(s.open) == openPacks {
		if err := s.open[openPacks-1].file.Close(); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		s.open = s.open[:openPacks-1]
	}
	s.open = append([]opened{{pack, file, packfile.NewScanner(file)}}, s.open...)
	return s.open[0].scanner, nil
}

// Close closes the packs.
func (s *storage) Close() error {
	var errs []error
	for _, o := range s.open {
		errs = append(errs, o.file.Close())
	}
	s.open = nil
	return errors.Join(append(errs, s.Storage.Close())...)
}

// openPacked opens an object of a pack that is no difference.
func openPacked(name string, offset int64) (io.ReadCloser, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	from := packfile.NewScanner(file)
	if _, err := from.SeekObjectHeader(offset); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	text, err := from.ReadObject()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return ioutil.NewReadCloserWithCloser(text, file.Close), nil
}

// stowed is an object of a clone, without its content.
type stowed struct {
	hash plumbing.Hash
	kind plumbing.ObjectType
	size int64
	open func() (io.ReadCloser, error)
}

// The methods of plumbing.EncodedObject. A stowed object is not changed.

func (o *stowed) Hash() plumbing.Hash             { return o.hash }
func (o *stowed) Type() plumbing.ObjectType       { return o.kind }
func (o *stowed) Size() int64                     { return o.size }
func (o *stowed) Reader() (io.ReadCloser, error)  { return o.open() }
func (o *stowed) SetType(plumbing.ObjectType)     {}
func (o *stowed) SetSize(int64)                   {}
func (o *stowed) Writer() (io.WriteCloser, error) { return nil, errors.ErrUnsupported }
