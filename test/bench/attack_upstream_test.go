package bench

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
)

// upstreamName stands for the address of the upstream in the requests of a pool.
const upstreamName = "upstream.invalid"

// followedSources are what sources follow at the upstream: each is small on the way or has no end, and is large in memory.
var followedSources = []string{
	"type: file, url: http://HOST/gzip.yaml", "type: helm, url: http://HOST/gzip", "type: file, url: http://HOST/endless.yaml",
	"type: helm, url: http://HOST/endless", "type: helm, url: http://HOST/charts", "type: file, url: http://HOST/values.yaml",
	"type: dovetail, url: http://HOST, source: endless", "type: git, url: http://HOST/endless.git",
	"type: image, url: oci://HOST/bomb:v1", "type: image, url: oci://HOST/endless:v1", "type: charts, url: oci://HOST/endless",
}

// followRequest has a source follow something at the upstream, or asks for it again.
func followRequest(r *rand.Rand) attackRequest {
	if r.IntN(3) == 0 {
		return attackRequest{method: http.MethodPost, path: "/api/sources/" + tenant + "/refresh"}
	}
	follow := strings.ReplaceAll(followedSources[r.IntN(len(followedSources))], "HOST", upstreamName)
	body := fmt.Sprintf("metadata: {name: %s}\nspec: {priority: 1, follow: {%s, interval: %ds}}\n", tenant, follow, 1+r.IntN(100))
	return attackRequest{method: http.MethodPut, path: "/v2/sources/" + tenant, mediaType: "application/yaml", body: []byte(body)}
}

// upstream answers as no upstream should.
func upstream(w http.ResponseWriter, r *http.Request) {
	switch at := r.URL.Path; {
	case strings.HasPrefix(at, "/gzip"):
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(zippedText())
	case at == "/charts/index.yaml":
		_, _ = w.Write(manyCharts())
	case at == "/values.yaml":
		_, _ = w.Write(listOf("a: [", "1", 1_500_000, "]"))
	case strings.HasSuffix(at, "/info/refs"):
		_, _ = io.WriteString(w, "001e# service=git-upload-pack\n0000"+packetLine(strings.Repeat("a", 40)+" HEAD\x00side-band-64k ofs-delta\n"))
		endless(w, func(n int) string {
			return packetLine(fmt.Sprintf("%040d refs/heads/%d%s\n", 1, n, strings.Repeat("b", 500)))
		})
	case at == "/v2/":
	case at == "/v2/bomb/manifests/v1":
		w.Header().Set("Content-Type", "application/vnd.docker.distribution.manifest.v2+json")
		_, _ = w.Write(bombManifest())
	case strings.HasPrefix(at, "/v2/bomb/blobs/"):
		blob := zippedLayer()
		if strings.HasSuffix(at, digestOf(imageConfig)) {
			blob = imageConfig
		}
		_, _ = w.Write(blob)
	case strings.HasSuffix(at, "/tags/list"):
		_, _ = io.WriteString(w, `{"name":"endless","tags":["v1"`)
		endless(w, func(int) string { return `,"v1"` })
	default:
		endless(w, func(int) string { return "a: b\n" })
	}
}

// endless writes lines until no one reads them any more.
func endless(w io.Writer, line func(n int) string) {
	for n := 0; ; {
		var b strings.Builder
		for b.Len() < 1<<16 {
			b.WriteString(line(n))
			n++
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return
		}
	}
}

// packetLine is a line of the protocol of Git.
func packetLine(line string) string { return fmt.Sprintf("%04x%s", len(line)+4, line) }

// bombBytes is what is unpacked of what is packed.
const bombBytes = 480 << 20

var zippedText = sync.OnceValue(func() []byte {
	return zipped(func(w io.Writer) error {
		_, err := io.CopyN(w, io.MultiReader(strings.NewReader("schema: olm.package\nname: p\ndescription: \""), same('x')), bombBytes)
		return err
	})
})

var zippedLayer = sync.OnceValue(func() []byte {
	return zipped(func(w io.Writer) error {
		to := tar.NewWriter(w)
		if err := to.WriteHeader(&tar.Header{Name: "configs/a.yaml", Mode: 0o644, Size: bombBytes, Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		if _, err := io.CopyN(to, same('x'), bombBytes); err != nil {
			return err
		}
		return to.Close()
	})
})

// manyCharts is an index of as many charts as are nearly too many.
var manyCharts = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	b.WriteString("apiVersion: v1\nentries:\n")
	for n := range 60_000 {
		fmt.Fprintf(&b, "  c%d: [{version: 1.0.%d, appVersion: '1'}]\n", n, n)
	}
	return b.Bytes()
})

var imageConfig = []byte(`{"architecture":"amd64","os":"linux","rootfs":{"type":"layers","diff_ids":["sha256:` + strings.Repeat("0", 64) + `"]}}`)

func bombManifest() []byte {
	part := func(mediaType string, blob []byte) map[string]any {
		return map[string]any{"mediaType": mediaType, "size": len(blob), "digest": "sha256:" + digestOf(blob)}
	}
	return must(json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
		"config": part("application/vnd.docker.container.image.v1+json", imageConfig),
		"layers": []any{part("application/vnd.docker.image.rootfs.diff.tar.gzip", zippedLayer())}}))
}

func digestOf(blob []byte) string { return fmt.Sprintf("%x", sha256.Sum256(blob)) }

func zipped(write func(io.Writer) error) []byte {
	var b bytes.Buffer
	w := must(gzip.NewWriterLevel(&b, gzip.BestSpeed))
	if err := write(w); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// same is one byte again and again.
type same byte

// Read implements io.Reader.
func (s same) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s)
	}
	return len(p), nil
}
