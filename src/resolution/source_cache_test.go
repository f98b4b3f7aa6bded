package resolution

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// counted counts the lists that are read.
type counted struct {
	*store.Store
	lists int
}

func (c *counted) Documents(ctx context.Context, q store.ListQuery) iter.Seq2[*dovetail.Document, error] {
	c.lists++
	return c.Store.Documents(ctx, q)
}

func newCounted(t testing.TB) *counted {
	t.Helper()
	backend := apitest.OpenBolt(t)
	t.Cleanup(func() { _ = backend.Close() })
	return &counted{Store: apitest.NewStore(t, backend, store.Config{}, "ref-schemas/v1.yaml")}
}

func mustPut(t rapid.TB, s *counted, id dovetail.ID, spec string) {
	t.Helper()
	data, err := value.ParseJSON([]byte(fmt.Sprintf(`{"metadata":{"name":%q},"spec":%s}`, id.Key()[len(id.Key())-1].Value, spec)), value.Limits{})
	if err == nil {
		_, err = s.Put(context.Background(), store.Operation{ID: id, Data: data})
	}
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
}

func digests(of []*solver.Source) (all []string) {
	for _, source := range of {
		all = append(all, source.Name+" "+source.Digest())
	}
	return all
}

// TestSourceCache: what was read once is not read again, also after changes, which each request sees.
func TestSourceCache(t *testing.T) {
	t.Parallel()
	s := newCounted(t)
	c := newSourceCache(s)
	get := func(lists int, names ...string) []string {
		t.Helper()
		s.lists = 0
		found, err := c.get(t.Context(), names)
		if err != nil {
			t.Fatal(err)
		}
		if s.lists != lists {
			t.Errorf("%d lists were read for %v, want %d", s.lists, names, lists)
		}
		return digests(found)
	}
	mustPut(t, s, "source/a", `{}`)
	mustPut(t, s, "source/a/package/p", `{}`)
	mustPut(t, s, "source/b", `{}`)
	first := get(1, "a")
	if again := get(0, "a"); len(first) != 1 || !slices.Equal(again, first) {
		t.Errorf("%v, then %v", first, again)
	}
	mustPut(t, s, "source/a/package/p/packageVersion/1.0.0", `{"channels":["c"]}`)
	changed := get(0, "a")
	if len(changed) != 1 || changed[0] == first[0] {
		t.Errorf("%v after a change, %v before", changed, first)
	}
	mustPut(t, s, "source/b/package/q", `{}`) // which is not held
	if got := get(0, "a"); !slices.Equal(got, changed) {
		t.Errorf("%v, want %v", got, changed)
	}
	if got := get(1, "a", "b"); len(got) != 2 {
		t.Errorf("%v", got)
	}
	if got := get(3); len(got) != 2 {
		t.Errorf("%v", got)
	}
	if _, err := s.Delete(t.Context(), store.Operation{ID: "source/b", Cascade: true}); err != nil {
		t.Fatal(err)
	}
	if got := get(0); len(got) != 1 {
		t.Errorf("%v", got)
	}
	if got := get(0, "none"); len(got) != 0 || len(c.loaded) > 2 {
		t.Errorf("%v", got)
	}
}

// TestSourceCacheLikeReading: after any changes, requests get what reading everything gives.
func TestSourceCacheLikeReading(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := newCounted(t)
		rt.Cleanup(func() { s.Backend().Close() })
		c := newSourceCache(s)
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			source := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "source")
			id := dovetail.ID("source/" + source)
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0:
				mustPut(rt, s, id, fmt.Sprintf(`{"priority":%d}`, rapid.IntRange(0, 3).Draw(rt, "priority")))
			case 1, 2:
				mustPut(rt, s, id, `{}`)
				mustPut(rt, s, id+"/package/p", `{}`)
				mustPut(rt, s, id+"/package/p/packageVersion/1.0.0", fmt.Sprintf(`{"channels":["c"],"image":"%d"}`, rapid.IntRange(0, 2).Draw(rt, "image")))
			case 3:
				_, err := s.Delete(context.Background(), store.Operation{ID: id, Cascade: true})
				if err != nil && dovetail.CodeOf(err) != dovetail.CodeNotFound {
					rt.Fatal(err)
				}
			}
			var names []string
			if rapid.Bool().Draw(rt, "named") {
				names = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b"}), 1, 2, rapid.ID[string]).Draw(rt, "names")
			}
			got, err := c.get(context.Background(), names)
			if err != nil {
				rt.Fatal(err)
			}
			fresh := newSources()
			if err := fresh.load(context.Background(), s, names); err != nil {
				rt.Fatal(err)
			}
			if want := digests(fresh.all()); !slices.Equal(digests(got), want) {
				rt.Fatalf("%v are %v, want %v", names, digests(got), want)
			}
		}
	})
}
