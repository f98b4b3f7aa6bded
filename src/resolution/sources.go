package resolution

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/store"
)

// sources are the stored sources in the form that resolutions take. Each document is parsed once, when it
// comes or changes; a source is put together again when something of it has changed since it was asked for. It is
// not safe for concurrent use, but what it gives out is.
type sources struct {
	parser *solver.Parser
	held   map[string]*heldSource
	made   []*solver.Source // nil when one has changed
}

type heldSource struct {
	uid      string // "" while the document itself is not there
	priority int64
	packages map[string]*heldPackage
	made     *solver.Source // nil when something has changed
}

type heldPackage struct {
	uid      string
	head     *solver.Package
	versions map[string]heldVersion
	made     *solver.Package
}

type heldVersion struct {
	uid     string
	version *solver.Version
}

func newSources() *sources {
	return &sources{parser: solver.NewParser(), held: make(map[string]*heldSource)}
}

// load puts stored sources: those of the names, or, with nil, all. One that the principal of the context may not read
// the whole of is left out, as if it did not exist.
func (s *sources) load(ctx context.Context, from Store, names []string) error {
	covered := make(map[string]bool)
	if names == nil {
		for _, kind := range []string{sourcedoc.KindSource, sourcedoc.KindPackage, sourcedoc.KindVersion} {
			if err := s.list(ctx, from, store.ListQuery{Kind: kind}, covered); err != nil {
				return err
			}
		}
		return nil
	}
	for _, name := range names {
		if whole, err := covers(ctx, from, name, covered); err != nil {
			return err
		} else if !whole {
			continue
		}
		doc, err := from.Get(ctx, sourcedoc.ID(name))
		if dovetail.CodeOf(err) == dovetail.CodeNotFound {
			continue
		}
		if err == nil {
			if err = s.put(doc); err == nil {
				err = s.list(ctx, from, store.ListQuery{Under: doc.ID}, covered)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *sources) list(ctx context.Context, from Store, q store.ListQuery, covered map[string]bool) error {
	for doc, err := range from.Documents(ctx, q) {
		if err != nil {
			return err
		}
		if whole, err := covers(ctx, from, doc.Key()[0].Value, covered); err != nil {
			return err
		} else if !whole {
			continue
		}
		if err := s.put(doc); err != nil {
			return err
		}
	}
	return nil
}

// covers reports whether the principal of the context may read all of a source, and remembers it. A name that no source
// can have is none.
func covers(ctx context.Context, from Store, name string, known map[string]bool) (bool, error) {
	whole, ok := known[name]
	if ok || dovetail.CheckValue(name) != "" {
		return whole, nil
	}
	err := from.Covers(ctx, sourcedoc.ID(name))
	if err != nil && dovetail.CodeOf(err) != dovetail.CodeForbidden {
		return false, err
	}
	known[name] = err == nil
	return err == nil, nil
}

// change takes a change in, and says which source it changed, "" if there is none.
func (s *sources) change(c store.EventChange) (string, error) {
	key := c.ID.Key()
	if !isOfSource(c.Kind) || len(key) == 0 {
		return "", nil
	}
	switch {
	case c.Document != nil:
		return key[0].Value, s.put(c.Document)
	case c.Op == store.Deleted:
		s.drop(key, c.UID)
		return key[0].Value, nil
	}
	return "", nil // it is gone by now, which another change tells
}

func isOfSource(kind string) bool {
	return kind == sourcedoc.KindSource || kind == sourcedoc.KindPackage || kind == sourcedoc.KindVersion
}

// put takes in a document of one of the three kinds. Parts may come before what they are part of.
func (s *sources) put(doc *dovetail.Document) error {
	part, err := sourcedoc.Part(doc)
	if err != nil {
		return err
	}
	part = part.Unplaced() // positions in the stored text mean nothing to a user
	key := doc.Key()
	source := s.source(key[0].Value)
	switch doc.Kind {
	case sourcedoc.KindSource:
		source.uid, source.priority = doc.UID, 0
		if v := part.Get("priority"); v != nil {
			_ = json.Unmarshal([]byte(v.Text), &source.priority) // the data's schema knows that it is an integer
		}
	case sourcedoc.KindPackage:
		p := source.of(key[1].Value)
		p.uid, p.head = doc.UID, s.parser.Package(part)
	case sourcedoc.KindVersion:
		source.of(key[1].Value).versions[key[2].Value] = heldVersion{doc.UID, s.parser.Version(part)}
	}
	s.made = nil
	return nil
}

func (s *sources) source(name string) *heldSource {
	h := s.held[name]
	if h == nil {
		h = &heldSource{packages: make(map[string]*heldPackage)}
		s.held[name] = h
	}
	h.made = nil
	return h
}

func (h *heldSource) of(name string) *heldPackage {
	p := h.packages[name]
	if p == nil {
		p = &heldPackage{versions: make(map[string]heldVersion)}
		h.packages[name] = p
	}
	p.made = nil
	return p
}

// drop takes a deleted document out, unless it is there again under another uid.
func (s *sources) drop(key dovetail.Key, uid string) {
	h := s.held[key[0].Value]
	if h == nil {
		return
	}
	h.made, s.made = nil, nil
	switch {
	case len(key) > 1:
		h.drop(key[1:], uid)
	case h.uid == uid:
		h.uid = ""
	}
	if h.uid == "" && len(h.packages) == 0 {
		delete(s.held, key[0].Value)
	}
}

// drop takes a package or a version out, given the rest of its key.
func (h *heldSource) drop(key dovetail.Key, uid string) {
	name := key[0].Value
	p := h.packages[name]
	if p == nil {
		return
	}
	p.made = nil
	switch {
	case len(key) > 1:
		if version := key[1].Value; p.versions[version].uid == uid {
			delete(p.versions, version)
		}
	case p.uid == uid:
		p.uid = ""
	}
	if p.uid == "" && len(p.versions) == 0 {
		delete(h.packages, name)
	}
}

// all returns the sources as they are now.
func (s *sources) all() []*solver.Source {
	if s.made != nil {
		return s.made
	}
	s.made = make([]*solver.Source, 0, len(s.held))
	for _, name := range slices.Sorted(maps.Keys(s.held)) {
		if h := s.held[name]; h.uid != "" {
			if h.made == nil {
				h.made = h.make(name)
			}
			s.made = append(s.made, h.made)
		}
	}
	return s.made
}

func (h *heldSource) make(name string) *solver.Source {
	packages := make([]*solver.Package, 0, len(h.packages))
	for _, packageName := range slices.Sorted(maps.Keys(h.packages)) {
		p := h.packages[packageName]
		if p.uid == "" {
			continue
		}
		packages = append(packages, p.make())
	}
	return solver.NewSource(name, h.priority, packages...)
}

func (p *heldPackage) make() *solver.Package {
	if p.made == nil {
		versions := make([]*solver.Version, 0, len(p.versions))
		for _, version := range slices.Sorted(maps.Keys(p.versions)) {
			versions = append(versions, p.versions[version].version)
		}
		p.made = p.head.With(versions...)
	}
	return p.made
}
