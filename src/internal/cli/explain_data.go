package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// dataView walks a JSON Schema by the structure of the data: references and combinations are
// followed, lists are passed through.
type dataView struct {
	root *value.Value
}

// maxSteps ends the search in schemas whose references go round in circles.
const maxSteps = 100

func newDataView(k *schema.Kind) (*dataView, error) {
	text := k.DataSchema()
	if text == nil {
		return nil, nil
	}
	root, err := value.ParseStored(text, nil)
	if err != nil {
		return nil, err
	}
	return &dataView{root: root}, nil
}

// resolve follows local references.
func (d *dataView) resolve(v *value.Value) *value.Value {
	for range maxSteps {
		ref, ok := v.Get("$ref").Str()
		if !ok {
			return v
		}
		pointer, local := strings.CutPrefix(ref, "#")
		target, found := d.root.Find(pointer)
		if !local || !found {
			return v
		}
		v = target
	}
	return v
}

// member is a named part of the data, with its schema.
type member struct {
	name     string
	schema   *value.Value
	required bool
}

// members returns what an object or a list of objects may hold, in the order of the schema.
func (d *dataView) members(v *value.Value) []member {
	var all []member
	d.collect(v, &all, 0)
	return all
}

func (d *dataView) collect(v *value.Value, all *[]member, depth int) {
	v = d.resolve(v)
	if v == nil || v.Kind != value.Map || depth > maxSteps/10 {
		return
	}
	for _, m := range propertiesOf(v) {
		known := slices.ContainsFunc(*all, func(have member) bool { return have.name == m.Name })
		if !known {
			*all = append(*all, member{m.Name, d.resolve(m.Value), isRequired(v, m.Name)})
		}
	}
	if items := v.Get("items"); items != nil {
		d.collect(items, all, depth+1)
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		if list := v.Get(word); list != nil {
			for _, item := range list.Items {
				d.collect(item, all, depth+1)
			}
		}
	}
	for _, word := range []string{"then", "else"} {
		d.collect(v.Get(word), all, depth+1)
	}
	if rest := v.Get("additionalProperties"); rest != nil && rest.Kind == value.Map {
		*all = append(*all, member{name: anyName, schema: d.resolve(rest)})
	}
}

// anyName stands for the members that a schema describes without naming them.
const anyName = "*"

func propertiesOf(v *value.Value) []value.Member {
	if p := v.Get("properties"); p != nil {
		return p.Members
	}
	return nil
}

func isRequired(v *value.Value, name string) bool {
	list := v.Get("required")
	return list != nil && slices.ContainsFunc(list.Items, func(item *value.Value) bool {
		text, _ := item.Str()
		return text == name
	})
}

// find follows member names from the root.
func (d *dataView) find(path []string) (member, []string) {
	at := member{schema: d.resolve(d.root)}
	for i, name := range path {
		members := d.members(at.schema)
		n := slices.IndexFunc(members, func(m member) bool { return m.name == name })
		if n < 0 {
			n = slices.IndexFunc(members, func(m member) bool { return m.name == anyName })
		}
		if n < 0 {
			return at, path[i:]
		}
		at = members[n]
	}
	return at, nil
}

// data explains the members at the top of a kind's data.
func (e *explanation) data(k *schema.Kind) {
	view, err := newDataView(k)
	if view == nil || err != nil {
		return // a compiled schema can be read
	}
	e.fields(view, view.root)
}

func (e *explanation) fields(view *dataView, of *value.Value) {
	var t table
	for _, m := range view.members(of) {
		t.add(m.name, typeOf(m.schema), limits(m), firstLine(describe(m.schema)))
	}
	e.rows("MEMBERS", t)
}

// limits reports whether a member is required, which values it has, and which one by default.
func limits(m member) string {
	var all []string
	if m.required {
		all = append(all, "required")
	}
	if list := m.schema.Get("enum"); list != nil && list.Kind == value.List {
		var values []string
		for _, item := range list.Items {
			values = append(values, string(item.JSON()))
		}
		all = append(all, "one of "+strings.Join(values, ", "))
	}
	if v := m.schema.Get("default"); v != nil {
		all = append(all, "default "+string(v.JSON()))
	}
	return strings.Join(all, "; ")
}

// member explains one member of a kind's data, and returns its JSON Schema.
func (e *explanation) member(k *schema.Kind, path []string) (*value.Value, error) {
	view, err := newDataView(k)
	if err != nil {
		return nil, err
	}
	if view == nil {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "the ref-schema does not describe the data of " + k.Name,
			Remedy: "give its entry a `schema`"}
	}
	found, rest := view.find(path)
	if len(rest) > 0 {
		err := &dovetail.Error{Code: dovetail.CodeNotFound, Message: "the data of " + k.Name + " has no member " + strings.Join(path, ".")}
		var names []string
		for _, m := range view.members(found.schema) {
			names = append(names, m.name)
		}
		if len(names) > 0 {
			err.Remedy = "known there are " + strings.Join(names, ", ")
		}
		return nil, err
	}
	e.line("KIND", k.Name)
	e.line("MEMBER", strings.Join(path, "."))
	e.line("TYPE", typeOf(found.schema))
	if found.required {
		e.line("REQUIRED", "yes")
	}
	for _, word := range []string{"format", "pattern", "enum", "const", "default", "minimum", "maximum", "exclusiveMinimum",
		"exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"} {
		if v := found.schema.Get(word); v != nil {
			e.line(strings.ToUpper(word), string(v.JSON()))
		}
	}
	e.line("DESCRIPTION", describe(found.schema))
	e.fields(view, found.schema)
	return found.schema, nil
}

// typeOf says what a value may be: "string", "string or null", "list of object".
func typeOf(v *value.Value) string {
	var types []string
	switch t := v.Get("type"); {
	case t == nil:
	case t.Kind == value.List:
		for _, item := range t.Items {
			types = append(types, item.Text)
		}
	default:
		types = append(types, t.Text)
	}
	text := strings.Join(types, " or ")
	if inner := v.Get("items"); inner != nil && text == "array" {
		if of := typeOf(inner); of != "" {
			return "array of " + of
		}
	}
	return text
}

func describe(v *value.Value) string {
	for _, word := range []string{"description", "title"} {
		if text, ok := v.Get(word).Str(); ok {
			return text
		}
	}
	return ""
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// completeMembers suggests kinds, and after a dot the members of their data.
func completeMembers(s *session, t *target) completion {
	return completing(s, t, func(ctx context.Context, st Store, args []string, prefix string) ([]cobra.Completion, error) {
		end := strings.LastIndexByte(prefix, '.')
		if len(args) > 0 {
			return nil, nil
		} else if end < 0 {
			return kindNames(ctx, st, prefix)
		}
		model, err := st.Model(ctx)
		if err != nil {
			return nil, err
		}
		kind, path, err := findPath(model, prefix[:end])
		if err != nil {
			return nil, err
		}
		view, err := newDataView(kind)
		if view == nil || err != nil {
			return nil, err
		}
		at, unknown := view.find(path)
		if len(unknown) > 0 {
			return nil, nil
		}
		var found []cobra.Completion
		for _, m := range view.members(at.schema) {
			if name := prefix[:end+1] + m.name; m.name != anyName && strings.HasPrefix(name, prefix) {
				found = append(found, cobra.CompletionWithDesc(name, firstLine(describe(m.schema))))
			}
		}
		return found, nil
	})
}
