package store_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

const migrateBefore = `
resources:
  - name: site
  - name: device
    parent: site
    unique: [spec.serial]
  - name: port
    parent: device
  - name: cable
    references:
      - {name: port, at: spec.a}
      - {name: port, at: spec.b}
`

const migrateAfter = `
resources:
  - name: site
  - name: host
    parent: site
    unique: [spec.serial]
  - name: port
    parent: host
  - name: cable
    references:
      - {name: port, at: spec.from, required: true}
      - {name: port, at: spec.b, exclusive: true}
    schema:
      type: object
      properties:
        spec:
          type: object
          required: [colour]
          properties: {colour: {type: string}}
`

const migrateSteps = `
steps:
  - rename: {element: device, to: host}
  - move: {kind: cable, member: spec.a, to: spec.from}
  - default: {kind: cable, member: spec.colour, value: grey}
  - split: {kind: cable, member: spec.size, into: [spec.length, spec.unit], separator: " "}
  - drop: {kind: cable, member: spec.old}
`

func TestMigrate(t *testing.T) {
	given := []string{"create site/s", `create site/s/device/d {"metadata":{"name":"d"},"spec":{"serial":1}}`, "create site/s/device/d/port/p", "create site/s/device/d/port/q"}
	cable := `create cable/c {"spec":{"a":{"site":"s","device":"d","port":"p"},"b":{"site":"s","device":"d","port":"q"},"size":"3 m","old":7}}`
	tests := []struct {
		name    string
		given   []string
		after   string // another ref-schema
		steps   string // other steps
		want    map[string]string
		refused string
	}{
		{name: "all steps", given: []string{cable}, want: map[string]string{"site/s": "{}", "site/s/host/d": `{"metadata":{"name":"d"},"spec":{"serial":1}}`, "site/s/host/d/port/p": "{}", "site/s/host/d/port/q": "{}",
			"cable/c": `{"spec":{"b":{"site":"s","host":"d","port":"q"},"from":{"site":"s","host":"d","port":"p"},"colour":"grey","length":"3","unit":"m"}}`}},
		{name: "a value that cannot be split", given: []string{strings.Replace(cable, "3 m", "3", 1)}, refused: `spec.size is "3", which has not 2 parts`},
		{name: "a required slot", given: []string{"create cable/c {}"}, refused: "must refer to a port"},
		{name: "a new exclusive rule", given: []string{cable, strings.Replace(cable, "cable/c", "cable/d", 1)}, refused: "would have the same value of cable: exclusive"},
		{name: "new rules on the document and what it refers to, as they are afterwards", given: []string{cable}, after: migrateAfter + `    rules: ["self.spec.length == '3' && refs.from == refs.b"]
`, want: map[string]string{"site/s": "{}", "site/s/host/d": `{"metadata":{"name":"d"},"spec":{"serial":1}}`, "site/s/host/d/port/p": "{}", "site/s/host/d/port/q": "{}",
			"cable/c": `{"spec":{"b":{"site":"s","host":"d","port":"q"},"from":{"site":"s","host":"d","port":"p"},"colour":"grey","length":"3","unit":"m"}}`}},
		{name: "a new rule on the parent", given: []string{cable}, after: strings.Replace(migrateAfter, "    parent: host\n", "    parent: host\n    rules: [{expr: parent.spec.serial > 1, message: the serial number is low}]\n", 1), refused: "the serial number is low"},
		{name: "a member in the way", given: []string{strings.Replace(cable, `"old"`, `"from"`, 1)}, refused: "spec.from exists already"},
		{name: "a kind that has gone", steps: "steps: [{drop: {kind: cable, member: spec.old}}]", refused: "no kind"},
		{name: "a reference that gets lost", given: []string{cable}, steps: "steps: [{rename: {element: device, to: host}}, {default: {kind: cable, member: spec.colour, value: x}}]",
			refused: "no change of its data makes it refer to site/s/host/d/port/p"},
		{name: "a misspelt element", steps: "steps: [{rename: {element: devise, to: hots}}]", refused: `migration.yaml:1:28 /steps/0/rename/element: no key of the ref-schema in force has the element "devise"; did you mean "device"?`},
		{name: "a misspelt kind", steps: "steps: [{drop: {kind: cabel, member: spec.old}}]", refused: `did you mean "cable"?`},
		{name: "a misspelt step", steps: "steps: [{renam: {element: device, to: host}}]", refused: `"renam"`},
		{name: "no step", steps: "steps: [{}]", refused: "a step has 0 members instead of one"},
		{name: "two steps in one", steps: "steps: [{drop: {kind: cable, member: spec.a}, move: {kind: cable, member: spec.b, to: spec.c}}]", refused: "a step has 2 members"},
		{name: "many members", steps: "steps: [{drop: {kind: cable, member: 'spec.l[*]'}}]", refused: "names more than one member"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, migrateBefore)
			apply(t, s, given...)
			for _, line := range test.given {
				apply(t, s, line)
			}
			before, references := dataOf(t, s), referencesOf(t, s)
			next := compile(t, cmp.Or(test.after, migrateAfter))
			steps := migrateSteps
			if test.steps != "" {
				steps = test.steps
			}
			m, err := store.ParseMigration(store.MigrationFile{Name: "migration.yaml", Text: []byte(steps), Next: next}, s.Model())
			var plan, done *store.Migrated
			if err == nil {
				plan, err = s.Migrate(t.Context(), m, store.MigrateOptions{DryRun: true})
				if after := dataOf(t, s); fmt.Sprint(after) != fmt.Sprint(before) {
					t.Fatalf("the dry run changed %v to %v", before, after)
				}
				var doneErr error
				if done, doneErr = s.Migrate(t.Context(), m, store.MigrateOptions{}); fmt.Sprint(err) != fmt.Sprint(doneErr) {
					t.Errorf("the plan said %v, then: %v", err, doneErr)
				}
			}
			if test.refused != "" {
				if err == nil || !strings.Contains(allOf(err), test.refused) {
					t.Errorf("answered %v, want %s", allOf(err), test.refused)
				}
				if s.Model().Hash() == next.Hash() || fmt.Sprint(dataOf(t, s)) != fmt.Sprint(before) {
					t.Error("something was changed")
				}
				return
			}
			if err != nil {
				t.Fatal(allOf(err))
			}
			done.DryRun = true
			if fmt.Sprint(plan) != fmt.Sprint(done) || fmt.Sprint(plan.Kinds) != "[{cable cable 0 1} {device host 1 0} {port port 2 0}]" || plan.References != 2 || plan.Documents != 4 {
				t.Errorf("planned %+v, done %+v", plan, done)
			}
			if got := dataOf(t, s); fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("stored\n%v\nwant\n%v", got, test.want)
			}
			if got, want := strings.Join(referencesOf(t, s), "\n"), strings.ReplaceAll(strings.Join(references, "\n"), "/device/", "/host/"); got != want {
				t.Errorf("references\n%s\nwant\n%s", got, want)
			}
			if s.Model().Hash() != next.Hash() {
				t.Error("the ref-schema is not in force")
			}
			requireClean(t, s)
			var lines []string
			for v, err := range s.History(t.Context(), "site/s/host/d") {
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, fmt.Sprint(v.Op, " ", v.Renamed, " ", v.Origin))
			}
			if got := strings.Join(lines, "; "); got != "created site/s/device/d migration:device=host" {
				t.Errorf("the history is %q", got)
			}
			if _, err := s.Apply(t.Context(), ops(t, `create site/s/host/e {"spec":{"serial":1}}`), store.Options{}); err == nil {
				t.Error("the unique value of a migrated document is free")
			}
			if _, err := s.Migrate(t.Context(), m, store.MigrateOptions{}); dovetail.CodeOf(err) != dovetail.CodeConflict {
				t.Errorf("migrated again: %v", err)
			}
		})
	}
}

