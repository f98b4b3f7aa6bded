package sd_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// merging are the modes that merge.
var merging = []sd.Mode{sd.BasicMerge, sd.BasicExclusionMerge, sd.ExtendedMerge}

func member(name, text string) value.Member {
	return value.Member{Name: name, Value: value.NewString(text)}
}

// names are few, so that deltas meet the full SD.
var names = rapid.StringMatching(`[a-e]{1,2}`)

// applications draws entries that differ by name and deploy postfix, all of one model.
func applications(t *rapid.T, model int, what string) []*value.Value {
	type slot struct{ name, postfix string }
	slots := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) slot {
		s := slot{name: names.Draw(t, "name")}
		if model > 0 {
			s.postfix = rapid.SampledFrom([]string{"x", "y"}).Draw(t, "postfix")
		}
		return s
	}), 0, 8, rapid.ID[slot]).Draw(t, what)
	var items []*value.Value
	for _, s := range slots {
		version := s.name + ":" + rapid.SampledFrom([]string{"1", "2", "3:4"}).Draw(t, "version")
		item := value.NewString(version)
		if model > 0 {
			item = value.NewMap(member("version", version), member("deployPostfix", s.postfix))
		}
		if model > 1 {
			item.Set("alias", value.NewString(s.name+"-"+s.postfix))
		}
		if model > 0 && rapid.Bool().Draw(t, "more") {
			item.Set("note", value.NewList(value.NewNumber(1)))
		}
		items = append(items, item)
	}
	return items
}

// pair draws a full SD and a delta that can be merged into it in the mode.
func pair(t *rapid.T, mode sd.Mode) (full, delta *sd.Descriptor) {
	model := rapid.IntRange(1, 2).Draw(t, "model")
	if mode == sd.ExtendedMerge {
		model = rapid.IntRange(0, 2).Draw(t, "model")
	}
	var sds []*value.Value
	for _, what := range []string{"full", "delta"} {
		sds = append(sds, value.NewMap(member("version", "1"), value.Member{Name: "applications", Value: value.NewList(applications(t, model, what)...)}, member("note", what)))
	}
	if rapid.Bool().Draw(t, "graph") {
		chunks := rapid.SliceOfNDistinct(names, 1, 3, rapid.ID[string]).Draw(t, "chunks")
		sds[0].Set("deployGraph", graph(t, chunks, sds[0]))
		chunks = chunks[:rapid.IntRange(1, len(chunks)).Draw(t, "known")]
		sds[1].Set("deployGraph", graph(t, chunks, sds[0], sds[1]))
	}
	full, err := sd.New(dovetail.Position{File: "full"}, sds[0])
	if err != nil {
		t.Fatal(err)
	}
	delta, err = sd.New(dovetail.Position{File: "delta"}, sds[1])
	if err != nil {
		t.Fatal(err)
	}
	return full, delta
}

// graph spreads the applications of SDs over chunks, some of them over several.
func graph(t *rapid.T, chunks []string, sds ...*value.Value) *value.Value {
	lists := make([]*value.Value, len(chunks))
	list := value.NewList()
	for i, name := range chunks {
		lists[i] = value.NewList()
		list.Items = append(list.Items, value.NewMap(member("chunkName", name), value.Member{Name: "apps", Value: lists[i]}))
	}
	for _, v := range sds {
		descr, err := sd.New(dovetail.Position{}, v)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range descr.Applications() {
			for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(chunks)-1), 1, 2, rapid.ID[int]).Draw(t, "chunk") {
				lists[i].Items = append(lists[i].Items, value.NewString(a.EffectiveAlias()))
			}
		}
	}
	return list
}

func merge(t *rapid.T, mode sd.Mode, full, delta *sd.Descriptor) *sd.Merged {
	t.Helper()
	m, err := sd.Merge(mode, full, delta)
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, full.Value().JSON(), delta.Value().JSON())
	}
	return m
}

func list(descr *sd.Descriptor) []sd.Application {
	var all []sd.Application
	for _, a := range descr.Applications() {
		all = append(all, a)
	}
	return all
}

func unversioned(a sd.Application) sd.Application {
	a.Version = ""
	return a
}

// What a merge makes is made of what went in, which it does not change, and can be merged again.
func TestMergeMakesNothingUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom(append(merging, sd.Replace)).Draw(t, "mode")
		full, delta := pair(t, mode)
		before := string(full.Value().JSON()) + string(delta.Value().JSON())
		merged := merge(t, mode, full, delta).Descriptor
		if after := string(full.Value().JSON()) + string(delta.Value().JSON()); after != before {
			t.Fatalf("%s became %s", before, after)
		}
		given := append(list(full), list(delta)...)
		for _, a := range list(merged) {
			// The version may be the delta's, all else is of one of the two.
			known := slices.ContainsFunc(given, func(g sd.Application) bool { return unversioned(g) == unversioned(a) })
			version := slices.ContainsFunc(given, func(g sd.Application) bool { return g.Name == a.Name && g.Version == a.Version })
			if !known || !version {
				t.Fatalf("%s is neither in %s nor in %s", a, full.Value().JSON(), delta.Value().JSON())
			}
		}
		again, err := sd.New(dovetail.Position{}, merged.Value())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(list(again), list(merged)) {
			t.Fatalf("the value says %v, the SD %v", list(again), list(merged))
		}
		if err := again.Check(mode); err != nil {
			t.Fatalf("%s cannot be merged again: %v", again.Value().JSON(), err)
		}
	})
}

func TestMergeTwiceIsMergeOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]sd.Mode{sd.BasicMerge, sd.ExtendedMerge, sd.Replace}).Draw(t, "mode")
		full, delta := pair(t, mode)
		once := merge(t, mode, full, delta).Descriptor
		twice := merge(t, mode, once, delta).Descriptor
		if got, want := string(twice.Value().JSON()), string(once.Value().JSON()); got != want {
			t.Fatalf("once %s, twice %s", want, got)
		}
	})
}

func TestExclusionUndoesNewApplications(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		full, delta := pair(t, sd.BasicMerge)
		apps := value.NewList()
		for i, a := range delta.Applications() {
			if !slices.ContainsFunc(list(full), func(b sd.Application) bool { return a.Name == b.Name && a.DeployPostfix == b.DeployPostfix }) {
				apps.Items = append(apps.Items, delta.Value().Get("applications").Items[i])
			}
		}
		fresh, err := sd.New(dovetail.Position{}, value.NewMap(value.Member{Name: "applications", Value: apps}))
		if err != nil {
			t.Fatal(err)
		}
		more := merge(t, sd.BasicMerge, full, fresh).Descriptor
		undone := merge(t, sd.BasicExclusionMerge, more, fresh)
		if !value.Equal(undone.Descriptor.Value().Get("applications"), full.Value().Get("applications")) || len(undone.Warnings) > 0 {
			t.Fatalf("%s became %s, %v", full.Value().JSON(), undone.Descriptor.Value().JSON(), undone.Warnings)
		}
	})
}

// What the delta does not name stays as it is, in its order; so do chunks and their apps.
func TestOrderStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom(merging).Draw(t, "mode")
		full, delta := pair(t, mode)
		merged := merge(t, mode, full, delta).Descriptor
		touched := func(a sd.Application) bool {
			return slices.ContainsFunc(list(delta), func(b sd.Application) bool { return a.Name == b.Name && a.DeployPostfix == b.DeployPostfix })
		}
		if got, want := slices.DeleteFunc(list(merged), touched), slices.DeleteFunc(list(full), touched); !slices.Equal(got, want) {
			t.Fatalf("%v became %v", want, got)
		}
		if mode != sd.ExtendedMerge || full.Value().Get("deployGraph") == nil {
			return
		}
		for i, c := range full.Value().Get("deployGraph").Items {
			got := merged.Value().Get("deployGraph").Items[i]
			apps := c.Get("apps").Items
			if got.Get("chunkName").Text != c.Get("chunkName").Text || !slices.EqualFunc(got.Get("apps").Items[:len(apps)], apps, value.Equal) {
				t.Fatalf("%s became %s", c.JSON(), got.JSON())
			}
		}
	})
}

// Differences are found exactly where there are some.
func TestDiffOfEquals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := pair(t, sd.BasicMerge)
		if d := sd.Diff(a, a); len(d) > 0 {
			t.Fatalf("of itself: %v", d)
		}
		differ := len(sd.Diff(a, b)) > 0
		if differ == value.Equal(a.Value(), b.Value()) {
			t.Fatalf("%s and %s: %v", a.Value().JSON(), b.Value().JSON(), sd.Diff(a, b))
		}
	})
}

// The rules of the basic modes, written down naively.
func TestBasicModesByTheBook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom(merging[:2]).Draw(t, "mode")
		full, delta := pair(t, mode)
		same := func(a, b sd.Application) bool { return a.Name == b.Name && a.DeployPostfix == b.DeployPostfix }
		var want, warned []string
		for _, a := range list(full) {
			removed := false
			for _, b := range list(delta) {
				if same(a, b) {
					removed = mode == sd.BasicExclusionMerge && a.Version == b.Version
					a.Version = b.Version
					break
				}
			}
			if !removed {
				want = append(want, a.String())
			}
		}
		for _, b := range list(delta) {
			if slices.ContainsFunc(list(full), func(a sd.Application) bool { return same(a, b) }) {
				continue
			}
			if mode == sd.BasicExclusionMerge {
				warned = append(warned, b.String())
			} else {
				want = append(want, b.String())
			}
		}
		m := merge(t, mode, full, delta)
		var got []string
		for _, a := range list(m.Descriptor) {
			got = append(got, a.String())
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if len(m.Warnings) != len(warned) {
			t.Fatalf("warnings %v, want %v", m.Warnings, warned)
		}
		for i, w := range m.Warnings {
			if !strings.Contains(w.Message, warned[i]) {
				t.Fatalf("warning %v, want one of %s", w, warned[i])
			}
		}
		if members := m.Descriptor.Value().Members; len(members) != 1 || members[0].Name != "applications" {
			t.Fatal(fmt.Sprint(members))
		}
	})
}
