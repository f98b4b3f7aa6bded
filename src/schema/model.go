package schema

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Model is a compiled ref-schema: immutable, safe for concurrent use. Compile makes it.
type Model struct {
	hash     string
	kinds    []*Kind // sorted by name
	names    []Name
	warnings []*dovetail.Error
	sources  []Source

	// byName finds a kind by each element name of its entry, byLast by the last element name of an
	// id: these differ for the first half of a dotted entry that is the parent of another kind.
	byName map[string]*Kind
	byLast map[string]*Kind
}

// Kind is one resource entry. Its fields are read-only.
type Kind struct {
	Name     string   // what the kind is called: the entry's name, of a dotted one the second half
	Entry    string   // the entry's name as written: "compositeApp.compositeAppVersion"
	Own      []string // the elements it adds to the key: one, of a dotted entry two
	Elements []string // all its key elements from the root on
	KeyID    string   // "{app,compositeApp,compositeAppVersion,project,}"

	Parent       *Kind   // nil at the top
	Children     []*Kind // sorted by name
	ReferencedBy []*Kind // kinds with a reference rule to this one, sorted by name
	References   []*Reference

	// Abstract kinds have no documents; they only lend an element to the keys of their children.
	// So has the first half of a dotted entry, as the parent of another kind.
	Abstract bool

	// Managed kinds have documents that a service makes of something else: others may create them, as an
	// import does, but not change or delete them.
	Managed bool

	// Strict means that data has no members except those of the convention, those that the JSON Schema names,
	// and those that rules look for.
	Strict bool
	names  *named // those members; nil for a kind that is not strict

	// Defaults means that the defaults of the JSON Schema are filled in where data is written.
	Defaults bool
	filler   *filler // that does so; nil if there are none

	// Sensitive says which of the data is secret: what others may refer to only with the right to use it,
	// and what is encrypted where it is stored.
	Sensitive Sensitive

	// Inputs are the kinds, by their names in order, of which all documents went into each document of this one: to
	// read any takes the right to read all of those.
	Inputs []string
	inputs []string // as written

	// History shortens how long earlier versions of the documents are kept.
	History History

	// Exclusive identifies the rules of the kind that are exclusive: at most one of its documents refers to a target through
	// any of them. "" where none is.
	Exclusive string

	// Unique are the constraints on values that no two documents may share, sorted by their text.
	Unique []*Unique

	// Columns are what lists of the documents show beside their names; none for what lists usually show.
	Columns []Column
	// Immutable are the places of the data whose values cannot change once a document is created, sorted by their text.
	Immutable []Path

	// Rules are conditions on the data, in the order written.
	Rules     []*Rule
	ruleSlots []ruleSlot // what refs has in them

	// Lifecycle are the states of the documents; nil if there is none. Its actions are among Actions.
	Lifecycle *Lifecycle
	// Index are the paths whose values are indexed, sorted by their text; IndexLabels says that each label is, too, as it is unless the
	// schema says otherwise. Selectors on them find documents without looking at all of the kind.
	Index       []Path
	IndexLabels bool
	indexes     []Path // of both

	// Queries are parameters of the URLs of collections that select documents, sorted by name.
	Queries []Query

	// Collections are where documents of the kind are served; at least one. Those of an abstract
	// kind serve nothing, but lend their segments to the collections of its children.
	Collections []Collection
	// Methods are success codes that differ from the convention, and verbs beyond it, as the table
	// of an older API needs them: "PUT": 201, "POST-ITEM": 201, "DELETE-COLLECTION": 204.
	Methods map[string]int
	Actions []Action
	Content []ContentPart

	Description string // for users; "" when there is none
	Service     string // segment or service that owns the entry; "" when not said
	Position    dovetail.Position

	routes   []Route
	elements map[string]*Kind // the element names of the model
	plan     *plan            // how references are extracted; nil without references
	shapes   []*shape         // what the rules imply of the data
	schema   *dataSchema      // compiled JSON Schema of the data; nil if there is none
}

