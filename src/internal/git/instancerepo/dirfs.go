package instancerepo

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

var errIrregular = errors.New("it is no file and no folder")

// DirFS are the files of a folder that is not trusted: symbolic links are followed as long as they stay inside, and pipes and devices, which
// may have no end, are not read. The folder stays open.
func DirFS(dir string) fs.FS {
	return folder{sync.OnceValues(func() (*os.Root, error) { return os.OpenRoot(dir) })}
}

type folder struct {
	root func() (*os.Root, error)
}

var _ interface {
	fs.StatFS
	fs.ReadLinkFS
} = folder{}

// Open implements fs.FS. Without O_NONBLOCK it would wait for the writer of a pipe.
func (f folder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	root, err := f.root()
	if err != nil {
		return nil, err
	}
	opened, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := opened.Stat(); err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: cmp.Or(err, errIrregular)}, opened.Close())
	}
	return opened, nil
}

// Stat implements fs.StatFS.
func (f folder) Stat(name string) (fs.FileInfo, error) {
	root, err := f.root()
	if err != nil {
		return nil, err
	}
	return fs.Stat(root.FS(), name)
}

// Lstat implements fs.ReadLinkFS.
func (f folder) Lstat(name string) (fs.FileInfo, error) {
	root, err := f.root()
	if err != nil {
		return nil, err
	}
	return fs.Lstat(root.FS(), name)
}

// ReadLink implements fs.ReadLinkFS.
func (f folder) ReadLink(name string) (string, error) {
	root, err := f.root()
	if err != nil {
		return "", err
	}
	return fs.ReadLink(root.FS(), name)
}
