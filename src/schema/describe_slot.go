package schema

import (
	"fmt"
	"maps"
	"slices"
)

// atSlot says which documents a rule with a slot refers to: "one port at spec.a".
func (r *Reference) atSlot(to string) string {
	steps := r.At.steps()
	wild := func(s step) bool { return s.any }
	var text string
	switch last := steps[len(steps)-1]; {
	case last.any && !last.items:
		text = fmt.Sprintf("every %s that a name at %s is one of", to, r.At)
	case slices.ContainsFunc(steps, wild):
		text = fmt.Sprintf("every %s at %s", to, r.At)
	default:
		text = fmt.Sprintf("one %s at %s", to, r.At)
	}
	for _, element := range slices.Sorted(maps.Keys(r.Members)) {
		text += fmt.Sprintf(", its %s named by %q", element, r.Members[element])
	}
	return text
}

// howMany says how many references there must be, "" for any number.
func (r *Reference) howMany() string {
	least := r.least()
	switch {
	case least > 0 && least == r.Max:
		return fmt.Sprintf("; exactly %d", least)
	case least > 0 && r.Max > 0:
		return fmt.Sprintf("; %d to %d", least, r.Max)
	case least > 1:
		return fmt.Sprintf("; at least %d", least)
	case least > 0:
		return "; required"
	case r.Max > 0:
		return fmt.Sprintf("; at most %d", r.Max)
	}
	return ""
}
