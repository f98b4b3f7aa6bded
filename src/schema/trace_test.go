package schema_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// checkTrace compares Trace with what Extract found: the same targets of the same rules, and each element where Trace says.
func checkTrace(t testing.TB, kind *schema.Kind, id dovetail.ID, data *value.Value, found []schema.Candidate) {
	t.Helper()
	line := func(rule *schema.Reference, target dovetail.ID) string {
		return fmt.Sprint(slices.Index(kind.References, rule), " ", target)
	}
	var want, got []string
	for _, c := range found {
		for _, target := range c.Targets {
			want = append(want, line(c.Rule, target.ID))
		}
	}
	own := id.Key()
	for _, trace := range kind.Trace(id, data) {
		got = append(got, line(trace.Rule, trace.Target))
		key := dovetail.Key{}
		for i, o := range trace.Origins {
			fixed, isFixed := trace.Rule.FixedKv[o.Element]
			e := dovetail.Element{Name: o.Element, Value: fixed}
			switch {
			case isFixed:
			case o.Named:
				if e.Value = o.Name; o.Holder.Get(o.Name) == nil {
					t.Errorf("%s: there is no member %q", trace.Target, o.Name)
				}
			case o.Text != nil:
				if e.Value, _ = o.Text.Str(); o.Holder != nil && o.Holder.Kind == value.Map && o.Holder.Get(o.Name) != o.Text {
					t.Errorf("%s: %q is not the member %q", trace.Target, e.Value, o.Name)
				}
			case o.Own < 0:
				t.Errorf("%s: the element %d comes from nowhere", trace.Target, i)
			default:
				e.Value = own[o.Own].Value
			}
			key = append(key, e)
		}
		if len(trace.Target) < 256 && key.ID() != trace.Target {
			t.Errorf("the elements of %s are traced to %s", trace.Target, key.ID())
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(slices.Compact(got), slices.Compact(want)) {
		t.Errorf("traced %q\nfound  %q\nin %s", got, want, data.JSON())
	}
}
