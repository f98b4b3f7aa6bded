package schema

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Change classifies a Difference.
type Change string

// The changes.
const (
	KindAdded          Change = "kind-added"
	KindRemoved        Change = "kind-removed"
	ParentChanged      Change = "parent-changed"
	ElementsChanged    Change = "elements-changed" // of its key: another name, or another ancestor
	AbstractChanged    Change = "abstract-changed"
	ManagedChanged     Change = "managed-changed"
	StrictChanged      Change = "strict-changed"
	DefaultsChanged    Change = "defaults-changed"
	SensitiveChanged   Change = "sensitive-changed"
	InputsChanged      Change = "inputs-changed"
	HistoryChanged     Change = "history-changed"
	UniqueChanged      Change = "unique-changed"
	ColumnsChanged     Change = "columns-changed"
	ImmutableChanged   Change = "immutable-changed"
	RulesChanged       Change = "rules-changed"
	LifecycleChanged   Change = "lifecycle-changed"
	IndexChanged       Change = "index-changed"
	QueriesChanged     Change = "queries-changed"
	ReferenceAdded     Change = "reference-added"
	ReferenceRemoved   Change = "reference-removed"
	ReferenceChanged   Change = "reference-changed"
	SchemaChanged      Change = "schema-changed"
	CollectionsChanged Change = "collections-changed"
	MethodsChanged     Change = "methods-changed"
	ActionsChanged     Change = "actions-changed"
	ContentChanged     Change = "content-changed"
)

// Difference is one thing that two models say differently of a kind.
type Difference struct {
	Change  Change `json:"change"`
	Kind    string `json:"kind"`
	Message string `json:"message"` // a sentence in lower case
}

// Diff returns what is different between two models, kind by kind in the order of names; nothing
// when their hashes are equal.
func Diff(before, after *Model) []Difference {
	was, is := kindsByName(before), kindsByName(after)
	names := slices.AppendSeq(slices.Collect(maps.Keys(was)), maps.Keys(is))
	slices.Sort(names)
	var all []Difference
	for _, name := range slices.Compact(names) {
		a, b := was[name], is[name]
		switch {
		case a == nil:
			all = append(all, Difference{KindAdded, name, name + " is new, with the key " + strings.Join(b.Elements, ", ")})
		case b == nil:
			all = append(all, Difference{KindRemoved, name, name + " is removed"})
		default:
			all = append(all, diffKind(a, b)...)
		}
	}
	return all
}

func kindsByName(m *Model) map[string]*Kind {
	byName := make(map[string]*Kind, len(m.kinds))
	for _, k := range m.kinds {
		byName[k.Name] = k
	}
	return byName
}

