package base

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Source says where a base is: in a repository of Git, on a branch or with a tag, or in a registry, with a tag.
type Source struct {
	Name   string
	Git    string // URL of a repository, as git clone takes it
	Branch string
	OCI    string // host and repository
	Tag    string
	Path   string // a folder in it, with slashes; "" for all
}

// File is a file of a base. Its path begins below the folder.
type File struct {
	Path string
	Data []byte
}

// Content is what a base has.
type Content struct {
	Revision string // a commit, or the digest of a manifest
	Files    []File // by path
}

// Digest is that of the files: of their paths and contents.
func (c Content) Digest() string {
	hash := sha256.New()
	part := func(data []byte) {
		hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(data))))
		hash.Write(data)
	}
	for _, f := range c.Files {
		part([]byte(f.Path))
		part(f.Data)
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}

// Limits of a base.
const (
	maxBytes = 64 << 20
	maxFiles = 50_000
)

// collector collects the files below a folder.
type collector struct {
	of    Source
	files []File
	bytes int64
}

// takes reports whether a file is below the folder, and under which path.
func (c *collector) takes(path string) (string, bool) {
	if c.of.Path == "" {
		return path, true
	}
	return strings.CutPrefix(path, strings.Trim(c.of.Path, "/")+"/")
}

func (c *collector) add(path string, data []byte) error {
	if c.bytes += int64(len(data)); c.bytes > maxBytes || len(c.files) >= maxFiles {
		return &dovetail.Error{Code: dovetail.CodeTooLarge, Message: "the base has more than 64 MiB or 50,000 files", Remedy: "name a folder in it with path"}
	}
	c.files = append(c.files, File{path, data})
	return nil
}

func (c *collector) content(revision string) (Content, error) {
	if len(c.files) == 0 {
		return Content{}, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there are no files in the base", Remedy: "correct its path"}
	}
	slices.SortFunc(c.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for i := 1; i < len(c.files); i++ {
		if c.files[i].Path == c.files[i-1].Path {
			return Content{}, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the base has the file " + c.files[i].Path + " twice", Remedy: "publish it again with one of them"}
		}
	}
	return Content{Revision: revision, Files: c.files}, nil
}
