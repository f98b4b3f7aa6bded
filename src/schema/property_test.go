package schema_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// dataOf draws data whose members are called as the elements and fields that the rules look for.
func dataOf(t *rapid.T, unique bool) *value.Value {
	names := []string{"project", "provider", "cluster", "group", "controller", "cloud", "app", "version", "part", "intent", "clouds",
		"target", "name", "self", "y", "other"}
	var used []string
	var draw func(depth int) *value.Value
	draw = func(depth int) *value.Value {
		switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
		case kind < 4 || depth == 0:
			return value.NewString(rapid.SampledFrom([]string{"a", "b", "c", "", "..", "all", "none", "a b"}).Draw(t, "string"))
		case kind < 5:
			return value.NewNumber(7)
		case kind < 7:
			list := value.NewList()
			for range rapid.IntRange(0, 3).Draw(t, "items") {
				list.Items = append(list.Items, draw(depth-1))
			}
			return list
		}
		object := value.NewMap()
		for range rapid.IntRange(0, 6).Draw(t, "members") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			if unique && slices.Contains(used, name) {
				continue
			}
			used = append(used, name)
			object.Set(name, draw(depth-1))
		}
		return object
	}
	spec := value.NewMap()
	for range rapid.IntRange(0, 6).Draw(t, "spec") {
		name := rapid.SampledFrom(names).Draw(t, "name")
		if unique && slices.Contains(used, name) {
			continue
		}
		used = append(used, name)
		spec.Set(name, draw(4))
	}
	return value.NewMap(value.Member{Name: "metadata", Value: draw(1)}, value.Member{Name: "spec", Value: spec})
}

// shuffled copies a value with the members of every map in another order.
func shuffled(t *rapid.T, v *value.Value) *value.Value {
	c := v.Clone()
	var shuffle func(*value.Value)
	shuffle = func(v *value.Value) {
		for _, item := range v.Items {
			shuffle(item)
		}
		for _, m := range v.Members {
			shuffle(m.Value)
		}
		if len(v.Members) > 1 {
			v.Members = rapid.Permutation(v.Members).Draw(t, "members")
		}
	}
	shuffle(c)
	return c
}

func drawKind(t *rapid.T, model *schema.Model, keep func(*schema.Reference) bool) *schema.Kind {
	kinds := slices.DeleteFunc(slices.Clone(model.Kinds()), func(k *schema.Kind) bool {
		return k.References == nil || slices.ContainsFunc(k.References, func(r *schema.Reference) bool { return !keep(r) })
	})
	return rapid.SampledFrom(kinds).Draw(t, "kind")
}

func always(*schema.Reference) bool { return true }

// Whatever the data: no reference has an empty element, each has the key of a kind that its rule
// names, they stand in a fixed order, and extracting again gives the same.
func TestExtractionHoldsItsPromises(t *testing.T) {
	model := compile(t, readText(t, "rules.yaml"))
	rapid.Check(t, func(r *rapid.T) {
		checkExtraction(t, drawKind(r, model, always), dataOf(r, false))
	})
}

// Rules of type map and many find the same references whatever the order of members.
func TestOrderOfMembersDoesNotMatterToMapAndMany(t *testing.T) {
	model := compile(t, readText(t, "rules.yaml"))
	notDefault := func(r *schema.Reference) bool { return r.Type != "" }
	rapid.Check(t, func(r *rapid.T) {
		checkSameWhenShuffled(t, r, drawKind(r, model, notDefault), dataOf(r, false))
	})
}

// Rules of the default type do so, too, as long as no element occurs twice; then the last one counts,
// and the order does matter.
func TestOrderOfMembersDoesNotMatterToSingleOccurrences(t *testing.T) {
	model := compile(t, readText(t, "rules.yaml"))
	rapid.Check(t, func(r *rapid.T) {
		checkSameWhenShuffled(t, r, drawKind(r, model, always), dataOf(r, true))
	})
}

func checkSameWhenShuffled(t *testing.T, r *rapid.T, kind *schema.Kind, data *value.Value) {
	t.Helper()
	other := shuffled(r, data)
	want, got := kind.Extract(ownID(t, kind), data), kind.Extract(ownID(t, kind), other)
	if !slices.EqualFunc(want, got, sameCandidate) {
		r.Errorf("%s gives %v\n%s gives %v", data.JSON(), want, other.JSON(), got)
	}
}

// Of several occurrences the last counts, at whatever depth.
func TestLastOccurrenceCounts(t *testing.T) {
	kind := kindOf(t, compile(t, readText(t, "rules.yaml")), "field")
	rapid.Check(t, func(r *rapid.T) {
		values := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,4}`), 1, 6).Draw(r, "values")
		spec := value.NewList()
		for _, text := range values {
			v := value.NewMap(value.Member{Name: "target", Value: value.NewString(text)})
			for range rapid.IntRange(0, 3).Draw(r, "depth") {
				v = value.NewMap(value.Member{Name: "x", Value: v})
			}
			spec.Items = append(spec.Items, v)
		}
		found := kind.Extract(ownID(t, kind), value.NewMap(value.Member{Name: "spec", Value: spec}))
		last := values[len(values)-1]
		if last == "none" {
			return
		}
		if want := "project/own%20project/cloud/" + last; len(found) != 1 || string(found[0].Targets[0].ID) != want {
			r.Errorf("found %v, want %s", found, want)
		}
	})
}
