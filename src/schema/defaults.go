package schema

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Bounds on what defaults may add.
const (
	maxDefault = 1_000   // values of one default together with those in it
	maxFilled  = 100_000 // values added to one document
)

// defaults checks that the field has something to fill in.
func (c *checker) defaults(r *resource) {
	if !r.defaults {
		return
	}
	switch {
	case r.abstract:
		c.warn(FaultNoEffect, r.defaultsAt, "remove it", "%s: defaults has no effect on an abstract kind, which has no documents", r.name.value)
	case r.schema == nil:
		c.warn(FaultNoEffect, r.defaultsAt, "add a schema with defaults, or remove it", "%s: defaults has no effect without a schema", r.name.value)
	}
}

// filler fills in the defaults below one value. Those of recursive schemas lead back to themselves.
type filler struct {
	members []memberDefault
	others  *filler // of members that are not named
	items   *filler
}

// memberDefault is what is done with one member of an object.
type memberDefault struct {
	name    string
	initial *value.Value // what it is where it is absent, with the defaults in it; nil for absent
	of      *filler
}

// filler makes the filler of a resource, or reports what is wrong with its defaults.
func (c *compiler) filler(r *resource) *filler {
	b := &fillerBuilder{compiler: c, resource: r, made: map[*value.Value]*filler{}}
	root := b.build(r.schema, nil)
	if !b.any {
		return nil
	}
	seen := map[*value.Value]bool{}
	for _, d := range b.found {
		b.repeated = seen[d.value]
		if b.complete(d) && !b.repeated {
			b.fits(d)
		}
		seen[d.value] = true
	}
	return root
}

type fillerBuilder struct {
	*compiler
	resource *resource
	made     map[*value.Value]*filler
	found    []foundDefault
	any      bool
	repeated bool // the current default was found before, by another way
	schemas  *jsonschema.Compiler
}

// foundDefault is a default in a schema.
type foundDefault struct {
	filler *filler
	member string
	value  *value.Value // as it was written
	path   []string     // of the schema that has it
}

// build returns the filler of a schema. Alternatives have no defaults of their own, since which one counts depends on the data.
func (b *fillerBuilder) build(s *value.Value, path []string) *filler {
	if made := b.made[s]; made != nil {
		return made
	}
	f := &filler{}
	b.made[s] = f
	b.add(f, s, path, map[*value.Value]bool{})
	return f
}

// add adds what a schema and those that it consists of say.
func (b *fillerBuilder) add(f *filler, s *value.Value, path []string, above map[*value.Value]bool) {
	if s.Kind != value.Map || above[s] {
		return
	}
	above[s] = true
	properties := s.Get("properties")
	if properties != nil {
		for i := range properties.Members {
			m := &properties.Members[i]
			b.member(f, m.Name, m.Value, slices.Concat(path, []string{"properties", m.Name}))
		}
	}
	if of := s.Get("additionalProperties"); of != nil && of.Kind == value.Map && f.others == nil {
		f.others = b.build(of, slices.Concat(path, []string{"additionalProperties"}))
	}
	if of := s.Get("items"); of != nil && of.Kind == value.Map && f.items == nil {
		f.items = b.build(of, slices.Concat(path, []string{"items"}))
	}
	if all := s.Get("allOf"); all != nil {
		for i, part := range all.Items {
			b.add(f, part, slices.Concat(path, []string{"allOf", strconv.Itoa(i)}), above)
		}
	}
	if target, at := b.follow(s); target != nil {
		b.add(f, target, at, above)
	}
}

// follow returns where the reference of a schema leads within the same text.
func (b *fillerBuilder) follow(s *value.Value) (*value.Value, []string) {
	ref, _ := s.Get("$ref").Str()
	pointer, local := strings.CutPrefix(ref, "#")
	at, valid := value.SplitPointer(pointer)
	if !local || !valid {
		return nil, nil
	}
	target, _ := b.resource.schema.Find(pointer)
	return target, at
}

// member adds a member of an object; of several schemas of one, the first that has a default gives it.
func (b *fillerBuilder) member(f *filler, name string, s *value.Value, path []string) {
	at := slices.IndexFunc(f.members, func(m memberDefault) bool { return m.name == name })
	if at < 0 {
		at = len(f.members)
		f.members = append(f.members, memberDefault{name: name, of: b.build(s, path)})
	}
	initial, where := b.defaultOf(s, path)
	if initial == nil || f.members[at].initial != nil {
		return
	}
	f.members[at].initial, b.any = initial, true
	b.found = append(b.found, foundDefault{f, name, initial, where})
}

