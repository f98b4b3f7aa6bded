package krm

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// prefix is that of the annotations by which an object takes part in layering.
const prefix = "layering.dovetail.dev/"

// The annotations. Those whose values are not texts are read as YAML.
var annotations = []string{"layer", "abstract", "name", "labels", "parent-selector", "actions", "merge-keys", "substitutions", "replacement"}

// kept are the prefixes of annotations of the tools that call functions. They stay with their object, and are not inherited.
var kept = []string{"kustomize.config.k8s.io/", "internal.config.kubernetes.io/", "config.kubernetes.io/", "config.k8s.io/", "internal.kpt.dev/"}

func isKept(name string) bool {
	return slices.ContainsFunc(kept, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// isDocument reports whether an item is a layered document as it is.
func isDocument(v *value.Value) bool {
	schema, _ := v.At("metadata", "schema").Str()
	return v.Get("apiVersion") == nil && v.Get("schema") != nil && strings.HasPrefix(schema, "metadata/")
}

// withoutAnnotations is a document without those that the tools add.
func withoutAnnotations(v *value.Value) *value.Value {
	metadata := *v.Get("metadata")
	metadata.Members = slices.DeleteFunc(slices.Clone(metadata.Members), func(m value.Member) bool { return m.Name == "annotations" })
	document := *v
	document.Members = slices.Clone(v.Members)
	document.Set("metadata", &metadata)
	return &document
}

// isLayered reports whether an item is an object with annotations of layering.
func isLayered(v *value.Value) bool {
	all := v.At("metadata", "annotations")
	return v.Get("apiVersion") != nil && all != nil && slices.ContainsFunc(all.Members, func(m value.Member) bool { return strings.HasPrefix(m.Name, prefix) })
}

// documentOf makes a document of an object with annotations.
func documentOf(v *value.Value) (*value.Value, []finding) {
	r := objectReader{annotations: v.At("metadata", "annotations")}
	for _, m := range r.annotations.Members {
		if name, ok := strings.CutPrefix(m.Name, prefix); ok && !slices.Contains(annotations, name) {
			remedy := "use one of " + strings.Join(annotations, ", ")
			if near := suggest.Nearest(name, annotations); near != "" {
				remedy = "did you mean " + prefix + near + "?"
			}
			var correction error
			if meant := decode.Corrected(name, annotations); meant != "" && r.annotations.Get(prefix+meant) == nil {
				correction = &decode.Correction{At: m.Place, Old: m.Name, New: value.NewString(prefix + meant)}
			}
			r.fail(name, remedy, "there is no annotation "+m.Name, correction)
		}
	}
	says := steering{layer: r.text("layer"), abstract: r.yaml("abstract"), name: r.text("name"), labels: r.yaml("labels"), parentSelector: r.yaml("parent-selector"),
		actions: r.yaml("actions"), mergeKeys: r.yaml("merge-keys"), substitutions: r.yaml("substitutions"), replacement: r.yaml("replacement"), place: r.annotations.Place}
	if says.layer == nil {
		r.fail("layer", "add the annotation "+prefix+"layer", "the object has annotations of layering, but no layer", nil)
	}
	return says.object(v), r.problems
}

// steering says how an object, or values, take part in layering, nil for what it does not say. It is of annotations, or of an entry of
// a Layering.
type steering struct {
	layer, abstract, name, labels, parentSelector, actions, mergeKeys, substitutions, replacement *value.Value

	place value.Place // where it stands
}

// object makes a document of an object. Its schema is group, kind and version, its name that of the object after its namespace, unless
// there is another; its labels are those of the object, and those of layering; its data is the object without what identifies it.
func (s steering) object(v *value.Value) *value.Value {
	s.actions = inData(s.actions)
	return s.document(v, schemaOf(v), nameOf(v), v.At("metadata", "labels"), content(v))
}

func (s steering) document(v *value.Value, schema, name string, labels, data *value.Value) *value.Value {
	set := func(into *value.Value, member string, to *value.Value) {
		if to != nil {
			into.Set(member, to)
		}
	}
	definition := value.NewMap()
	set(definition, "layer", s.layer)
	set(definition, "abstract", s.abstract)
	set(definition, "parentSelector", s.parentSelector)
	set(definition, "actions", s.actions)
	set(definition, "mergeKeys", s.mergeKeys)
	metadata := value.NewMap(value.Member{Name: "schema", Value: value.NewString("metadata/Document/v1")},
		value.Member{Name: "name", Value: cmp.Or(s.name, value.NewString(name))})
	both := value.BuilderOf(labels)
	both.SetAll(s.labels)
	all := both.Map()
	if s.labels != nil && s.labels.Kind != value.Map {
		all = s.labels // which is refused
	}
	metadata.Set("labels", all)
	metadata.Set("layeringDefinition", definition)
	set(metadata, "substitutions", s.substitutions)
	set(metadata, "replacement", s.replacement)
	document := value.NewMap(value.Member{Name: "schema", Value: value.NewString(schema)}, value.Member{Name: "metadata", Value: metadata},
		value.Member{Name: "data", Value: data})
	document.Place, metadata.Place, definition.Place = v.Place, v.Place, s.place
	return document
}

// nameOf is the name of an object, after its namespace if it has one: objects of several namespaces are several.
func nameOf(v *value.Value) string {
	name, _ := v.At("metadata", "name").Str()
	if namespace, _ := v.At("metadata", "namespace").Str(); namespace != "" {
		return namespace + "/" + name
	}
	return name
}

// formOf is the form of an object with a schema.
func formOf(v *value.Value, schema string) *rendering.Form {
	return &rendering.Form{Lists: listKeysOf(schema), Path: objectPath, Whole: func(data *value.Value) *value.Value { return objectOf(v, data) }}
}

// schemaOf is the schema of an object: its group, or core, its kind and its version.
func schemaOf(v *value.Value) string {
	api, _ := v.Get("apiVersion").Str()
	kind, _ := v.Get("kind").Str()
	group, version, ok := strings.Cut(api, "/")
	if !ok {
		group, version = "core", api
	}
	return group + "/" + kind + "/" + version
}

// inData puts the paths of actions that begin with data below the document's data, since they name the member of the object: in
// actions a leading .data means the data itself.
func inData(actions *value.Value) *value.Value {
	if actions == nil || actions.Kind != value.List {
		return actions
	}
	all := value.NewList()
	all.Place = actions.Place
	for _, a := range actions.Items {
		if path, ok := a.Get("path").Str(); ok && a.Kind == value.Map && belowData(path) != path {
			c := *a
			c.Members = slices.Clone(a.Members)
			c.Set("path", value.NewString(belowData(path)))
			a = &c
		}
		all.Items = append(all.Items, a)
	}
	return all
}

// belowData is a path, below the data if it begins with a member data.
func belowData(path string) string {
	rest := strings.TrimPrefix(path, "$")
	if next, ok := strings.CutPrefix(rest, ".data"); ok && (next == "" || next[0] == '.' || next[0] == '[') {
		return ".data" + rest
	}
	return path
}

// keysInData is inData of the keys of lists by their paths.
func keysInData(keys *value.Value) *value.Value {
	if keys == nil || keys.Kind != value.Map {
		return keys
	}
	all := *keys
	all.Members = slices.Clone(keys.Members)
	for i, m := range all.Members {
		all.Members[i].Name = belowData(m.Name)
	}
	return &all
}

// content is what an object inherits and hands down: all but its apiVersion, kind, name, namespace and the annotations of tools.
func content(v *value.Value) *value.Value {
	var data value.Builder
	for _, m := range v.Members {
		switch m.Name {
		case "apiVersion", "kind":
		case "metadata":
			if metadata := contentOfMetadata(m.Value); len(metadata.Members) > 0 {
				data.Set("metadata", metadata)
			}
		default:
			data.Set(m.Name, m.Value)
		}
	}
	return at(v, &data)
}

// at is a built map in the place of another.
func at(v *value.Value, b *value.Builder) *value.Value {
	built := b.Map()
	built.Place = v.Place
	return built
}

func contentOfMetadata(v *value.Value) *value.Value {
	var metadata value.Builder
	for _, m := range v.Members {
		switch m.Name {
		case "name", "namespace":
		case "annotations":
			var rest value.Builder
			for _, a := range m.Value.Members {
				if !isKept(a.Name) && !strings.HasPrefix(a.Name, prefix) {
					rest.Set(a.Name, a.Value)
				}
			}
			if rest := rest.Map(); len(rest.Members) > 0 {
				metadata.Set(m.Name, rest)
			}
		default:
			metadata.Set(m.Name, m.Value)
		}
	}
	return at(v, &metadata)
}

// objectOf is an object with rendered data: what identifies it, and the annotations of tools, are its own.
func objectOf(own, data *value.Value) *value.Value {
	var object, metadata value.Builder
	object.Set("apiVersion", own.Get("apiVersion"))
	object.Set("kind", own.Get("kind"))
	for _, name := range []string{"name", "namespace"} {
		if v := own.At("metadata", name); v != nil {
			metadata.Set(name, v)
		}
	}
	all := value.BuilderOf(nil)
	if rendered := data.Get("metadata"); rendered != nil {
		for _, m := range rendered.Members {
			if m.Name == "annotations" && m.Value.Kind == value.Map {
				all = value.BuilderOf(m.Value)
				continue
			}
			metadata.Set(m.Name, m.Value)
		}
	}
	if annotations := own.At("metadata", "annotations"); annotations != nil {
		for _, m := range annotations.Members {
			if isKept(m.Name) {
				all.Set(m.Name, m.Value)
			}
		}
	}
	if all := all.Map(); len(all.Members) > 0 {
		metadata.Set("annotations", all)
	}
	object.Set("metadata", metadata.Map())
	for _, m := range data.Members {
		if m.Name != "metadata" {
			object.Set(m.Name, m.Value)
		}
	}
	return object.Map()
}

// objectReader reads the annotations of an object.
type objectReader struct {
	annotations *value.Value
	problems    []finding
}

func (r *objectReader) fail(name, remedy, message string, correction error) {
	e := &dovetail.Error{Code: dovetail.CodeInvalid, Reason: rendering.ClassInvalidDocumentFormat, Message: message, Remedy: remedy, Err: correction}
	if e.Position = r.annotations.Position(); r.annotations.Get(prefix+name) != nil {
		e.Position = r.annotations.Get(prefix + name).Position()
	}
	r.problems = append(r.problems, finding{err: e, path: value.Pointer("metadata", "annotations", prefix+name)})
}

// text is the text of an annotation, nil without it.
func (r *objectReader) text(name string) *value.Value {
	v := r.annotations.Get(prefix + name)
	if v == nil {
		return nil
	}
	if v.Kind != value.String {
		var correction error
		if v.Kind == value.Number || v.Kind == value.Bool {
			correction = &decode.Correction{At: v.Place, Old: v.Text, New: value.NewString(v.Text)}
		}
		r.fail(name, "put it in quotes", "the value of an annotation is a text, not a "+v.Kind.String(), correction)
		return value.NewString("")
	}
	return v
}

// yaml is the value that the text of an annotation has as YAML.
func (r *objectReader) yaml(name string) *value.Value {
	text := r.text(name)
	if text == nil {
		return nil
	}
	read, err := yaml.Parse("", []byte(text.Text), value.Limits{})
	switch {
	case err != nil:
		r.fail(name, dovetail.AsError(err).Remedy, "the annotation is no YAML: "+dovetail.AsError(err).Message, nil)
	case len(read) != 1:
		r.fail(name, "write one value", "the annotation has no value", nil)
	default:
		move(read[0], text.Place)
		return read[0]
	}
	return nil
}

// move gives a value and all in it the place of the annotation that they were read of, as their own are those in its text.
func move(v *value.Value, to value.Place) {
	v.Place = to
	for _, item := range v.Items {
		move(item, to)
	}
	for i := range v.Members {
		v.Members[i].Place = to
		move(v.Members[i].Value, to)
	}
}

// objectPath translates a path in the document of an object into one in the object.
func objectPath(path string) string {
	for _, to := range [][2]string{{"/data", ""}, {"/metadata/substitutions", "substitutions"}, {"/metadata/labels", "labels"}, {"/metadata/replacement", "replacement"},
		{"/metadata/layeringDefinition/parentSelector", "parent-selector"}, {"/metadata/layeringDefinition/actions", "actions"},
		{"/metadata/layeringDefinition/mergeKeys", "merge-keys"}, {"/metadata/layeringDefinition/abstract", "abstract"}, {"/metadata/layeringDefinition/layer", "layer"}, {"/metadata/layeringDefinition", "layer"}} {
		rest, ok := strings.CutPrefix(path, to[0])
		switch {
		case !ok || rest != "" && rest[0] != '/':
		case to[1] == "":
			return rest
		default:
			return value.Pointer("metadata", "annotations", prefix+to[1]) + rest
		}
	}
	return path
}
