package lint

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// place is what the JSON Schema of a kind says of a place in the data.
type place struct {
	schema   *value.Value // nil if there is nothing
	required bool         // it is there in all valid data
	simple   bool         // all that the JSON Schema says of it is what choices knows
}

// simpleKeywords are those of which choices takes account, or that allow nothing less.
var simpleKeywords = []string{"$schema", "$defs", "$comment", "title", "description", "default", "examples", "type", "properties", "required",
	"additionalProperties", "items", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}

// placeOf looks a path of names and EachItem up in the JSON Schema of a kind.
func placeOf(root *value.Value, path []string) place {
	at := place{schema: root, required: true, simple: true}
	for _, name := range path {
		at.schema, at.simple = resolve(root, at.schema, at.simple)
		below := at.schema.Get("properties").Get(name)
		switch {
		case name == schema.EachItem:
			below = at.schema.Get("items")
			at.required, at.simple = false, false
		case below == nil:
			below = at.schema.Get("additionalProperties")
		}
		at.required = at.required && at.schema != nil && requires(at.schema, name)
		if below != nil && below.Kind != value.Map {
			at.simple = at.simple && below.Kind == value.Bool && below.Text == "true"
			below = nil
		}
		at.schema = below
	}
	at.schema, at.simple = resolve(root, at.schema, at.simple)
	return at
}

// resolve follows $ref, and reports whether the keywords of a schema are simple.
func resolve(root, s *value.Value, simple bool) (*value.Value, bool) {
	for range 16 {
		ref, is := s.Get("$ref").Str()
		if !is {
			break
		}
		next, found := root.Find(strings.TrimPrefix(ref, "#"))
		if !found || len(s.Members) > 1 || !strings.HasPrefix(ref, "#") {
			return nil, false
		}
		s = next
	}
	if s == nil {
		return nil, simple
	}
	for _, m := range s.Members {
		simple = simple && slices.Contains(simpleKeywords, m.Name)
	}
	return s, simple
}

func requires(s *value.Value, name string) bool {
	required := s.Get("required")
	return required != nil && slices.ContainsFunc(required.Items, func(v *value.Value) bool { return v.Text == name })
}

// typeOf is the one type that a schema names; "" for any.
func typeOf(s *value.Value) string {
	name, _ := s.Get("type").Str()
	return name
}

// choices are values for a place: those that compare in each possible way with the literals, and with values of as many other
// places as there are.
func choices(s *value.Value, literals []*value.Value, places int) []*value.Value {
	if only := s.Get("const"); only != nil {
		return []*value.Value{only}
	}
	if some := s.Get("enum"); some != nil && len(some.Items) > 0 {
		return some.Items
	}
	literals = append(named(s), literals...)
	switch typeOf(s) {
	case "integer":
		return integers(literals, places)
	case "number":
		return append(integers(literals, places), fractions(literals, places)...)
	case "string":
		return texts(s, literals, places)
	case "boolean":
		return []*value.Value{value.NewBool(false), value.NewBool(true)}
	case "array":
		return []*value.Value{value.NewList(), value.NewList(value.NewNumber(0)), value.NewList(value.NewNumber(0), value.NewNumber(0))}
	case "object":
		return []*value.Value{value.NewMap(), value.NewMap(value.Member{Name: "a", Value: value.NewNumber(0)})}
	}
	all := append(integers(literals, places), texts(s, literals, places)...)
	all = append(all, fractions(literals, places)...)
	all = append(all, value.NewBool(false), value.NewBool(true), &value.Value{Kind: value.Null})
	for n := range places {
		all = append(all, value.NewList(slices.Repeat([]*value.Value{value.NewNumber(0)}, n)...), value.NewMap(slices.Repeat([]value.Member{{Name: "a", Value: value.NewNumber(0)}}, min(n, 1))...))
	}
	return all
}

// named are the values and bounds that a JSON Schema names.
func named(s *value.Value) []*value.Value {
	var all []*value.Value
	for _, keyword := range []string{"const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		if v := s.Get(keyword); v != nil {
			all = append(all, v)
		}
	}
	if some := s.Get("enum"); some != nil {
		all = append(all, some.Items...)
	}
	return all
}

