package rendering

import (
	"cmp"
	"slices"
	"strconv"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// render is what becomes of a document.
type render struct {
	data *value.Value // rendered; nil before

	logOnce sync.Once
	log     []write // see writes

	size       int   // how many values the rendered data has, or more
	texts      int   // how many bytes were put into texts for it
	warned     bool  // something was accepted in rendering it
	validated  bool  // by its DataSchemas
	taken      *node // of another site, whose result this is; nil again when all is rendered
	secret     bool  // it may hold values of encrypted documents
	redactOnce sync.Once
	redacted   *value.Value
}

// Rendering is the rendered documents of a site. It does not change any more.
type Rendering struct {
	// Documents are the concrete application and control documents that are not replaced, by schema,
	// name and layer. ValidationPolicies, which say nothing about data, and control documents in another form are not among them.
	Documents []*Rendered
	// Warnings are what was accepted, in a fixed order: the first of them, and how many there are.
	Warnings dovetail.Errors

	site *Site
}

// Rendered is a document with its rendered data.
type Rendered struct {
	*Document // as it was read

	node *node
}

// Data is the rendered data in plaintext. It must not be changed. The data of control documents is
// their own.
func (r *Rendered) Data() *value.Value { return r.node.data }

// Whole is the whole document with the given data in place of its own, in its form.
func (r *Rendered) Whole(data *value.Value) *value.Value {
	if r.form != nil {
		return r.form.Whole(data)
	}
	return r.withData(data)
}

// withData is the whole document with other data.
func (d *Document) withData(data *value.Value) *value.Value {
	whole := *d.whole
	whole.Members = slices.Clone(whole.Members)
	whole.Set("data", data)
	return &whole
}

// Render resolves and renders documents.
func Render(documents []*Document, o Options) (*Rendering, error) {
	return Resolve(documents, o).Render()
}

// Render renders the documents of the site; called again it returns the same. The error tells all
// that is wrong, also with abstract documents, which are rendered for those that inherit from them.
// Documents that need one that is wrong are left out: there is nothing to say about them yet.
func (s *Site) Render() (*Rendering, error) {
	return s.RenderUntil(nil)
}

func (s *Site) renderAll() (*Rendering, error) {
	if s.conflicts.Total() > 0 {
		sortFaults(s.conflicts)
		return nil, refusal(s.conflicts)
	}
	if s.policy == nil {
		if n := s.firstApplication(); n != nil {
			fault := newFault(ClassLayeringPolicyNotFound, n.ID, n.Position(), "add a document of the schema "+PolicySchema, "there is no layering policy")
			return nil, fault
		}
	}
	for _, n := range s.order() {
		if err := s.checkpoint(); err != nil {
			s.stopped = true
			return nil, err
		}
		if !s.takeOver(n) {
			s.render(n)
		}
	}
	result := &Rendering{site: s}
	var invalid dovetail.Errors // what is wrong with results comes after what is wrong on the way to them
	for _, n := range s.nodes {
		if err := s.checkpoint(); err != nil {
			s.stopped = true
			return nil, err
		}
		if n.failed || n.Abstract || len(n.replacedBy) > 0 || n.Control && (n.Schema == ValidationPolicySchema || n.form != nil) {
			continue
		}
		if !n.Control {
			if !s.isValidated(n) {
				s.validate(n, &invalid)
			}
			n.validated = true
		}
		result.Documents = append(result.Documents, &Rendered{Document: n.Document, node: n})
	}
	sortFaults(&s.faults)
	var errs dovetail.Errors
	errs.Merge(&s.faults)
	errs.Merge(&invalid)
	if err := refusal(&errs); err != nil {
		return nil, err
	}
	result.Warnings.Merge(&s.warnings)
	result.Warnings.Merge(&s.late)
	sortFaults(&result.Warnings)
	return result, nil
}

func (s *Site) firstApplication() *node {
	for _, n := range s.nodes {
		if !n.Control {
			return n
		}
	}
	return nil
}

// render layers a document with its base and substitutes, when all that it needs is rendered.
func (s *Site) render(n *node) {
	if n.data = n.Data(); n.Control || n.failed {
		n.secret, n.size = n.Encrypted, 1
		return
	}
	n.needs(func(needed *node) { n.failed = n.failed || needed.failed })
	if n.failed {
		return
	}
	n.inheritSecrecy()
	if n.base() != nil || len(n.substitutions) > 0 {
		texts, late := s.texts, s.late.Total()
		n.data = s.compose(n, false).root
		n.texts, n.warned = s.texts-texts, s.late.Total() > late
	}
	if n.directives && !n.failed {
		s.refuseDirectives(n)
	}
	if !n.failed {
		s.measure(n)
	}
}

// compose applies the actions of a document to the data of its base, or takes its own data, and substitutes.
func (s *Site) compose(n *node, logs bool) *draft {
	d := newDraft(n.Data(), &s.texts, logs)
	d.object, d.patches = n.object, n.patches
	if base := n.base(); base != nil {
		if d.root = base.data; d.root.Kind == value.Null {
			d.root = value.NewMap()
		}
		for i := range n.actions {
			s.act(n, d, i)
		}
	}
	for i := range n.substitutions {
		s.substitute(n, d, i)
	}
	return d
}

// writes are the changes made to the initial data of the document, which is that of its base, or its own. They are
// computed on first use, by composing the document again, since most documents are never explained.
func (n *node) writes() []write {
	n.logOnce.Do(func() {
		again := &Site{index: n.site.index, options: n.site.options} // errors and warnings were reported the first time
		n.log = again.compose(n, true).log
	})
	return n.log
}

// act applies one action of a document to what it has inherited so far.
func (s *Site) act(n *node, d *draft, i int) {
	a := &n.actions[i]
	if d.logs {
		d.by = &origin{n: n, method: a.method, number: i, to: a.path, text: a.text, v: a.v}
	}
	fail := func(format string, args ...any) {
		at := n.place(a.v.Get("path"), "metadata", "layeringDefinition", "actions", strconv.Itoa(i), "path")
		s.refuse(n, ClassMissingDocumentKey, at, "correct the path, or add the value", format, args...)
	}
	if a.method == methodDelete {
		if !d.remove(a.path) {
			fail("there is nothing to delete at %s in what the document inherits", a.path)
		}
		return
	}
	own := n.Data()
	if own.Kind == value.Null {
		own = value.NewMap()
	}
	child := a.path.find(own)
	if child == nil || child.Kind == value.Null {
		fail("the document has nothing at %s to %s", a.path, a.method)
		return
	}
	var problem *blocked
	switch {
	case a.method == methodReplace:
		problem = d.set(a.path, child)
	case s.appends(a.path):
		problem = d.appendItems(a.path[:len(a.path)-1], own)
	default:
		keys := n.lists.at(a.path)
		if a.key != "" {
			keys = &ListKeys{Key: ListKey{Name: a.key}, Items: keys.items()}
			if there := a.path.find(d.root); child.Kind != value.List || there != nil && there.Kind != value.List && there.Kind != value.Null {
				fail("what is merged by the key %s at %s must be lists, of the document and of what it inherits", a.key, a.path)
				return
			}
		}
		problem = d.change(a.path, func(old *value.Value) *value.Value { return d.merge(a.path, keys, old, child) })
		s.refuseMerges(n, d, i)
	}
	if problem != nil {
		fail("%s cannot be followed in what the document inherits: %s", a.path, problem)
	}
}

// appends reports whether a merge at the path puts the child's list behind the parent's.
func (s *Site) appends(at path) bool {
	return cmp.Or(s.index, AppendEntries) == AppendEntries && len(at) > 0 && at[len(at)-1].item
}

// appendItems puts the items of the child's list at the path behind those that are there.
func (d *draft) appendItems(at path, own *value.Value) *blocked {
	child := at.find(own)
	return d.change(at, func(old *value.Value) *value.Value {
		if old == nil || old.Kind != value.List {
			d.note(at, old, child)
			return child
		}
		list := d.copied(old)
		for _, item := range child.Items {
			d.note(d.below(at, step{item: true, index: len(list.Items)}), nil, item)
			list.Items = append(list.Items, item)
		}
		return list
	})
}
