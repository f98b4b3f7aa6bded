package emcostore

import (
	"embed"
	"io/fs"
)

// recordsFile is the file that Schema adds.
const recordsFile = "emco-records.yaml"

//go:embed emco-records.yaml
var records embed.FS

// Schema returns the files of a ref-schema of EMCO, with one more for the kind that this package needs: for embedded.Options.SchemaFS.
func Schema(emco fs.FS) fs.FS { return withRecords{emco} }

type withRecords struct{ fs.FS }

// Open opens a file of either.
func (w withRecords) Open(name string) (fs.File, error) {
	if name == recordsFile {
		return records.Open(name)
	}
	return w.FS.Open(name)
}

// ReadDir lists what is in a folder; at the root, with the file of records.
func (w withRecords) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, name)
	if err != nil || name != "." {
		return entries, err
	}
	own, err := records.ReadDir(name)
	return append(entries, own...), err
}
