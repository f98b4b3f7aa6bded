package schema

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Source is one file of a ref-schema. Its name is what positions call it.
type Source struct {
	Name string
	Data []byte
}

// maxSource bounds one source, in bytes; hand-written schemas are a thousand times smaller.
const maxSource = 4 << 20

// ReadDir reads the schema files of a directory: *.yaml, *.yml and *.json, sorted by name, without
// those in directories below and without hidden ones. In a mounted ConfigMap, where `..data` points
// to the current version, all files are of one version. Errors have the code CodeSchema.
func ReadDir(dir string) ([]Source, error) {
	base := dir
	if current, err := filepath.EvalSymlinks(filepath.Join(dir, "..data")); err == nil {
		base = current
	}
	return readAll(os.DirFS(base), dir)
}

// ReadFS reads the schema files at the root of a file system, as ReadDir does.
func ReadFS(files fs.FS) ([]Source, error) { return readAll(files, "") }

// ReadFile reads one schema file, whatever its name ends in.
func ReadFile(name string) (Source, error) {
	file, err := os.Open(name)
	if err != nil {
		return Source{}, unreadable(name, err)
	}
	return readOne(file, name)
}

// readAll reads the schema files of a file system's root, which errors and sources call dir.
func readAll(files fs.FS, dir string) ([]Source, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, unreadable(dir, err)
	}
	var sources []Source
	for _, entry := range entries {
		if !isSchemaFile(entry.Name()) {
			continue
		}
		name := filepath.Join(dir, entry.Name())
		// Stat follows symbolic links, which the entry does not.
		info, err := fs.Stat(files, entry.Name())
		if err != nil {
			return nil, unreadable(name, err)
		}
		if info.IsDir() {
			continue
		}
		file, err := files.Open(entry.Name())
		if err != nil {
			return nil, unreadable(name, err)
		}
		source, err := readOne(file, name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source)
	}
	if len(sources) == 0 {
		return nil, newFault(FaultNoResources, dovetail.Position{File: dir},
			"put ref-schemas there, or name another directory", "no file *.yaml, *.yml or *.json")
	}
	return sources, nil
}

func isSchemaFile(name string) bool {
	switch path.Ext(name) {
	case ".yaml", ".yml", ".json":
		return !strings.HasPrefix(name, ".")
	}
	return false
}

// readOne reads and closes a file. It reads no more than the parser accepts.
func readOne(file io.ReadCloser, name string) (Source, error) {
	defer func() { _ = file.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(file, maxSource+1))
	if err != nil {
		return Source{}, unreadable(name, err)
	}
	return Source{Name: name, Data: data}, nil
}

func unreadable(name string, err error) *dovetail.Error {
	why := "it cannot be read"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why = "it does not exist"
	case errors.Is(err, fs.ErrPermission):
		why = "it may not be read"
	}
	fault := newFault(FaultUnreadable, dovetail.Position{File: name}, "name a directory or file with ref-schemas", "%s", why)
	fault.Err = fmt.Errorf("%w: %w", FaultUnreadable, err)
	return fault
}
