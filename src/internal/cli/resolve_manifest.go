package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/value"
)

// sourceManifests are documents of sources as they are stored: one for the source, each package and each version.
type sourceManifests struct {
	documents map[dovetail.ID]*dovetail.Document
	places    map[dovetail.ID]dovetail.Position
}

// kindsOfSources are the kinds of such documents, each below the one before.
var kindsOfSources = []string{sourcedoc.KindSource, sourcedoc.KindPackage, sourcedoc.KindVersion}

// isSourceManifest reports whether a document is one of these, and how many elements its key has.
func isSourceManifest(doc *value.Value) (elements int, is bool) {
	kind, _ := doc.Get("kind").Str()
	at := slices.IndexFunc(kindsOfSources, func(known string) bool { return strings.EqualFold(kind, known) })
	return at + 1, at >= 0
}

// add takes a manifest whose key has so many elements.
func (m *sourceManifests) add(file string, doc *value.Value, elements int) *dovetail.Error {
	var id dovetail.ID
	for i, element := range kindsOfSources[:elements] {
		name, given := doc.At("key", element).Str()
		if !given && i == elements-1 {
			name, given = doc.At("metadata", "name").Str()
		}
		if !given || name == "" {
			return invalidInput(file, doc, "write it as {source: s, package: p, packageVersion: 1.0.0}, in quotes where it looks like a number",
				"the key of the "+kindsOfSources[elements-1]+" has no text for "+element)
		}
		id = id.Child(element, name)
	}
	if m.documents[id] != nil {
		return invalidInput(file, doc, "keep one", "duplicate document "+string(id))
	}
	data := doc
	if inner := doc.Get("data"); inner != nil {
		data = inner
	}
	if m.documents == nil {
		m.documents, m.places = make(map[dovetail.ID]*dovetail.Document), make(map[dovetail.ID]dovetail.Position)
	}
	m.documents[id] = &dovetail.Document{ID: id, Kind: kindsOfSources[elements-1], Data: data.JSON()}
	at := doc.Position()
	at.File = file
	m.places[id] = at
	return nil
}

// sources puts the manifests together. Each needs that of its parent.
func (m *sourceManifests) sources(parser *solver.Parser) ([]*solver.Source, []*dovetail.Error) {
	var errs []*dovetail.Error
	bySource := make(map[dovetail.ID][]*dovetail.Document)
	for _, id := range slices.Sorted(maps.Keys(m.documents)) {
		key := id.Key()
		if parent := key[:len(key)-1].ID(); parent != "" && m.documents[parent] == nil {
			errs = append(errs, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: reasonInvalidInput, Position: m.places[id],
				Message: string(parent) + " is missing", Remedy: "give its document, too"})
		}
		bySource[key[:1].ID()] = append(bySource[key[:1].ID()], m.documents[id])
	}
	if len(errs) > 0 {
		return nil, errs
	}
	parser.File = "" // they are of any number of files; messages name package and version
	var sources []*solver.Source
	for _, id := range slices.Sorted(maps.Keys(bySource)) {
		whole, err := sourcedoc.Document(bySource[id])
		if err != nil {
			return nil, parts(err)
		}
		sources = append(sources, parser.Source(whole.Unplaced()))
	}
	return sources, nil
}
