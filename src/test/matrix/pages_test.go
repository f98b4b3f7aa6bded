package matrix

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestPagesOfEveryRead reads the first page of everything that has pages, changes everything, and reads the remaining pages: together
// they are what there was before.
func TestPagesOfEveryRead(t *testing.T) {
	t.Parallel()
	s := &sample{world: newServer(t, rootPolicy, []string{"root"}, nil), who: "root"}
	s.fill(t)
	for _, name := range []string{"one", "two", "three"} {
		s.must(t, "POST", "/v2/clusters", named(name))
		s.must(t, "POST", "/v2/sources", named(name))
		s.must(t, "POST", "/api/change-sets", members{"name": name})
	}
	for variable, value := range map[string]string{"group": "inventory.dovetail.dev", "version": "v1", "namespace": "v"} {
		s.values[variable] = []string{value}
	}
	s.values["resource"], s.values["name"] = []string{"clusters", "environments"}, []string{"v"}
	type pages struct {
		of    query
		whole []string // the items of one page
		first []string
		token string
	}
	var all []pages
	for _, q := range s.reads(t, "continue") {
		view := strings.Contains(q.path, "view=children") || strings.Contains(q.path, "view=referrers")
		if strings.HasSuffix(q.template, "}") != view && !strings.HasPrefix(q.template, "/apis/") || strings.Contains(q.path, "limit=2") {
			continue
		}
		p := pages{of: q}
		if p.whole, _ = s.page(t, q.with("limit", "500")); len(p.whole) > 1 {
			if p.first, p.token = s.page(t, q.with("limit", "1")); p.token == "" && q.template != "/api/v1/namespaces" { // which are one page
				t.Errorf("%s has %d items, and no page after the first", q.path, len(p.whole))
			}
			all = append(all, p)
		}
	}
	s.change(t)
	for _, p := range all {
		items := p.first
		for token := p.token; token != ""; {
			var more []string
			more, token = s.page(t, p.of.with("limit", "2").with("continue", token))
			if items = append(items, more...); len(more) == 0 || len(items) > len(p.whole) {
				break
			}
		}
		if !slices.Equal(items, p.whole) {
			t.Errorf("the pages of %s are\n%s\nthe whole was\n%s", p.of.path, strings.Join(items, "\n"), strings.Join(p.whole, "\n"))
		}
	}
	templates := make(map[string]bool)
	for _, p := range all {
		templates[p.of.template] = true
	}
	if len(templates) < 8 {
		t.Errorf("only %d routes have pages: %v", len(templates), templates)
	}
}

// page returns the items of a page, and the token of the next one; none of what has no items.
func (s *sample) page(t *testing.T, q query) (items []string, token string) {
	t.Helper()
	var page struct {
		Items    []json.RawMessage
		Continue string
		Metadata struct{ Continue string }
	}
	a := s.read(t, q)
	if a.status == 200 && a.text[0] == '{' {
		decode(t, a.text, &page)
	} else if strings.Contains(q.path, "continue=") {
		t.Errorf("%s: %d %s", q.path, a.status, a.text)
	}
	for _, item := range page.Items {
		items = append(items, string(item))
	}
	return items, cmp.Or(page.Continue, page.Metadata.Continue)
}
