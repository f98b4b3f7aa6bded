package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

const subtreesBefore = `
resources:
  - name: region
  - name: site
  - name: device
    parent: site
  - name: port
    parent: device
    references:
      - {name: port, at: spec.peer}
  - name: cable
    references:
      - {name: port, at: spec.a}
      - {name: port, at: "spec.others[*]"}
`

// Sites move below regions.
var subtreesAfter = strings.Replace(subtreesBefore, "  - name: site\n", "  - name: site\n    parent: region\n", 1)

func TestMigrateSubtrees(t *testing.T) {
	given := []string{"create region/eu", "create site/a", "create site/b", `create site/a/device/d {"metadata":{"name":"d"}}`, "create site/b/device/e",
		"create site/a/device/d/port/p", `create site/a/device/d/port/q {"spec":{"peer":{"port":"p"}}}`, `create site/b/device/e/port/p {"spec":{"peer":{"site":"a","device":"d","port":"p"}}}`}
	cable := `create cable/c {"spec":{"a":{"site":"a","device":"d","port":"p"},"others":[{"site":"b","device":"e","port":"p"}]}}`
	const sites = "steps:\n- subtree: {from: site/a, to: region/eu/site/a}\n- subtree: {from: site/b, to: region/eu/site/b}\n"
	tests := []struct {
		name, after, steps, given string
		want                      map[string]string
		references                string
		plan                      string
		refused                   string
	}{
		{name: "within one ref-schema", after: subtreesBefore, given: cable, steps: "steps: [{subtree: {from: site/a/device/d, to: site/b/device/x}}]",
			want: map[string]string{"site/b/device/x": `{"metadata":{"name":"x"}}`, "site/b/device/x/port/q": `{"spec":{"peer":{"port":"p"}}}`,
				"site/b/device/e/port/p": `{"spec":{"peer":{"site":"b","device":"x","port":"p"}}}`,
				"cable/c":                `{"spec":{"a":{"site":"b","device":"x","port":"p"},"others":[{"site":"b","device":"e","port":"p"}]}}`},
			references: "cable/c site/b/device/e/port/p, cable/c site/b/device/x/port/p, site/b/device/e/port/p site/b/device/x/port/p, site/b/device/x/port/q site/b/device/x/port/p",
			plan:       "[{cable cable 0 1} {device device 1 0} {port port 2 1}] 3"},
		{name: "below another kind", given: cable, steps: sites,
			want: map[string]string{"region/eu/site/a/device/d": `{"metadata":{"name":"d"}}`, "region/eu/site/a/device/d/port/q": `{"spec":{"peer":{"port":"p"}}}`,
				"cable/c": `{"spec":{"a":{"site":"a","device":"d","port":"p","region":"eu"},"others":[{"site":"b","device":"e","port":"p","region":"eu"}]}}`},
			references: "cable/c region/eu/site/a/device/d/port/p, cable/c region/eu/site/b/device/e/port/p, region/eu/site/a/device/d/port/q region/eu/site/a/device/d/port/p, region/eu/site/b/device/e/port/p region/eu/site/a/device/d/port/p",
			plan:       "[{cable cable 0 1} {device device 2 0} {port port 3 0} {site site 2 0}] 4"},
		{name: "with renamed elements and other members", after: strings.NewReplacer("device", "host", "spec.a", "spec.from").Replace(subtreesAfter), given: cable,
			steps: sites + "- rename: {element: device, to: host}\n- move: {kind: cable, member: spec.a, to: spec.from}\n",
			want: map[string]string{"region/eu/site/a/host/d": `{"metadata":{"name":"d"}}`,
				"cable/c": `{"spec":{"others":[{"site":"b","host":"e","port":"p","region":"eu"}],"from":{"site":"a","host":"d","port":"p","region":"eu"}}}`},
			references: "cable/c region/eu/site/a/host/d/port/p, cable/c region/eu/site/b/host/e/port/p, region/eu/site/a/host/d/port/q region/eu/site/a/host/d/port/p, region/eu/site/b/host/e/port/p region/eu/site/a/host/d/port/p",
			plan:       "[{cable cable 0 1} {device host 2 0} {port port 3 0} {site site 2 0}] 4"},
		{name: "one is left", steps: "steps: [{subtree: {from: site/a, to: region/eu/site/a}}]", refused: "the new ref-schema has no kind for the id site/b"},
		{name: "a parent that is not there", steps: strings.ReplaceAll(sites, "region/eu", "region/us"), refused: "region/us would not exist"},
		{name: "an id that is taken", after: subtreesBefore, steps: "steps: [{subtree: {from: site/a, to: site/b}}]", refused: "two documents would become site/b"},
		{name: "a subtree that is not there", after: subtreesBefore, steps: "steps: [{subtree: {from: site/x, to: site/y}}]", refused: "the subtree site/x does not exist"},
		{name: "another kind", after: subtreesBefore, steps: "steps: [{subtree: {from: site/a, to: region/a}}]", refused: "migration.yaml:1:38 /steps/0/subtree/to: site/a is a site, and would become region/a; give the id of a site"},
		{name: "no kind", after: subtreesBefore, steps: "steps: [{subtree: {from: siet/a, to: site/x}}]", refused: "migration.yaml:1:26 /steps/0/subtree/from: siet/a is no id under the ref-schema in force"},
		{name: "an id of the ref-schema before", steps: "steps: [{subtree: {from: site/a, to: site/x}}]", refused: "/steps/0/subtree/to: site/x is no id under the ref-schema that is new"},
		{name: "one within the other", after: subtreesBefore, steps: "steps: [{subtree: {from: site/a, to: site/x}}, {subtree: {from: site/a/device/d, to: site/b/device/d}}]", refused: "/steps/1/subtree/from: site/a and site/a/device/d are the same, or one within the other"},
		{name: "to where it is", after: subtreesBefore, steps: "steps: [{subtree: {from: site/a, to: site/a}}]", refused: "site/a gets that id anyway"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, subtreesBefore)
			apply(t, s, given...)
			if test.given != "" {
				apply(t, s, test.given)
			}
			before := dataOf(t, s)
			after := test.after
			if after == "" {
				after = subtreesAfter
			}
			next := compile(t, after)
			m, err := store.ParseMigration(store.MigrationFile{Name: "migration.yaml", Text: []byte(test.steps), Next: next}, s.Model())
			var done *store.Migrated
			if err == nil {
				done, err = s.Migrate(t.Context(), m, store.MigrateOptions{})
			}
			if test.refused != "" {
				if !strings.Contains(allOf(err), test.refused) || fmt.Sprint(dataOf(t, s)) != fmt.Sprint(before) {
					t.Errorf("answered %v, want %s", allOf(err), test.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(allOf(err))
			}
			if got := fmt.Sprint(done.Kinds, done.References); got != test.plan {
				t.Errorf("it did %s, want %s", got, test.plan)
			}
			stored := dataOf(t, s)
			for id, want := range test.want {
				if stored[id] != want {
					t.Errorf("%s is %q, want %s", id, stored[id], want)
				}
			}
			if got := strings.Join(referencesOf(t, s), ", "); got != test.references {
				t.Errorf("references\n%s\nwant\n%s", got, test.references)
			}
			requireClean(t, s)
			for id := range test.want {
				for v, err := range s.History(t.Context(), dovetail.ID(id)) {
					if err != nil || v.Op == store.Created && v.Renamed != "" && before[string(v.Renamed)] == "" || strings.HasPrefix(id, "region/") && v.Renamed == "" {
						t.Errorf("the history of %s has %s from %q, %v", id, v.Op, v.Renamed, err)
					}
				}
			}
		})
	}
}

