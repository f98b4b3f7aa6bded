package follow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/catalog"
	"github.com/dovetail-store/dovetail/src/value"
)

// Content is what was published of a source.
type Content struct {
	Source   *value.Value // a Source document
	Revision string       // what names it where it came from: a commit, a digest, an ETag; "" if there is nothing
	Digest   string       // of what was read
	// Warnings name what was left out of packages, and Quarantined the packages that cannot be read.
	Warnings    []string
	Quarantined []Quarantined

	release func()
}

// Release ends the use of the content.
func (c *Content) Release() {
	if c != nil && c.release != nil {
		c.release()
	}
}

// Quarantined is a package that cannot be read, of which what is stored stays.
type Quarantined struct {
	Package string `json:"package,omitempty"` // "" for documents that belong to none
	Message string `json:"message"`
}

// contentOf makes a source of files: of a file-based catalog, or of Source documents, whose packages go together.
func contentOf(name string, limits value.Limits, files []catalog.File) (*Content, error) {
	slices.SortFunc(files, func(a, b catalog.File) int { return strings.Compare(a.Name, b.Name) })
	c := &Content{Digest: digestOf(files)}
	if len(files) == 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there are no files ending in .yaml, .yml or .json", Remedy: "correct the path"}
	}
	docs, isSource, err := sourcesIn(limits, files)
	if err != nil {
		return nil, err
	}
	if isSource {
		c.Source = joined(name, docs)
		return c, nil
	}
	source, warnings, quarantined, err := catalog.ImportSound(limits, name, files...)
	if err != nil {
		return nil, err
	}
	c.Source = source
	for _, w := range warnings {
		c.Warnings = append(c.Warnings, w.Position.String()+": "+w.Message)
	}
	for _, q := range quarantined {
		c.Quarantined = append(c.Quarantined, Quarantined{q.Package, textOf(q.Err)})
	}
	named := slices.ContainsFunc(quarantined, func(q catalog.Quarantined) bool { return q.Package != "" })
	if len(source.Get("packages").Items) == 0 && !named {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the files hold neither a file-based catalog nor a source", Remedy: "correct the path"}
	}
	return c, nil
}

// sourcesIn returns the Source documents of files, if they hold such.
func sourcesIn(limits value.Limits, files []catalog.File) (docs []*value.Value, isSource bool, err error) {
	for _, f := range files {
		if !bytes.Contains(f.Data, []byte("packages")) || bytes.Contains(f.Data, []byte("olm.")) {
			continue // a catalog, which is parsed as such
		}
		parsed, err := yaml.Parse(f.Name, f.Data, limits)
		if err != nil {
			return nil, false, err
		}
		for _, doc := range parsed {
			if doc.Get("packages") != nil {
				docs = append(docs, doc)
			}
		}
	}
	return docs, len(docs) > 0, nil
}

// joined is the source of the name with the packages of all documents.
func joined(name string, docs []*value.Value) *value.Value {
	packages := value.NewList()
	for _, doc := range docs {
		if list := doc.Get("packages"); list != nil {
			packages.Items = append(packages.Items, list.Items...)
		}
	}
	return value.NewMap(value.Member{Name: "name", Value: value.NewString(name)}, value.Member{Name: "packages", Value: packages})
}

func digestOf(files []catalog.File) string {
	h := sha256.New()
	for _, f := range files {
		sum := sha256.Sum256(f.Data)
		h.Write([]byte(f.Name + "\x00"))
		h.Write(sum[:])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// isRead reports whether a file by its name can hold a part of a catalog.
func isRead(name string) bool {
	switch path.Ext(name) {
	case ".yaml", ".yml", ".json":
		return !strings.HasPrefix(path.Base(name), ".")
	}
	return false
}

// textOf is an error with all its parts.
func textOf(err error) string {
	e := dovetail.AsError(err)
	if len(e.Errors) == 0 {
		if at := e.Position.String(); at != "" {
			return at + ": " + e.Message
		}
		return e.Message
	}
	var parts []string
	for _, part := range e.Errors {
		parts = append(parts, textOf(part))
	}
	return strings.Join(parts, "; ")
}