// Sensitive says which part of the data of a kind is secret. The zero value is none of it.
type Sensitive struct {
	Whole bool     // all of the data
	Paths []string // the values at these JSON Pointers (RFC 6901), sorted; none where Whole is set; see Places
}

// Any reports whether anything of the data is secret.
func (s Sensitive) Any() bool { return s.Whole || len(s.Paths) > 0 }

// Collection is one place where a kind is served.
type Collection struct {
	// Path is the collection's segments: "apps", "policy/agents"; below the parent's item, or, with
	// Root, below the API's root.
	Path string
	Root bool
	// Alias is the singular spelling that is also answered on GET; "" if there is none.
	Alias string
	// Fixed are key elements that the collection stands for, so that neither URL nor body holds them.
	Fixed map[string]string
	// Methods are those of the kind, with what this collection does otherwise.
	Methods map[string]int
}

// Action is a sub-path of an item that triggers or reports something.
type Action struct {
	Path   string // "approve", "enrollment/instantiate"
	Method string // "POST" (the default): recorded in the status; "GET": answers the status
	Code   int    // success code; default 202 for POST, 200 for GET
}

// Recorded reports whether the action is done with a POST, and so recorded in the status.
func (a Action) Recorded() bool {
	const post = "POST"
	return a.Method == post
}

// Action returns the action that a POST on a path below an item does; nil if there is none.
func (k *Kind) Action(path string) *Action {
	at := slices.IndexFunc(k.Actions, func(a Action) bool { return a.Path == path && a.Recorded() })
	if at < 0 {
		return nil
	}
	return &k.Actions[at]
}

// ContentPart is one named file part of a kind.
type ContentPart struct {
	Name     string
	Required bool
	Multiple bool
}

// Reference is one rule by which documents of a kind refer to others.
type Reference struct {
	Name string  // the kind referred to as the rule calls it; with `oneOf` the names joined by "|"
	To   []*Kind // the kind referred to; with `oneOf` all that it may be, in the order written
	Type string  // "", "map" or "many"

	Map        string            // type map: the member of spec whose member names are the values
	Field      string            // member that holds the value, when it is not called as the element
	FixedKv    map[string]string // elements of the target's key with fixed values
	FilterKeys []string          // values that are no reference
	Skip       []string          // the same, for any type (Dovetail's name for it)
	CommonKey  string            // the element up to which the target's key is taken from the own key

	At       Path              // the slot: where in the data the references stand; the zero Path for anywhere
	Members  map[string]string // with At, by element the member that holds it where it is not called as the element
	Required bool              // there is at least one reference
	Min, Max int               // how many references there are at least and at most; 0 for any number
	// Exclusive means that at most one document of the kind refers to a target through this rule, or another exclusive one.
	Exclusive bool

	Cascade bool // onDelete: cascade
	Weak    bool // enforce: warn

	Position dovetail.Position

	common  []string // the elements that CommonKey means; those of the own key among them are taken from it
	foreign []string // the elements of FixedKv that the key of no target has
}

// Slot is the text of At: "spec.a", "" if there is none.
func (r *Reference) Slot() string { return r.At.String() }

// Hash identifies the meaning of the model: 16 hexadecimal digits that do not depend on how the
// schema is split into files, on the order of entries and fields, on comments and descriptions.
func (m *Model) Hash() string { return m.hash }

// Kinds returns all kinds, sorted by name. The slice must not be changed.
func (m *Model) Kinds() []*Kind { return m.kinds }

// Kind returns the kind with the element name; either half of a dotted entry means its kind.
func (m *Model) Kind(name string) (*Kind, bool) {
	kind, ok := m.byName[name]
	return kind, ok
}

// Warnings are what the schema says without effect, in the order of positions. Each has a Fault.
func (m *Model) Warnings() []*dovetail.Error { return m.warnings }

// Sources are what the model was compiled from, sorted by name. They must not be changed.
func (m *Model) Sources() []Source { return m.sources }
