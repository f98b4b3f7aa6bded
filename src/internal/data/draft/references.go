package draft

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/lint"
)

// references finds the slots of a kind.
func (d *Draft) references(k *kind, samples []lint.Document, known map[dovetail.ID]bool) error {
	return d.look(k, &k.data, place{}, samples, known)
}

// look tries the places below one.
func (d *Draft) look(k *kind, s *shape, at place, samples []lint.Document, known map[dovetail.ID]bool) error {
	for _, m := range s.members {
		if at.text == "" && m.name == "metadata" || s.free() != nil {
			continue
		}
		if err := d.try(k, &m.shape, at.member(m.name), samples, known); err != nil {
			return err
		}
	}
	if s.items != nil {
		return d.try(k, s.items, at.items(), samples, known)
	}
	return nil
}

// try makes a place a slot if it is one, and looks below it if not.
func (d *Draft) try(k *kind, s *shape, at place, samples []lint.Document, known map[dovetail.ID]bool) error {
	var fits []string
	for _, to := range d.suggested(s, at) {
		if s.types[0] == "object" { // the member alone may be the place: its other elements come from the document's own key
			if alone, partly, err := d.tried(k, slot{to, at.member(to).text}, samples, known); err != nil || alone || partly != nil {
				return cmp.Or(err, d.look(k, s, at, samples, known))
			}
		}
		found, missing, err := d.tried(k, slot{to, at.text}, samples, known)
		if err != nil {
			return err
		}
		switch {
		case missing != nil:
			d.notes = append(d.notes, missing)
		case found:
			fits = append(fits, to)
		}
	}
	if len(fits) == 0 {
		return d.look(k, s, at, samples, known)
	}
	k.slots = append(k.slots, slot{fits[0], at.text})
	if len(fits) > 1 {
		d.note(k.at, k.name+": the value at "+at.text+" is taken for the name of a "+fits[0]+"; it may also be that of a "+strings.Join(fits[1:], " or "), "keep the intended one")
	}
	return nil
}

// suggested are the kinds that the values at a place may name, the likeliest first: a text in a member that is called as the kind, an
// object with a member that is.
func (d *Draft) suggested(s *shape, at place) []string {
	var names []string
	for _, to := range d.kinds {
		lower, name := strings.ToLower(at.last), strings.ToLower(to.name)
		switch {
		case slices.Equal(s.types, []string{"object"}):
			if slices.ContainsFunc(s.members, func(m *member) bool { return m.name == to.name }) {
				names = append(names, to.name)
			}
		case slices.Equal(s.types, []string{"string"}):
			if singular := strings.TrimSuffix(lower, "s"); strings.HasSuffix(lower, name) || strings.HasSuffix(singular, name) {
				names = append(names, to.name)
			}
		}
	}
	// A port's object has members for its device and rack, too, and "sourcePort" is a port before it is a kind "ort".
	depth := func(name string) int {
		at := slices.IndexFunc(d.kinds, func(k *kind) bool { return k.name == name })
		return len(d.kinds[at].above)
	}
	slices.SortStableFunc(names, func(a, b string) int {
		if s.types[0] == "object" {
			return depth(b) - depth(a)
		}
		return len(b) - len(a)
	})
	if len(names) > 1 && s.types[0] == "object" { // the rest are the elements of the first one's key, unless it is none
		first := names[0]
		above := d.kinds[slices.IndexFunc(d.kinds, func(k *kind) bool { return k.name == first })].above
		names = slices.DeleteFunc(names, func(name string) bool { return name != first && slices.Contains(above, name) })
	}
	return names
}

// tried reports whether a slot is one: every sample that fills it is accepted, and refers to a sample there. It returns a note where only some do.
func (d *Draft) tried(k *kind, s slot, samples []lint.Document, known map[dovetail.ID]bool) (found bool, note *dovetail.Error, err error) {
	kept := k.slots
	k.slots = append(slices.Clone(kept), s)
	model, err := d.Model()
	if k.slots = kept; err != nil {
		return false, nil, err
	}
	of, _ := model.Kind(k.name)
	var missing *dovetail.Error
	for _, sample := range samples {
		if violations := of.Validate(sample.Data); violations.Total() > 0 {
			return false, nil, nil
		}
		for _, c := range of.Extract(sample.ID, sample.Data) {
			switch target := c.Targets[0].ID; {
			case c.Rule.Slot() != s.at:
			case known[target]:
				found = true
			case missing == nil:
				missing = &dovetail.Error{Code: dovetail.CodeSchema, Key: sample.ID, Position: dovetail.Position{File: sample.Position.File, Line: sample.Position.Line, Column: sample.Position.Column, Path: c.Place},
					Message: k.name + ": the value at " + s.at + " may be the name of a " + s.to + ", but " + string(target) + " is not among the samples",
					Remedy:  "add the sample, or the reference: {name: " + s.to + ", at: " + s.at + "}"}
			}
		}
	}
	if found && missing != nil {
		return false, missing, nil
	}
	return found && missing == nil, nil, nil
}
