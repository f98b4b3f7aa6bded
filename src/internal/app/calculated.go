package app

import (
	"bytes"
	"io/fs"
	"path"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
)

// sbomFolder is where an instance repository keeps SBOMs, which are no documents.
const sbomFolder = "sboms"

// repositoryOf makes an instance repository of documents.
func repositoryOf(documents []*dovetail.Document) (fs.FS, []*dovetail.Error, error) {
	all := make([]instancerepo.Document, len(documents))
	for i, doc := range documents {
		var err error
		if all[i], err = instancerepo.FromStored(doc); err != nil {
			return nil, nil, err
		}
	}
	files, problems := instancerepo.Files(all)
	return instancerepo.FileSystem(files), problems, nil
}

// sboms are those of the repositories that are attached, at their heads also for reads of the past: their names have the version of the application. It
// is nil if there is none.
func (a *attached) sboms() fs.FS {
	if a == nil {
		return nil
	}
	return sboms{a.Repositories}
}

type sboms struct{ repositories *gitsync.Repositories }

// ReadFile is fs.ReadFileFS.
func (s sboms) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	data, err := s.repositories.Content(path.Join(sbomFolder, name))
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		err = &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return data, err
}

// Open is fs.FS.
func (s sboms) Open(name string) (fs.File, error) {
	data, err := s.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return instancerepo.FileSystem([]instancerepo.File{{Path: name, Data: bytes.Clone(data)}}).Open(name)
}
