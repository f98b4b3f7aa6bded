package follow_test

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/resolution/follow"
)

// zeros is a text of many bytes, which compresses to few.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// repeat writes a text until no one reads it any more.
func repeat(w io.Writer, text string) {
	line := []byte(strings.Repeat(text, 1000))
	for {
		if _, err := w.Write(line); err != nil {
			return
		}
	}
}

// packet is a line of the protocol of Git.
func packet(line string) string { return fmt.Sprintf("%04x%s", len(line)+4, line) }

// packed compresses what is written.
func packed(t testing.TB, compress func(io.Writer) io.WriteCloser, write func(io.Writer) error) []byte {
	t.Helper()
	var text strings.Builder
	w := compress(&text)
	if err := write(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return []byte(text.String())
}

func gzipped(w io.Writer) io.WriteCloser {
	fast, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // which exists
	return fast
}

// archive writes an archive of files of a size.
func archive(size int64, names func(yield func(string) bool)) func(io.Writer) error {
	return func(w io.Writer) error {
		to := tar.NewWriter(w)
		for name := range names {
			if err := to.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: size, Typeflag: tar.TypeReg}); err != nil {
				return err
			}
			if _, err := io.CopyN(to, zeros{}, size); err != nil {
				return err
			}
		}
		return to.Close()
	}
}

func oneName(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) { yield(name) }
}

func manyNames(n int, format string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range n {
			if !yield(fmt.Sprintf(format, i)) {
				return
			}
		}
	}
}

// bomb is an image with a layer of such bytes.
func bomb(t testing.TB, layer []byte) v1.Image {
	t.Helper()
	image, err := mutate.AppendLayers(empty.Image, static.NewLayer(layer, types.DockerLayer))
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// TestBombs follows sources that are small on the way and large in memory, or that do not end. They are refused in bounded memory, with the
// limit, what it applies to and how it is raised.
func TestBombs(t *testing.T) {
	const most = 200 << 20
	registry := registryServer(t, "", "")
	large := packed(t, gzipped, func(w io.Writer) error {
		_, err := io.CopyN(w, io.MultiReader(strings.NewReader("schema: olm.package\nname: p\ndescription: \""), zeros{}), 160<<20)
		return err
	})
	push(t, registry+"/large:v1", bomb(t, packed(t, gzipped, archive(160<<20, oneName("configs/a.yaml")))))
	push(t, registry+"/beside:v1", bomb(t, packed(t, gzipped, archive(200<<20, oneName("bin/a")))))
	push(t, registry+"/names:v1", bomb(t, packed(t, gzipped, archive(0, manyNames(50_000, "configs/"+strings.Repeat("n", 90)+"/.wh.%d")))))
	push(t, registry+"/window:v1", bomb(t, packed(t, func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w, zstd.WithWindowSize(256<<20), zstd.WithSingleSegment(false))
		if err != nil {
			t.Fatal(err)
		}
		return z
	}, archive(10<<20, oneName("bin/a")))))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/gzip"):
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(large)
		case strings.HasSuffix(r.URL.Path, "/endless.yaml"), strings.HasSuffix(r.URL.Path, "/api/sources/cat"):
			repeat(w, "a: b\n")
		case strings.HasPrefix(r.URL.Path, "/values.json"):
			_, _ = io.WriteString(w, strings.Repeat("{} ", 1_000_000))
		case strings.HasPrefix(r.URL.Path, "/values.yaml"):
			_, _ = io.WriteString(w, "a: ["+strings.Repeat("1,", 1_500_000)+"1]")
		case strings.HasSuffix(r.URL.Path, "/info/refs"):
			_, _ = io.WriteString(w, "001e# service=git-upload-pack\n0000"+packet(strings.Repeat("a", 40)+" HEAD\x00side-band-64k ofs-delta\n"))
			for i := 0; ; i++ {
				if _, err := io.WriteString(w, packet(fmt.Sprintf("%040d refs/heads/%d%s\n", 1, i, strings.Repeat("b", 500)))); err != nil {
					return
				}
			}
		case r.URL.Path == "/v2/":
		case strings.HasSuffix(r.URL.Path, "/tags/list"):
			_, _ = io.WriteString(w, `{"name":"endless","tags":["v1"`)
			repeat(w, `,"v1"`)
		case strings.HasSuffix(r.URL.Path, "/manifests/config"):
			w.Header().Set("Content-Type", string(types.DockerManifestSchema2))
			fmt.Fprintf(w, `{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":"application/json","size":900000000,"digest":"sha256:%s"},"layers":[]}`, types.DockerManifestSchema2, strings.Repeat("0", 64))
		case strings.HasSuffix(r.URL.Path, "/manifests/endless"):
			w.Header().Set("Content-Type", string(types.DockerManifestSchema2))
			repeat(w, " ")
		case strings.Contains(r.URL.Path, "/blobs/"):
			repeat(w, " ")
		default:
			w.WriteHeader(http.StatusUnauthorized)
			repeat(w, "who are you? ")
		}
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for _, tt := range []struct{ name, follow, says, remedy string }{
		{"a compressed file", "{type: file, url: '" + server.URL + "/gzip.yaml'}", "has more than the 32 MiB", "--max-source"},
		{"a compressed index", "{type: helm, url: '" + server.URL + "/gzip'}", "has more than the 32 MiB", "--max-source"},
		{"an endless file", "{type: file, url: '" + server.URL + "/endless.yaml'}", "has more than the 32 MiB", "--max-source"},
		{"an endless source", "{type: dovetail, url: '" + server.URL + "', source: cat}", "has more than the 32 MiB", "--max-source"},
		{"values in JSON", "{type: file, url: '" + server.URL + "/values.json'}", "524288 values", "--max-source"},
		{"values in YAML", "{type: file, url: '" + server.URL + "/values.yaml'}", "524288 values", "--max-source"},
		{"an endless list of references", "{type: git, url: '" + server.URL + "/r.git'}", "references has more than the 16 MiB", "delete branches"},
		{"a file in a layer", "{type: image, url: 'oci://" + registry + "/large:v1'}", "has more than the 32 MiB", "--max-source"},
		{"a file beside the catalog", "{type: image, url: 'oci://" + registry + "/beside:v1'}", "no files", "path"},
		{"names in a layer", "{type: image, url: 'oci://" + registry + "/names:v1'}", "no files", "path"},
		{"the window of a decompressor", "{type: image, url: 'oci://" + registry + "/window:v1'}", "window size exceeded", ""},
		{"the configuration of an image", "{type: image, url: 'oci://" + host + "/rr:config'}", "more than the 4 MiB", "fewer layers"},
		{"an endless manifest", "{type: image, url: 'oci://" + host + "/rr:endless'}", "more than the 4 MiB", "fewer layers"},
		{"endless tags", "{type: charts, url: 'oci://" + host + "/rr'}", "more than the 4 MiB", "fewer tags"},
		{"a refusal without an end", "{type: image, url: 'oci://" + host + "/other/r:v1'}", "more than the 4 MiB", "fewer layers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fetcher(t, follow.Options{})
			var err error
			peak := testheap.Peak(func() { _, err = fetch(t, f, tt.follow, "") })
			if e := dovetail.AsError(err); err == nil || !strings.Contains(e.Error(), tt.says) || !strings.Contains(e.Remedy, tt.remedy) {
				t.Errorf("%v, want %s", err, tt.says)
			}
			if peak > most {
				t.Errorf("%d MB are in memory", peak>>20)
			}
		})
	}
}
