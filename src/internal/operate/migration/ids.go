package migration

import (
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/schema"
)

// readID reads the id of a document of a ref-schema.
func readID(f decode.Field, model *schema.Model, which string) dovetail.ID {
	text := f.Text()
	if text == "" {
		return ""
	}
	id, err := dovetail.ParseID(text)
	if err == nil {
		_, err = model.KindOf(id)
	}
	if err != nil {
		e := dovetail.AsError(err)
		f.Fail(e.Remedy, "%s is no id under the ref-schema %s: %s", text, which, e.Message)
		return ""
	}
	return id
}

// checkSubtree checks a step that moves a subtree, once all steps are known.
func (c *Change) checkSubtree(at int, f decode.Field, from *schema.Model) {
	m := c.subtrees[at]
	if m.From == "" || m.To == "" {
		return // which has an error already
	}
	is := m.To.Key()
	kind, _ := from.KindOf(m.From) // it has one: readID
	for i, name := range kind.Own {
		if last := len(is) - len(kind.Own) + i; last < 0 || is[last].Name != c.element(name) {
			f.Get("to").Fail("give the id of a "+c.element(kind.Name), "%s is a %s, and would become %s", m.From, kind.Name, m.To)
			return
		}
	}
	if c.renamed(m.From) == m.To {
		f.Get("to").Fail("leave the step out", "%s gets that id anyway", m.From)
	}
	for _, other := range c.subtrees[:at] {
		if other.From == m.From || m.From.IsDescendantOf(other.From) || other.From.IsDescendantOf(m.From) {
			f.Get("from").Fail("move one of them only", "%s and %s are the same, or one within the other", other.From, m.From)
		}
	}
}

// Subtrees are the documents that get another id with all below them.
func (c *Change) Subtrees() []dovetail.Move { return c.subtrees }

// Of returns what an id becomes.
func (c *Change) Of(id dovetail.ID) dovetail.ID {
	for _, m := range c.subtrees {
		switch {
		case id == m.From:
			return m.To
		case id.IsDescendantOf(m.From):
			return m.To + "/" + c.renamed(id[len(m.From)+1:])
		}
	}
	return c.renamed(id)
}

// renamed returns an id, or the end of one, with the new names of its elements.
func (c *Change) renamed(id dovetail.ID) dovetail.ID {
	key, changed := id.Key(), false
	for i, e := range key {
		if to := c.element(e.Name); to != e.Name {
			key[i].Name, changed = to, true
		}
	}
	if !changed {
		return id
	}
	return key.ID()
}

// element returns what the name of an element becomes.
func (c *Change) element(name string) string {
	if c == nil {
		return name
	}
	if to, renamed := c.elements[name]; renamed {
		return to
	}
	return name
}

// Sources returns the ids that may become an id: those for which Of returns it, and others.
func (c *Change) Sources(id dovetail.ID) []dovetail.ID {
	ids := c.unrenamed(id)
	for _, m := range c.subtrees {
		switch {
		case id == m.To:
			ids = append(ids, m.From)
		case id.IsDescendantOf(m.To):
			for _, rest := range c.unrenamed(id[len(m.To)+1:]) {
				ids = append(ids, m.From+"/"+rest)
			}
		}
	}
	return ids
}

// unrenamed returns what renamed may have made an id of.
func (c *Change) unrenamed(id dovetail.ID) []dovetail.ID {
	found := []dovetail.Key{nil}
	for _, e := range id.Key() {
		var longer []dovetail.Key
		for _, name := range c.sourcesOf(e.Name) {
			for _, key := range found {
				longer = append(longer, append(slices.Clone(key), dovetail.Element{Name: name, Value: e.Value}))
			}
		}
		found = longer
	}
	ids := make([]dovetail.ID, len(found))
	for i, key := range found {
		ids[i] = key.ID()
	}
	return ids
}

// sourcesOf returns the elements that get a name.
func (c *Change) sourcesOf(name string) []string {
	var all []string
	if c.element(name) == name {
		all = append(all, name)
	}
	for _, was := range slices.Sorted(maps.Keys(c.elements)) {
		if c.elements[was] == name && was != name {
			all = append(all, was)
		}
	}
	return all
}

// OriginPrefix begins the origin of transactions of migrations: the elements that are renamed follow, as was=is, and the subtrees that
// are moved, as from>to.
const OriginPrefix = "migration:"

// Origin is the origin of the transaction.
func (c *Change) Origin() string {
	var parts []string
	for _, was := range slices.Sorted(maps.Keys(c.elements)) {
		parts = append(parts, was+"="+c.elements[was])
	}
	for _, m := range c.subtrees {
		parts = append(parts, string(m.From)+">"+string(m.To)) // which ids have escaped
	}
	return OriginPrefix + strings.Join(parts, " ")
}

// ParseOrigin returns what an origin says of ids, and with inverse the way back; nil where it is not that of a migration.
func ParseOrigin(origin string, inverse bool) *Change {
	parts, ok := strings.CutPrefix(origin, OriginPrefix)
	if !ok {
		return nil
	}
	c := &Change{elements: make(map[string]string)}
	for _, part := range strings.Fields(parts) {
		from, to, move := strings.Cut(part, ">")
		was, is, _ := strings.Cut(part, "=")
		if inverse {
			from, to, was, is = to, from, is, was
		}
		if move {
			c.subtrees = append(c.subtrees, dovetail.Move{From: dovetail.ID(from), To: dovetail.ID(to)})
		} else {
			c.elements[was] = is
		}
	}
	return c
}

// OfOrigin returns what an id became, and with inverse what it was, in a transaction of this origin.
func OfOrigin(origin string, id dovetail.ID, inverse bool) dovetail.ID {
	if c := ParseOrigin(origin, inverse); c != nil {
		return c.Of(id)
	}
	return id
}
