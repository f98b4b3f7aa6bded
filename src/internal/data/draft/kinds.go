package draft

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Manifest is a document as "dovetail apply" reads it, not in a container.
type Manifest struct {
	File  string
	Value *value.Value
}

func (m Manifest) position() dovetail.Position {
	return dovetail.Position{File: m.File, Line: int(m.Value.Line), Column: int(m.Value.Column)}
}

// Kinds reads from manifests which kinds there are and which is whose child: the elements of a key other than the own one, in
// their order, are the document's ancestors. An element without a document of its own is taken for a kind, with a note. The
// error has a part for every manifest that does not fit.
func Kinds(manifests []Manifest) (*Draft, error) {
	d := &Draft{}
	byName := make(map[string]*kind)
	var errs dovetail.Errors
	for _, m := range manifests {
		name, above, err := keyOf(m)
		if err != nil {
			errs.Add(err)
			continue
		}
		k := byName[name]
		if k == nil {
			k = &kind{name: name, above: above, at: m.position()}
			byName[name], d.kinds = k, append(d.kinds, k)
		}
		if k.samples++; !sameElements(k.above, above) {
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: m.position(),
				Message: "the key of the " + name + " has " + orNothing(above) + " beside its own element, that at " + k.at.String() + " " + orNothing(k.above),
				Remedy:  "give the documents of a kind the same ancestors"})
		}
	}
	if err := errs.Err("no kinds can be made of the manifests"); err != nil {
		return nil, err
	}
	for _, k := range slices.Clone(d.kinds) {
		for i, name := range k.above {
			if byName[name] == nil {
				byName[name] = &kind{name: name, above: slices.Clone(k.above[:i]), at: k.at}
				d.kinds = append(d.kinds, byName[name])
				d.note(k.at, name+", of which there is no sample, is taken for a kind of its own", "give a sample, or join the name with that of its child: \""+name+"."+k.name+"\"")
			}
		}
	}
	for _, k := range d.kinds {
		// An ancestor has fewer ancestors than what is below it, whatever the order of the key's members.
		slices.SortStableFunc(k.above, func(a, b string) int { return len(byName[a].above) - len(byName[b].above) })
		for i, name := range k.above {
			if above := byName[name].above; !sameElements(above, k.above[:i]) {
				errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: k.at,
					Message: "the key of the " + k.name + " has " + orNothing(k.above[:i]) + " above its " + name + ", and that of " + byName[name].at.String() + " " + orNothing(above),
					Remedy:  "give the whole key of the parent"})
			}
		}
	}
	d.order()
	return d, errs.Err("no kinds can be made of the manifests")
}

// keyOf returns the kind of a manifest and the elements of its key that are not its own.
func keyOf(m Manifest) (name string, above []string, err *dovetail.Error) {
	refuse := func(message, remedy string) (string, []string, *dovetail.Error) {
		return "", nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: m.position(), Message: message, Remedy: remedy}
	}
	if m.Value.Kind != value.Map {
		return refuse("the manifest is not an object", "write an object with kind, key, metadata and spec")
	}
	name, _ = m.Value.Get("kind").Str()
	key := m.Value.Get("key")
	if id, _ := m.Value.Get("id").Str(); id != "" {
		for _, e := range dovetail.ID(id).Key() {
			above = append(above, e.Name)
		}
		if len(above) == 0 {
			return refuse("\""+id+"\" is not an id", "write it as kind/name/kind/name")
		}
		if name == "" {
			name = above[len(above)-1]
		}
	} else if key != nil && key.Kind == value.Map {
		for _, e := range key.Members {
			above = append(above, e.Name)
		}
	} else if key != nil && key.Kind != value.Null {
		return refuse("the key is not an object", "give each ancestor as a member: {site: north}")
	}
	if name == "" {
		return refuse("the manifest has no kind", "add `kind`")
	}
	return name, slices.DeleteFunc(above, func(element string) bool { return element == name }), nil
}

func sameElements(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func orNothing(elements []string) string {
	if len(elements) == 0 {
		return "nothing"
	}
	return strings.Join(elements, ", ")
}