func diffKind(a, b *Kind) []Difference {
	var all []Difference
	differ := func(change Change, format string, args ...any) {
		all = append(all, Difference{change, a.Name, a.Name + ": " + fmt.Sprintf(format, args...)})
	}
	if from, to := parentName(a), parentName(b); from != to {
		differ(ParentChanged, "the parent is %s, not %s", to, from)
	}
	if !slices.Equal(a.Elements, b.Elements) {
		differ(ElementsChanged, "the key is %s, not %s", strings.Join(b.Elements, ", "), strings.Join(a.Elements, ", "))
	}
	if a.Abstract != b.Abstract {
		if b.Abstract {
			differ(AbstractChanged, "it no longer has documents")
		} else {
			differ(AbstractChanged, "it has documents now")
		}
	}
	if a.Managed != b.Managed {
		if b.Managed {
			differ(ManagedChanged, "only its service changes its documents")
		} else {
			differ(ManagedChanged, "every client may change its documents")
		}
	}
	if a.Strict != b.Strict {
		if b.Strict {
			differ(StrictChanged, "its data may only have members that are known")
		} else {
			differ(StrictChanged, "its data may have any members")
		}
	}
	if a.Defaults != b.Defaults {
		if b.Defaults {
			differ(DefaultsChanged, "the defaults of its schema are filled in")
		} else {
			differ(DefaultsChanged, "the defaults of its schema are no longer filled in")
		}
	}
	if from, to := a.Sensitive.String(), b.Sensitive.String(); from != to {
		differ(SensitiveChanged, "what is sensitive of its data is %s, not %s", to, from)
	}
	if a.History != b.History {
		differ(HistoryChanged, "its history is kept %s, not %s", b.History, a.History)
	}
	if !slices.Equal(a.Inputs, b.Inputs) {
		differ(InputsChanged, "to read it takes the right to read all of %s, not %s", listed(b.Inputs), listed(a.Inputs))
	}
	if from, to := listUnique(a.Unique), listUnique(b.Unique); from != to {
		differ(UniqueChanged, "what is unique of its data is %s, not %s", to, from)
	}
	if from, to := listColumns(a.Columns), listColumns(b.Columns); from != to {
		differ(ColumnsChanged, "its lists show the columns %s, not %s", to, from)
	}
	if !slices.Equal(a.Immutable, b.Immutable) {
		differ(ImmutableChanged, "what cannot change of its data is %s, not %s", JoinPaths(b.Immutable), JoinPaths(a.Immutable))
	}
	all = append(all, diffRules(a, b)...)
	all = append(all, diffLifecycle(a, b)...)
	if from, to := listQueries(a), listQueries(b); from != to {
		differ(QueriesChanged, "the query parameters of its collections are %s, not %s", to, from)
	}
	all = append(all, diffReferences(a, b)...)
	from, to := meaningOf(a), meaningOf(b)
	if !equal(from.Index, to.Index) {
		differ(IndexChanged, "it is indexed by %s, not by %s", JoinPaths(b.indexes), JoinPaths(a.indexes))
	}
	switch {
	case bytes.Equal(from.Schema, to.Schema):
	case from.Schema == nil:
		differ(SchemaChanged, "its data has a schema now")
	case to.Schema == nil:
		differ(SchemaChanged, "its data no longer has a schema")
	default:
		differ(SchemaChanged, "its data has another schema")
	}
	if was, is := places(a), places(b); was != is {
		differ(CollectionsChanged, "it is served at %s, not at %s", is, was)
	} else if !equal(from.Collections, to.Collections) {
		differ(CollectionsChanged, "its collections answer otherwise")
	}
	if !equal(from.Methods, to.Methods) {
		differ(MethodsChanged, "its success codes are others")
	}
	if !equal(from.Actions, to.Actions) {
		differ(ActionsChanged, "its actions are others")
	}
	if !equal(from.Content, to.Content) {
		differ(ContentChanged, "its content parts are others")
	}
	return all
}

// diffReferences compares the rules of two kinds: those that are the same on both sides cancel each
// other; of the rest, two with the same targets are one that changed.
func diffReferences(a, b *Kind) []Difference {
	gone, come := slices.Clone(a.References), slices.Clone(b.References)
	cancel := func(same func(x, y *Reference) bool) (pairs [][2]*Reference) {
		gone = slices.DeleteFunc(gone, func(x *Reference) bool {
			at := slices.IndexFunc(come, func(y *Reference) bool { return same(x, y) })
			if at < 0 {
				return false
			}
			pairs = append(pairs, [2]*Reference{x, come[at]})
			come = slices.Delete(come, at, at+1)
			return true
		})
		return pairs
	}
	cancel(func(x, y *Reference) bool { return equal(meaningOfRule(x), meaningOfRule(y)) })
	changed := cancel(func(x, y *Reference) bool { return slices.Equal(kindNames(x.To), kindNames(y.To)) })

	var all []Difference
	for _, pair := range changed {
		all = append(all, Difference{ReferenceChanged, a.Name, fmt.Sprintf("%s: the reference is now: %s; it was: %s", a.Name, pair[1], pair[0])})
	}
	for _, r := range come {
		all = append(all, Difference{ReferenceAdded, a.Name, fmt.Sprintf("%s: it refers now to %s", a.Name, r)})
	}
	for _, r := range gone {
		all = append(all, Difference{ReferenceRemoved, a.Name, fmt.Sprintf("%s: it no longer refers to %s", a.Name, r)})
	}
	return all
}

func parentName(k *Kind) string {
	if k.Parent == nil {
		return "none"
	}
	return k.Parent.Name
}

// places lists the collections of a kind.
func places(k *Kind) string {
	var all []string
	for _, c := range k.Collections {
		path := c.Path
		if c.Root {
			path = "/" + path
		}
		all = append(all, path)
	}
	return enumerate(slices.Sorted(slices.Values(all)))
}

func equal(a, b any) bool { return bytes.Equal(toJSON(a), toJSON(b)) }

// listed names kinds in a sentence.
func listed(names []string) string {
	if len(names) == 0 {
		return "nothing else"
	}
	return strings.Join(names, ", ")
}
