package migration

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// ReasonNotRewritable is the reason of CodeUnprocessable where no change of a document's data makes it refer to what its targets
// become.
const ReasonNotRewritable = "NOT_REWRITABLE"

// Document is what is to be rewritten.
type Document struct {
	ID         dovetail.ID
	Kind       *schema.Kind
	Data       *value.Value // is not changed
	References []dovetail.Reference
	// Change is, where another ref-schema takes force, what becomes of documents under it; nil if there is none.
	Change *Change
}

// Rewritten is what a document becomes.
type Rewritten struct {
	ID         dovetail.ID
	Data       *value.Value
	References int // how many of its references have another target
	Lost       int // how many it no longer has
	// Explicit is how many key elements are written out that the data left to the document's own key before.
	Explicit int
}

// Rewrite returns what a document becomes when ids become what to says, its own among them: the data refer to the same
// documents as before, under their new ids. A name in the data that repeats its own is changed with it.
func Rewrite(doc Document, to func(dovetail.ID) dovetail.ID) (*Rewritten, error) {
	r := rewriting{doc: doc, to: to, own: to(doc.ID), data: doc.Data.Clone(), texts: make(map[*value.Value]string)}
	for _, ref := range doc.References {
		next := to(ref.ID)
		if r.want = append(r.want, next); next != ref.ID {
			r.references++
		}
	}
	for _, trace := range doc.Kind.Trace(doc.ID, r.data) {
		if len(trace.Rule.To) > 1 && !refersTo(doc.References, trace.Target) {
			continue // one of those that it may mean, and does not
		}
		if err := r.follow(trace); err != nil {
			return nil, err
		}
	}
	r.rename()
	if err := r.apply(); err != nil {
		return nil, err
	}
	if doc.Change != nil {
		if err := doc.Change.apply(doc.Kind.Name, r.data); err != nil {
			return nil, r.fail("%v", err)
		}
	}
	if err := r.verify(); err != nil {
		return nil, err
	}
	return &Rewritten{ID: r.own, Data: r.data, References: r.references, Lost: r.lost, Explicit: len(r.additions)}, nil
}

type rewriting struct {
	doc        Document
	to         func(dovetail.ID) dovetail.ID
	own        dovetail.ID // what its own id becomes
	data       *value.Value
	want       []dovetail.ID // what it shall refer to
	references int
	lost       int

	texts     map[*value.Value]string // strings that become others
	names     []renamedMember
	additions []addition
}

type renamedMember struct {
	of       *value.Value
	from, to string
}

// addition is a member that is added to an object, or to a string that becomes one.
type addition struct {
	object *value.Value
	text   *value.Value
	member string // of the string, once it is an object
	name   string
	value  string
}

func refersTo(references []dovetail.Reference, id dovetail.ID) bool {
	return slices.ContainsFunc(references, func(r dovetail.Reference) bool { return r.ID == id })
}

// follow notes what has to change so that a reference has its new target.
func (r *rewriting) follow(trace schema.Trace) error {
	key, own := r.to(trace.Target).Key(), r.own.Key()
	found := make([]bool, len(key))
	for i, o := range trace.Origins {
		at := i
		if len(key) != len(trace.Origins) { // it moves to another depth
			at = slices.IndexFunc(key, func(e dovetail.Element) bool { return e.Name == r.doc.Change.element(o.Element) })
		}
		if at < 0 {
			continue // what the data says of it means nothing any more
		}
		found[at] = true
		want := key[at].Value
		switch {
		case o.Named && o.Name == want:
		case o.Named:
			r.names = append(r.names, renamedMember{o.Holder, o.Name, want})
		case o.Text != nil:
			if was, noted := r.texts[o.Text]; noted && was != want {
				return r.impossible(trace, "the same value stands for %q in another of its references", was)
			}
			r.texts[o.Text] = want
			r.renameMember(o)
		case o.Own >= 0 && slices.Contains(own, dovetail.Element{Name: r.doc.Change.element(r.doc.ID.Key()[o.Own].Name), Value: want}):
		case o.Own < 0 && trace.Rule.FixedKv[o.Element] == want:
		case o.Own < 0:
			return r.impossible(trace, "the ref-schema fixes the element %s", o.Element)
		default:
			if err := r.add(trace, o, want); err != nil {
				return err
			}
		}
	}
	for i, e := range key {
		if found[i] || slices.Contains(own, e) {
			continue
		}
		if err := r.add(trace, schema.Origin{Element: e.Name, Member: e.Name, Own: -1}, e.Value); err != nil {
			return err
		}
	}
	return nil
}

// renameMember notes that a member called as an element gets the element's new name.
func (r *rewriting) renameMember(o schema.Origin) {
	to := r.doc.Change.element(o.Element)
	n := renamedMember{o.Holder, o.Element, to}
	if to != o.Element && o.Member == o.Element && o.Name == o.Element && !slices.Contains(r.names, n) {
		r.names = append(r.names, n)
	}
}

