package base_test

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/layering/base"
)

// listed are the paths and texts of files.
func listed(files []base.File) string {
	var all []string
	for _, f := range files {
		all = append(all, f.Path+"="+string(f.Data))
	}
	return strings.Join(all, " ")
}

func TestGit(t *testing.T) {
	repository := gittest.New(t, map[string]string{"layers/a.yaml": "a", "layers/sub/b.yaml": "b", "other.yaml": "c"})
	if out, err := gittest.Git(repository.Clone, "tag", "-a", "v1", "-m", "one"); err != nil {
		t.Fatal(out, err)
	}
	if out, err := gittest.Git(repository.Clone, "push", "origin", "v1"); err != nil {
		t.Fatal(out, err)
	}
	tagged := repository.Head()
	ctx, cache := t.Context(), t.TempDir()
	of := base.Source{Name: "p", Git: repository.Dir, Tag: "v1", Path: "layers"}
	locked, err := base.Reader{Cache: cache}.Resolve(ctx, of)
	if err != nil || locked.Revision != tagged {
		t.Fatalf("%+v, %v; want %s", locked, err, tagged)
	}
	moved := repository.Push("two", map[string]string{"layers/a.yaml": "a2"})
	const want = "a.yaml=a sub/b.yaml=b"
	for _, r := range []base.Reader{{}, {Cache: cache}, {Cache: t.TempDir()}} {
		if files, err := r.Read(ctx, locked); err != nil || listed(files) != want {
			t.Errorf("%s, %v", listed(files), err)
		}
	}
	branch := base.Source{Name: "p", Git: repository.Dir, Path: "layers"}
	if now, err := (base.Reader{}).Resolve(ctx, branch); err != nil || now.Revision != moved || now.Digest == locked.Digest {
		t.Errorf("%+v, %v; want %s", now, err, moved)
	}
	if files, err := (base.Reader{}).Read(ctx, base.Locked{Source: branch, Revision: tagged, Digest: locked.Digest}); err != nil || listed(files) != want {
		t.Errorf("an earlier commit of the branch: %s, %v", listed(files), err)
	}
	for _, c := range []struct {
		name   string
		locked base.Locked
		want   dovetail.Code
	}{
		{"no repository", base.Locked{Source: base.Source{Git: repository.Dir + "x"}, Revision: tagged, Digest: locked.Digest}, dovetail.CodeInvalid},
		{"no tag", base.Locked{Source: base.Source{Git: repository.Dir, Tag: "v2"}, Revision: tagged, Digest: locked.Digest}, dovetail.CodeInvalid},
		{"no folder", base.Locked{Source: base.Source{Git: repository.Dir, Path: "layer"}, Revision: tagged, Digest: locked.Digest}, dovetail.CodeInvalid},
		{"no such commit", base.Locked{Source: branch, Revision: strings.Repeat("1", 40), Digest: locked.Digest}, dovetail.CodeNotFound},
		{"another digest", base.Locked{Source: branch, Revision: moved, Digest: locked.Digest}, dovetail.CodeConflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			if files, err := (base.Reader{}).Read(ctx, c.locked); dovetail.CodeOf(err) != c.want || files != nil {
				t.Errorf("%v, %v", listed(files), err)
			}
		})
	}
	t.Run("without the repository", func(t *testing.T) {
		if err := os.Rename(repository.Dir, repository.Dir+".gone"); err != nil {
			t.Fatal(err)
		}
		if files, err := (base.Reader{Cache: cache}).Read(ctx, locked); err != nil || listed(files) != want {
			t.Errorf("%s, %v", listed(files), err)
		}
		damage(t, cache)
		if files, err := (base.Reader{Cache: cache}).Read(ctx, locked); err == nil {
			t.Errorf("a damaged cache is read: %s", listed(files))
		}
		if err := os.Rename(repository.Dir+".gone", repository.Dir); err != nil {
			t.Fatal(err)
		}
		if files, err := (base.Reader{Cache: cache}).Read(ctx, locked); err != nil || listed(files) != want {
			t.Errorf("%s, %v", listed(files), err)
		}
	})
}

// damage changes a file in a cache.
func damage(t *testing.T, cache string) {
	t.Helper()
	damaged := false
	err := filepath.WalkDir(cache, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || damaged {
			return err
		}
		damaged = true
		return os.WriteFile(name, []byte("damaged"), 0o600)
	})
	if err != nil || !damaged {
		t.Fatal(damaged, err)
	}
}

