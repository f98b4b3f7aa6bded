package rendering

import (
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// substitute puts the value of a source into the destinations of one substitution.
func (s *Site) substitute(n *node, d *draft, i int) {
	sub := &n.substitutions[i]
	if n.sources[i] == nil {
		return // it is allowed to be missing
	}
	from, ok := s.sourceValue(n, i)
	if !ok {
		return
	}
	for j := range sub.to {
		to := &sub.to[j]
		if d.logs {
			d.by = &origin{n: n, method: methodSubstitute, number: i, to: to.path, text: to.text, v: sub.v,
				source: n.sources[i], from: sub.path, part: sub.pattern != nil, within: to.pattern != nil}
		}
		refuse := func(class, remedy, format string, args ...any) {
			at := []string{"metadata", "substitutions", strconv.Itoa(i), "dest"}
			if sub.v.Get("dest").Kind == value.List {
				at = append(at, strconv.Itoa(j))
			}
			s.refuse(n, class, n.place(to.v, at...), remedy, format, args...)
		}
		if to.pattern != nil {
			d.substituteText(to, from, refuse)
			continue
		}
		if problem := d.substituteValue(to.path, from); problem != nil {
			refuse(ClassMissingDocumentKey, "correct the path", "%s cannot be followed: %s", to.path, problem)
		}
	}
}

// sourceValue reads what a substitution takes.
func (s *Site) sourceValue(n *node, i int) (*value.Value, bool) {
	sub, source := &n.substitutions[i], n.sources[i]
	at := func(member string) dovetail.Position {
		return n.place(sub.v.At("src", member), "metadata", "substitutions", strconv.Itoa(i), "src", member)
	}
	v := sub.path.find(source.data)
	if v == nil || v.Kind == value.Null {
		s.missing(&s.late, n, ClassSubstitutionSourceDataNotFound, at("path"), "correct the path, or add the value there",
			"the source %s has nothing at %s", source.ID, sub.path)
		return nil, false
	}
	if sub.pattern == nil {
		return v, true
	}
	if v.Kind != value.String {
		s.refuse(n, ClassMissingDocumentPattern, at("pattern"), "take a text, or remove the pattern",
			"the pattern %s needs a text, but at %s of the source %s there is a %s", short(sub.pattern.text), sub.path, source.ID, v.Kind)
		return nil, false
	}
	part, ok := sub.pattern.part(v.Text, sub.group)
	if !ok {
		note(&s.late, ClassMissingDocumentPattern, n.ID, at("pattern"), "correct the pattern",
			"the pattern %s matches nothing at %s of the source %s; the whole value is taken", short(sub.pattern.text), sub.path, source.ID)
		return v, true
	}
	return value.NewString(part), true
}

// substituteValue puts a value at a place. At the root a map is put over the map that is there, member
// by member; everything else replaces what is there.
func (d *draft) substituteValue(at path, from *value.Value) *blocked {
	if len(at) > 0 || from.Kind != value.Map || d.root.Kind != value.Map {
		return d.set(at, from)
	}
	for _, m := range from.Members {
		if problem := d.set(path{{name: m.Name}}, m.Value); problem != nil {
			return problem
		}
	}
	return nil
}

// substituteText puts a text into the places in a text that the pattern matches.
func (d *draft) substituteText(to *destination, from *value.Value, refuse func(class, remedy, format string, args ...any)) {
	there := to.path.find(d.root)
	switch {
	case from.Kind == value.List || from.Kind == value.Map:
		refuse(ClassMissingDocumentPattern, "take a text or a number", "a %s cannot be put into a text", from.Kind)
	case there == nil:
		refuse(ClassMissingDocumentPattern, "add the text with the pattern there, or remove the pattern",
			"there is nothing at %s that the pattern %s could match", to.path, short(to.pattern.text))
	case there.Kind != value.String && to.v.Get("recurse") == nil:
		refuse(ClassMissingDocumentPattern, "add recurse with a depth, or correct the path",
			"at %s there is a %s, not a text that the pattern %s could match", to.path, there.Kind, short(to.pattern.text))
	default:
		d.change(to.path, func(v *value.Value) *value.Value { // the path was just followed
			return d.replaceTexts(to.pattern, to.path, v, from.Text, to.depth)
		})
		if d.tooMuch {
			refuse(ClassInvalidDocumentFormat, "substitute less", "the texts of the documents have more than %d bytes after replacing %s",
				MaxTexts, short(to.pattern.text))
		}
	}
}

// replaceTexts replaces in the text, or in all texts down to a depth of levels, -1 for all of them.
func (d *draft) replaceTexts(p *pattern, at path, v *value.Value, by string, depth int) *value.Value {
	if v.Kind == value.String {
		text, ok := p.replace(v.Text, by, MaxTexts-*d.texts)
		d.tooMuch = d.tooMuch || !ok
		if text == v.Text {
			return v
		}
		*d.texts += len(text)
		to := value.NewString(text)
		d.note(at, v, to)
		return to
	}
	if depth == 0 {
		return v
	}
	for i, item := range v.Items {
		if changed := d.replaceTexts(p, d.below(at, step{item: true, index: i}), item, by, depth-1); changed != item {
			v = d.copied(v)
			v.Items[i] = changed
		}
	}
	for i, m := range v.Members {
		if changed := d.replaceTexts(p, d.below(at, step{name: m.Name}), m.Value, by, depth-1); changed != m.Value {
			v = d.copied(v)
			v.Members[i].Value = changed
		}
	}
	return v
}
