package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// file is one file of the page. It is immutable.
type file struct {
	plain     func() []byte // reads it
	packed    func() []byte // reads it as it is in the program, by gzip; nil if it is there as it is
	tag       func() string // the ETag, without its quotes, made when first asked for
	mediaType string
}

// suffix ends the names of files that are compressed in the program, which makes it 3 MB smaller.
const suffix = ".gz"

// readFiles finds all files of a file system, by their paths without the suffix of compressed ones. They are read when they are
// requested, and uncompressed for the few clients that do not accept gzip.
func readFiles(root fs.FS) map[string]*file {
	files := make(map[string]*file)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[strings.TrimSuffix(name, suffix)] = newFile(root, name)
		return nil
	})
	if err != nil {
		panic(err) // embedded files can be read
	}
	return files
}

func readFile(root fs.FS, name string) []byte {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		panic(err) // the same
	}
	return data
}

// mediaTypes are those of the page's files; the machine's own tables are not to be relied on.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

func newFile(root fs.FS, name string) *file {
	stored := func() []byte { return readFile(root, name) }
	tag := func() string {
		sum := sha256.Sum256(stored())
		return base64.RawURLEncoding.EncodeToString(sum[:12])
	}
	f := &file{plain: stored, tag: sync.OnceValue(tag), mediaType: mediaTypes[path.Ext(strings.TrimSuffix(name, suffix))]}
	if f.mediaType == "" {
		f.mediaType = "application/octet-stream"
	}
	if strings.HasSuffix(name, suffix) {
		f.packed, f.plain = stored, sync.OnceValue(func() []byte { return unpack(stored()) })
	}
	return f
}

func unpack(data []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		panic(err) // embedded files are what the build made
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic(err) // the same
	}
	return text
}

// immutable is for names that change with the content: clients need not revalidate them.
const immutable = "public, max-age=31536000, immutable"

// serve answers a GET or HEAD. Files that are hashed may be kept for ever, others are asked for each
// time, which costs no more than a 304.
func (f *file) serve(w http.ResponseWriter, r *http.Request, hashed bool) {
	h := w.Header()
	h.Set("Content-Type", f.mediaType)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if hashed {
		h.Set("Cache-Control", immutable)
	}
	body, tag := f.plain, `"`+f.tag()+`"`
	if f.packed != nil && takesGzip(r) {
		body, tag = f.packed, `"`+f.tag()+`-gzip"`
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Etag", tag)
	if known(r.Header.Get("If-None-Match"), tag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data := body()
	h.Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(data) // an error means that the client has gone
	}
}

func takesGzip(r *http.Request) bool {
	for _, part := range strings.Split(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, parameters, err := mime.ParseMediaType(part)
		if err != nil || name != "gzip" && name != "*" {
			continue
		}
		q, err := strconv.ParseFloat(parameters["q"], 64)
		return parameters["q"] == "" || err == nil && q > 0
	}
	return false
}

// known reports whether the header If-None-Match has the tag.
func known(header, tag string) bool {
	for _, part := range strings.Split(header, ",") {
		if part = strings.TrimPrefix(strings.TrimSpace(part), "W/"); part == tag || part == "*" {
			return true
		}
	}
	return false
}
