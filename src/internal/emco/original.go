package emco

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// The way back from the names of the REST API to those of the database, in canonical Extended JSON.

// original is the inverse of renaming.object.
func original(fields []field, api *value.Value) *value.Value {
	if api.Kind != value.Map {
		return typeless(api)
	}
	stored := value.NewMap()
	known := make(map[string]bool)
	originals(stored, fields, api, known)
	for _, m := range api.Members {
		if !known[m.Name] {
			stored.Set(m.Name, typeless(m.Value))
		}
	}
	return stored
}

// originals adds the fields to an object, and notes the names that they have in the API.
func originals(stored *value.Value, fields []field, api *value.Value, known map[string]bool) {
	for _, f := range fields {
		if f.inline {
			within := value.NewMap()
			originals(within, f.fields, api, known)
			stored.Set(f.stored, within)
			continue
		}
		known[f.json] = true
		v := api.Get(f.json)
		if v == nil {
			v = f.zero()
		}
		stored.Set(f.stored, f.typed(f.types, v))
	}
}

// zero is the value of a field that the API does not show: null, or one that Go leaves out.
func (f *field) zero() *value.Value {
	if f.omitEmpty && !f.pointer {
		switch f.types[0] {
		case "string":
			return value.NewString("")
		case "bool":
			return value.NewBool(false)
		case "object":
			return value.NewMap()
		case "list", "map", "any", "bytes", "time":
		default:
			return value.NewNumber(0)
		}
	}
	return value.NullValue()
}

// typed gives a value of a type the form that EMCO stores. One of another type keeps its own.
func (f *field) typed(types []string, v *value.Value) *value.Value {
	switch {
	case types[0] == "object" && v.Kind == value.Map:
		return original(f.fields, v)
	case types[0] == "list" && v.Kind == value.List:
		list := value.NewList()
		for _, item := range v.Items {
			list.Items = append(list.Items, f.typed(types[1:], item))
		}
		return list
	case types[0] == "map" && v.Kind == value.Map:
		all := value.NewMap()
		for _, m := range v.Members {
			all.Set(m.Name, f.typed(types[1:], m.Value))
		}
		return all
	case types[0] == "time" && v.Kind == value.String:
		if at, err := time.Parse(time.RFC3339Nano, v.Text); err == nil {
			return wrapped("$date", wrapped("$numberLong", value.NewString(strconv.FormatInt(at.UnixMilli(), 10))))
		}
	case types[0] == "bytes" && v.Kind == value.String:
		return wrapped("$binary", value.NewMap(value.Member{Name: "base64", Value: v}, value.Member{Name: "subType", Value: value.NewString("00")}))
	case types[0] == "float64" && v.Kind == value.Number:
		return wrapped("$numberDouble", value.NewString(v.Text))
	case types[0] == "int64" && v.Kind == value.Number && isInteger(v.Text):
		return wrapped("$numberLong", value.NewString(v.Text))
	}
	return typeless(v)
}

// typeless gives a value the form that Go stores where no type is known: an int that is as short as it can be, or a float64.
func typeless(v *value.Value) *value.Value {
	switch v.Kind {
	case value.Number:
		name := "$numberDouble"
		if isInteger(v.Text) {
			name = "$numberInt"
			if _, err := strconv.ParseInt(v.Text, 10, 32); err != nil {
				name = "$numberLong"
			}
		}
		return wrapped(name, value.NewString(v.Text))
	case value.List:
		list := value.NewList()
		for _, item := range v.Items {
			list.Items = append(list.Items, typeless(item))
		}
		return list
	case value.Map:
		all := value.NewMap()
		for _, m := range v.Members {
			all.Set(m.Name, typeless(m.Value))
		}
		return all
	}
	return v
}

func wrapped(name string, v *value.Value) *value.Value {
	return value.NewMap(value.Member{Name: name, Value: v})
}

func isInteger(literal string) bool {
	_, err := strconv.ParseInt(literal, 10, 64)
	return err == nil && !strings.HasPrefix(literal, "-0")
}

// files gives the content of a document the form of a member; nil if there is none, except kinds whose files need not be there.
func (p *Parts) files(kind *schema.Kind, member string) *value.Value {
	form := fileMembers[kind.Name]
	if len(p.Content) == 0 {
		if !form.optional {
			return nil
		}
		if form.field != "" {
			return value.NewMap(value.Member{Name: form.field, Value: value.NewString("")})
		}
		return value.NewMap(value.Member{Name: "content", Value: value.NullValue()})
	}
	if form.field != "" {
		return value.NewMap(value.Member{Name: form.field, Value: value.NewString(base64.StdEncoding.EncodeToString(p.Content[0].Data))})
	}
	list := value.NewList()
	for _, file := range p.Content {
		keyName := p.Status.At(memberKeyNames, file.Filename)
		if keyName == nil {
			keyName = value.NewString(file.Filename)
		}
		list.Items = append(list.Items, value.NewMap(
			value.Member{Name: "filename", Value: value.NewString(file.Filename)},
			value.Member{Name: "content", Value: value.NewString(base64.StdEncoding.EncodeToString(file.Data))},
			value.Member{Name: "keyname", Value: keyName}))
	}
	return value.NewMap(value.Member{Name: "content", Value: list})
}
