package emco

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// EMCO stores Go structs without tags: a field stands in the database under its Go name in lower case, and in the REST API under
// its JSON name. The table of both is by kind and by member of a stored resource.

//go:embed fields.yaml
var fieldsText []byte

// field is a field of a member, or of an object in it.
type field struct {
	stored, json string
	types        []string // "list", "map", and last what these hold: "object", "string", "int", ...
	omitEmpty    bool     // the API leaves it out where it is empty
	pointer      bool     // it is a pointer, which is empty where it is nil
	query        string   // the member of the resource that is a copy of it, to be selected by; "" if there is none
	inline       bool     // its fields stand in the enclosing object in JSON
	fields       []field  // of an object
}

// table is the fields by kind and member.
var table = sync.OnceValue(func() map[string]map[string][]field {
	documents, err := yaml.Parse("fields.yaml", fieldsText, value.Limits{})
	if err != nil || len(documents) != 1 {
		panic("fields.yaml cannot be read: " + err.Error()) // it is embedded and tested
	}
	kinds := make(map[string]map[string][]field)
	for _, kind := range documents[0].Get("kinds").Members {
		members := make(map[string][]field)
		for _, member := range kind.Value.Members {
			members[member.Name] = fieldsOf(member.Value.Get("fields"))
		}
		kinds[kind.Name] = members
	}
	return kinds
})

func fieldsOf(list *value.Value) []field {
	var fields []field
	for _, v := range items(list) {
		yes := func(name string) bool { return v.Get(name) != nil && v.Get(name).Text == "true" }
		types := strings.Fields(text(v.Get("type")))
		for i, word := range types {
			if word == "of" || word == "to" {
				types[i] = ""
			}
		}
		types = strings.Fields(strings.Join(types, " "))
		fields = append(fields, field{stored: text(v.Get("stored")), json: text(v.Get("json")), types: types,
			query: text(v.Get("query")), omitEmpty: yes("omitempty"), pointer: yes("pointer"), inline: yes("json-inline"), fields: fieldsOf(v.Get("fields"))})
	}
	return fields
}

// memberFields returns the fields of a member of a kind's resources; nil for one that EMCO does not have.
func memberFields(kind, group, member string) []field {
	members := table()[kind]
	if member == memberData && kind == "controllerGroup.controller" && group == "cluster" {
		return members["data (clm)"]
	}
	return members[member]
}

// copies is, by kind, where in the data the values are of which resources have copies, by the names of these.
var copies = sync.OnceValue(func() map[string]map[string][]string {
	kinds := make(map[string]map[string][]string)
	var visit func(kind string, fields []field, at []string)
	visit = func(kind string, fields []field, at []string) {
		for _, f := range fields {
			path := append(slices.Clip(at), f.json)
			if f.query != "" {
				if kinds[kind] == nil {
					kinds[kind] = make(map[string][]string)
				}
				kinds[kind][f.query] = path
			}
			if f.types[0] == "object" {
				visit(kind, f.fields, path)
			}
		}
	}
	for kind, members := range table() {
		visit(kind, members[memberData], nil)
	}
	return kinds
})
