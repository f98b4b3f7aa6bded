package emco

import (
	"slices"
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/value"
)

// renaming gives stored fields the names of the REST API, and notes what the table and a resource do not have in common.
type renaming struct {
	unknown []string // paths that the table does not have; they keep their names
	missing []string // paths that a resource does not have, and EMCO always writes
	odd     []string // paths of values that are not of the type of their field
}

// object renames the fields of an object. path is its own, with a dot at the end.
func (r *renaming) object(fields []field, stored *value.Value, path string) *value.Value {
	if stored == nil || stored.Kind != value.Map {
		r.odd = append(r.odd, path[:max(0, len(path)-1)])
		return stored
	}
	renamed := value.NewMap()
	known := make(map[string]bool)
	for _, f := range fields {
		name := f.stored
		if stored.Get(name) == nil && stored.Get(f.json) != nil {
			name = f.json // as a tool may have written it that knows the API only
		}
		known[name] = true
		v := stored.Get(name)
		if v == nil && f.inline {
			v = f.shown(stored, known)
		}
		if v == nil {
			r.missing = append(r.missing, path+f.stored)
			continue
		}
		v = r.typed(f, f.types, v, path+name)
		switch {
		case v.Kind == value.Null, f.omitEmpty && f.isEmpty(v):
		case f.inline:
			for _, m := range v.Members {
				renamed.Set(m.Name, m.Value)
			}
		default:
			renamed.Set(f.json, v)
		}
	}
	for _, m := range stored.Members {
		if !known[m.Name] {
			r.unknown = append(r.unknown, path+m.Name)
			renamed.Set(m.Name, plain(m.Value))
		}
	}
	return renamed
}

// shown returns the members of an object in which the API shows those of the field, which it marks as known; nil without any.
func (f *field) shown(api *value.Value, known map[string]bool) *value.Value {
	var is *value.Value
	for _, inner := range f.fields {
		if v := api.Get(inner.json); v != nil {
			if is == nil {
				is = value.NewMap()
			}
			is.Set(inner.json, v)
			known[inner.json] = true
		}
	}
	return is
}

// typed renames what a value of a type holds.
func (r *renaming) typed(f field, types []string, v *value.Value, path string) *value.Value {
	if v = plain(v); v.Kind == value.Null {
		return v
	}
	want := value.Map
	switch types[0] {
	case "any":
		return v
	case "list":
		want = value.List
	case "map", "object":
	case "string", "time", "bytes":
		want = value.String
	case "bool":
		want = value.Bool
	default:
		want = value.Number
	}
	if v.Kind != want {
		r.odd = append(r.odd, path)
		return v
	}
	switch types[0] {
	case "object":
		return r.object(f.fields, v, path+".")
	case "list":
		list := value.NewList()
		for i, item := range v.Items {
			list.Items = append(list.Items, r.typed(f, types[1:], item, path+"["+strconv.Itoa(i)+"]"))
		}
		return list
	case "map":
		all := value.NewMap()
		for _, m := range v.Members {
			all.Set(m.Name, r.typed(f, types[1:], m.Value, path+"."+m.Name))
		}
		return all
	}
	return v
}

// isEmpty reports whether Go leaves a value of the field out of JSON under omitempty. It never does so with structs, and with pointers only where they are nil.
func (f *field) isEmpty(v *value.Value) bool {
	if f.pointer || f.types[0] == "object" {
		return v.Kind == value.Null
	}
	switch v.Kind {
	case value.String:
		return v.Text == ""
	case value.Number:
		return v.Text == "0"
	case value.Bool:
		return v.Text == "false"
	case value.List:
		return len(v.Items) == 0
	}
	return v.Kind == value.Map && len(v.Members) == 0
}

// plain returns a value of Extended JSON as JSON has it: numbers as numbers, dates as RFC 3339 has them, binary data in base64.
func plain(v *value.Value) *value.Value {
	switch v.Kind {
	case value.List:
		list := value.NewList()
		for _, item := range v.Items {
			list.Items = append(list.Items, plain(item))
		}
		return list
	case value.Map:
		if len(v.Members) == 1 {
			if is := extended(v.Members[0]); is != nil {
				return is
			}
		}
		all := value.NewMap()
		for _, m := range v.Members {
			all.Set(m.Name, plain(m.Value))
		}
		return all
	}
	return v
}

// extended returns what a value with a type stands for, nil for one without.
func extended(m value.Member) *value.Value {
	switch m.Name {
	case "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal":
		if v, err := value.ParseJSON([]byte(text(m.Value)), value.Limits{}); err == nil && v.Kind == value.Number {
			return v.Unplaced()
		}
	case "$date":
		if at, ok := dateOf(m.Value); ok {
			return value.NewString(at.Format(time.RFC3339Nano))
		}
	case "$oid", "$symbol":
		return value.NewString(text(m.Value))
	case "$binary":
		if data := m.Value.Get("base64"); data != nil {
			return value.NewString(text(data))
		}
	}
	return nil
}

// dateOf reads a date: milliseconds in canonical Extended JSON, RFC 3339 in relaxed one.
func dateOf(v *value.Value) (at time.Time, ok bool) {
	if v.Kind == value.Map {
		v = plain(v)
	}
	switch v.Kind {
	case value.Number:
		ms, err := strconv.ParseInt(v.Text, 10, 64)
		return time.UnixMilli(ms).UTC(), err == nil
	case value.String:
		at, err := time.Parse(time.RFC3339Nano, v.Text)
		return at.UTC(), err == nil
	}
	return time.Time{}, false
}

// paths are those of a renaming, sorted, each once: of the elements of a list only the first.
func paths(all []string) []string {
	all = slices.Clone(all)
	slices.Sort(all)
	return slices.Compact(all)
}