// archiveOf is a tar archive of files, by name and text; a name with a > is a link.
func archiveOf(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		header := &tar.Header{Name: files[i], Mode: 0o600, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg}
		if name, to, link := strings.Cut(files[i], ">"); link {
			header = &tar.Header{Name: name, Linkname: to, Typeflag: tar.TypeSymlink}
		}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			if _, err := w.Write([]byte(files[i+1])); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestOCI(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo))))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	push := func(tag string, layers ...mutate.Addendum) {
		t.Helper()
		image, err := mutate.Append(mutate.MediaType(empty.Image, types.OCIManifestSchema1), layers...)
		if err != nil {
			t.Fatal(err)
		}
		reference, err := name.ParseReference(host + "/layers:" + tag)
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Write(reference, image); err != nil {
			t.Fatal(err)
		}
	}
	layer := func(data []byte, media types.MediaType, annotations map[string]string) mutate.Addendum {
		return mutate.Addendum{Layer: static.NewLayer(data, media), Annotations: annotations, MediaType: media}
	}
	title := func(name string) map[string]string { return map[string]string{"org.opencontainers.image.title": name} }
	flux := layer(archiveOf(t, "./layers/a.yaml", "a", "../layers/../b.yaml", "b", "layers/l.yaml>a.yaml", ""), "application/vnd.cncf.flux.content.v1.tar+gzip", nil)
	push("flux", flux)
	push("oras", layer([]byte("a"), types.OCIUncompressedLayer, title("layers/a.yaml")), layer([]byte("b"), "text/yaml", title("b.yaml")))
	push("twice", layer([]byte("a"), "text/yaml", title("a.yaml")), layer([]byte("b"), "text/yaml", title("a.yaml")))
	push("strange", layer([]byte("a"), "text/yaml", nil))
	ctx := t.Context()
	for _, c := range []struct {
		name, tag, path string
		want            string
		err             dovetail.Code
	}{
		{name: "an archive", tag: "flux", want: "b.yaml=b layers/a.yaml=a"},
		{name: "a folder", tag: "flux", path: "layers", want: "a.yaml=a"},
		{name: "files", tag: "oras", want: "b.yaml=b layers/a.yaml=a"},
		{name: "a folder of files", tag: "oras", path: "layers", want: "a.yaml=a"},
		{name: "a file twice", tag: "twice", err: dovetail.CodeInvalid},
		{name: "something else", tag: "strange", err: dovetail.CodeInvalid},
		{name: "no tag", tag: "none", err: dovetail.CodeNotFound},
		{name: "no folder", tag: "flux", path: "lay", err: dovetail.CodeInvalid},
		{name: "no reference", tag: "a b", err: dovetail.CodeInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache := base.Reader{Cache: t.TempDir()}
			locked, err := cache.Resolve(ctx, base.Source{Name: "p", OCI: host + "/layers", Tag: c.tag, Path: c.path})
			if dovetail.CodeOf(err) != c.err && (err != nil || c.err != "") {
				t.Fatalf("%v; want %s", err, c.err)
			}
			if c.err != "" {
				return
			}
			for _, r := range []base.Reader{cache, {}} {
				if files, err := r.Read(ctx, locked); err != nil || listed(files) != c.want {
					t.Errorf("%s, %v", listed(files), err)
				}
			}
		})
	}
	t.Run("a tag that moved", func(t *testing.T) {
		s := base.Source{Name: "p", OCI: host + "/layers", Tag: "flux"}
		locked, err := base.Reader{}.Resolve(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		push("flux", layer(archiveOf(t, "a.yaml", "new"), types.OCIUncompressedLayer, nil))
		if files, err := (base.Reader{}).Read(ctx, locked); err != nil || listed(files) != "b.yaml=b layers/a.yaml=a" {
			t.Errorf("%s, %v", listed(files), err)
		}
	})
	t.Run("no registry", func(t *testing.T) {
		if _, err := (base.Reader{}).Resolve(ctx, base.Source{Name: "p", OCI: "127.0.0.1:1/layers", Tag: "a"}); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
			t.Error(err)
		}
	})
}

func TestLock(t *testing.T) {
	commit, digest := strings.Repeat("a", 40), "sha256:"+strings.Repeat("b", 64)
	lock := base.Lock{{Source: base.Source{Name: "q", OCI: "r.example.net/x", Tag: "v1"}, Revision: digest, Digest: digest},
		{Source: base.Source{Name: "p", Git: "https://git.example.com/p.git", Branch: "main", Path: "layers"}, Revision: commit, Digest: digest}}
	read, err := base.ParseLock("layering.lock", lock.Text())
	if err != nil || len(read) != 2 || read[0] != lock[1] || read[1] != lock[0] {
		t.Fatalf("%+v, %v", read, err)
	}
	for _, c := range []struct {
		name string
		of   base.Source
		want string
	}{
		{"found", lock[1].Source, ""},
		{"another branch", base.Source{Name: "p", Git: "https://git.example.com/p.git", Branch: "next", Path: "layers"}, "another one than the lock file"},
		{"not there", base.Source{Name: "x", Git: "y"}, "not in the lock file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := read.Find(c.of); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
		})
	}
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "not one YAML document"},
		{"no YAML", "a: [", "did not find"},
		{"a member", "base: []\n", "did you mean bases?"},
		{"a revision", "bases: [{name: a, git: b, revision: main, digest: '" + digest + "'}]\n", "no commit of Git"},
		{"a commit of an artifact", "bases: [{name: a, oci: b, tag: c, revision: " + commit + ", digest: '" + digest + "'}]\n", "digest of an artifact"},
		{"a digest", "bases: [{name: a, git: b, revision: " + commit + ", digest: md5}]\n", "no digest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := base.ParseLock("layering.lock", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
		})
	}
}

// FuzzLock reads anything, and what is read is written so that it reads the same.
func FuzzLock(f *testing.F) {
	f.Add([]byte("bases:\n  - {name: p, git: x, revision: " + strings.Repeat("a", 40) + ", digest: 'sha256:" + strings.Repeat("b", 64) + "'}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lock, err := base.ParseLock("f", text)
		if err != nil {
			return
		}
		again, err := base.ParseLock("f", lock.Text())
		if err != nil || len(again) != len(lock) || !bytes.Equal(again.Text(), lock.Text()) {
			t.Errorf("%+v is %+v, %v", lock, again, err)
		}
	})
}
