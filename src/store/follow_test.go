package store_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// followSchema has notes on sites whose ids and data repeat the names of sites, where no rule finds these.
const followSchema = `
resources:
  - name: site
  - name: note
  - name: remark
    parent: note
  - name: plan
  - name: label
    references: [{name: note}]
`

// followSite has the notes of a site follow it under its name, and the plan of all sites with the name in it.
func followSite(ctx context.Context, from store.Reader, moved dovetail.Move) ([]store.Followed, error) {
	was, is := moved.From.Key()[0], moved.To.Key()[0]
	if was.Name != "site" {
		return nil, nil
	}
	found := []store.Followed{{ID: dovetail.ID("").Child("note", was.Value), To: dovetail.ID("").Child("note", is.Value)}}
	plan, err := from.GetAll(ctx, []dovetail.ID{"plan/all"})
	if err != nil || plan[0] == nil {
		return found, err
	}
	next := store.NewOperation(store.Put, "plan/all", map[string]any{"spec": map[string]any{"sites": is.Value}})
	return append(found, store.Followed{ID: "plan/all", Data: next.Data}), nil
}

func TestFollow(t *testing.T) {
	given := []string{"create site/s", `create note/s {"metadata":{"name":"s"}}`, "create note/s/remark/r", `create label/l {"spec":{"note":"s"}}`, `create plan/all {"spec":{"sites":"s"}}`}
	tests := []struct {
		name    string
		have    []string
		more    string // is created, too
		refused string // part of the error; "" if there is none
	}{
		{name: "everything follows"},
		{name: "with all rights", have: []string{"read", "create", "update", "delete"}},
		{name: "what follows may not be deleted", have: []string{"read", "create", "update", "delete site"}, refused: "ann may not delete note/s"},
		{name: "what has the name may not be read", have: []string{"read site", "read note", "read label", "create", "update label", "delete"}, refused: "may not change everything"},
		{name: "the id is taken", more: "create note/z", refused: "note/z exists already"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := openWith(t, followSchema, store.Config{Follow: []store.Follow{followSite}})
			apply(t, s, given...)
			if test.more != "" {
				apply(t, s, test.more)
			}
			before := dataOf(t, s)
			by, ctx := s, t.Context()
			if test.have != nil {
				by, ctx = openOn(t, s.Backend(), s.Model(), store.Config{Follow: []store.Follow{followSite}, Guard: guard{"ann": test.have}}), as(t, "ann")
			}
			_, err := by.Rename(ctx, "site/s", "site/z", store.Options{})
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) {
					t.Errorf("it is answered with %v", err)
				}
				if after := dataOf(t, s); !maps.Equal(before, after) {
					t.Errorf("it left %v", after)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"site/z": "{}", "note/z": `{"metadata":{"name":"z"}}`, "note/z/remark/r": "{}", "label/l": `{"spec":{"note":"z"}}`, "plan/all": `{"spec":{"sites":"z"}}`}
			if after := dataOf(t, s); !maps.Equal(after, want) {
				t.Errorf("there is %v, want %v", after, want)
			}
			requireClean(t, s)
		})
	}
}

// TestMigrationOfFollowed moves a document by a migration that others would follow, which is refused with the names of these.
func TestMigrationOfFollowed(t *testing.T) {
	s := openWith(t, followSchema, store.Config{Follow: []store.Follow{followSite}})
	apply(t, s, "create site/s", "create note/s")
	before := dataOf(t, s)
	m, err := store.ParseMigration(store.MigrationFile{Name: "m.yaml", Text: []byte("steps: [{subtree: {from: site/s, to: site/z}}]"), Next: compile(t, followSchema)}, s.Model())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Migrate(t.Context(), m, store.MigrateOptions{}); !strings.Contains(allOf(err), "note/s has names of site/s") {
		t.Errorf("it is answered with %v", allOf(err))
	}
	if after := dataOf(t, s); !maps.Equal(before, after) {
		t.Errorf("it left %v", after)
	}
}

// TestHistoryOfFollowed reads the histories of what is renamed, of what follows it under another id and of what lies below that.
func TestHistoryOfFollowed(t *testing.T) {
	s := openWith(t, followSchema, store.Config{Follow: []store.Follow{followSite}})
	apply(t, s, "create site/s", `create note/s {"metadata":{"name":"s"}}`, "create note/s/remark/r")
	if _, err := s.Rename(t.Context(), "site/s", "site/z", store.Options{}); err != nil {
		t.Fatal(err)
	}
	blind := openOn(t, s.Backend(), s.Model(), store.Config{Follow: []store.Follow{followSite}, Guard: guard{"ann": {"read site"}}})
	for _, test := range []struct{ id, other, blind, origin string }{
		{"site/z", "site/s", "site/s", "rename:site/s site/z"},
		{"site/s", "site/z", "site/z", "rename:site/s site/z"},
		{"note/z", "note/s", "", ""},
		{"note/s", "note/z", "", ""},
		{"note/z/remark/r", "note/s/remark/r", "", ""},
		{"note/s/remark/r", "note/z/remark/r", "", ""},
	} {
		last := func(ctx context.Context, s *store.Store) store.Version {
			for version, err := range s.History(ctx, dovetail.ID(test.id)) {
				if err == nil {
					return version
				}
			}
			return store.Version{}
		}
		if v := last(t.Context(), s); string(v.Renamed) != test.other || v.Origin != "rename:site/s site/z note/s note/z" {
			t.Errorf("%s was %q (%s)", test.id, v.Renamed, v.Origin)
		}
		if v := last(as(t, "ann"), blind); string(v.Renamed) != test.blind || v.Origin != test.origin {
			t.Errorf("%s was %q (%s), as is said to who may not read notes", test.id, v.Renamed, v.Origin)
		}
	}
}
