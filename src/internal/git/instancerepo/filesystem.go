package instancerepo

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"
)

// FileSystem returns files as a file system in memory, which is not to be changed. Of files with the same path the last one counts.
func FileSystem(files []File) fs.FS {
	tree := fileSystem{".": {name: ".", below: make(map[string]*node)}}
	for _, f := range files {
		tree.folder(path.Dir(f.Path)).below[path.Base(f.Path)] = tree.add(f.Path, &node{name: path.Base(f.Path), data: f.Data})
	}
	return tree
}

// fileSystem are files and folders by their paths.
type fileSystem map[string]*node

func (t fileSystem) add(name string, n *node) *node {
	t[name] = n
	return n
}

// folder returns a folder, and makes it where it is not there.
func (t fileSystem) folder(name string) *node {
	if n := t[name]; n != nil {
		return n
	}
	n := t.add(name, &node{name: path.Base(name), below: make(map[string]*node)})
	t.folder(path.Dir(name)).below[n.name] = n
	return n
}

// Open is fs.FS.
func (t fileSystem) Open(name string) (fs.File, error) {
	n := t[name]
	if n == nil || !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	opened := &openNode{node: n, reader: bytes.NewReader(n.data)}
	for _, base := range slices.Sorted(maps.Keys(n.below)) {
		opened.rest = append(opened.rest, fs.FileInfoToDirEntry(n.below[base]))
	}
	return opened, nil
}

// node is a file or a folder, and what is known of it.
type node struct {
	name  string
	data  []byte
	below map[string]*node // nil for a file
}

func (n *node) Name() string       { return n.name }
func (n *node) Size() int64        { return int64(len(n.data)) }
func (n *node) ModTime() time.Time { return time.Time{} }
func (n *node) IsDir() bool        { return n.below != nil }
func (n *node) Sys() any           { return nil }

func (n *node) Mode() fs.FileMode {
	if n.IsDir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// openNode is a node that is read.
type openNode struct {
	*node
	reader *bytes.Reader
	rest   []fs.DirEntry // of a folder: what ReadDir has not returned
}

func (o *openNode) Stat() (fs.FileInfo, error) { return o.node, nil }
func (o *openNode) Close() error               { return nil }

func (o *openNode) Read(to []byte) (int, error) {
	if o.IsDir() {
		return 0, &fs.PathError{Op: "read", Path: o.name, Err: fs.ErrInvalid}
	}
	return o.reader.Read(to)
}

func (o *openNode) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(o.rest) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(o.rest) {
		n = len(o.rest)
	}
	page := o.rest[:n]
	o.rest = o.rest[n:]
	return page, nil
}
