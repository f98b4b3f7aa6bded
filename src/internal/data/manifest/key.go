package manifest

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/schema"
)

// id computes the id of a manifest's document: `id`, or the elements of `key`, those of the kind's
// own that it leaves out from the data. What is given twice must be the same.
func (r *reader) id(kind *schema.Kind, data decode.Field) dovetail.ID {
	before := r.errs.Total()
	field := r.manifest.Get("key")
	given := givenKey(kind, field)
	if text, _ := r.manifest.Value.Get("id").Str(); text != "" {
		id := dovetail.ID(text)
		for _, e := range id.Key() {
			if other, ok := given[e.Name]; ok && other != e.Value {
				field.Get(e.Name).Fail("leave one of key and id out", "%s is %q in the key and %q in the id", e.Name, other, e.Value)
			}
		}
		data.Join(CheckNames(kind, id, data.Value))
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
			name, err := NameIn(kind, element, data.Value)
			data.Join(err)
			if ok = name != nil; ok {
				text = name.Text
			}
		}
		if !ok {
			missing = append(missing, element)
			continue
		}
		if why := dovetail.CheckValue(text); why != "" {
			field.Fail("", "the value of %s %s", element, why)
		}
		key = append(key, dovetail.Element{Name: element, Value: text})
	}
	if r.errs.Total() > before {
		return ""
	}
	if len(missing) > 0 {
		if one := missing[len(missing)-1]; slices.Contains(kind.Own, one) {
			if _, empty := PlaceOfName(kind, one, data.Value); empty {
				field = data
				for _, name := range NamePaths(kind, one)[0] {
					field = field.Get(name)
				}
			}
		}
		field.Fail("its elements are "+strings.Join(kind.Elements, ", ")+"; the last may be given as metadata.name",
			"the key of the %s lacks %s", kind.Name, strings.Join(missing, ", "))
		return ""
	}
	id := key.ID()
	data.Join(CheckNames(kind, id, data.Value))
	return id
}

// givenKey reads the member `key`.
func givenKey(kind *schema.Kind, key decode.Field) map[string]string {
	if key.Value == nil {
		return nil
	}
	given := make(map[string]string, len(key.Value.Members))
	for name, element := range key.As("the key of the " + kind.Name).Members(kind.Elements...) {
		if text, ok := element.AnyText(); ok {
			given[name] = text
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
