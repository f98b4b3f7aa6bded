package manifest

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// id computes the id of a manifest's document: `id`, or the elements of `key`, those of the kind's
// own that it leaves out from the data. What is given twice must be the same.
func (r *reader) id(kind *schema.Kind, data *value.Value, prefix string) dovetail.ID {
	before := r.errs.Total()
	given := r.givenKey(kind)
	if text, _ := r.manifest.Get("id").Str(); text != "" {
		id := dovetail.ID(text)
		for _, e := range id.Key() {
			if other, ok := given[e.Name]; ok && other != e.Value {
				r.fail([]string{"key", e.Name}, e.Name+" is \""+other+"\" in the key and \""+e.Value+"\" in the id", "leave one of key and id out")
			}
		}
		r.pass(CheckNames(kind, id, data), prefix)
		return id
	}
	var key dovetail.Key
	var missing []string
	for _, element := range kind.Elements {
		text, ok := given[element]
		if !ok {
			text, ok = onlyValue(kind, element)
		}
		if !ok && slices.Contains(kind.Own, element) {
			name, err := NameIn(kind, element, data)
			r.pass(err, prefix)
			if ok = name != nil; ok {
				text = name.Text
			}
		}
		if !ok {
			missing = append(missing, element)
			continue
		}
		if why := dovetail.CheckValue(text); why != "" {
			r.fail([]string{"key"}, "the value of "+element+" "+why, "")
		}
		key = append(key, dovetail.Element{Name: element, Value: text})
	}
	if r.errs.Total() > before {
		return ""
	}
	if len(missing) > 0 {
		r.fail([]string{"key"}, "the key of the "+kind.Name+" lacks "+strings.Join(missing, ", "),
			"its elements are "+strings.Join(kind.Elements, ", ")+"; the last may be given as metadata.name")
		return ""
	}
	id := key.ID()
	r.pass(CheckNames(kind, id, data), prefix)
	return id
}

// givenKey reads the member `key`.
func (r *reader) givenKey(kind *schema.Kind) map[string]string {
	key := r.manifest.Get("key")
	if key == nil {
		return nil
	}
	if key.Kind != value.Map {
		r.fail([]string{"key"}, "key must be an object, not a "+key.Kind.String(), "write it as {project: p1, app: nginx}")
		return nil
	}
	given := make(map[string]string, len(key.Members))
	for _, m := range key.Members {
		text, ok := m.Value.Str()
		switch {
		case !slices.Contains(kind.Elements, m.Name):
			r.fail([]string{"key", m.Name}, "the key of the "+kind.Name+" has no element \""+m.Name+"\"",
				"its elements are "+strings.Join(kind.Elements, ", "))
		case !ok:
			r.fail([]string{"key", m.Name}, "the value of "+m.Name+" is a "+m.Value.Kind.String()+", not a string",
				"write it in quotation marks")
		default:
			given[m.Name] = text
		}
	}
	return given
}

// onlyValue returns the value of an element that all collections of the kind fix to the same one.
func onlyValue(kind *schema.Kind, element string) (string, bool) {
	if len(kind.Collections) == 0 {
		return "", false
	}
	only, ok := kind.Collections[0].Fixed[element]
	for _, c := range kind.Collections[1:] {
		if text, has := c.Fixed[element]; !has || text != only {
			return "", false
		}
	}
	return only, ok
}
