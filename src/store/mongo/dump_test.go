package mongo

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// TestReadDump reads a collection in every form in which the tools of MongoDB write it.
func TestReadDump(t *testing.T) {
	text, err := os.ReadFile("../../internal/emco/testdata/vfw/documents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var raw, list []byte
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	for _, line := range lines {
		var document bson.Raw
		if err := bson.UnmarshalExtJSON(line, true, &document); err != nil {
			t.Fatal(err)
		}
		raw = append(raw, document...)
	}
	list = append(append(append(list, '['), bytes.Join(lines, []byte(",\n"))...), ']')
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(raw); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	const broken = dovetail.CodeInvalid
	tests := []struct {
		name  string
		files map[string][]byte
		path  string // below the folder
		count int
		code  dovetail.Code
	}{
		{name: "mongodump", files: map[string][]byte{"emco/resources.bson": raw, "emco/resources.metadata.json": []byte("{}"), "emco/other.bson": raw, "emco/prelude.json": []byte("{}")}, count: len(lines)},
		{name: "mongodump, packed", files: map[string][]byte{"emco/resources.bson.gz": packed.Bytes(), "emco/resources.metadata.json.gz": packed.Bytes()}, count: len(lines)},
		{name: "mongoexport", files: map[string][]byte{"resources.json": text}, count: len(lines)},
		{name: "mongoexport, a list", files: map[string][]byte{"resources.json": list}, count: len(lines)},
		{name: "a file of any name", files: map[string][]byte{"documents.jsonl": text}, path: "documents.jsonl", count: len(lines)},
		{name: "an empty collection", files: map[string][]byte{"resources.bson": nil}},
		{name: "no such file", path: "none.bson", code: dovetail.CodeNotFound},
		{name: "no file of the collection", files: map[string][]byte{"other.bson": raw}, code: dovetail.CodeNotFound},
		{name: "two databases", files: map[string][]byte{"a/resources.bson": raw, "b/resources.bson": raw}, code: dovetail.CodeInvalid},
		{name: "no dump", files: map[string][]byte{"notes.txt": nil}, path: "notes.txt", code: dovetail.CodeInvalid},
		{name: "cut off in a document", files: map[string][]byte{"resources.bson": raw[:len(raw)-3]}, count: len(lines) - 1, code: broken},
		{name: "cut off in a length", files: map[string][]byte{"resources.bson": raw[:2]}, code: broken},
		{name: "an impossible length", files: map[string][]byte{"resources.bson": {0xff, 0xff, 0xff, 0x7f}}, code: broken},
		{name: "cut off text", files: map[string][]byte{"resources.json": text[:len(text)-9]}, count: len(lines) - 1, code: broken},
		{name: "no document", files: map[string][]byte{"resources.json": []byte(`{"a":1} 7`)}, count: 1, code: broken},
		{name: "not packed", files: map[string][]byte{"resources.bson.gz": raw}, code: dovetail.CodeUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := t.TempDir()
			for name, content := range tt.files {
				name = filepath.Join(folder, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			count, last := 0, error(nil)
			for v, err := range ReadDump(t.Context(), filepath.Join(folder, tt.path), "resources") {
				if last = err; err != nil {
					break
				}
				if v.Get("_id") == nil && !strings.Contains(tt.name, "no document") {
					t.Errorf("read %s", v.JSON())
				}
				count++
			}
			if count != tt.count || dovetail.CodeOf(last) != tt.code {
				t.Errorf("%d documents, %v, want %d, %q", count, last, tt.count, tt.code)
			}
		})
	}
}
