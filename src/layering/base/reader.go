package base

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Reader reads bases. Cache is a folder that keeps them by their digests; "" if there is none.
type Reader struct {
	Cache string
}

// Resolve reads a base as it is now, and keeps it.
func (r Reader) Resolve(ctx context.Context, s Source) (Locked, error) {
	content, err := fetch(ctx, s, "")
	if err != nil {
		return Locked{}, err
	}
	locked := Locked{Source: s, Revision: content.Revision, Digest: content.Digest()}
	return locked, r.keep(locked.Digest, content.Files)
}

// Read returns the files of a base as it was locked: from the cache, or else from where it is.
func (r Reader) Read(ctx context.Context, l Locked) ([]File, error) {
	if files := r.kept(l.Digest); files != nil {
		return files, nil
	}
	content, err := fetch(ctx, l.Source, l.Revision)
	if err != nil {
		return nil, err
	}
	if digest := content.Digest(); digest != l.Digest {
		return nil, &dovetail.Error{Code: dovetail.CodeConflict, Message: "the files of the base " + l.Name + " have the digest " + digest + ", and not " + l.Digest + " of the lock file",
			Remedy: "find out who changed them; if they are right, run dovetail layering lock"}
	}
	return content.Files, r.keep(l.Digest, content.Files)
}

func fetch(ctx context.Context, s Source, revision string) (Content, error) {
	if s.OCI != "" {
		return oci(ctx, s, revision)
	}
	return git(ctx, s, revision)
}

func (r Reader) folder(digest string) string {
	return filepath.Join(r.Cache, "bases", strings.TrimPrefix(digest, "sha256:"))
}

// kept returns the files of a digest in the cache; nil if they are not there, or are damaged.
func (r Reader) kept(digest string) []File {
	if r.Cache == "" {
		return nil
	}
	root := r.folder(digest)
	var content Content
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		way, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name) //nolint:gosec // below the cache
		content.Files = append(content.Files, File{filepath.ToSlash(way), data})
		return err
	})
	if err != nil || len(content.Files) == 0 {
		return nil
	}
	if sorted, err := (&collector{files: content.Files}).content(""); err != nil || sorted.Digest() != digest {
		return nil
	}
	return content.Files
}

// keep writes files to the cache: to a folder beside, which then takes its place, so that others never see a part.
func (r Reader) keep(digest string, files []File) error {
	if r.Cache == "" {
		return nil
	}
	root := r.folder(digest)
	failed := func(err error) error {
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the cache of bases cannot be written: " + err.Error(), Remedy: "make " + r.Cache + " writable, or set XDG_CACHE_HOME", Err: err}
	}
	if err := os.MkdirAll(filepath.Dir(root), 0o700); err != nil {
		return failed(err)
	}
	next, err := os.MkdirTemp(filepath.Dir(root), "next-")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.RemoveAll(next) }()
	for _, f := range files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the base has a file of the name " + f.Path, Remedy: "publish it again without that file"}
		}
		name := filepath.Join(next, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return failed(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			return failed(err)
		}
	}
	if err := os.RemoveAll(root); err != nil { // damaged, or what another process has just written
		return failed(err)
	}
	if err := os.Rename(next, root); err != nil && r.kept(digest) == nil {
		return failed(err)
	}
	return nil
}
