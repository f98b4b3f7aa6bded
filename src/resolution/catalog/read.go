package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// File is one file of a catalog: YAML documents, or JSON objects one after another. Name is for
// messages.
type File struct {
	Name string
	Data []byte
}

// blob is one document of a catalog and the file that it stands in.
type blob struct {
	file string
	doc  *value.Value
}

func read(files []File, limits value.Limits) ([]blob, dovetail.Errors) {
	var blobs []blob
	var problems dovetail.Errors
	for _, f := range files {
		docs, err := parse(f, limits)
		problems.Join(err)
		for _, doc := range docs {
			blobs = append(blobs, blob{f.Name, doc})
		}
	}
	return blobs, problems
}

func parse(f File, limits value.Limits) ([]*value.Value, error) {
	if !strings.HasPrefix(string(bytes.TrimSpace(f.Data)), "{") {
		return yaml.Parse(f.Name, f.Data, limits)
	}
	var docs []*value.Value
	decoder := json.NewDecoder(bytes.NewReader(f.Data))
	lines, counted := 0, int64(0) // line breaks before the object, and up to where they were counted
	for {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return docs, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "this is not JSON", Err: err,
				Position: at(f.Name, decoder.InputOffset(), f.Data), Remedy: "write one object after another, or YAML"}
		}
		start := decoder.InputOffset() - int64(len(raw))
		lines += bytes.Count(f.Data[counted:start], []byte("\n"))
		counted = start
		doc, err := value.ParseJSON(raw, limits)
		if err != nil {
			e := *dovetail.AsError(err)
			e.Position.File = f.Name
			if e.Position.Line > 0 {
				e.Position.Line += lines
			}
			return docs, &e
		}
		move(doc, int32(lines))
		docs = append(docs, doc)
	}
}

// move moves a value down by lines, so that places in it are those in the file.
func move(v *value.Value, lines int32) {
	v.Line += lines
	for _, item := range v.Items {
		move(item, lines)
	}
	for i := range v.Members {
		v.Members[i].Line += lines
		move(v.Members[i].Value, lines)
	}
}

func at(file string, offset int64, data []byte) dovetail.Position {
	return dovetail.Position{File: file, Line: 1 + bytes.Count(data[:offset], []byte("\n"))}
}
