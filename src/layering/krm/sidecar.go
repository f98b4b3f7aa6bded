package krm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// ValuesSchema is the schema of documents that are values of Helm.
const ValuesSchema = "helm/Values/v1"

// The lists of a Layering: those whose entries say how files without annotations take part, and the bases.
const (
	listOfObjects = "objects"
	listOfValues  = "values"
	listOfBases   = "bases"
)

var (
	entryLists = []string{listOfObjects, listOfValues}
	fileLists  = append(entryLists, listOfBases)
)

// File is a file of documents.
type File struct {
	Name   string
	Text   []byte
	Values []*value.Value // of the text
	Err    error          // what is wrong with the text; then there are no values
	// Secret says that the file is encrypted: what its documents hold is hidden as that of storagePolicy encrypted is.
	Secret bool
	// Decrypted says that the values are not those of the text, but what SOPS encrypted in it.
	Decrypted bool
}

// hidden are the documents of a file, which are secrets if it is encrypted.
func (f *File) hidden(documents []*rendering.Document) []*rendering.Document {
	if f.Secret {
		for i, d := range documents {
			documents[i] = d.AsSecret()
		}
	}
	return documents
}

// Opener finds what files name.
type Opener interface {
	// Open returns the file that another one names, relative to itself: for the same file the same pointer, also if it is one of those
	// that ReadAll was given.
	Open(from *File, name string) (*File, error)
	// Base returns the files of documents of a base that a file names.
	Base(from *File, base Base) ([]*File, error)
}

// ReadAll reads the documents of files as Read does. A Layering among them can name files, of Kubernetes objects or of values of Helm,
// and say how they take part; those are opened, and not read otherwise.
func ReadAll(files []*File, open Opener) ([]*rendering.Document, error) {
	r := siteReader{open: open, named: make(map[*File][]*entry), refused: make(map[*File]bool)}
	for i := 0; i < len(files); i++ {
		files = append(files[:len(files):len(files)], r.configurations(files[i])...)
	}
	var documents []*rendering.Document
	for _, f := range files {
		switch {
		case r.named[f] != nil || r.refused[f]:
		case f.Err != nil:
			r.errs.Join(f.Err)
		default:
			read, err := Read(f.Name, f.Values)
			r.errs.Join(err)
			documents = append(documents, f.hidden(read)...)
		}
	}
	for _, f := range r.order {
		documents = append(documents, f.hidden(r.read(f))...)
	}
	if err := r.errs.Err("the documents are refused"); err != nil {
		return nil, err
	}
	return documents, nil
}

type siteReader struct {
	open  Opener
	named map[*File][]*entry
	order []*File // those that are named
	errs  dovetail.Errors
	// refused are files of entries that are refused: what they have is read in no other way, so that no errors follow.
	refused map[*File]bool
}

// entry is one item of a list in a Layering.
type entry struct {
	steering

	of     *File // the one of the Layering
	path   string
	list   string
	field  decode.Field
	object *value.Value // which of the objects of the file it is about; nil for all
	used   bool
}

// fail reports an error about an entry.
func (r *siteReader) fail(at dovetail.Position, remedy, message string) {
	r.errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Reason: rendering.ClassInvalidDocumentFormat, Position: at, Message: message, Remedy: remedy})
}

// configurations reads the entries of all Layerings in a file, and returns the files of their bases.
func (r *siteReader) configurations(f *File) (bases []*File) {
	d := decode.Decoder{File: f.Name, Errors: &r.errs, Complete: func(e *dovetail.Error) { e.Reason = rendering.ClassInvalidDocumentFormat }}
	for _, v := range f.Values {
		if !isConfiguration(v) || v.Get("spec") == nil || v.Get("spec").Kind != value.Map {
			continue
		}
		spec := d.Root(v.Get("spec"), "spec", "/spec")
		for _, list := range entryLists {
			for i, item := range spec.Get(list).Items("an item of " + list) {
				r.entry(f, list, i, item)
			}
		}
		bases = append(bases, r.bases(f, spec)...)
	}
	return bases
}

func (r *siteReader) entry(f *File, list string, i int, item decode.Field) {
	known := []string{"file", "name", "layer", "abstract", "labels", "parentSelector", "actions", "mergeKeys", "substitutions", "replacement"}
	if list == listOfObjects {
		known = append(known, "object")
	}
	before := r.errs.Total()
	if !item.Map(known...) {
		return
	}
	file := item.Get("file").Text()
	var target *File
	var err error
	if file != "" {
		target, err = r.open.Open(f, file)
	}
	defer func() {
		if target != nil && target != f && r.errs.Total() > before {
			r.refused[target] = true
		}
	}()
	e := &entry{of: f, path: value.Pointer("spec", list, strconv.Itoa(i)), list: list, field: item, object: item.Value.Get("object")}
	get := item.Value.Get
	e.steering = steering{layer: get("layer"), abstract: get("abstract"), labels: get("labels"), parentSelector: get("parentSelector"), actions: get("actions"),
		mergeKeys: get("mergeKeys"), substitutions: get("substitutions"), replacement: get("replacement"), place: item.Value.Place}
	if list == listOfValues || get("name") != nil {
		if item.Get("name").Text() != "" {
			e.name = get("name")
		}
	}
	if e.object != nil && item.Get("object").Map("kind", "name", "namespace") {
		for name, f := range item.Get("object").All() {
			if slices.Contains([]string{"kind", "name", "namespace"}, name) {
				f.Text()
			}
		}
	}
	if r.errs.Total() > before {
		return
	}
	if e.actions == nil && e.parentSelector != nil { // what inherits is merged, unless it says something else
		e.actions = mergeAll(e.parentSelector.Place)
	}
	switch at := item.Get("file").Position(); {
	case err != nil:
		r.fail(at, dovetail.AsError(err).Remedy, "the file "+file+" of the entry cannot be used: "+dovetail.AsError(err).Message)
		return
	case target == f:
		r.fail(at, "name the file of objects or values", "the entry names the file that it stands in")
		return
	case len(r.named[target]) > 0 && (list == listOfValues || r.named[target][0].list == listOfValues):
		first := r.named[target][0].field.Get("file").Position()
		r.fail(at, "remove one of the two", "the file "+file+" has an entry at "+first.String()+", too")
		return
	case len(r.named[target]) == 0:
		r.order = append(r.order, target)
	}
	r.named[target] = append(r.named[target], e)
}

