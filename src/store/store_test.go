package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

// testSchema has a rule of every sort that the store treats differently.
const testSchema = `
resources:
  - name: project
    content: [file]
  - name: app
    parent: project
  - name: version
    parent: app
  - name: profile
    parent: project
    references:
      - name: app
  - name: link
    parent: project
    references:
      - name: link
        field: to
  - name: hook
    parent: project
    references:
      - name: app
        onDelete: cascade
  - name: note
    parent: project
    references:
      - name: app
        enforce: warn
  - name: pick
    parent: project
    references:
      - oneOf: [app, profile]
        field: choice
  - name: chart
    content:
      - {name: file, required: true}
  - name: typed
    schema:
      type: object
      required: [spec]
      properties:
        spec:
          type: object
          properties:
            size: {type: integer}
`

func compile(t testing.TB, text string) *schema.Model {
	t.Helper()
	model, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func open(t testing.TB, text string) *store.Store {
	t.Helper()
	return openWith(t, text, store.Config{})
}

// openOnce opens a store for one case of a property, and closes it after that case: the cases of one test would together
// hold more files open than a process may.
func openOnce(t testing.TB, rt *rapid.T, text string) *store.Store {
	t.Helper()
	s := open(t, text)
	rt.Cleanup(func() { s.Backend().Close() })
	return s
}

func openWith(t testing.TB, text string, config store.Config) *store.Store {
	t.Helper()
	backend, err := bolt.Open(filepath.Join(memdir.New(t), "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { backend.Close() }) // may be the second time
	return openOn(t, backend, compile(t, text), config)
}

func openOn(t testing.TB, backend store.Backend, model *schema.Model, config store.Config) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), backend, model, config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func setModel(t testing.TB, s *store.Store, model *schema.Model) {
	t.Helper()
	if err := s.SetModel(t.Context(), model); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, s *store.Store, id dovetail.ID) *dovetail.Document {
	t.Helper()
	doc, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func parse(t testing.TB, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// op reads "VERB ID DATA"; without data it is {}.
func op(t testing.TB, line string) store.Operation {
	t.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	id, data, found := strings.Cut(rest, " ")
	if !found {
		data = "{}"
	}
	o := store.Operation{Verb: store.Verb(verb), ID: dovetail.ID(id)}
	if cascade, ok := strings.CutPrefix(verb, "cascade-"); ok {
		o.Verb, o.Cascade = store.Verb(cascade), true
	}
	if o.Verb != store.Delete {
		o.Data = parse(t, data)
	}
	if o.Verb == store.ApplyFields {
		o.FieldManager, o.Force = "tester", store.ForceUnowned
	}
	return o
}

func ops(t testing.TB, lines ...string) []store.Operation {
	t.Helper()
	var all []store.Operation
	for _, line := range lines {
		all = append(all, op(t, line))
	}
	return all
}

func apply(t testing.TB, s *store.Store, lines ...string) *store.Result {
	t.Helper()
	return applyAs(context.Background(), t, s, lines...)
}

func applyAs(ctx context.Context, t testing.TB, s *store.Store, lines ...string) *store.Result {
	t.Helper()
	result, err := s.Apply(ctx, ops(t, lines...), store.Options{})
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	return result
}

// dump returns all documents as lines "ID revision data -> references".
func dump(t testing.TB, s *store.Store) []string {
	t.Helper()
	var lines []string
	for doc, err := range s.Export(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%s %d %s", doc.ID, doc.Revision, doc.Data)
		for _, ref := range doc.References {
			line += " -> " + string(ref.ID)
		}
		lines = append(lines, line)
	}
	return lines
}

func requireClean(t testing.TB, s *store.Store) {
	t.Helper()
	for f, err := range s.Check(context.Background(), false) {
		if err != nil {
			t.Fatal(err)
		}
		t.Errorf("fsck: %+v", f)
	}
}

// describe renders an error as lines "INDEX CODE KEY missing=... blocked=...", for tables.
func describe(err error) []string {
	if err == nil {
		return nil
	}
	e := dovetail.AsError(err)
	if len(e.Errors) == 0 {
		e = &dovetail.Error{Errors: []*dovetail.Error{e}}
	}
	var lines []string
	for _, part := range e.Errors {
		line := fmt.Sprintf("%d %s %s", part.Index, part.Code, part.Key)
		if len(part.Missing) > 0 {
			line += fmt.Sprintf(" missing=%s", join(part.Missing))
		}
		if part.BlockedBy != nil {
			line += fmt.Sprintf(" blocked=%s/%d", join(part.BlockedBy.IDs), part.BlockedBy.Total)
		}
		lines = append(lines, line)
	}
	return lines
}

func join(ids []dovetail.ID) string {
	var texts []string
	for _, id := range ids {
		texts = append(texts, string(id))
	}
	return strings.Join(texts, ",")
}

func TestApply(t *testing.T) {
	tests := []struct {
		name  string
		given []string
		when  []string
		want  []string // error lines; none means success
		then  []string // what is stored after success
	}{
		{name: "create", when: []string{`create project/p {"metadata":{"name":"p"}}`},
			then: []string{`project/p 1 {"metadata":{"name":"p"}}`}},
		{name: "create twice", given: []string{"create project/p"}, when: []string{"create project/p"},
			want: []string{"1 exists project/p"}},
		{name: "put creates and replaces", given: []string{`put project/p {"a":1}`}, when: []string{`put project/p {"a":2}`},
			then: []string{`project/p 2 {"a":2}`}},
		{name: "an equal put writes nothing", given: []string{`put project/p {"a":1}`}, when: []string{`put project/p {"a":1}`},
			then: []string{`project/p 1 {"a":1}`}},
		{name: "status in data is dropped", when: []string{`put project/p {"a":1,"status":{"x":1}}`},
			then: []string{`project/p 1 {"a":1}`}},
		{name: "patch", given: []string{`put project/p {"a":1,"b":{"c":1,"d":2}}`}, when: []string{`patch project/p {"a":null,"b":{"c":3}}`},
			then: []string{`project/p 2 {"b":{"c":3,"d":2}}`}},
		{name: "patch of nothing", when: []string{`patch project/p {"a":1}`}, want: []string{"1 not-found project/p"}},
		{name: "missing parent", when: []string{"create project/p/app/a"},
			want: []string{"1 missing project/p/app/a missing=project/p"}},
		{name: "missing parent and reference", when: []string{`put project/p/profile/x {"spec":{"app":"a"}}`},
			want: []string{"1 missing project/p/profile/x missing=project/p", "1 missing project/p/profile/x missing=project/p/app/a"}},
		{name: "missing reference", given: []string{"create project/p"}, when: []string{`put project/p/profile/x {"spec":{"app":"a"}}`},
			want: []string{"1 missing project/p/profile/x missing=project/p/app/a"}},
		{name: "reference added by an update", given: []string{"create project/p", "create project/p/profile/x"},
			when: []string{`patch project/p/profile/x {"spec":{"app":"a"}}`},
			want: []string{"1 missing project/p/profile/x missing=project/p/app/a"}},
		{name: "delete with a child", given: []string{"create project/p", "create project/p/app/a"}, when: []string{"delete project/p"},
			want: []string{"1 in-use project/p blocked=project/p/app/a/1"}},
		{name: "delete with a referrer", given: []string{"create project/p", "create project/p/app/a", `create project/p/profile/x {"spec":{"app":"a"}}`},
			when: []string{"delete project/p/app/a"},
			want: []string{"1 in-use project/p/app/a blocked=project/p/profile/x/1"}},
		{name: "delete with a child and a referrer",
			given: []string{"create project/p", "create project/p/app/a", "create project/p/app/a/version/v", `create project/p/profile/x {"spec":{"app":"a"}}`},
			when:  []string{"delete project/p/app/a"},
			want:  []string{"1 in-use project/p/app/a blocked=project/p/app/a/version/v,project/p/profile/x/2"}},
		{name: "delete of nothing", when: []string{"delete project/p"}, want: []string{"1 not-found project/p"}},
		{name: "child before parent in one batch", when: []string{"create project/p/app/a", "create project/p"},
			then: []string{"project/p 1 {}", "project/p/app/a 1 {}"}},
		{name: "a circle of references in one batch", given: []string{"create project/p"},
			when: []string{`create project/p/link/a {"spec":{"to":"b"}}`, `create project/p/link/b {"spec":{"to":"a"}}`},
			then: []string{"project/p 1 {}", `project/p/link/a 1 {"spec":{"to":"b"}} -> project/p/link/b`, `project/p/link/b 1 {"spec":{"to":"a"}} -> project/p/link/a`}},
		{name: "a circle goes in one batch", given: []string{"create project/p", `create project/p/link/b {"spec":{"to":"b"}}`, `create project/p/link/a {"spec":{"to":"b"}}`, `put project/p/link/b {"spec":{"to":"a"}}`},
			when: []string{"delete project/p/link/a", "delete project/p/link/b"}, then: []string{"project/p 1 {}"}},
		{name: "a self-reference does not hold", given: []string{"create project/p", `create project/p/link/a {"spec":{"to":"a"}}`},
			when: []string{"delete project/p/link/a"}, then: []string{"project/p 1 {}"}},
		{name: "parent and child go together", given: []string{"create project/p", "create project/p/app/a"},
			when: []string{"delete project/p", "delete project/p/app/a"}},
		{name: "a reference moves and its old target goes",
			given: []string{"create project/p", "create project/p/app/a", "create project/p/app/b", `create project/p/profile/x {"spec":{"app":"a"}}`},
			when:  []string{"delete project/p/app/a", `put project/p/profile/x {"spec":{"app":"b"}}`},
			then:  []string{"project/p 1 {}", "project/p/app/b 1 {}", `project/p/profile/x 2 {"spec":{"app":"b"}} -> project/p/app/b`}},
		{name: "a new reference to what goes", given: []string{"create project/p", "create project/p/app/a"},
			when: []string{"delete project/p/app/a", `create project/p/profile/x {"spec":{"app":"a"}}`},
			want: []string{"1 in-use project/p/app/a blocked=project/p/profile/x/1", "2 missing project/p/profile/x missing=project/p/app/a"}},
		{name: "all errors at once",
			when: []string{"create project/p", "create project/q/app/a", "create nosuch/n", `put typed/t {"spec":{"size":"big"}}`, "delete project/z", `create project/p/profile/x {"spec":{"app":"a"}}`},
			want: []string{"2 missing project/q/app/a missing=project/q", "3 invalid nosuch/n", "4 unprocessable typed/t", "5 not-found project/z", "6 missing project/p/profile/x missing=project/p/app/a"}},
		{name: "a parent in error is not missing as well", when: []string{`put project/p [1]`, "create project/p/app/a"},
			want: []string{"1 invalid project/p"}},
		{name: "twice in one batch", when: []string{"put project/p", "put project/p"}, want: []string{"2 invalid project/p"}},
		{name: "schema of the data", when: []string{`put typed/t {"metadata":{}}`}, want: []string{"1 unprocessable typed/t"}},
		{name: "cascading rule", given: []string{"create project/p", "create project/p/app/a", `create project/p/hook/h {"spec":{"app":"a"}}`},
			when: []string{"delete project/p/app/a"}, then: []string{"project/p 1 {}"}},
		{name: "cascading rule beside a restricting one",
			given: []string{"create project/p", "create project/p/app/a", `create project/p/hook/h {"spec":{"app":"a"}}`, `create project/p/profile/x {"spec":{"app":"a"}}`},
			when:  []string{"delete project/p/app/a"}, want: []string{"1 in-use project/p/app/a blocked=project/p/profile/x/1"}},
		{name: "cascading rule beside an error", given: []string{"create project/p", "create project/p/app/a", `create project/p/hook/h {"spec":{"app":"a"}}`},
			when: []string{"delete project/p/app/a", "create nosuch/n"}, want: []string{"2 invalid nosuch/n"}},
		{name: "cascade", given: []string{"create project/p", "create project/p/app/a", "create project/p/app/a/version/v", `create project/p/profile/x {"spec":{"app":"a"}}`, "create project/q"},
			when: []string{"cascade-delete project/p/app/a"}, then: []string{"project/p 1 {}", "project/q 1 {}"}},
		{name: "cascade against a child of the same batch", given: []string{"create project/p"},
			when: []string{"cascade-delete project/p", "create project/p/app/a"},
			want: []string{"1 in-use project/p blocked=project/p/app/a/1", "2 missing project/p/app/a missing=project/p"}},
		{name: "cascade across projects",
			given: []string{"create project/p", "create project/q", "create project/q/app/a", `create project/p/profile/x {"spec":{"project":"q","app":"a"}}`},
			when:  []string{"cascade-delete project/q"}, then: []string{"project/p 1 {}"}},
		{name: "weak reference to nothing", given: []string{"create project/p"}, when: []string{`create project/p/note/n {"spec":{"app":"a"}}`},
			then: []string{"project/p 1 {}", `project/p/note/n 1 {"spec":{"app":"a"}} -> project/p/app/a`}},
		{name: "weak reference does not hold", given: []string{"create project/p", "create project/p/app/a", `create project/p/note/n {"spec":{"app":"a"}}`},
			when: []string{"delete project/p/app/a"},
			then: []string{"project/p 1 {}", `project/p/note/n 1 {"spec":{"app":"a"}} -> project/p/app/a`}},
		{name: "oneOf finds the one that exists", given: []string{"create project/p", "create project/p/profile/x"},
			when: []string{`create project/p/pick/k {"spec":{"choice":"x"}}`},
			then: []string{"project/p 1 {}", `project/p/pick/k 1 {"spec":{"choice":"x"}} -> project/p/profile/x`, "project/p/profile/x 1 {}"}},
		{name: "oneOf finds what the batch creates", given: []string{"create project/p"},
			when: []string{`create project/p/pick/k {"spec":{"choice":"x"}}`, "create project/p/app/x"},
			then: []string{"project/p 1 {}", "project/p/app/x 1 {}", `project/p/pick/k 1 {"spec":{"choice":"x"}} -> project/p/app/x`}},
		{name: "oneOf finds none", given: []string{"create project/p"}, when: []string{`create project/p/pick/k {"spec":{"choice":"x"}}`},
			want: []string{"1 missing project/p/pick/k missing=project/p/app/x,project/p/profile/x"}},
		{name: "oneOf finds two", given: []string{"create project/p", "create project/p/profile/x", "create project/p/app/x"},
			when: []string{`create project/p/pick/k {"spec":{"choice":"x"}}`}, want: []string{"1 unprocessable project/p/pick/k"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, testSchema)
			for _, line := range test.given {
				apply(t, s, line)
			}
			before := dump(t, s)
			dry, dryErr := s.Apply(t.Context(), ops(t, test.when...), store.Options{DryRun: true})
			if after := dump(t, s); !slices.Equal(after, before) {
				t.Fatalf("the dry run changed what is stored:\n%s", strings.Join(after, "\n"))
			}
			result, err := s.Apply(t.Context(), ops(t, test.when...), store.Options{})
			if got := describe(err); !slices.Equal(got, test.want) {
				t.Fatalf("errors:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if got := describe(dryErr); !slices.Equal(got, test.want) {
				t.Errorf("errors of the dry run:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			then := test.then
			if err != nil {
				then = before
			} else if got, want := effects(dry), effects(result); !slices.Equal(got, want) {
				t.Errorf("the dry run promised %v, the run did %v", got, want)
			}
			if after := dump(t, s); !slices.Equal(after, then) {
				t.Errorf("stored:\n%s\nwant:\n%s", strings.Join(after, "\n"), strings.Join(then, "\n"))
			}
			requireClean(t, s)
		})
	}
}

func effects(r *store.Result) []string {
	var all []string
	for _, o := range slices.Concat(r.Outcomes, r.Cascaded) {
		all = append(all, fmt.Sprintf("%s %s", o.Effect, o.Document.ID))
	}
	return all
}

func TestApplyPlacesErrors(t *testing.T) {
	s := open(t, testSchema)
	o := op(t, "put typed/t {\n  \"spec\": {\n    \"size\": \"big\"}}")
	o.Position = dovetail.Position{File: "x.json", Path: "/items/0"}
	_, err := s.Apply(t.Context(), []store.Operation{o}, store.Options{})
	got := dovetail.AsError(err).Position
	if want := (dovetail.Position{File: "x.json", Line: 3, Column: 13, Path: "/items/0/spec/size"}); got != want {
		t.Errorf("position %+v, want %+v", got, want)
	}
}

func TestApplyReportsFaultsWithTheRest(t *testing.T) {
	s := open(t, testSchema)
	fault := func(id dovetail.ID) store.Operation {
		return store.Operation{ID: id, Faults: []*dovetail.Error{{Code: dovetail.CodeInvalid, Key: id, Message: "no kind", Position: dovetail.Position{File: "a.yaml", Line: 7}}}}
	}
	tests := []struct {
		name       string
		operations []store.Operation
		want       []string
	}{
		{name: "beside another error", operations: append(ops(t, `put typed/t {"spec":{"size":"x"}}`, "create project/p/app/a"), fault("project/q")),
			want: []string{"1 unprocessable typed/t", "2 missing project/p/app/a missing=project/p", "3 invalid project/q"}},
		{name: "a parent with a fault is not missing as well", operations: append(ops(t, "create project/p/app/a"), fault("project/p")),
			want: []string{"2 invalid project/p"}},
		{name: "what may be missing is unread", operations: append(ops(t, "create project/p/app/a", `create project/p/pick/k {"spec":{"choice":"x"}}`), fault("")),
			want: []string{"3 invalid "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := s.Apply(t.Context(), test.operations, store.Options{})
			if got := describe(err); !slices.Equal(got, test.want) {
				t.Errorf("errors:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if !strings.Contains(err.Error(), "a.yaml:7: no kind") {
				t.Errorf("the fault lost its place: %v", err)
			}
			if left := dump(t, s); len(left) > 0 {
				t.Errorf("stored: %v", left)
			}
		})
	}
}

func TestIfMatch(t *testing.T) {
	s := open(t, testSchema)
	first := apply(t, s, `put project/p {"a":1}`).Outcomes[0].Document
	second := apply(t, s, `put project/p {"a":2}`).Outcomes[0].Document
	if second.UID != first.UID || second.Revision != 2 || second.Created != first.Created {
		t.Errorf("second version is %s after %s", second.ETag(), first.ETag())
	}
	for _, verb := range []store.Verb{store.Put, store.Patch, store.Delete, store.PutStatus} {
		_, err := s.Apply(t.Context(), []store.Operation{{Verb: verb, ID: "project/p", Data: parse(t, `{"a":3}`), IfMatch: []dovetail.ETag{first.ETag()}}}, store.Options{})
		e := dovetail.AsError(err)
		if e == nil || e.Code != dovetail.CodeStale || e.Current == nil || string(e.Current.Data) != `{"a":2}` {
			t.Errorf("%s with an old version: %v", verb, err)
		}
	}
	_, err := s.Put(t.Context(), store.Operation{ID: "project/q", Data: parse(t, `{}`), IfExists: true})
	if dovetail.CodeOf(err) != dovetail.CodeStale {
		t.Errorf("a put that expects a document: %v", err)
	}
	third, err := s.Put(t.Context(), store.Operation{ID: "project/p", Data: parse(t, `{"a":3}`), IfMatch: []dovetail.ETag{first.ETag(), second.ETag()}})
	if err != nil || third.Revision != 3 {
		t.Errorf("a put with the right version: %v", err)
	}
	apply(t, s, "delete project/p")
	if again := apply(t, s, "create project/p").Outcomes[0].Document; again.UID == first.UID {
		t.Error("a document that is deleted and created again has its old uid")
	}
}

func TestContent(t *testing.T) {
	s := open(t, testSchema)
	chart := dovetail.File{Name: "file", Filename: "chart.tgz", MediaType: "application/gzip", Data: []byte{0, 1, 255}}
	put := func(data string, content []dovetail.File) *dovetail.Document {
		t.Helper()
		doc, err := s.Put(t.Context(), store.Operation{ID: "project/p", Data: parse(t, data), Content: content})
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	put(`{}`, []dovetail.File{chart})
	if doc := put(`{"a":1}`, nil); len(doc.Content) != 1 || string(doc.Content[0].Data) != string(chart.Data) {
		t.Errorf("a put without content gave %v", doc.Content)
	}
	if doc := put(`{"a":1}`, []dovetail.File{chart}); doc.Revision != 2 {
		t.Errorf("an equal put with content made revision %d", doc.Revision)
	}
	if doc := put(`{"a":1}`, []dovetail.File{}); len(doc.Content) != 0 || doc.Revision != 3 {
		t.Errorf("a put of no content gave %v", doc.Content)
	}
	refused := []store.Operation{
		{ID: "project/p", Content: []dovetail.File{{Name: "nosuch"}}},
		{ID: "project/p", Content: []dovetail.File{chart, chart}},
		{ID: "chart/c"},
	}
	for _, o := range refused {
		o.Data = parse(t, `{}`)
		if _, err := s.Put(t.Context(), o); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%s with the files %v: %v", o.ID, o.Content, err)
		}
	}
	if _, err := s.Put(t.Context(), store.Operation{ID: "chart/c", Data: parse(t, `{}`), Content: []dovetail.File{chart}}); err != nil {
		t.Error(err)
	}
	if _, err := s.Put(t.Context(), store.Operation{ID: "chart/c", Data: parse(t, `{"a":1}`)}); err != nil {
		t.Errorf("a put that keeps the required file: %v", err)
	}
}