// add notes that an element has to be written out, which the own key gave so far.
func (r *rewriting) add(trace schema.Trace, o schema.Origin, want string) error {
	if o.Member == "" || trace.Object == nil && trace.Text == nil {
		return r.impossible(trace, "its element %s always is that of the document's own key", o.Element)
	}
	a := addition{object: trace.Object, text: trace.Text, name: o.Member, value: want}
	if trace.Text != nil {
		a.member = trace.Origins[len(trace.Origins)-1].Member
	}
	if !slices.Contains(r.additions, a) {
		r.additions = append(r.additions, a)
	}
	return nil
}

// rename changes names in the data that repeat the document's own elements: metadata.name, and members called as an element.
func (r *rewriting) rename() {
	before, after := r.doc.ID.Key(), r.own.Key()
	first, last := len(before)-len(r.doc.Kind.Own), len(after)-len(r.doc.Kind.Own)
	if last < 0 {
		return // its id is of no kind like its own, which verify refuses
	}
	for i, was := range before[first:] {
		is := after[last+i].Value
		if n := (renamedMember{r.data, was.Name, after[last+i].Name}); n.from != n.to && r.data.Get(n.from) != nil {
			r.names = append(r.names, n)
		}
		if was.Value == is {
			continue
		}
		for _, path := range [][]string{{"metadata", "name"}, {was.Name}, {"spec", was.Name}} {
			v := r.data.At(path...)
			if v == nil || v.Kind != value.String || v.Text != was.Value || path[0] == "spec" && len(r.doc.Kind.Own) == 1 {
				continue
			}
			if _, noted := r.texts[v]; !noted {
				r.texts[v] = is
			}
		}
	}
}

// apply makes the changes that were noted.
func (r *rewriting) apply() error {
	for v, text := range r.texts {
		v.Text = text
	}
	for _, n := range r.names {
		if n.of.Get(n.to) != nil {
			return r.fail("the member %q exists already, and %q would be renamed to it", n.to, n.from)
		}
		for i := range n.of.Members {
			if n.of.Members[i].Name == n.from {
				n.of.Members[i].Name = n.to
			}
		}
	}
	for _, a := range r.additions {
		object := a.object
		if a.text != nil {
			if object = a.text; object.Kind == value.String {
				*object = *value.NewMap(value.Member{Name: a.member, Value: value.NewString(a.text.Text)})
			}
		}
		object.Set(a.name, value.NewString(a.value))
	}
	return nil
}

// verify extracts the references again: they are those that are wanted, or the data cannot be rewritten.
func (r *rewriting) verify() error {
	var found []dovetail.ID
	kind := r.doc.Kind
	if r.doc.Change != nil {
		if kind, _ = r.doc.Change.Next.KindOf(r.own); kind == nil {
			return r.fail("the new ref-schema has no kind for the id %s", r.own)
		}
	}
	for _, c := range kind.Extract(r.own, r.data) {
		target := c.Targets[0].ID
		for _, other := range c.Targets {
			if slices.Contains(r.want, other.ID) {
				target = other.ID
			}
		}
		found = append(found, target)
	}
	slices.Sort(found)
	want := slices.Sorted(slices.Values(r.want))
	if found, want = slices.Compact(found), slices.Compact(want); slices.Equal(found, want) {
		return nil
	}
	for _, id := range want {
		if !slices.Contains(found, id) {
			r.lost++
		}
		if !slices.Contains(found, id) && !r.doc.Change.mayLose(r.doc.Kind.Name) {
			return r.fail("no change of its data makes it refer to %s without changing another of its references", id)
		}
	}
	if r.doc.Change != nil {
		return nil // new rules find more; that it exists is checked with all else
	}
	return r.fail("a change of its data would make it refer to %s", first(found, want))
}

// first returns the first of a that is not in b.
func first(a, b []dovetail.ID) dovetail.ID {
	i := slices.IndexFunc(a, func(id dovetail.ID) bool { return !slices.Contains(b, id) })
	return a[max(i, 0)]
}

func (r *rewriting) impossible(trace schema.Trace, format string, args ...any) error {
	return r.fail("its reference to %s cannot become one to %s: "+format, append([]any{trace.Target, r.to(trace.Target)}, args...)...)
}

func (r *rewriting) fail(format string, args ...any) error {
	err := dovetail.Errorf(dovetail.CodeUnprocessable, "%s cannot be rewritten: "+format, append([]any{r.doc.ID}, args...)...)
	err.Key, err.Reason = r.doc.ID, ReasonNotRewritable
	err.Remedy = "change or remove that reference first"
	return err
}
