package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

const immutableSchema = `
resources:
  - name: site
    immutable: [spec.region, "spec.ports[*].name", spec.keys.*]
  - name: open
`

// immutables lists the parts of an error: "INDEX REASON PATH MESSAGE".
func immutables(err error) []string {
	if err == nil {
		return nil
	}
	e := dovetail.AsError(err)
	if len(e.Errors) == 0 {
		e = &dovetail.Error{Errors: []*dovetail.Error{e}}
	}
	var lines []string
	for _, part := range e.Errors {
		lines = append(lines, strings.Join([]string{string(part.Code), part.Reason, part.Position.Path, part.Message}, " "))
	}
	return lines
}

func TestImmutable(t *testing.T) {
	const first = `put site/s {"spec":{"region":"eu","ports":[{"name":"a","n":1}],"keys":{"k":1}}}`
	tests := []struct {
		name string
		when []string
		want []string // none means success
	}{
		{name: "the same", when: []string{first}},
		{name: "another value beside it", when: []string{`put site/s {"spec":{"region":"eu","ports":[{"name":"a","n":2}],"keys":{"k":1.0}}}`}},
		{name: "another value", when: []string{`put site/s {"spec":{"region":"us","ports":[{"name":"a"}],"keys":{"k":1}}}`},
			want: []string{"unprocessable IMMUTABLE /spec/region cannot be changed after creation"}},
		{name: "all at once", when: []string{`put site/s {"spec":{"ports":[{"name":"b"},{"name":"c"}],"keys":{"l":1}}}`}, want: []string{
			"unprocessable IMMUTABLE /spec/keys/k cannot be removed after creation",
			"unprocessable IMMUTABLE /spec/keys/l cannot be added after creation",
			"unprocessable IMMUTABLE /spec/ports/0/name cannot be changed after creation",
			"unprocessable IMMUTABLE /spec/ports/1/name cannot be added after creation",
			"unprocessable IMMUTABLE /spec/region cannot be removed after creation"}},
		{name: "patch of another", when: []string{`patch site/s {"spec":{"x":1}}`}},
		{name: "patch", when: []string{`patch site/s {"spec":{"region":"us"}}`}, want: []string{"unprocessable IMMUTABLE /spec/region cannot be changed after creation"}},
		{name: "patch that removes", when: []string{`patch site/s {"spec":{"region":null}}`}, want: []string{"unprocessable IMMUTABLE /spec/region cannot be removed after creation"}},
		{name: "one of a batch", when: []string{"put open/o", `put site/s {"spec":{"region":"us","ports":[{"name":"a"}],"keys":{"k":1}}}`},
			want: []string{"unprocessable IMMUTABLE /spec/region cannot be changed after creation"}},
		{name: "status", when: []string{`status site/s {"region":"us"}`}},
		{name: "deleted and created in one transaction", when: []string{"delete site/s", `create site/s {"spec":{"region":"us"}}`},
			want: []string{"invalid   site/s is written twice in one transaction"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, immutableSchema)
			apply(t, s, first)
			for _, dryRun := range []bool{true, false} {
				_, err := s.Apply(t.Context(), ops(t, test.when...), store.Options{DryRun: dryRun})
				if got := immutables(err); !slices.Equal(got, test.want) {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
				}
			}
			requireClean(t, s)
		})
	}
}

