package expression

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cel.dev/cel-go/common/types"

	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/value"
)

// Type is what an expression may expect of a value. A nil Type is anything. Types made of recursive schemas lead back to
// themselves.
type Type struct {
	name    string // of one with members
	kind    types.Kind
	members map[string]*Type
	closed  bool  // an object has no other members
	others  *Type // those of an object without members, and the items of a list
	most    uint64
	data    bool // of a document, which has metadata and spec in any case
}

// Text is the type of strings.
var Text = &Type{kind: types.StringKind}

// ListOf is the type of lists whose items have a type.
func ListOf(items *Type) *Type { return &Type{kind: types.ListKind, others: items} }

// MapOf is the type of objects with any members, whose values have a type.
func MapOf(values *Type) *Type { return &Type{kind: types.MapKind, others: values} }

// ObjectOf is the type of objects that have only the members; the name shows in errors.
func ObjectOf(name string, members map[string]*Type) *Type {
	return &Type{name: name, kind: types.StructKind, members: members, closed: true}
}

// DataOf is the type of the data of documents: what their JSON Schema says, nil if there is none. It has metadata and spec in any case;
// the name shows in errors, and is another for each type. Where they are not written they are empty objects.
func DataOf(name string, schema *value.Value) *Type {
	r := &reader{name: name, root: schema, made: map[*value.Value]*Type{}}
	root := &Type{name: name, kind: types.StructKind, members: map[string]*Type{}}
	if read := r.read(schema, ""); read != nil && read.kind == types.StructKind {
		read.name = name
		root = read
	}
	root.data = true
	for _, member := range []string{"metadata", "spec"} {
		if _, given := root.members[member]; !given && !root.closed {
			root.members[member] = nil
		}
	}
	return root
}

// reader makes types of the places of one JSON Schema.
type reader struct {
	name string
	root *value.Value
	made map[*value.Value]*Type
}

// longestChain is how many $ref are followed one after the other.
const longestChain = 16

// read returns the type that a schema gives to its values: nil where it does not give one.
func (r *reader) read(schema *value.Value, at string) *Type {
	for range longestChain {
		ref, is := schema.Get("$ref").Str()
		if !is {
			break
		}
		pointer, local := strings.CutPrefix(ref, "#")
		next, found := r.root.Find(pointer)
		if !local || !found {
			return nil
		}
		schema, at = next, pointer
	}
	if schema == nil || schema.Kind != value.Map || schema.Get("$ref") != nil || schema != r.root && schema.Get("$id") != nil {
		return nil
	}
	if t, made := r.made[schema]; made {
		return t
	}
	t := &Type{name: r.name + at}
	switch name, _ := schema.Get("type").Str(); {
	case name == "string":
		t.kind, t.most = types.StringKind, limit(schema, "maxLength")
	case name == "integer":
		t.kind = types.IntKind
	case name == "number":
		t.kind = types.DoubleKind
	case name == "boolean":
		t.kind = types.BoolKind
	case name == "array":
		t.kind, t.most = types.ListKind, limit(schema, "maxItems")
	case name == "object", name == "" && schema.Get("type") == nil && schema.Get("properties") != nil:
		t.kind, t.most = types.MapKind, limit(schema, "maxProperties")
	default:
		return nil
	}
	r.made[schema] = t // before what is below, which may lead back here
	switch t.kind {
	case types.ListKind:
		if schema.Get("prefixItems") == nil {
			t.others = r.read(schema.Get("items"), at+"/items")
		}
	case types.MapKind:
		r.object(t, schema, at)
	}
	return t
}

// object fills in the type of an object: one with properties has members, any other one values of one type.
func (r *reader) object(t *Type, schema *value.Value, at string) {
	properties, others := schema.Get("properties"), schema.Get("additionalProperties")
	if properties == nil || len(properties.Members) == 0 {
		if schema.Get("patternProperties") == nil {
			t.others = r.read(others, at+"/additionalProperties")
		}
		return
	}
	t.kind, t.members = types.StructKind, make(map[string]*Type, len(properties.Members))
	t.closed = others != nil && others.Kind == value.Bool && others.Text == "false" && schema.Get("patternProperties") == nil
	for _, m := range properties.Members {
		t.members[m.Name] = r.read(m.Value, at+value.Pointer("properties", m.Name))
	}
}

// limit reads a bound on sizes; 0 if there is none.
func limit(schema *value.Value, name string) uint64 {
	if v := schema.Get(name); v != nil {
		if n, err := strconv.ParseUint(v.Text, 10, 32); err == nil {
			return max(n, 1)
		}
	}
	return 0
}

// deepest is how many levels of nested lists and maps of a type the checker knows; below, anything is accepted.
const deepest = 8

// cel is the type in the terms of CEL.
func (t *Type) cel(depth int) *types.Type {
	if t == nil || depth > deepest {
		return types.DynType
	}
	switch t.kind {
	case types.StringKind:
		return types.StringType
	case types.IntKind:
		return types.IntType
	case types.DoubleKind:
		return types.DoubleType
	case types.BoolKind:
		return types.BoolType
	case types.ListKind:
		return types.NewListType(t.others.cel(depth + 1))
	case types.MapKind:
		return types.NewMapType(types.StringType, t.others.cel(depth+1))
	}
	return types.NewObjectType(t.name)
}

// of returns the type of a member or an item.
func (t *Type) of(member string) *Type {
	if t == nil || t.kind != types.StructKind {
		return t.each()
	}
	return t.members[member]
}

// each returns the type of each item of a list or each value of a map.
func (t *Type) each() *Type {
	if t == nil {
		return nil
	}
	return t.others
}

// names are those of the members, sorted.
func (t *Type) names() []string { return slices.Sorted(maps.Keys(t.members)) }

// provider tells the checker of CEL which members objects have.
type provider struct {
	types.Provider
	structs map[string]*Type
	refused sync.Map // the type that has no member of a name, by that name: for errors
}

// add registers what is reachable from a type.
func (p *provider) add(t *Type) {
	if t == nil || p.structs[t.name] == t {
		return
	}
	if t.kind == types.StructKind {
		p.structs[t.name] = t
	}
	for _, m := range t.members {
		p.add(m)
	}
	if t.others != t {
		p.add(t.others)
	}
}

// FindStructType finds the type of an object.
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if t := p.structs[name]; t != nil {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames lists the members of an object.
func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	if t := p.structs[name]; t != nil {
		return t.names(), true
	}
	return p.Provider.FindStructFieldNames(name)
}

// FindStructFieldType finds the type of a member. Those that an open schema does not name may be anything, unless they look
// like a misspelt one.
func (p *provider) FindStructFieldType(name, member string) (*types.FieldType, bool) {
	t := p.structs[name]
	if t == nil {
		return p.Provider.FindStructFieldType(name, member)
	}
	of, named := t.members[member]
	if !named && (t.closed || slices.ContainsFunc(t.names(), func(known string) bool { return suggest.Misspells(member, known) })) {
		p.refused.Store(member, t)
		return nil, false
	}
	return &types.FieldType{Type: of.cel(0)}, true
}
