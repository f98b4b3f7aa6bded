package schema

import (
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Locate returns the JSON Pointer of the value by which the data of a document refer to another one, the first of several; "" where none
// is found. Beside the slots, which Places knows, it looks for the member that a rule without a slot reads its value from.
func (k *Kind) Locate(id dovetail.ID, data *value.Value, target dovetail.ID) string {
	for _, c := range k.Extract(id, data) {
		for _, to := range c.Targets {
			if to.ID != target {
				continue
			}
			if c.Place != "" {
				return c.Place
			}
			if path := c.Rule.locate(data.Get("spec"), target); path != nil {
				return value.Pointer(append([]string{"spec"}, path...)...)
			}
		}
	}
	return ""
}

// locate finds where a rule without a slot reads the last element of a target that the document names, in what is below spec.
func (r *Reference) locate(spec *value.Value, target dovetail.ID) []string {
	if spec == nil {
		return nil
	}
	key := target.Key()
	for i := len(key) - 1; i >= 0; i-- {
		name := key[i].Name
		if _, fixed := r.FixedKv[name]; fixed {
			continue
		}
		last := i == len(key)-1
		if last && r.Type == typeMap {
			if spec.Get(r.Map).Get(key[i].Value) == nil {
				return nil
			}
			return []string{r.Map, key[i].Value}
		}
		if last && r.Field != "" {
			name = r.Field
		}
		if path := mention(spec, name, key[i].Value); path != nil {
			return path
		}
	}
	return nil
}

// mention finds the first member of a name that has the text, itself or in a list; nil if there is none.
func mention(in *value.Value, name, text string) []string {
	for i, item := range in.Items {
		if path := mention(item, name, text); path != nil {
			return append([]string{strconv.Itoa(i)}, path...)
		}
	}
	for _, m := range in.Members {
		if m.Name == name {
			if is(m.Value, text) {
				return []string{name}
			}
			for i, item := range m.Value.Items {
				if is(item, text) {
					return []string{name, strconv.Itoa(i)}
				}
			}
		}
		if path := mention(m.Value, name, text); path != nil {
			return append([]string{m.Name}, path...)
		}
	}
	return nil
}

func is(v *value.Value, text string) bool {
	have, ok := v.Str()
	return ok && have == text
}