// allOf renders an error with its parts.
func allOf(err error) string {
	if err == nil {
		return ""
	}
	e := dovetail.AsError(err)
	text := e.Error() + "; " + e.Remedy
	for _, part := range e.Errors {
		text += "\n" + part.Position.String() + ": " + part.Message + "; " + part.Remedy
	}
	return text
}

// A process that opens the database after a migration finds the new ref-schema and nothing wrong.
func TestMigratedDatabase(t *testing.T) {
	s := open(t, migrateBefore)
	apply(t, s, "create site/s", "create site/s/device/d", "create site/s/device/d/port/p", `create cable/c {"spec":{"a":{"site":"s","device":"d","port":"p"},"b":{"site":"s","device":"d","port":"p"}}}`)
	next := compile(t, migrateAfter)
	m, err := store.ParseMigration(store.MigrationFile{Name: "migration.yaml", Text: []byte(migrateSteps), Next: next}, s.Model())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Migrate(t.Context(), m, store.MigrateOptions{Message: "hosts"}); err != nil {
		t.Fatal(allOf(err))
	}
	stored, err := store.StoredModel(t.Context(), s.Backend())
	if err != nil || stored.Hash() != next.Hash() {
		t.Fatalf("stored is %v, %v", stored, err)
	}
	again := openOn(t, s.Backend(), stored, store.Config{})
	requireClean(t, again)
	page, err := s.Transactions(t.Context(), store.TransactionQuery{Limit: 1})
	if err != nil || page.Transactions[0].Message != "hosts" || len(page.Transactions[0].Changes) != 5 {
		t.Errorf("the transaction is %+v, %v", page, err)
	}
}