// defaultOf returns the default of a schema, or of what it refers to.
func (b *fillerBuilder) defaultOf(s *value.Value, path []string) (*value.Value, []string) {
	for range maxLevels {
		if s == nil || s.Kind != value.Map {
			break
		}
		if initial := s.Get("default"); initial != nil {
			return initial, path
		}
		s, path = b.follow(s)
	}
	return nil, nil
}

// complete fills the defaults in a default, and reports whether there is an end to that.
func (b *fillerBuilder) complete(d foundDefault) bool {
	at := slices.IndexFunc(d.filler.members, func(m memberDefault) bool { return m.name == d.member })
	m := &d.filler.members[at]
	fill := filling{room: maxDefault - sizeOf(d.value), once: true}
	if m.initial = m.of.fill(&fill, d.value); fill.room < 0 {
		b.refuse(d, "leave out one of the defaults in it", "the default of %s has more than %d values, or fills in itself again and again", short(d.member), maxDefault)
		return false
	}
	return true
}

// fits reports a default that its own schema refuses.
func (b *fillerBuilder) fits(d foundDefault) {
	if b.schemas == nil {
		b.schemas = jsonschema.NewCompiler()
		b.schemas.AssertFormat()
		b.schemas.UseLoader(noLoader{})
		if b.schemas.AddResource(schemaURL, value.ToAny(b.resource.schema)) != nil {
			return
		}
	}
	compiled, err := b.schemas.Compile(schemaURL + "#" + value.Pointer(d.path...))
	if err != nil {
		return // reported with the whole of it
	}
	at := slices.IndexFunc(d.filler.members, func(m memberDefault) bool { return m.name == d.member })
	initial := d.filler.members[at].initial
	var invalid *jsonschema.ValidationError
	if !errors.As(compiled.Validate(value.ToAny(initial)), &invalid) {
		return
	}
	for _, v := range violations(invalid, initial) {
		what := "it"
		if len(v.path) > 0 {
			what = value.Pointer(v.path...)
		}
		b.refuse(d, "write a default that is valid", "the default of %s does not fit its schema: %s %s", short(d.member), what, v.message)
	}
}

// refuse reports a default at its place.
func (b *fillerBuilder) refuse(d foundDefault, remedy, format string, args ...any) {
	if b.repeated {
		return
	}
	b.faults.add(FaultBadDataSchema, d.value.In(b.resource.at.File), remedy, b.resource.name.value+": schema: "+format, args...)
}

// Fill returns data with the defaults of the JSON Schema in place of members that are absent: the same where nothing is. Data
// is not changed. The error has the code CodeTooLarge.
func (k *Kind) Fill(data *value.Value) (*value.Value, error) {
	if k.filler == nil {
		return data, nil
	}
	f := filling{room: maxFilled}
	filled := k.filler.fill(&f, data)
	if f.room < 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeTooLarge, Message: "the defaults of " + k.Name + " would add more than " + strconv.Itoa(maxFilled) + " values",
			Remedy: "write fewer objects that have defaults"}
	}
	return filled, nil
}

// filling counts what is added.
type filling struct {
	room int64
	once bool // defaults are not complete yet: those in defaults are filled, too
}

// fill returns a value with the defaults below it: the same where none is missing.
func (f *filler) fill(c *filling, v *value.Value) *value.Value {
	if f == nil || c.room < 0 {
		return v
	}
	filled := v
	own := func() *value.Value {
		if filled == v {
			copied := *v
			copied.Items, copied.Members = slices.Clone(v.Items), slices.Clone(v.Members)
			filled = &copied
		}
		return filled
	}
	if f.items != nil {
		for i, item := range v.Items {
			if now := f.items.fill(c, item); now != item {
				own().Items[i] = now
			}
		}
	}
	if v.Kind != value.Map {
		return filled
	}
	for i, m := range v.Members {
		if now := f.of(m.Name).fill(c, m.Value); now != m.Value {
			own().Members[i].Value = now
		}
	}
	for _, m := range f.members {
		if m.initial == nil || v.Get(m.name) != nil {
			continue
		}
		if c.room -= sizeOf(m.initial); c.room < 0 {
			break
		}
		initial := m.initial
		if c.once {
			initial = m.of.fill(c, initial)
		}
		now := own()
		now.Members = append(now.Members, value.Member{Name: m.name, Value: initial.Clone()})
	}
	return filled
}

// of returns the filler of a member.
func (f *filler) of(name string) *filler {
	for i := range f.members {
		if f.members[i].name == name {
			return f.members[i].of
		}
	}
	return f.others
}
