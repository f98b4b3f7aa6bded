package gitops

import (
	"fmt"
	"maps"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// keyedList is a list of a kind of Kubernetes that the API's types say to be merged by a key.
type keyedList struct {
	kind schema.GroupVersionKind
	path []listStep
	last reflect.Type // of the key
}

// listStep leads to a member, and, if it has a key, into the items of the list there.
type listStep struct {
	name, key string
}

func (l keyedList) String() string {
	text := l.kind.GroupVersion().String() + " " + l.kind.Kind + " "
	for _, s := range l.path {
		text += "." + s.name
		if s.key != "" {
			text += "[" + s.key + "]"
		}
	}
	return text
}

// keyedLists finds the lists with a merge key in a type, and in the types of its members.
func keyedLists(kind schema.GroupVersionKind, t reflect.Type, path []listStep, found *[]keyedList) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || !strings.HasPrefix(t.PkgPath(), "k8s.io/api/") {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			keyedLists(kind, f.Type, path, found)
			continue
		}
		if len(path) == 0 && (name == "status" || name == "metadata") {
			continue
		}
		at := append(slices.Clone(path), listStep{name: name})
		if f.Type.Kind() != reflect.Slice {
			keyedLists(kind, f.Type, at, found)
			continue
		}
		key := f.Tag.Get("patchMergeKey")
		if key == "" || !strings.Contains(f.Tag.Get("patchStrategy"), "merge") {
			continue // replaced as a whole
		}
		at[len(at)-1].key = key
		*found = append(*found, keyedList{kind, at, keyType(f.Type.Elem(), key)})
		keyedLists(kind, f.Type.Elem(), at, found)
	}
}

// keyType is the type of a member by its name in JSON.
func keyType(t reflect.Type, key string) reflect.Type {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == key {
			return f.Type
		}
	}
	return nil
}

// layer writes an object that has, at the list, one item with a number in its key.
func (l keyedList) layer(name string, number int, annotations map[string]string) map[string]any {
	var v any
	for i := len(l.path) - 1; i >= 0; i-- {
		s := l.path[i]
		if s.key != "" {
			item, _ := v.(map[string]any)
			if item == nil {
				item = map[string]any{}
			}
			switch {
			case i < len(l.path)-1:
				item[s.key] = "same"
			case l.last.Kind() == reflect.String:
				item[s.key] = fmt.Sprint("k", number)
			default:
				item[s.key] = number
			}
			v = []any{item}
		}
		v = map[string]any{s.name: v}
	}
	object := v.(map[string]any)
	object["apiVersion"], object["kind"] = l.kind.GroupVersion().String(), l.kind.Kind
	all := map[string]any{}
	for k, v := range annotations {
		all["layering.dovetail.dev/"+k] = v
	}
	object["metadata"] = map[string]any{"name": name, "annotations": all}
	return object
}

// items are those of the list in an object.
func (l keyedList) items(object any) int {
	for _, s := range l.path {
		switch v := object.(type) {
		case map[string]any:
			object = v[s.name]
		case []any:
			object = v[0].(map[string]any)[s.name]
		}
	}
	list, _ := object.([]any)
	return len(list)
}

// TestMergeKeys shows that each list that the types of the Kubernetes API say to be merged by a key is merged: of every kind that
// is served in a version that is not alpha. ComponentStatus is only read.
func TestMergeKeys(t *testing.T) {
	var lists []keyedList
	for kind, of := range scheme.Scheme.AllKnownTypes() {
		if !strings.Contains(kind.Version, "alpha") && kind.Group != "extensions" && kind.Version != "__internal" && kind.Kind != "ComponentStatus" {
			keyedLists(kind, of, nil, &lists)
		}
	}
	slices.SortFunc(lists, func(a, b keyedList) int { return strings.Compare(a.String(), b.String()) })
	var items []any
	for i, l := range lists {
		name := fmt.Sprint("o", i)
		items = append(items,
			l.layer(name+"-base", 1, map[string]string{"layer": "base", "abstract": "true", "labels": "{base: " + name + "}"}),
			l.layer(name, 2, map[string]string{"layer": "site", "parent-selector": "{base: " + name + "}", "actions": "[{method: merge, path: .}]"}))
	}
	input, err := yaml.Marshal(map[string]any{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items,
		"functionConfig": map[string]any{"apiVersion": "v1", "kind": "Layering", "metadata": map[string]any{"name": "l"}, "spec": map[string]any{"layerOrder": []string{"base", "site"}}}})
	if err != nil {
		t.Fatal(err)
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	call := exec.CommandContext(t.Context(), path, "layering", "fn")
	call.Stdin = strings.NewReader(string(input))
	output, err := call.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	var answer struct{ Items []map[string]any }
	if err := yaml.Unmarshal(output, &answer); err != nil {
		t.Fatal(err)
	}
	rendered := map[string]any{}
	for _, item := range answer.Items {
		rendered[item["metadata"].(map[string]any)["name"].(string)] = item
	}
	missing := map[string]bool{}
	for i, l := range lists {
		if n := l.items(rendered[fmt.Sprint("o", i)]); n != 2 {
			missing[l.String()] = true
		}
	}
	for _, l := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("%s is replaced", l)
	}
	if len(lists) < 100 {
		t.Errorf("only %d lists found", len(lists))
	}
}
