package rendering

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Options say what the layering policy leaves open, or does not decide as wanted. The zero value
// follows the policy.
type Options struct {
	// ArrayIndex goes before the policy's arrayIndex.
	ArrayIndex ArrayIndex
	// StrictParents refuses documents whose selector matches what cannot be a parent, as the policy's
	// strictParents does; otherwise there is a warning.
	StrictParents bool
	// AllowMissingSources skips substitutions whose source, or the value in it, does not exist, with a warning; otherwise they
	// are refused.
	AllowMissingSources bool
}

// Site is a set of documents with what they refer to: the layering policy, parents, replaced
// documents and the sources of substitutions. Any number of goroutines may use it.
type Site struct {
	policy      *Document // nil without policy
	layers      map[string]int
	index       ArrayIndex
	strict      bool
	nodes       []*node // by schema, name and layer
	byDocument  map[*Document]*node
	byName      map[string][]*node // by schema and name
	dataSchemas map[string][]*Document
	conflicts   *dovetail.Errors // which make it senseless to go on
	warnings    dovetail.Errors  // of linking
	faults      dovetail.Errors  // of linking, and then of rendering
	late        dovetail.Errors  // warnings of rendering
	texts       int              // how many bytes were put into texts

	parentsOnce sync.Once
	parents     parentIndex // see parentIndex

	options   Options
	known     atomic.Pointer[Site] // a site that is rendered, this one or one before; nil if there is none
	mu        sync.Mutex           // of what follows
	done      bool
	rendering *Rendering
	err       error
	stop      func() error // of the rendering under way; nil to go on
	stopped   bool         // by stop: nothing here can be used
	again     *Site        // the same documents, after one was stopped
}

// node is a document in its site.
type node struct {
	*Document
	site       *Site
	level      int     // of the layer, 0 the highest; -1 of control documents
	parent     *node   // as selected
	replacedBy []*node // more than one is an error
	sources    []*node // of each substitution; nil where it does not exist
	failed     bool    // something is wrong with it or with what it needs

	render // what becomes of it
}

// Resolve links documents. It never fails: what is wrong is reported by Render.
func Resolve(documents []*Document, o Options) *Site {
	s := &Site{options: o, index: o.ArrayIndex, strict: o.StrictParents, byDocument: make(map[*Document]*node, len(documents)),
		byName: make(map[string][]*node, len(documents)), dataSchemas: make(map[string][]*Document)}
	s.nodes = make([]*node, len(documents))
	for i, d := range documents {
		s.nodes[i] = &node{Document: d, site: s, level: -1}
		s.byDocument[d] = s.nodes[i]
	}
	slices.SortFunc(s.nodes, func(a, b *node) int { return a.compare(b.ID) })
	s.conflicts = Conflicts(documents)
	for _, n := range s.nodes {
		switch {
		case n.policy != nil && s.policy == nil:
			s.setPolicy(n.Document)
		case n.dataSchema != nil:
			s.dataSchemas[n.Name] = append(s.dataSchemas[n.Name], n.Document)
			s.warnOfSchema(n.Document)
		}
		s.byName[key(n.Schema, n.Name)] = append(s.byName[key(n.Schema, n.Name)], n)
	}
	if s.policy != nil {
		s.setLevels()
		s.selectParents()
		s.linkReplacements()
	}
	s.linkSources()
	sortFaults(&s.warnings)
	return s
}

func key(schema, name string) string { return schema + "\x00" + name }

func (s *Site) setPolicy(d *Document) {
	s.policy, s.layers = d, d.policy.layers
	s.strict = s.strict || d.policy.strict
	if s.index == "" {
		s.index = d.policy.index
	}
}

func (s *Site) setLevels() {
	for _, n := range s.nodes {
		if n.Control {
			continue
		}
		level, ok := s.layers[n.Layer]
		if !ok {
			layer := n.Metadata().At("layeringDefinition", "layer")
			s.refuse(n, ClassInvalidDocumentLayer, n.place(layer, "metadata", "layeringDefinition", "layer"),
				"use a layer of the policy's layerOrder, or add it there", "the layering policy %s has no layer %s", s.policy.Name, short(n.Layer))
			continue
		}
		n.level = level
	}
}

// refuse notes what is wrong with a document, which is then not rendered.
func (s *Site) refuse(n *node, class string, at dovetail.Position, remedy, format string, args ...any) {
	n.failed = true
	note(&s.faults, class, n.ID, at, remedy, format, args...)
}

// warn notes what is accepted.
func (s *Site) warn(id ID, class string, at dovetail.Position, remedy, format string, args ...any) {
	note(&s.warnings, class, id, at, remedy, format, args...)
}

// Conflicts returns the documents that exclude each other: two with one schema,
// name and layer (ClassDuplicateDocumentExists), two layering policies (ClassSingletonDocumentConflict).
// It checks what can be checked of a set without its layers, parents and sources.
func Conflicts(documents []*Document) *dovetail.Errors { return conflicts(documents, true) }

// Duplicates returns which documents have one schema, name and layer (ClassDuplicateDocumentExists).
func Duplicates(documents []*Document) *dovetail.Errors { return conflicts(documents, false) }

func conflicts(documents []*Document, policies bool) *dovetail.Errors {
	faults := &dovetail.Errors{}
	first := make(map[ID]*Document, len(documents))
	var policy *Document
	for _, d := range documents {
		if other := first[d.ID]; other != nil {
			note(faults, ClassDuplicateDocumentExists, d.ID, d.Position(), "remove one of the two, or give it another name",
				"duplicate document%s", elsewhere(other))
			continue
		}
		first[d.ID] = d
		switch {
		case d.policy == nil || !policies:
		case policy == nil:
			policy = d
		default:
			note(faults, ClassSingletonDocumentConflict, d.ID, d.Position(), "keep one",
				"there can be only one layering policy, and %s is there too%s", policy.Name, elsewhere(policy))
		}
	}
	return faults
}

// elsewhere tells where another document was read, as far as that is known.
func elsewhere(d *Document) string {
	at := d.Position()
	at.Path = ""
	if at == (dovetail.Position{}) {
		return ""
	}
	if at.File == "" {
		return fmt.Sprintf(", first in line %d", at.Line)
	}
	return ", first at " + at.String()
}

// Policy is the layering policy, nil when there is none.
func (s *Site) Policy() *Document { return s.policy }

// Links are the documents that one refers to.
type Links struct {
	Policy   *Document   // nil of control documents and without a policy
	Parent   *Document   // as selected, whether or not another document replaces it; nil without one
	Replaces *Document   // the parent, when the document replaces it
	Sources  []*Document // of its substitutions, each once, as they are read: replaced ones are not among them
}

// Links returns what a document of the site refers to. What does not exist is left out.
func (s *Site) Links(d *Document) Links {
	n := s.byDocument[d]
	if n == nil || n.Control {
		return Links{}
	}
	links := Links{Policy: s.policy}
	if n.parent != nil {
		links.Parent = n.parent.Document
		if n.Replacement {
			links.Replaces = links.Parent
		}
	}
	for _, source := range n.sources {
		if source != nil && !slices.Contains(links.Sources, source.Document) {
			links.Sources = append(links.Sources, source.Document)
		}
	}
	return links
}

// Warnings are what was accepted in linking the documents, in a fixed order: the first of them, and how many there are. They
// must not be changed.
func (s *Site) Warnings() *dovetail.Errors { return &s.warnings }
