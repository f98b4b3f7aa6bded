package manifest

import "github.com/dovetail-store/dovetail/src/value"

// Flatten takes manifests out of their containers: lists, and objects with a list "items" or
// "operations" and no kind but "List". Empty YAML documents are dropped.
func Flatten(values []*value.Value) []*value.Value {
	var manifests []*value.Value
	for _, v := range values {
		switch inner := contained(v); {
		case inner != nil:
			manifests = append(manifests, Flatten(inner.Items)...)
		case v != nil && v.Kind != value.Null:
			manifests = append(manifests, v)
		}
	}
	return manifests
}

// contained returns the list of manifests that v is or holds, nil when v is a manifest.
func contained(v *value.Value) *value.Value {
	if v != nil && v.Kind == value.List {
		return v
	}
	if kind := v.Get("kind"); kind != nil {
		if text, _ := kind.Str(); text != "List" {
			return nil
		}
	}
	for _, name := range []string{"items", "operations"} {
		if list := v.Get(name); list != nil && list.Kind == value.List {
			return list
		}
	}
	return nil
}
