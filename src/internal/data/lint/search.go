package lint

import (
	"context"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Bounds of one search.
const (
	maxCases  = 20_000 // that are tried
	maxPlaces = 3      // up to which all ways to compare their values are tried
)

// result is what a search found out.
type result struct {
	broken   *Case // the smallest valid one that breaks the rule
	held     bool  // a valid one fulfils it
	complete bool  // each way in which the values may compare was tried
	// Of all cases, those included that the JSON Schema does not allow.
	anyBroken, anyHeld bool
	// certain means that the JSON Schema allows the values that were tried in place of all that it allows.
	certain bool
}

// always reports whether it is certain that no valid document breaks the rule.
func (f *result) always() bool {
	return f.complete && (!f.anyBroken || f.certain && f.broken == nil && f.held)
}

// never reports whether it is certain that all valid documents break the rule.
func (f *result) never() bool {
	return f.complete && f.broken != nil && (!f.anyHeld || f.certain && !f.held)
}

// branch is a place that rules read, with those below it.
type branch struct {
	name    string
	below   []*branch
	choices []*value.Value // nil stands for no value, or, with places below, for what these make
	list    bool
	chosen  *value.Value
}

// What a list is chosen to be that has an item, whatever is chosen for it, or has it twice.
var (
	one  = value.NewList(value.NewMap())
	pair = value.NewList(value.NewMap(), value.NewMap())
)

// search tries documents of a kind.
type search struct {
	kind     *schema.Kind
	id       dovetail.ID
	roots    map[string]*branch
	order    []*branch
	schemas  map[*schema.Kind]*value.Value
	slots    map[string]*schema.Reference // by the name in refs
	many     map[string]bool
	parent   bool // a rule reads it
	before   bool // a rule reads the data before
	complete bool
	certain  bool
}

// newSearch prepares a search for documents that the rules tell apart.
func newSearch(k *schema.Kind, rules ...*schema.Rule) *search {
	s := &search{kind: k, id: sampleID(k), roots: make(map[string]*branch), schemas: make(map[*schema.Kind]*value.Value),
		slots: make(map[string]*schema.Reference), many: make(map[string]bool), complete: true, certain: true}
	var literals []*value.Value
	paths := make(map[string][]string)
	for _, rule := range rules {
		reading := rule.Reading()
		literals = append(literals, reading.Literals...)
		s.complete = s.complete && reading.Compares
		s.parent, s.before = s.parent || rule.ReadsParent(), s.before || rule.OnUpdates
		s.certain = s.certain && !rule.OnUpdates && !rule.ReadsOthers()
		for _, path := range reading.Paths {
			paths[strings.Join(path, "\x00")] = path
			if path[0] == schema.RuleRefs && len(path) > 1 {
				if of, many := rule.Slot(path[1]); len(of) > 0 {
					s.slots[path[1]], s.many[path[1]] = of[0], many
				}
			}
			if of, in := kindOf(k, rule, path); of != nil {
				literals = append(literals, named(placeOf(s.schemaOf(of), in).schema)...)
			}
		}
	}
	for _, key := range sortedKeys(paths) {
		s.plant(paths[key])
	}
	if s.complete = s.complete && len(paths) <= maxPlaces || len(paths) == 0; s.roots[schema.RuleKey] != nil || len(s.slots) > 0 {
		s.complete = false // names and targets are not values of which there is any
	}
	for _, variable := range sortedKeys(s.roots) {
		s.choose(rules[0], []string{variable}, s.roots[variable], literals, min(len(paths), maxPlaces))
	}
	tries := 1
	for _, b := range s.order {
		if tries *= len(b.choices); tries > maxCases {
			s.complete = false
			break
		}
	}
	return s
}

func sortedKeys[V any](of map[string]V) []string {
	var keys []string
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// plant adds the branches of a path.
func (s *search) plant(path []string) {
	at := s.roots[path[0]]
	if at == nil {
		at = &branch{name: path[0]}
		s.roots[path[0]] = at
	}
	for _, name := range path[1:] {
		i := slices.IndexFunc(at.below, func(b *branch) bool { return b.name == name })
		if i < 0 {
			i = len(at.below)
			at.below = append(at.below, &branch{name: name})
		}
		at.list = at.list || name == schema.EachItem
		at = at.below[i]
	}
}

// choose gives a branch its choices.
func (s *search) choose(rule *schema.Rule, path []string, b *branch, literals []*value.Value, places int) {
	for _, below := range b.below {
		s.choose(rule, append(slices.Clip(path), below.name), below, literals, places)
	}
	data := path[0] != schema.RuleKey
	of, in := kindOf(s.kind, rule, path)
	if of == nil || len(in) == 0 || len(in) == 1 && (in[0] == "spec" || in[0] == "metadata") {
		switch {
		case path[0] == schema.RuleRefs && len(path) == 2 && s.many[path[1]]:
			b.choices = []*value.Value{nil, value.NewList(), one, pair}
		case path[0] == schema.RuleRefs && len(path) == 2:
			b.choices = []*value.Value{nil, value.NewMap()}
		case len(path) == 2 && !data:
			b.choices = append([]*value.Value{nil}, texts(nil, literals, 2)...)
		case len(in) == 1 || of != nil && len(in) == 0:
			if len(b.below) == 0 { // all of the data, or of its spec, is read at once
				s.complete = false
			}
			return
		default:
			return
		}
		s.order = append(s.order, b)
		return
	}
	at := placeOf(s.schemaOf(of), in)
	s.certain = s.certain && at.simple
	switch {
	case len(b.below) == 0:
		if !at.required {
			b.choices = append(b.choices, nil)
		}
		b.choices = append(b.choices, choices(at.schema, literals, max(places, 1))...)
	case b.list && typeOf(at.schema) == "object":
		b.list = false
		fallthrough
	default:
		if b.choices = []*value.Value{nil, value.NewMap()}; b.list {
			b.choices = []*value.Value{nil, value.NewList(), one, pair}
		}
		if typeOf(at.schema) == "" && at.schema.Get("properties") == nil {
			b.choices = append(b.choices, value.NewString("x"))
		}
	}
	s.order = append(s.order, b)
}

// schemaOf is the JSON Schema of a kind; nil if there is none.
func (s *search) schemaOf(k *schema.Kind) *value.Value {
	if _, read := s.schemas[k]; !read {
		s.schemas[k] = nil
		if text := k.DataSchema(); text != nil {
			s.schemas[k], _ = value.ParseJSON(text, value.Limits{}) // which it is, since it was compiled
		}
	}
	return s.schemas[k]
}

// run tries the cases, those with the fewest values first, until it is clear what there is to say of the rule; of cases that break the
// rule given as well, if there is one, nothing counts.
func (s *search) run(rule, given *schema.Rule) *result {
	found := &result{certain: s.certain}
	tried := 0
	var try func(from, values int) bool
	try = func(from, values int) bool {
		if from == len(s.order) {
			if tried++; tried > maxCases {
				return false
			}
			s.check(rule, given, found)
			return found.broken == nil || !found.held && s.complete
		}
		b := s.order[from]
		for _, v := range b.choices {
			need := weight(v)
			if need > values || values-need > heaviest*(len(s.order)-from-1) {
				continue
			}
			if b.chosen = v; !try(from+1, values-need) {
				return false
			}
		}
		return true
	}
	for values := range heaviest*len(s.order) + 1 {
		if !try(0, values) {
			return found
		}
	}
	found.complete = s.complete
	return found
}

// heaviest is the largest weight.
const heaviest = 2

// weight is by what a choice makes a case larger.
func weight(v *value.Value) int {
	switch v {
	case nil:
		return 0
	case pair:
		return heaviest
	}
	return 1
}

// check evaluates the rule on what is chosen.
func (s *search) check(rule, given *schema.Rule, found *result) {
	c := s.made()
	if c == nil {
		return
	}
	in := schema.RuleInput{ID: c.ID, Data: c.Data, Before: c.Before, Parent: c.Parent, Refs: c.targets}
	if given != nil {
		if e, err := given.Check(context.Background(), in); e != nil || err != nil {
			return
		}
	}
	e, err := rule.Check(context.Background(), in)
	if err != nil {
		return
	}
	found.anyBroken, found.anyHeld = found.anyBroken || e != nil, found.anyHeld || e == nil
	if e != nil && found.broken != nil || e == nil && found.held || !s.valid(c) {
		return
	}
	if e == nil {
		found.held = true
		return
	}
	c.Message = e.Message
	found.broken = c
}

// valid reports whether all documents of a case can be stored.
func (s *search) valid(c *Case) bool {
	ok := func(k *schema.Kind, data *value.Value) bool {
		errs := k.Validate(data)
		return errs.Total() == 0
	}
	if !ok(s.kind, c.Data) || c.Before != nil && !ok(s.kind, c.Before) || c.Parent != nil && !ok(parentOf(s.kind), c.Parent) {
		return false
	}
	for _, t := range c.targets {
		if !ok(t.Rule.To[0], t.Data) {
			return false
		}
	}
	return true
}

// made is the case that is chosen; nil where the choices do not go together.
func (s *search) made() *Case {
	c := &Case{ID: s.id}
	var fits bool
	if c.Data, fits = s.data(s.kind, s.roots[schema.RuleSelf]); !fits {
		return nil
	}
	if s.before {
		if c.Before, fits = s.data(s.kind, s.roots[schema.RuleBefore]); !fits {
			return nil
		}
	}
	if s.parent {
		if c.Parent, fits = s.data(parentOf(s.kind), s.roots[schema.RuleParent]); !fits {
			return nil
		}
	}
	if key := s.roots[schema.RuleKey]; key != nil {
		if c.ID = s.keyed(key); c.ID == "" {
			return nil
		}
	}
	if refs := s.roots[schema.RuleRefs]; refs != nil && !s.refer(c, refs) {
		return nil
	}
	return c
}

// keyed is the id with the chosen elements; "" where it cannot be one.
func (s *search) keyed(chosen *branch) dovetail.ID {
	var values []string
	for _, e := range s.id.Key() {
		if i := slices.IndexFunc(chosen.below, func(b *branch) bool { return b.name == e.Name }); i >= 0 && chosen.below[i].chosen != nil {
			e.Value = chosen.below[i].chosen.Text
		}
		values = append(values, e.Value)
	}
	id, err := s.kind.ID(values...)
	if err != nil {
		return ""
	}
	return id
}

// refer makes the document refer to what is chosen for refs.
func (s *search) refer(c *Case, refs *branch) bool {
	for _, slot := range refs.below {
		v, fits := slot.render()
		rule := s.slots[slot.name]
		if !fits || rule == nil {
			return false
		}
		if v == nil {
			continue
		}
		targets := []*value.Value{v}
		if s.many[slot.name] {
			targets = v.Items
		}
		e := example(s.kind, rule, rule.To[0])
		if len(targets) > 1 {
			e = rich(s.kind, rule, rule.To[0])
		}
		if e == nil {
			return false
		}
		if len(targets) > 0 {
			c.Data = value.MergePatch(c.Data, e.Data)
		}
		for i, t := range targets {
			targets[i] = s.onSkeleton(rule.To[0], t)
			c.targets = append(c.targets, schema.TargetOfRule{Rule: rule, Data: targets[i]})
		}
		if c.Refs == nil {
			c.Refs = value.NewMap()
		}
		if s.many[slot.name] {
			c.Refs.Set(slot.name, value.NewList(targets...))
		} else {
			c.Refs.Set(slot.name, targets[0])
		}
	}
	return true
}

// data is the data of a document with what is chosen for it.
func (s *search) data(k *schema.Kind, chosen *branch) (*value.Value, bool) {
	v := value.NewMap()
	if chosen != nil {
		made, fits := chosen.render()
		if !fits {
			return nil, false
		}
		if made != nil {
			v = made
		}
	}
	v = s.onSkeleton(k, v)
	for _, r := range k.References {
		if r.At.IsZero() || !r.Required && r.Min == 0 {
			continue
		}
		if e := example(k, r, r.To[0]); e != nil {
			v = value.MergePatch(v, e.Data)
		}
	}
	return v, true
}

// onSkeleton adds what the JSON Schema of a kind requires.
func (s *search) onSkeleton(k *schema.Kind, v *value.Value) *value.Value {
	if root := s.schemaOf(k); root != nil {
		complete(root, root, v, 0)
	}
	return v
}

// render makes the value of a branch, nil if there is none, and reports whether the choices go together.
func (b *branch) render() (*value.Value, bool) {
	if len(b.below) == 0 {
		if b.chosen == nil {
			return nil, true
		}
		return b.chosen.Clone(), true
	}
	made := value.NewMap()
	for _, below := range b.below {
		v, fits := below.render()
		if !fits {
			return nil, false
		}
		switch {
		case v == nil:
		case below.name != schema.EachItem:
			made.Set(below.name, v)
		case b.list:
			made = value.NewList(v)
		default:
			made.Set("a", v)
		}
	}
	some := len(made.Members)+len(made.Items) > 0
	switch {
	case b.chosen == nil && !some:
		return nil, true
	case b.chosen == nil || b.chosen.Kind == value.Map:
		return made, b.chosen == nil || !some
	case b.chosen == one || b.chosen == pair:
		item := value.NewMap()
		if len(made.Items) > 0 {
			item = made.Items[0]
		}
		if b.chosen == one {
			return value.NewList(item), !some
		}
		return value.NewList(item, item.Clone()), len(made.Members) == 0
	}
	return b.chosen.Clone(), !some
}
