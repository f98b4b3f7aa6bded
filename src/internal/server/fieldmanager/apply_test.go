package fieldmanager

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/value"
)

func parse(t testing.TB, text string) *value.Value {
	t.Helper()
	if text == "" {
		return nil
	}
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func by(manager string) Entry { return Entry{Manager: manager, Time: time.Unix(1_000_000, 0)} }

// text shows who owns what: "a: spec.x spec.y; b (Update): spec.z".
func (es Entries) text() string {
	var all []string
	for _, e := range es {
		name := e.Manager
		if e.Operation == Updated {
			name += " (Update)"
		}
		var fields []string
		e.Fields.each(func(path []string) { fields = append(fields, strings.Join(path, ".")) })
		all = append(all, name+": "+strings.Join(fields, " "))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// TestApply applies configurations, and changes data in other ways, one after the other.
func TestApply(t *testing.T) {
	t.Parallel()
	type step struct {
		manager string
		apply   string // a configuration, or
		force   Force
		update  string // what the data become
		want    string // the data, or the conflicts
		owners  string
	}
	tests := []struct {
		name  string
		steps []step
	}{
		{"a new document", []step{{manager: "a", apply: `{"spec":{"n":1.50}}`, want: `{"spec":{"n":1.50}}`, owners: "a: spec.n"}}},
		{"fields of two", []step{
			{manager: "a", apply: `{"spec":{"x":1}}`, want: `{"spec":{"x":1}}`},
			{manager: "b", apply: `{"spec":{"y":2}}`, want: `{"spec":{"x":1,"y":2}}`, owners: "a: spec.x; b: spec.y"},
			{manager: "a", apply: `{"spec":{"z":3}}`, want: `{"spec":{"y":2,"z":3}}`, owners: "a: spec.z; b: spec.y"},
		}},
		{"a conflict", []step{
			{manager: "a", apply: `{"spec":{"x":1,"y":1}}`, want: `{"spec":{"x":1,"y":1}}`},
			{manager: "b", apply: `{"spec":{"x":2,"y":1}}`, want: "a: spec.x"},
			{manager: "b", apply: `{"spec":{"x":2,"y":1}}`, force: ForceAll, want: `{"spec":{"x":2,"y":1}}`, owners: "a: spec.y; b: spec.x spec.y"},
			{manager: "a", apply: `{"spec":{"x":1,"y":1}}`, want: "b: spec.x"},
			{manager: "a", apply: `{"spec":{"x":2}}`, want: `{"spec":{"x":2,"y":1}}`, owners: "a: spec.x; b: spec.x spec.y"},
		}},
		{"what both own stays until both let go", []step{
			{manager: "a", apply: `{"spec":{"x":1}}`, want: `{"spec":{"x":1}}`},
			{manager: "b", apply: `{"spec":{"x":1}}`, want: `{"spec":{"x":1}}`},
			{manager: "a", apply: `{}`, want: `{"spec":{"x":1}}`, owners: "b: spec.x"},
			{manager: "b", apply: `{}`, want: `{}`},
		}},
		{"lists are one field", []step{
			{manager: "a", apply: `{"l":[1,2]}`, want: `{"l":[1,2]}`},
			{manager: "b", apply: `{"l":[1,2,3]}`, want: "a: l"},
		}},
		{"an update takes what it changes", []step{
			{manager: "a", apply: `{"spec":{"x":1,"y":1}}`, want: `{"spec":{"x":1,"y":1}}`},
			{manager: "u", update: `{"spec":{"x":2,"y":1,"z":{"n":1}}}`, owners: "a: spec.y; u (Update): spec.x spec.z.n"},
			{manager: "a", apply: `{"spec":{"x":1,"y":1}}`, want: "u: spec.x"},
			{manager: "a", apply: `{"spec":{"y":2}}`, want: `{"spec":{"x":2,"y":2,"z":{"n":1}}}`},
			{manager: "v", update: `{"spec":{"y":2,"z":{"n":1}}}`, owners: "a: spec.y; u (Update): spec.z.n"},
		}},
		{"what is not managed has no owner that applies", []step{
			{manager: "u", update: `{"spec":{"x":1,"y":1}}`},
			{manager: "a", apply: `{"spec":{"y":1}}`, want: `{"spec":{"x":1,"y":1}}`, owners: "a: spec.y; u (Update): spec.x spec.y"},
		}},
		{"a map in place of a field, and back", []step{
			{manager: "a", apply: `{"x":1}`, want: `{"x":1}`},
			{manager: "b", apply: `{"x":{"y":1}}`, want: "a: x"},
			{manager: "b", apply: `{"x":{"y":1}}`, force: ForceAll, want: `{"x":{"y":1}}`, owners: "b: x.y"},
			{manager: "a", apply: `{"x":2}`, want: "b: x"},
			{manager: "a", apply: `{"x":2}`, force: ForceAll, want: `{"x":2}`, owners: "a: x"},
		}},
		{"empty maps", []step{
			{manager: "a", apply: `{"spec":{}}`, want: `{"spec":{}}`, owners: "a: spec"},
			{manager: "b", apply: `{"spec":{"x":1}}`, want: `{"spec":{"x":1}}`, owners: "a: spec; b: spec.x"},
			{manager: "b", apply: `{"y":1}`, want: `{"spec":{},"y":1}`, owners: "a: spec; b: y"},
			{manager: "a", apply: `{"spec":{}}`, want: `{"spec":{},"y":1}`},
		}},
		{"its own fields become an empty map", []step{
			{manager: "a", apply: `{"spec":{"x":1}}`, want: `{"spec":{"x":1}}`},
			{manager: "a", apply: `{"spec":{}}`, want: `{"spec":{}}`, owners: "a: spec"},
		}},
		{"null says nothing", []step{
			{manager: "a", apply: `{"metadata":{"labels":{"x":"1"}},"spec":{"n":1}}`, want: `{"metadata":{"labels":{"x":"1"}},"spec":{"n":1}}`},
			{manager: "b", apply: `{"metadata":{"labels":null},"spec":{"m":null,"l":[null]}}`, want: `{"metadata":{"labels":{"x":"1"}},"spec":{"n":1,"l":[null]}}`, owners: "a: metadata.labels.x spec.n; b: spec.l"},
			{manager: "a", apply: `{"metadata":{"labels":{"x":null}},"spec":{"n":1}}`, want: `{"spec":{"n":1,"l":[null]}}`, owners: "a: spec.n; b: spec.l"},
		}},
		{"fields without a known manager", []step{
			{update: `{"spec":{"x":1,"y":1}}`},
			{manager: "a", apply: `{"spec":{"x":2}}`, want: "before-first-apply: spec.x"},
			{manager: "a", apply: `{"spec":{"x":2}}`, force: ForceUnowned, want: `{"spec":{"x":2,"y":1}}`, owners: "a: spec.x; before-first-apply (Update): spec.y"},
			{manager: "b", apply: `{"spec":{"x":3,"y":2}}`, force: ForceUnowned, want: "a: spec.x"},
			{manager: "b", apply: `{"spec":{"y":2}}`, force: ForceUnowned, want: `{"spec":{"x":2,"y":2}}`, owners: "a: spec.x; b: spec.y"},
			{manager: "b", apply: `{}`, want: `{"spec":{"x":2}}`},
		}},
		{"what the manager itself set in another way", []step{
			{manager: "a", apply: `{"spec":{"x":1}}`, want: `{"spec":{"x":1}}`},
			{manager: "a", update: `{"spec":{"x":2,"y":1}}`, owners: "a (Update): spec.x spec.y"},
			{manager: "a", apply: `{"spec":{"x":3}}`, want: "a: spec.x"},
			{manager: "a", apply: `{"spec":{"x":3}}`, force: ForceUnowned, want: `{"spec":{"x":3,"y":1}}`, owners: "a (Update): spec.y; a: spec.x"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var live *value.Value
			var entries Entries
			for i, s := range test.steps {
				if s.update != "" {
					after := parse(t, s.update)
					if s.manager != "" { // else who did it is not kept
						entries = Update(live, after, entries, by(s.manager))
					}
					live = after
				} else {
					data, next, conflicts := Apply(live, WithoutNulls(parse(t, s.apply)), entries, by(s.manager), s.force)
					if len(conflicts) > 0 {
						var all []string
						for _, c := range conflicts {
							all = append(all, c.Manager+": "+strings.Join(c.Path, "."))
						}
						if got := strings.Join(all, "; "); got != s.want {
							t.Fatalf("step %d: conflicts %s, want %s", i, got, s.want)
						}
						continue
					}
					if got := string(data.JSON()); got != s.want {
						t.Fatalf("step %d: %s, want %s", i, got, s.want)
					}
					live, entries = data, next
				}
				if got := entries.text(); s.owners != "" && got != s.owners {
					t.Fatalf("step %d: %s, want %s", i, got, s.owners)
				}
			}
		})
	}
}

// TestRestore gives fields back to those who had them.
func TestRestore(t *testing.T) {
	t.Parallel()
	then := Entries{{Manager: "a", Operation: Applied, Fields: fieldsOf(parse(t, `{"spec":{"x":1,"y":1}}`))}, {Manager: "b", Operation: Updated, Fields: fieldsOf(parse(t, `{"spec":{"x":1}}`))}}
	now := Entries{{Manager: "a", Operation: Applied, Fields: fieldsOf(parse(t, `{"spec":{"y":1}}`))}, {Manager: "c", Operation: Applied, Fields: fieldsOf(parse(t, `{"spec":{"x":2,"z":1}}`))}}
	got := Restore(parse(t, `{"spec":{"x":2,"y":1,"z":1}}`), parse(t, `{"spec":{"x":1,"y":1,"w":1}}`), now, then, by("r"))
	if want := "a: spec.x spec.y; b (Update): spec.x; r (Update): spec.w"; got.text() != want {
		t.Errorf("%s, want %s", got.text(), want)
	}
	if text, was := now.text(), "a: spec.y; c: spec.x spec.z"; text != was {
		t.Errorf("the entries became %s", text)
	}
}

// drawn draws small data: names and values meet often.
func drawn(t *rapid.T, depth int) *value.Value {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "shape") == 0 && depth < 3 {
		return value.NewNumber(int64(rapid.IntRange(0, 2).Draw(t, "n")))
	}
	v := value.NewMap()
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID[string]).Draw(t, "names") {
		v.Set(name, drawn(t, depth-1))
	}
	return v
}

// TestApplyHolds: after an application the data have all of the configuration; what others own is as it was; each field that is there has an
// owner; the managers are read back as they are written; and applying the same again changes nothing.
func TestApplyHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var live *value.Value
		var entries Entries
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			manager := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "manager")
			config := drawn(t, 3)
			if rapid.IntRange(0, 2).Draw(t, "how") == 0 {
				entries, live = Update(live, config, entries, by(manager)), config
			} else {
				force := rapid.SampledFrom([]Force{ForceNone, ForceUnowned, ForceAll}).Draw(t, "force")
				data, next, conflicts := Apply(live, config, entries, by(manager), force)
				if len(conflicts) > 0 {
					if force == ForceAll {
						t.Fatalf("%v by force", conflicts)
					}
					for _, c := range conflicts {
						if c.Manager == manager && c.Operation == Applied {
							t.Fatalf("%v conflicts with itself", c)
						}
					}
					continue
				}
				fieldsOf(config).each(func(path []string) {
					at, to := data.At(path...), config.At(path...)
					if at == nil || !value.Equal(at, to) && (at.Kind != value.Map || to.Kind != value.Map) {
						t.Fatalf("%v is %v", path, at)
					}
				})
				for _, e := range entries {
					if e.Manager == manager && e.Operation == Applied {
						continue
					}
					e.Fields.each(func(path []string) {
						if (force == ForceNone || force == ForceUnowned && e.Manager != BeforeFirstApply && e.Manager != manager) && !value.Equal(live.At(path...), data.At(path...)) && live.At(path...).Kind != value.Map {
							t.Fatalf("%v of %s changed from %s to %s", path, e.Manager, live.JSON(), data.JSON())
						}
					})
				}
				again, same, conflicts := Apply(data, config, next, by(manager), ForceNone)
				if len(conflicts) > 0 || !value.Equal(again, data) || same.text() != next.text() {
					t.Fatalf("again: %s %s %v, was %s %s", again.JSON(), same.text(), conflicts, data.JSON(), next.text())
				}
				live, entries = data, next
			}
			fieldsOf(live).each(func(path []string) {
				if len(entries) > 0 && live.At(path...).Kind != value.Map && !slices.ContainsFunc(entries, func(e Entry) bool { return e.Fields.has(path) }) {
					t.Fatalf("%v of %s has no owner among %s", path, live.JSON(), entries.text())
				}
			})
			for _, e := range entries {
				e.Fields.each(func(path []string) {
					if live.At(path...) == nil {
						t.Fatalf("%s owns %v, which %s does not have", e.Manager, path, live.JSON())
					}
				})
			}
			back, err := Parse(entries.Value())
			if err != nil || back.text() != entries.text() || !value.Equal(back.Value(), entries.Value()) {
				t.Fatalf("read back as %s, %v; want %s", back.text(), err, entries.text())
			}
		}
	})
}