// numbers are the literals that are numbers, in order.
func numbers(literals []*value.Value) []float64 {
	var all []float64
	for _, v := range literals {
		if n, is := number(v); is {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		all = []float64{0}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// integers are the literals and their neighbours, the smallest numbers first.
func integers(literals []*value.Value, places int) []*value.Value {
	var all []int64
	for _, n := range append(numbers(literals), 0) {
		if math.Abs(n) > 1<<52 {
			continue
		}
		all = append(all, int64(math.Floor(n)), int64(math.Ceil(n)))
		for by := int64(1); by <= int64(places); by++ {
			all = append(all, int64(math.Floor(n))-by, int64(math.Ceil(n))+by)
		}
	}
	slices.SortFunc(all, func(a, b int64) int {
		if x, y := max(a, -a), max(b, -b); x != y {
			return int(x - y)
		}
		return int(b - a)
	})
	var values []*value.Value
	for _, n := range slices.Compact(all) {
		values = append(values, value.NewNumber(n))
	}
	return values
}

// fractions are the literals that are no integers, and numbers between all that integers has, and between the literals.
func fractions(literals []*value.Value, places int) []*value.Value {
	known := numbers(literals)
	for _, v := range integers(literals, places) {
		n, _ := number(v) // which it is
		known = append(known, n)
	}
	slices.Sort(known)
	known = slices.Compact(append(known, known[len(known)-1]+1))
	var values []*value.Value
	add := func(n float64) {
		if n != math.Trunc(n) {
			values = append(values, &value.Value{Kind: value.Number, Text: strconv.FormatFloat(n, 'f', -1, 64)})
		}
	}
	for i, n := range known[1:] {
		add(known[i])
		for part := range places {
			add(known[i] + (n-known[i])*(float64(part)+0.5)/float64(places))
		}
	}
	return values
}

// texts are the literals, other texts, and one as long as the schema wants.
func texts(s *value.Value, literals []*value.Value, places int) []*value.Value {
	var all []string
	for _, v := range literals {
		if v.Kind == value.String {
			all = append(all, v.Text)
		}
	}
	for n := range places {
		all = append(all, strings.Repeat("x", n+1))
	}
	all = append(all, "")
	if least := s.Get("minLength"); least != nil {
		if n, err := strconv.Atoi(least.Text); err == nil && n < 1000 {
			all = append(all, strings.Repeat("x", n))
		}
	}
	for _, keyword := range []string{"default", "examples"} {
		v := s.Get(keyword)
		if text, is := v.Str(); is {
			all = append(all, text)
		}
	}
	var values []*value.Value
	for _, text := range all {
		if !slices.ContainsFunc(values, func(v *value.Value) bool { return v.Text == text }) {
			values = append(values, value.NewString(text))
		}
	}
	return values
}

// complete adds what a JSON Schema requires to a value, as far as it is found.
func complete(root, s, v *value.Value, depth int) {
	const deepest = 20
	s, _ = resolve(root, s, true)
	if s == nil || depth > deepest {
		return
	}
	for _, item := range v.Items {
		complete(root, s.Get("items"), item, depth+1)
	}
	if v.Kind != value.Map {
		return
	}
	if required := s.Get("required"); required != nil {
		for _, name := range required.Items {
			if v.Get(name.Text) == nil {
				of, _ := resolve(root, s.Get("properties").Get(name.Text), true)
				v.Set(name.Text, smallest(of))
			}
		}
	}
	for _, m := range v.Members {
		of := s.Get("properties").Get(m.Name)
		if of == nil {
			of = s.Get("additionalProperties")
		}
		complete(root, of, m.Value, depth+1)
	}
}

// smallest is a value that a JSON Schema allows, without what is required in it.
func smallest(s *value.Value) *value.Value {
	if typeOf(s) == "object" || s.Get("properties") != nil || s.Get("required") != nil {
		return value.NewMap()
	}
	all := choices(s, nil, 1)
	for _, v := range all {
		if within(s, v) {
			return v.Clone()
		}
	}
	return all[0].Clone()
}

// within reports whether a number is between the bounds of a JSON Schema, and a text as long as it wants.
func within(s, v *value.Value) bool {
	if v.Kind == value.String {
		least, _ := number(s.Get("minLength"))
		return float64(len(v.Text)) >= least
	}
	n, is := number(v)
	for name, fits := range map[string]func(bound float64) bool{
		"minimum": func(b float64) bool { return n >= b }, "maximum": func(b float64) bool { return n <= b },
		"exclusiveMinimum": func(b float64) bool { return n > b }, "exclusiveMaximum": func(b float64) bool { return n < b },
	} {
		if bound, given := number(s.Get(name)); is && given && !fits(bound) {
			return false
		}
	}
	return true
}

func number(v *value.Value) (float64, bool) {
	if v == nil || v.Kind != value.Number {
		return 0, false
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	return n, err == nil
}
