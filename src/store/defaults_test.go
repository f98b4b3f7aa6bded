package store_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/store"
)

const defaultsSchema = `
resources:
  - name: site
    defaults: true
    schema:
      properties:
        spec:
          properties: {tier: {enum: [gold, silver], default: silver}, n: {type: integer}}
          required: [tier]
`

func TestDefaults(t *testing.T) {
	tests := []struct {
		name   string
		given  string
		when   string
		want   string
		effect store.Effect
	}{
		{name: "create", when: `create site/s {"spec":{}}`, want: `{"spec":{"tier":"silver"}}`, effect: store.WasCreated},
		{name: "put", given: `put site/s {"spec":{"tier":"gold"}}`, when: `put site/s {"spec":{}}`, want: `{"spec":{"tier":"silver"}}`, effect: store.WasUpdated},
		{name: "put the same", given: `put site/s {"spec":{}}`, when: `put site/s {"spec":{}}`, want: `{"spec":{"tier":"silver"}}`, effect: store.WasUnchanged},
		{name: "patch", given: `put site/s {"spec":{"tier":"gold"}}`, when: `patch site/s {"spec":{"n":1}}`, want: `{"spec":{"tier":"gold","n":1}}`, effect: store.WasUpdated},
		{name: "patch that removes", given: `put site/s {"spec":{"tier":"gold"}}`, when: `patch site/s {"spec":{"tier":null}}`, want: `{"spec":{"tier":"silver"}}`, effect: store.WasUpdated},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, defaultsSchema)
			if test.given != "" {
				apply(t, s, test.given)
			}
			staged := staging{}
			for _, on := range []struct {
				store  *store.Store
				dryRun bool
			}{{s, true}, {overlayOf(t, s, staged), false}, {s, false}} {
				result, err := on.store.Apply(t.Context(), ops(t, test.when), store.Options{DryRun: on.dryRun})
				if err != nil {
					t.Fatal(err)
				}
				if o := result.Outcomes[0]; string(o.Document.Data) != test.want || o.Effect != test.effect {
					t.Errorf("got %s, %s; want %s, %s", o.Document.Data, o.Effect, test.want, test.effect)
				}
			}
			requireClean(t, s)
		})
	}
}

// What is stored stays what it was: a schema with a new default, an earlier version that is restored, and an import do not fill
// it in.
func TestDefaultsOfStoredDocuments(t *testing.T) {
	s := open(t, "resources:\n- name: site\n")
	created := apply(t, s, `create site/s {"spec":{"n":1}}`).Outcomes[0].Document.ETag()
	apply(t, s, `put site/s {"spec":{"n":2}}`)
	const text = "resources:\n- name: site\n  defaults: true\n  schema: {properties: {spec: {properties: {tier: {default: silver}}}}}\n"
	setModel(t, s, compile(t, text))
	data := func(s *store.Store) string {
		t.Helper()
		doc := get(t, s, "site/s")
		return string(doc.Data)
	}
	if got := data(s); got != `{"spec":{"n":2}}` {
		t.Errorf("after the change of the schema: %s", got)
	}
	if _, err := s.Rollback(t.Context(), "site/s", created.Version(), store.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := data(s); got != `{"spec":{"n":1}}` {
		t.Errorf("rolled back: %s", got)
	}
	exported := collected(t, s.Export(t.Context()))
	other := open(t, text)
	if _, err := other.Import(t.Context(), exported, store.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := data(other); got != `{"spec":{"n":1}}` {
		t.Errorf("imported: %s", got)
	}
	apply(t, s, `patch site/s {"spec":{"n":3}}`)
	if got := data(s); got != `{"spec":{"n":3,"tier":"silver"}}` {
		t.Errorf("written: %s", got)
	}
	requireClean(t, s)
}