// Who may not do everything may not migrate, and who may not read both ids of a subtree learns of neither from the origin.
func TestMigrateRights(t *testing.T) {
	all := []string{"read", "create", "update", "delete", "act"}
	s := openWith(t, subtreesBefore, store.Config{Guard: guard{"root": all, "ann": {"read", "create", "update"}, "bob": {"read site/b", "create", "update", "delete"}, "eve": {"read site/x"}}})
	applyAs(as(t, "root"), t, s, "create site/a", "create site/a/device/d")
	m := parseMigration(t, s, "steps: [{subtree: {from: site/a, to: site/x}}]", subtreesBefore)
	for _, who := range []string{"ann", "bob", "eve"} {
		for _, dryRun := range []bool{true, false} {
			if _, err := s.Migrate(as(t, who), m, store.MigrateOptions{DryRun: dryRun}); dovetail.CodeOf(err) != dovetail.CodeForbidden {
				t.Errorf("%s: %v", who, err)
			}
		}
	}
	if _, err := s.Migrate(as(t, "root"), m, store.MigrateOptions{}); err != nil {
		t.Fatal(allOf(err))
	}
	for who, want := range map[string]string{"root": "migration:site/a>site/x", "eve": "migration"} {
		for v, err := range s.History(as(t, who), "site/x/device/d") {
			if err != nil || v.Origin != want || (v.Renamed == "") != (who == "eve") {
				t.Errorf("%s sees %q, from %q, %v", who, v.Origin, v.Renamed, err)
			}
		}
	}
}
