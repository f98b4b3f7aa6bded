package instancerepo

import (
	"errors"
	"io/fs"
	"os"
)

var errIrregular = errors.New("it is no file and no folder")

// DirFS are the files of a folder that is not trusted: symbolic links are followed as long as they stay inside, and pipes and devices, which
// may have no end, are not opened.
func DirFS(dir string) fs.FS { return folder(dir) }

type folder string

// Open implements fs.FS.
func (f folder) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	files := root.FS()
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errIrregular}
	}
	return files.Open(name)
}
