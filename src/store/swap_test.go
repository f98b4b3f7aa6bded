package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

func TestSetModel(t *testing.T) {
	given := []string{"create project/p", "create project/p/app/a", `create project/p/profile/x {"spec":{"app":"a"}}`,
		`create project/p/note/n {"spec":{"app":"gone"}}`, `create typed/t {"spec":{"size":3}}`, `create typed/odd {"spec":{"size":3},"more":1}`, `create project/p/link/l {"spec":{"other":"a"}}`}
	tests := []struct {
		name    string
		replace []string // old, new
		want    []string // ids of the documents in the way
		then    []string // lines of dump that are new
	}{
		{name: "a kind more", replace: []string{"resources:\n", "resources:\n  - name: extra\n"}},
		{name: "a kind without documents less", replace: []string{"  - name: version\n    parent: app\n", ""}},
		{name: "a kind with documents less", replace: []string{"  - name: typed\n", "  - name: other\n"}, want: []string{"typed/odd", "typed/t"}},
		{name: "another parent", replace: []string{"  - name: profile\n    parent: project\n", "  - name: profile\n    parent: app\n"},
			want: []string{"project/p/profile/x"}},
		{name: "a weak rule becomes strict", replace: []string{"enforce: warn", "enforce: strict"}, want: []string{"project/p/note/n"}},
		{name: "the data is forbidden", replace: []string{"size: {type: integer}", "size: {type: string}"}, want: []string{"typed/odd", "typed/t"}},
		{name: "a kind becomes strict", replace: []string{"  - name: note\n", "  - name: note\n    strict: true\n"}},
		{name: "a kind becomes strict, and a document has an unknown member", replace: []string{"  - name: typed\n", "  - name: typed\n    strict: true\n"}, want: []string{"typed/odd"}},
		{name: "a rule more that finds its target", replace: []string{"      - name: link\n        field: to\n", "      - name: app\n        field: other\n"},
			then: []string{`project/p/link/l 2 {"spec":{"other":"a"}} -> project/p/app/a`}},
		{name: "a rule less", replace: []string{"  - name: profile\n    parent: project\n    references:\n      - name: app\n", "  - name: profile\n    parent: project\n"},
			then: []string{`project/p/profile/x 2 {"spec":{"app":"a"}}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, testSchema)
			for _, line := range given {
				apply(t, s, line)
			}
			before, old := dump(t, s), s.Model()
			text := strings.Replace(testSchema, test.replace[0], test.replace[1], 1)
			if text == testSchema {
				t.Fatal("the test changes nothing")
			}
			next := compile(t, text)
			findings, total, err := s.Impact(t.Context(), next, 0)
			if err != nil || total != len(findings) {
				t.Fatalf("impact: %d of %d findings: %v", len(findings), total, err)
			}
			if got := inTheWay(findings); !slices.Equal(got, test.want) {
				t.Errorf("in the way are %v, want %v", got, test.want)
			}
			err = s.SetModel(t.Context(), next)
			if len(test.want) > 0 {
				e := dovetail.AsError(err)
				if e == nil || e.Code != dovetail.CodeSchema || len(e.Errors) != len(test.want) {
					t.Fatalf("error: %v", err)
				}
				if s.Model() != old || !slices.Equal(dump(t, s), before) {
					t.Error("a refused schema changed something")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.Model() != next {
				t.Error("the schema is not in force")
			}
			changed := slices.DeleteFunc(dump(t, s), func(line string) bool { return slices.Contains(before, line) })
			if !slices.Equal(changed, test.then) {
				t.Errorf("changed:\n%s\nwant:\n%s", strings.Join(changed, "\n"), strings.Join(test.then, "\n"))
			}
			requireClean(t, s)
		})
	}
}

func inTheWay(findings []store.Finding) []string {
	var ids []string
	for _, f := range findings {
		ids = append(ids, string(f.ID))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func TestOpenUnderAnotherModel(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p")
	smaller := compile(t, "resources: [{name: other}]")
	if _, err := store.Open(t.Context(), s.Backend(), smaller, store.Config{}); dovetail.CodeOf(err) != dovetail.CodeSchema {
		t.Errorf("opened under a schema that orphans a document: %v", err)
	}
	larger := compile(t, testSchema+"  - name: other\n")
	again := openOn(t, s.Backend(), larger, store.Config{})
	if lines := dump(t, again); len(lines) != 1 {
		t.Errorf("stored is %v", lines)
	}
	if _, err := again.Get(t.Context(), "_schema/current"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Errorf("an internal document is visible: %v", err)
	}
}

func TestExportImport(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p", "create project/p/app/a", `create project/p/profile/x {"spec":{"app":"a"}}`)
	apply(t, s, `status project/p {"ok":true}`)
	apply(t, s, `put project/p/app/a {"big":123456789012345678901234567890,"f":1.50}`)
	archive := func(s *store.Store) (all []*dovetail.Document, text string) {
		for doc, err := range s.Export(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			line, err := doc.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			all, text = append(all, doc), text+string(line)+"\n"
		}
		return all, text
	}
	documents, text := archive(s)
	other := open(t, testSchema)
	slices.Reverse(documents)
	if _, err := other.Import(t.Context(), documents, store.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, again := archive(other); again != text {
		t.Errorf("exported again:\n%s\nwant:\n%s", again, text)
	}
	requireClean(t, other)
	if _, err := other.Import(t.Context(), documents, store.Options{}); dovetail.CodeOf(err) != dovetail.CodeExists {
		t.Errorf("imported over what is there: %v", err)
	}
	third := open(t, testSchema)
	if _, err := third.Import(t.Context(), documents[:1], store.Options{}); dovetail.CodeOf(err) != dovetail.CodeMissing || len(dump(t, third)) != 0 {
		t.Errorf("imported a child without its parent: %v", err)
	}
}
