package fieldmanager

import (
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// largeMap has n members from the first one on, each with a value; their names differ at the end only, so that comparing them takes long.
func largeMap(first, n int, v *value.Value) *value.Value {
	spec := value.NewMap()
	for i := first; i < first+n; i++ {
		spec.Members = append(spec.Members, value.Member{Name: fmt.Sprintf("a member with quite a long name %07d", i), Value: v})
	}
	return value.NewMap(value.Member{Name: "spec", Value: spec})
}

// manyManagers have a field each of largeMap(0, n).
func manyManagers(n int) Entries {
	var entries Entries
	for i := range n {
		e := by(fmt.Sprintf("m%d", i))
		e.Operation, e.Fields = Applied, fieldsOf(largeMap(i, 1, value.NullValue()))
		entries = append(entries, e)
	}
	return entries
}

// largeCase is work on a map of n members that has a result of some size.
type largeCase struct {
	name string
	do   func(n int) int
	want func(n int) int
}

var largeCases = func() []largeCase {
	one, two := value.NewNumber(1), value.NewNumber(2)
	all, few := func(n int) int { return n }, func(int) int { return 1 }
	return []largeCase{
		{"apply to nothing", func(n int) int {
			_, entries, _ := Apply(nil, largeMap(0, n, one), nil, by("a"), ForceNone)
			return entries[0].Fields.count()
		}, all},
		{"apply again", func(n int) int {
			live := largeMap(0, n, one)
			_, entries, _ := Apply(live, largeMap(0, n, two), Entries{{Manager: "a", Operation: Applied, Fields: fieldsOf(live)}}, by("a"), ForceNone)
			return entries[0].Fields.count()
		}, all},
		{"apply nothing more", func(n int) int {
			live := largeMap(0, n, one)
			data, _, _ := Apply(live, largeMap(n-1, 1, one), Entries{{Manager: "a", Operation: Applied, Fields: fieldsOf(live)}}, by("a"), ForceNone)
			return len(data.Get("spec").Members)
		}, few},
		{"apply others", func(n int) int {
			data, _, _ := Apply(largeMap(0, n/2, one), largeMap(n/2, n/2, one), nil, by("a"), ForceNone)
			return len(data.Get("spec").Members)
		}, all},
		{"conflicts", func(n int) int {
			_, _, conflicts := Apply(largeMap(0, n, one), largeMap(0, n, two), manyManagers(n/2), by("a"), ForceNone)
			return 2 * len(conflicts)
		}, all},
		{"take from many managers", func(n int) int {
			_, entries, _ := Apply(largeMap(0, n, one), largeMap(0, n, two), manyManagers(n/2), by("a"), ForceAll)
			return len(entries)
		}, few},
		{"update one", func(n int) int {
			before, after := largeMap(0, n, one), largeMap(0, n, one)
			after.Get("spec").Members[n/2].Value = two
			return len(Update(before, after, Entries{{Manager: "a", Operation: Applied, Fields: fieldsOf(before)}}, by("u"))) - 1
		}, few},
		{"update all of many managers", func(n int) int {
			return len(Update(largeMap(0, n, one), largeMap(0, n, two), manyManagers(n/2), by("u")))
		}, few},
		{"update in another order", func(n int) int {
			return Update(largeMap(0, n, one), largeMap(n/2, n, one), nil, by("u"))[0].Fields.count() * 2
		}, all},
		{"updates join", func(n int) int {
			live, entries := largeMap(0, n, one), Entries(nil)
			for i := range maxUpdaters + 3 {
				next := largeMap(i*n/100, n/5, value.NewNumber(int64(i)))
				entries = Update(live, next, entries, by(fmt.Sprint(i)))
				live = next
			}
			return len(entries)
		}, few},
		{"restore to many managers", func(n int) int {
			return len(Restore(largeMap(0, n, two), largeMap(0, n, one), nil, manyManagers(n), by("r")))
		}, all},
		{"written and read", func(n int) int {
			entries, err := Parse(Entries{{Manager: "a", Operation: Applied, Fields: fieldsOf(largeMap(0, n, one))}}.Value())
			if err != nil {
				return -1
			}
			return entries[0].Fields.count()
		}, all},
		{"without nulls", func(n int) int { return len(WithoutNulls(largeMap(0, n, one)).Get("spec").Members) }, all},
	}
}()

// TestLarge works on a map of this many members that the test would not end if each of them, or each manager, were searched among all.
func TestLarge(t *testing.T) {
	t.Parallel()
	for _, test := range largeCases {
		t.Run(test.name, func(t *testing.T) {
			const n = 60_000
			if got, want := test.do(n), test.want(n); got != want {
				t.Errorf("got %d, want %d", got, want)
			}
		})
	}
}

// TestConflictsDescribed: only so many conflicts as are shown have a path, which is long where a field is deep.
func TestConflictsDescribed(t *testing.T) {
	t.Parallel()
	const n = 3 * dovetail.MaxErrors
	_, _, conflicts := Apply(largeMap(0, n, value.NewNumber(1)), largeMap(0, n, value.NewNumber(2)), manyManagers(n), by("a"), ForceNone)
	for i, c := range conflicts {
		if described := c.Path != nil; described != (i < dovetail.MaxErrors) || described && c.Manager != fmt.Sprintf("m%d", i) {
			t.Errorf("conflict %d is %+v", i, c)
		}
	}
	if len(conflicts) != n {
		t.Errorf("%d conflicts, want %d", len(conflicts), n)
	}
}

func BenchmarkLarge(b *testing.B) {
	for _, c := range largeCases {
		for _, n := range []int{6_000, 60_000} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.do(n)
				}
			})
		}
	}
}
