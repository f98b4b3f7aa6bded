package schema

import (
	"strings"
	"unicode"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
)

// Query is a parameter of the URL of a kind's collections that selects documents by its value. One of Selector, Element and
// Child is set.
type Query struct {
	Name     string
	Selector Path   // a member of the data that has the value
	Element  string // an element of the kind's own key that has it
	Child    *Kind  // a kind of which the document has a child that is called so
}

// QueryParameters are the parameters that collections have already, and that no query can be called.
var QueryParameters = []string{"after", "at", "cascade", "changeSet", "content", "continue", "depth", "dryRun", "fieldSelector", "kind",
	"labelSelector", "limit", "managed", "message", "sealed", "under", "view", "wait", "watch"}

// query is an entry of the field queries as it was written.
type query struct {
	name     text
	selector location
	element  text
	child    text
	to       *resource // of child, once checked
	wrong    bool
}

func (p *parser) queries(f decode.Field) []*query {
	var all []*query
	for _, m := range members(f) {
		q := &query{name: m.name}
		if readFields(m.As("the query "+m.name.value), map[string]func(decode.Field){
			"selector": func(f decode.Field) { q.selector = p.location(f) },
			"element":  func(f decode.Field) { q.element = readText(f) },
			"child":    func(f decode.Field) { q.child = readText(f) },
		}) {
			all = append(all, q)
		}
	}
	return all
}

// withoutItems is the path, or, of the items of a list, that of the list.
func (p Path) withoutItems() Path {
	if list, is := p.List(); is {
		return list
	}
	return p
}

// maxQueries is how many queries a kind may have.
const maxQueries = 32

// queries checks what a resource says of the query parameters of its collections.
func (c *checker) queries(r *resource) {
	if len(r.queries) > 0 && r.abstract {
		c.warn(FaultNoEffect, r.queries[0].name.at, "remove it", "%s: queries has no effect on an abstract kind, which has no documents", r.name.value)
	}
	if len(r.queries) > maxQueries {
		c.add(FaultTooLarge, r.queries[maxQueries].name.at, "leave some out", "%s: more than %d queries", r.name.value, maxQueries)
		r.queries = r.queries[:maxQueries]
	}
	for _, q := range r.queries {
		c.query(r, q)
	}
}

func (c *checker) query(r *resource, q *query) {
	refuse := func(at dovetail.Position, remedy, format string, args ...any) {
		c.add(FaultBadValue, at, remedy, "%s: "+format, append([]any{r.name.value}, args...)...)
		q.wrong = true
	}
	name := q.name.value
	for _, reserved := range QueryParameters {
		if strings.EqualFold(reserved, name) {
			refuse(q.name.at, "give it another name", "the query %s is a parameter of every collection", short(name))
		}
	}
	if name == "" || len(name) > maxNameLength || strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsPrint(r) || r == ' ' }) {
		refuse(q.name.at, "write up to 64 printable ASCII characters without spaces", "%s cannot name a query", short(name))
	}
	given := 0
	for _, one := range []text{q.selector.text, q.element, q.child} {
		if one.bad {
			q.wrong = true
		}
		if one.bad || one.value != "" {
			given++
		}
	}
	if given != 1 {
		refuse(q.name.at, "write one of selector, with a path into the data, element and child", "the query %s has %d of selector, element and child", short(name), given)
		return
	}
	switch path := q.selector.path; {
	case q.wrong:
	case !path.IsZero() && (path.withoutItems().wild() || path.steps()[0].name == "status"):
		refuse(q.selector.at, "name one member of the data, spec.app, or the items of a list, spec.owners[*]", "the selector of the query %s is %s", short(name), path)
	case !path.IsZero() && r.sensitive.meaning().hides(path):
		refuse(q.selector.at, "select by something else", "the query %s would reveal %s, which is sensitive", short(name), path)
	}
	own := r.own
	if element := q.element.value; element != "" && element != own[len(own)-1] && element != own[0] {
		refuse(q.element.at, didYouMean(element, own, "use "+enumerate(own)), "the query %s: %s is no element of the kind's own key", short(name), short(element))
	}
	if child := q.child.value; child != "" {
		q.to = c.defined[child[strings.LastIndexByte(child, '.')+1:]]
		switch {
		case q.to == nil:
			refuse(q.child.at, didYouMean(child, c.names, "define it, or name another kind"), "the query %s: unknown kind %s", short(name), short(child))
		case q.to.up != r || q.to.upHalf || q.to.abstract || len(q.to.own) > 1:
			refuse(q.child.at, "name a kind whose parent is "+r.last()+", with one element of its own", "the query %s: documents of %s are not named directly below one of %s", short(name), short(child), r.last())
		}
	}
}

// queries compiles what was checked, in the order of names. The children are compiled by then.
func (c *compiler) queries(r *resource) []Query {
	var all []Query
	for _, q := range r.queries {
		if !q.wrong {
			all = append(all, Query{Name: q.name.value, Selector: q.selector.path, Element: q.element.value, Child: c.kinds[q.to]})
		}
	}
	return all
}

// String says in words what the query selects: `app: spec.app is the value`.
func (q *Query) String() string {
	switch {
	case q.Child != nil:
		return q.Name + ": there is a " + q.Child.Name + " of this name below the document"
	case q.Element != "":
		return q.Name + ": " + q.Element + " in the document's key is the value"
	}
	if list, is := q.Selector.List(); is {
		return q.Name + ": an item of " + list.String() + " is the value"
	}
	return q.Name + ": " + q.Selector.String() + " is the value"
}

// queryMeanings is what counts of the field for the meaning of a model.
func queryMeanings(k *Kind) []string {
	var all []string
	for i := range k.Queries {
		all = append(all, k.Queries[i].String())
	}
	return all
}

// listQueries names queries in a sentence.
func listQueries(k *Kind) string {
	if len(k.Queries) == 0 {
		return "none"
	}
	return strings.Join(queryMeanings(k), "; ")
}
