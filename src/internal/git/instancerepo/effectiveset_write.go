package instancerepo

import (
	"bytes"
	"path"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// shared returns the content of a file of an effective set with one value for what the calculator writes once, with an anchor: the parameters below global, those
// below each service, and those at the top. Documents have each of them by itself.
func shared(name string, v *value.Value) *value.Value {
	global := v.Get("global")
	if global == nil || global.Kind != value.Map {
		return v
	}
	if path.Base(name) == "deploy-descriptor.yaml" {
		return sharedDescriptor(v)
	}
	made, common := shallow(v), value.IndexOf(global)
	for i, m := range made.Members {
		switch of := common.Get(m.Name); {
		case m.Value == global || m.Value.Kind != value.Map && m.Value.Kind != value.List:
		case value.Equal(m.Value, global):
			made.Members[i].Value = global
		case value.Equal(m.Value, of):
			made.Members[i].Value = of
		}
	}
	return made
}

// sharedDescriptor is shared for the descriptor of a deployment: there each service is the same, and the descriptor and global stand in it and in global, too.
func sharedDescriptor(v *value.Value) *value.Value {
	var known []*value.Value
	var once func(v *value.Value, depth int) *value.Value
	once = func(v *value.Value, depth int) *value.Value {
		if v.Kind != value.Map || depth > 2 {
			return v
		}
		made := shallow(v)
		for i, m := range made.Members {
			made.Members[i].Value = once(m.Value, depth+1)
		}
		if depth == 0 {
			return made
		}
		for _, other := range known {
			if value.Equal(other, made) {
				return other
			}
		}
		known = append(known, made)
		return made
	}
	return once(v, 0)
}

// asCalculated writes the content of a file of an effective set as the calculator writes it; false for one that it cannot write so that it is read as the same
// here, and for a file with comments but no anchors, which is edited as others are.
func asCalculated(name string, old []byte, from, to *value.Value) ([]byte, bool) {
	text := append([]byte{}, yaml.MarshalClassic(to)...)
	again, err := yaml.ParseClassic(name, text, value.Limits{})
	switch {
	case err != nil || len(again) > 1 || len(again) == 0 && len(to.Members) > 0 || len(again) == 1 && !value.Equal(again[0], to):
		return nil, false
	case !mayHaveComments(old) || bytes.Contains(text, []byte("*id001")):
		return text, true
	}
	return text, bytes.Equal(yaml.MarshalClassic(shared(name, from)), old)
}

// mayHaveComments reports whether a text has comments, or something that looks like one.
func mayHaveComments(text []byte) bool {
	return bytes.HasPrefix(text, []byte("#")) || bytes.Contains(text, []byte(" #")) || bytes.Contains(text, []byte("\n#"))
}
