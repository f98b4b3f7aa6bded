package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
)

func ids(documents []*dovetail.Document) []string {
	var all []string
	for _, doc := range documents {
		all = append(all, string(doc.ID))
	}
	return all
}

func TestList(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p", "create project/p-1", "create project/q")
	for n := range 5 {
		apply(t, s, fmt.Sprintf(`create project/p/app/a%d {"metadata":{"labels":{"odd":"%t"}},"spec":{"n":%d}}`, n, n%2 == 1, n))
	}
	apply(t, s, "create project/p/app/a0/version/v", "create project/q/app/a9")
	labels, err := selector.ParseLabels("odd=true")
	if err != nil {
		t.Fatal(err)
	}
	fields, err := selector.ParseFields("spec.n!=3")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		query store.ListQuery
		want  []string // a line a page
	}{
		{name: "everything", want: []string{"project/p project/p-1 project/p/app/a0 project/p/app/a0/version/v project/p/app/a1 project/p/app/a2 project/p/app/a3 project/p/app/a4 project/q project/q/app/a9"}},
		{name: "a kind", query: store.ListQuery{Kind: "project"}, want: []string{"project/p project/p-1 project/q"}},
		{name: "a collection in pages", query: store.ListQuery{Kind: "app", Under: "project/p", Limit: 2},
			want: []string{"project/p/app/a0 project/p/app/a1", "project/p/app/a2 project/p/app/a3", "project/p/app/a4"}},
		{name: "pages that come out even", query: store.ListQuery{Kind: "app", Limit: 3},
			want: []string{"project/p/app/a0 project/p/app/a1 project/p/app/a2", "project/p/app/a3 project/p/app/a4 project/q/app/a9"}},
		{name: "labels in pages", query: store.ListQuery{Kind: "app", Labels: labels, Limit: 1}, want: []string{"project/p/app/a1", "project/p/app/a3"}},
		{name: "labels and fields", query: store.ListQuery{Labels: labels, Fields: fields}, want: []string{"project/p/app/a1"}},
		{name: "nothing", query: store.ListQuery{Kind: "link"}, want: []string{""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for q := test.query; ; {
				page, err := s.List(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, strings.Join(ids(page.Documents), " "))
				if page.Next == "" {
					break
				}
				q.After = page.Next
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("pages:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestChildrenAndTree(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p", "create project/q", "create typed/t {\"spec\":{}}", "create project/p/app/a", "create project/p/app/b", "create project/p/app/a/version/v",
		`create project/p/profile/x {"spec":{"app":"a"}}`)
	var pages []string
	for after := dovetail.ID(""); ; {
		children, next, err := s.Children(t.Context(), "project/p", after, 2)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, strings.Join(ids(children), " "))
		if next == "" {
			break
		}
		after = next
	}
	if want := []string{"project/p/app/a project/p/app/b", "project/p/profile/x"}; !slices.Equal(pages, want) {
		t.Errorf("children: %q", pages)
	}
	var draw func(n *store.Node) string
	draw = func(n *store.Node) string {
		text := string(n.ID)
		for _, child := range n.Children {
			text += " (" + draw(child) + ")"
		}
		if n.More {
			text += " ..."
		}
		return text
	}
	for _, test := range []struct {
		id           dovetail.ID
		depth, limit int
		want         string
	}{
		{id: "", depth: 1, limit: 10, want: " (project/p ...) (project/q) (typed/t)"},
		{id: "project/p", depth: 2, limit: 10, want: "project/p (project/p/app/a (project/p/app/a/version/v)) (project/p/app/b) (project/p/profile/x)"},
		{id: "project/p", depth: 1, limit: 1, want: "project/p (project/p/app/a ...) ..."},
	} {
		node, err := s.Tree(t.Context(), test.id, test.depth, test.limit)
		if err != nil {
			t.Fatal(err)
		}
		if got := draw(node); got != test.want {
			t.Errorf("tree of %q to %d: %s, want %s", test.id, test.depth, got, test.want)
		}
	}
}

func TestWatch(t *testing.T) {
	s := open(t, testSchema)
	head, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	apply(t, s, "create project/p", "create project/p/app/a")
	apply(t, s, `put project/p/app/a {"x":1}`)
	apply(t, s, "create project/q")
	apply(t, s, "delete project/p/app/a")
	for _, test := range []struct {
		name  string
		query store.WatchQuery
		want  []string
	}{
		{name: "everything", want: []string{"created project/p 1 true, created project/p/app/a 1 false", "updated project/p/app/a 2 false", "created project/q 1 true", "deleted project/p/app/a 2 false"}},
		{name: "a document", query: store.WatchQuery{ID: "project/q"}, want: []string{"created project/q 1 true"}},
		{name: "a collection", query: store.WatchQuery{Under: "project/p", Kind: "app"},
			want: []string{"created project/p/app/a 1 false", "updated project/p/app/a 2 false", "deleted project/p/app/a 2 false"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var got []string
			for event, err := range s.Watch(ctx, head, test.query) {
				if err != nil {
					t.Fatal(err)
				}
				var parts []string
				for _, c := range event.Changes {
					parts = append(parts, fmt.Sprintf("%s %s %d %t", c.Op, c.ID, c.Revision, c.Document != nil))
				}
				if got = append(got, strings.Join(parts, ", ")); len(got) == len(test.want) {
					break
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestCheckFindsDamage writes directly to the backend what the store would refuse.
func TestCheckFindsDamage(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p", "create project/p/app/a")
	bad := func(id dovetail.ID, kind, data string, refs ...dovetail.Reference) {
		t.Helper()
		err := s.Backend().Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{{ID: id, Kind: kind, Data: []byte(data), References: refs, UID: "u", Revision: 1}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	bad("project/q/app/a", "app", `{}`)
	bad("nosuch/x", "nosuch", `{}`)
	bad("project/p/app/b", "profile", `{}`)
	bad("project/p/profile/x", "profile", `{"spec":{"app":"gone"}}`, dovetail.Reference{ID: "project/p/app/gone", Kind: "app"})
	bad("project/p/profile/y", "profile", `{"spec":{"app":"a"}}`)
	bad("project/p/app/c", "app", `[]`)
	bad("typed/t", "typed", `{"spec":{"size":"x"}}`)
	var got []string
	for f, err := range s.Check(t.Context(), false) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f.Problem+" "+string(f.ID))
	}
	slices.Sort(got)
	want := []string{"dangling-parent project/q/app/a", "dangling-reference project/p/profile/x", "invalid-data typed/t",
		"unknown-kind nosuch/x", "unknown-kind project/p/app/b", "unreadable-data project/p/app/c", "wrong-references project/p/profile/y"}
	if !slices.Equal(got, want) {
		t.Errorf("found:\n%s", strings.Join(got, "\n"))
	}
}