// mergeAll is the action that merges all data.
func mergeAll(at value.Place) *value.Value {
	action := value.NewMap(value.Member{Name: "method", Value: value.NewString("merge")}, value.Member{Name: "path", Value: value.NewString(".")})
	actions := value.NewList(action)
	move(actions, at)
	return actions
}

// read reads a file that entries name.
func (r *siteReader) read(f *File) []*rendering.Document {
	entries := r.named[f]
	if entries[0].list == listOfValues {
		return r.values(f, entries[0])
	}
	if f.Err != nil {
		r.errs.Join(f.Err)
		return nil
	}
	var documents []*rendering.Document
	for _, v := range f.Values {
		at := v.Position()
		at.File = f.Name
		matching := matchingEntries(entries, v)
		switch {
		case !isObject(v):
			r.fail(at, "name a file of objects only", "this is no Kubernetes object, but "+entries[0].field.Position().String()+" says how the objects of the file take part")
		case isLayered(v):
			r.fail(at, "remove the annotations, or the entry", "the object has annotations of layering, and "+entries[0].field.Position().String()+" says how the objects of the file take part")
		case len(matching) == 0:
			r.fail(at, "add an entry for it, or keep it out of this file", "no entry of "+entries[0].of.Name+" is about this object of the file")
		case len(matching) > 1:
			r.fail(at, "narrow one of them with the member object", "the entries at "+matching[0].field.Position().String()+" and "+matching[1].field.Position().String()+" are both about this object")
		default:
			e := matching[0]
			documents = append(documents, r.document(f, e, e.steering.object(v), rendering.ProfileKubernetes, func(document *rendering.Document) *rendering.Form { return formOf(v, document.Schema) })...)
		}
	}
	for _, e := range entries {
		if !e.used {
			r.fail(e.field.Position(), "correct the member object, or remove the entry", "no object of "+f.Name+" is what the entry is about")
		}
	}
	return documents
}

// matchingEntries are the entries about an object.
func matchingEntries(entries []*entry, v *value.Value) []*entry {
	var all []*entry
	for _, e := range entries {
		is := func(member string, of *value.Value) bool {
			wanted := e.object.Get(member)
			return wanted == nil || value.Equal(wanted, of)
		}
		if e.object == nil || is("kind", v.Get("kind")) && is("name", v.At("metadata", "name")) && is("namespace", v.At("metadata", "namespace")) {
			e.used = true
			all = append(all, e)
		}
	}
	return all
}

// values reads values of Helm: what there is in the file as Helm reads it, which may be nothing. They are merged as Helm merges them, so
// null stays: it is what deletes a default of the chart when Helm gets the result.
func (r *siteReader) values(f *File, e *entry) []*rendering.Document {
	read, err := f.Values, f.Err
	if !f.Decrypted {
		read, err = yaml.ParseKubernetes(f.Name, f.Text, value.Limits{})
	}
	switch {
	case err != nil:
		r.errs.Join(err)
		return nil
	case len(read) == 0:
		read = []*value.Value{value.NewMap()}
	case len(read) > 1:
		at := read[1].Position()
		at.File = f.Name
		r.fail(at, "put them into files of their own", "a file of values has one YAML document, not "+strconv.Itoa(len(read)))
		return nil
	}
	v := read[0]
	if v.Kind != value.Map {
		at := v.Position()
		at.File = f.Name
		r.fail(at, "write members as name: value", "values are a map, not a "+v.Kind.String())
		return nil
	}
	name, _ := e.name.Str()
	e.actions, e.mergeKeys = inData(e.actions), keysInData(e.mergeKeys)
	return r.document(f, e, e.document(v, ValuesSchema, name, nil, v), rendering.ProfileDovetail, func(*rendering.Document) *rendering.Form {
		return &rendering.Form{Whole: func(data *value.Value) *value.Value { return data }}
	})
}

// document reads the document that was made of an entry and what its file has.
func (r *siteReader) document(f *File, e *entry, v *value.Value, profile rendering.Profile, form func(*rendering.Document) *rendering.Form) []*rendering.Document {
	v.Get("metadata").Place = e.place
	documents, err := profile.Read(f.Name, []*value.Value{v})
	if err != nil {
		r.errs.Join(moved(err, func(at dovetail.Position) dovetail.Position {
			if strings.HasPrefix(at.Path, "/metadata/") {
				at.File = e.of.Name
			}
			at.Path = e.pathOf(at.Path)
			return at
		}))
		return nil
	}
	of := form(documents[0])
	of.Path, of.Metadata = e.pathOf, e.of.Name
	return []*rendering.Document{documents[0].WithForm(of)}
}

// pathOf translates a path in the document into one in the object or values, or in the Layering.
func (e *entry) pathOf(path string) string {
	for _, begin := range []string{"/metadata/layeringDefinition", "/metadata"} {
		if rest, ok := strings.CutPrefix(path, begin); ok && (rest == "" || rest[0] == '/') {
			return e.path + rest
		}
	}
	return strings.TrimPrefix(path, "/data")
}
