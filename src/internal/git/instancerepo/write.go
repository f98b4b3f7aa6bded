package instancerepo

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// change is new content for a file, whose name is one of the operating system.
type change struct {
	name string
	data []byte
}

// writeAll writes files, all or none: each is first written beside its place, and all are put into
// place only when that worked for all. Folders are made where they are missing.
func writeAll(changes []change) error {
	staged := make([]staged, 0, len(changes))
	defer func() {
		for _, s := range staged {
			os.Remove(s.temporary) // which is gone when it is in its place
		}
	}()
	for _, c := range changes {
		s, err := stage(c)
		if err != nil {
			return unwritable(c.name, err)
		}
		staged = append(staged, s)
	}
	return rename(staged)
}

// rename puts staged files into their places. When one cannot be, the former content of the others
// comes back.
func rename(all []staged) error {
	for i, s := range all {
		if err := os.Rename(s.temporary, s.name); err != nil {
			for _, done := range all[:i] {
				err = errors.Join(err, done.undo())
			}
			return unwritable(s.name, err)
		}
	}
	return nil
}

// staged is a file whose new content lies beside it.
type staged struct {
	change
	temporary string
	before    []byte // nil when it did not exist
	mode      os.FileMode
}

func stage(c change) (staged, error) {
	s := staged{change: c, mode: 0o644}
	if info, err := os.Stat(c.name); err == nil {
		s.mode = info.Mode().Perm()
		if s.before, err = os.ReadFile(c.name); err != nil {
			return s, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(c.name), 0o755); err != nil {
		return s, err
	}
	temporary, err := os.CreateTemp(filepath.Dir(c.name), "."+filepath.Base(c.name)+".*")
	if err != nil {
		return s, err
	}
	s.temporary = temporary.Name()
	_, err = temporary.Write(c.data)
	err = errors.Join(err, temporary.Chmod(s.mode), temporary.Sync(), temporary.Close())
	if err != nil {
		os.Remove(s.temporary)
	}
	return s, err
}

// undo puts the former content back into place.
func (s staged) undo() error {
	if s.before == nil {
		return os.Remove(s.name)
	}
	return os.WriteFile(s.name, s.before, s.mode)
}

func unwritable(name string, err error) error {
	e := &dovetail.Error{Code: dovetail.CodeInternal, Position: dovetail.Position{File: name},
		Message: "it cannot be written, so that nothing was changed", Remedy: "check the disk and the permissions", Err: err}
	if errors.Is(err, os.ErrPermission) {
		e.Code, e.Message = dovetail.CodeForbidden, "it may not be written, so that nothing was changed"
	}
	return e
}
