package httpapi_test

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http/httptest"
	"net/textproto"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// file is one part of a multipart body.
type file struct {
	name, filename, mediaType, data string
}

// form makes a body of parts with no more header than each needs.
func form(t testing.TB, parts ...file) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		fields := map[string]string{"name": p.name}
		if p.filename != "" {
			fields["filename"] = p.filename
		}
		header := textproto.MIMEHeader{"Content-Disposition": {mime.FormatMediaType("form-data", fields)}}
		if p.mediaType != "" {
			header.Set("Content-Type", p.mediaType)
		}
		part, err := w.CreatePart(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(part, p.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

func (s *server) sendForm(method, path string, parts ...file) *httptest.ResponseRecorder {
	s.t.Helper()
	body, contentType := form(s.t, parts...)
	return s.do(call{method: method, path: path, header: map[string]string{"Content-Type": contentType}, body: body})
}

func TestMultipart(t *testing.T) {
	metadata := file{name: "metadata", data: named("x")}
	tests := []struct {
		name   string
		path   string
		parts  []file
		status int
		body   string
	}{
		{name: "metadata and file", path: "/v2/projects/p1/composite-apps/CA/v3/apps", parts: []file{metadata, {name: "file", filename: "a.tgz", data: "\x00\x01"}}, status: 201, body: named("x")},
		{name: "file first", path: "/v2/projects/p1/composite-apps/CA/v3/apps", parts: []file{{name: "file", data: "x"}, metadata}, status: 201},
		{name: "without the optional file", path: "/v2/projects/p1/composite-apps/CA/v3/apps", parts: []file{metadata}, status: 201},
		{name: "metadata as yaml", path: "/v2/projects/p1/composite-apps/CA/v3/apps", parts: []file{{name: "metadata", data: "metadata:\n  name: x\n"}}, status: 201},
		{name: "metadata with a type", path: "/v2/projects/p1/composite-apps/CA/v3/apps", parts: []file{{name: "metadata", mediaType: "application/json", data: named("x")}}, status: 201},
		{name: "several files", path: "/v2/projects/p1/bundles", parts: []file{metadata, {name: "archive", data: "a"}, {name: "files", filename: "1", data: "1"}, {name: "files", filename: "2", data: "2"}}, status: 201},
		{name: "one part twice", path: "/v2/projects/p1/bundles", parts: []file{metadata, {name: "archive", data: "a"}, {name: "archive", data: "b"}}, status: 400},
		{name: "without a required file", path: "/v2/projects/p1/bundles", parts: []file{metadata, {name: "files", data: "a"}}, status: 400},
		{name: "unknown part", path: "/v2/projects/p1/bundles", parts: []file{metadata, {name: "archive", data: "a"}, {name: "other", data: "b"}}, status: 400},
		{name: "to a kind without files", path: "/v2/projects", parts: []file{metadata, {name: "file", data: "a"}}, status: 400},
		{name: "metadata alone to a kind without files", path: "/v2/projects", parts: []file{metadata}, status: 201},
		{name: "without metadata", path: "/v2/projects/p1/bundles", parts: []file{{name: "archive", data: "a"}}, status: 400},
		{name: "metadata twice", path: "/v2/projects/p1/bundles", parts: []file{metadata, metadata}, status: 400},
		{name: "broken metadata", path: "/v2/projects/p1/bundles", parts: []file{{name: "metadata", data: "{"}}, status: 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{})
			s.seed()
			check(t, s.sendForm("POST", tt.path, tt.parts...), tt.status, nil, tt.body)
		})
	}
}

func TestContent(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	const bundle = "/v2/projects/p1/bundles/b"
	metadata := file{name: "metadata", data: named("b")}
	s.must(400, "PUT", bundle, named("b"))
	check(t, s.sendForm("PUT", bundle, metadata, file{name: "archive", filename: "ä.tgz", mediaType: "application/gzip", data: "\x1f\x8b\x00"},
		file{name: "files", filename: "one", data: "1"}, file{name: "files", filename: "two", data: "22"}), 201, nil, "")

	check(t, s.do(call{method: "GET", path: bundle + "/content"}), 200, nil,
		`[{"name":"archive","filename":"ä.tgz","mediaType":"application/gzip","size":3},{"name":"files","filename":"one","size":1},{"name":"files","filename":"two","size":2}]`)
	check(t, s.do(call{method: "GET", path: bundle + "/content/archive"}), 200, map[string]string{"Content-Type": "application/gzip",
		"Content-Disposition": "attachment; filename*=utf-8''%C3%A4.tgz", "Content-Length": "3", "X-Content-Type-Options": "nosniff"}, "\x1f\x8b\x00")
	check(t, s.do(call{method: "GET", path: bundle + "/content/files?filename=two"}), 200, map[string]string{"Content-Type": "application/octet-stream"}, "22")
	s.must(400, "GET", bundle+"/content/files", "")
	s.must(404, "GET", bundle+"/content/files?filename=three", "")
	s.must(404, "GET", bundle+"/content/none", "")
	s.must(404, "GET", "/v2/projects/p1/content", "")

	s.must(200, "PUT", bundle, `{"metadata":{"name":"b"},"n":1}`) // keeps the files
	s.must(200, "GET", bundle+"/content/archive", "")
	check(t, s.do(call{method: "GET", path: bundle, header: map[string]string{"Accept": "application/octet-stream"}}), 200,
		map[string]string{"Content-Type": "application/octet-stream", "ETag": `"uid5-2"`, "Content-Length": "6", "X-Content-Type-Options": "nosniff"}, "\x1f\x8b\x00122")
	check(t, s.do(call{method: "GET", path: "/v2/projects/p1/composite-apps/CA/v3/apps/nginx", header: map[string]string{"Accept": "application/octet-stream"}}), 404, nil, "")
	w := s.do(call{method: "GET", path: bundle, header: map[string]string{"Accept": "multipart/form-data"}})
	check(t, w, 200, map[string]string{"ETag": `"uid5-2"`}, "")
	_, parameters, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	answered, err := multipart.NewReader(w.Body, parameters["boundary"]).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if got := answered.Value["metadata"]; len(got) != 1 || got[0] != `{"metadata":{"name":"b"},"n":1}` {
		t.Errorf("metadata: %q", got)
	}
	if got := answered.File["archive"]; len(got) != 1 || got[0].Filename != "ä.tgz" || got[0].Size != 3 {
		t.Errorf("archive: %v", got)
	}

	check(t, s.sendForm("PUT", bundle, metadata, file{name: "archive", data: "new"}), 200, nil, "") // replaces all files
	check(t, s.do(call{method: "GET", path: bundle + "/content"}), 200, nil, `[{"name":"archive","size":3}]`)
}