// A document that is deleted and created again, in two transactions, is another one; neither undoing that nor merging
// both in one transaction changes what is immutable.
func TestImmutableOfEarlierVersions(t *testing.T) {
	s := open(t, immutableSchema)
	ctx := t.Context()
	apply(t, s, `create site/s {"spec":{"region":"eu"}}`)
	staged := staging{}
	view := overlayOf(t, s, staged)
	apply(t, view, "delete site/s")
	apply(t, view, `create site/s {"spec":{"region":"us"}}`)
	operations, _, err := s.MergeOperations(ctx, staged.list(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"unprocessable IMMUTABLE /spec/region cannot be changed after creation"}
	if _, err := s.Apply(ctx, operations, store.Options{}); !slices.Equal(immutables(err), want) {
		t.Errorf("merge: %v", err)
	}
	apply(t, s, "delete site/s")
	apply(t, s, `create site/s {"spec":{"region":"us"}}`)
	var first string
	for v, err := range s.History(ctx, "site/s") {
		if err != nil {
			t.Fatal(err)
		}
		first = dovetail.ETag{UID: v.UID, Revision: v.Revision}.Version()
	}
	if _, err := s.Rollback(ctx, "site/s", first, store.Options{}); !slices.Equal(immutables(err), want) {
		t.Errorf("rollback: %v", err)
	}
	requireClean(t, s)
}

// Making a value immutable looks at no stored document.
func TestSetModelWithImmutable(t *testing.T) {
	s := open(t, "resources:\n- name: site\n")
	apply(t, s, "create site/s")
	setModel(t, s, compile(t, immutableSchema))
	if _, err := s.Apply(t.Context(), ops(t, `put site/s {"spec":{"region":"eu"}}`), store.Options{}); dovetail.AsError(err).Reason != store.ReasonImmutable {
		t.Error(err)
	}
}

// An immutable reference follows a document that is renamed.
func TestImmutableReferenceIsRenamed(t *testing.T) {
	s := open(t, "resources:\n- name: port\n- name: cable\n  immutable: [spec.a]\n  references: [{name: port, at: spec.a}]\n")
	apply(t, s, "create port/p", `create cable/c {"spec":{"a":"p"}}`)
	if _, err := s.Rename(t.Context(), "port/p", "port/q", store.Options{}); err != nil {
		t.Fatal(err)
	}
	if doc, err := s.Get(t.Context(), "cable/c"); err != nil || string(doc.Data) != `{"spec":{"a":"q"}}` {
		t.Errorf("%v, %v", doc, err)
	}
	requireClean(t, s)
}

// TestImmutableDefaults puts a ref-schema in force that gives an immutable value a default, which stored documents lack.
func TestImmutableDefaults(t *testing.T) {
	const before = `
resources:
  - name: site
    immutable: [spec.region, spec.zones]
`
	const after = before + `
    defaults: true
    schema: {properties: {spec: {type: object, default: {}, properties: {region: {type: string, default: eu}, zones: {type: array, items: {properties: {n: {default: 1}}}}}}}}
`
	const filled = `{"spec":{"x":1,"zones":[{"z":1,"n":1}],"region":"eu"}}`
	tests := []struct {
		name string
		when []string
		data string
		want []string // none means success
	}{
		{name: "the same", when: []string{`put site/s {"spec":{"x":1,"zones":[{"z":1}]}}`}, data: filled},
		{name: "the default in words", when: []string{`put site/s {"spec":{"x":1,"zones":[{"z":1,"n":1}],"region":"eu"}}`}, data: filled},
		{name: "patch", when: []string{`patch site/s {"spec":{"x":1}}`}, data: filled},
		{name: "another value", when: []string{`patch site/s {"spec":{"region":"us"}}`},
			want: []string{"unprocessable IMMUTABLE /spec/region cannot be given another value than its default after creation"}},
		{name: "another value below", when: []string{`patch site/s {"spec":{"zones":[{"z":1,"n":2}]}}`}, want: []string{"unprocessable IMMUTABLE /spec/zones cannot be changed after creation"}},
		{name: "nothing at all", when: []string{`put site/t {}`}, data: `{"spec":{"region":"eu"}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, before)
			apply(t, s, `put site/s {"spec":{"x":1,"zones":[{"z":1}]}}`)
			apply(t, s, `put site/t {}`)
			next := compile(t, after)
			findings, total, err := s.Impact(t.Context(), next, 0)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, f := range findings {
				if !f.Warning || f.Problem != store.ProblemImmutableDefault {
					t.Errorf("found %+v", f)
				}
				found = append(found, strings.Fields(f.Message)[0]+strings.Fields(f.Message)[1])
			}
			if want := []string{"site/s:/spec/region", "site/s:/spec/zones", "site/t:/spec/region"}; !slices.Equal(found, want) || total != len(want) {
				t.Errorf("warned of %v, want %v", found, want)
			}
			if err := s.SetModel(t.Context(), next); err != nil {
				t.Fatal(err)
			}
			result, err := s.Apply(t.Context(), ops(t, test.when...), store.Options{})
			if got := immutables(err); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if err != nil {
				return
			}
			doc := result.Outcomes[0].Document
			if string(doc.Data) != test.data {
				t.Errorf("stored %s, want %s", doc.Data, test.data)
			}
			first := dovetail.ETag{UID: doc.UID, Revision: 1}
			if _, err := s.Rollback(t.Context(), doc.ID, first.Version(), store.Options{}); err != nil {
				t.Errorf("what it was before: %v", err)
			}
			if _, err := s.Apply(t.Context(), ops(t, "patch "+string(doc.ID)+` {"spec":{"region":"us"}}`), store.Options{}); len(immutables(err)) != 1 {
				t.Errorf("the default, once stored, became another value: %v", err)
			}
			requireClean(t, s)
		})
	}
}
