package instancerepo

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
)

// Repository is an instance repository in a folder. Its paths are relative to that folder and have
// slashes. It may be read concurrently; a write must be exclusive.
type Repository struct{ dir string }

// Open returns the repository in a folder, which must exist.
func Open(dir string) (*Repository, error) {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil, unreadable(dir, err)
	case !info.IsDir():
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: dir},
			Message: "it is a file", Remedy: "name the folder of an instance repository"}
	}
	return &Repository{dir: dir}, nil
}

// pathOf is the path of a file or a folder of an environment.
func pathOf(e inventory.Environment, more ...string) string {
	return path.Join(append([]string{"environments", e.Cluster, e.Name}, more...)...)
}

// isName reports whether a text is the name of a folder and not a way out of it.
func isName(text string) bool {
	return dovetail.CheckValue(text) == "" && !strings.ContainsAny(text, "/"+string(filepath.Separator))
}

// file is a file of the repository, or one that is going to be.
type file struct {
	path string
	data []byte // nil when it does not exist
}

func (r *Repository) full(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

// read reads the file that has one of several names; when none exists it gets the first.
func (r *Repository) read(names ...string) (file, error) {
	found := file{path: names[0]}
	for _, name := range names {
		data, err := os.ReadFile(r.full(name))
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
			return file{}, unreadable(name, err)
		case found.data != nil:
			return file{}, &dovetail.Error{Code: dovetail.CodeConflict, Position: dovetail.Position{File: name},
				Message: "there is also " + found.path, Remedy: "remove one of the two"}
		}
		found = file{path: name, data: append([]byte{}, data...)}
	}
	return found, nil
}

func unreadable(name string, err error) error {
	e := &dovetail.Error{Code: dovetail.CodeInternal, Position: dovetail.Position{File: name}, Message: "it cannot be read",
		Remedy: "check the disk and the permissions", Err: err}
	switch {
	case errors.Is(err, os.ErrNotExist):
		e.Code, e.Message, e.Remedy = dovetail.CodeInvalid, "it does not exist", "name the folder of an instance repository"
	case errors.Is(err, os.ErrPermission):
		e.Code, e.Message = dovetail.CodeForbidden, "it may not be read"
	}
	return e
}
