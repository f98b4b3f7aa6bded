package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// derived is a guarded store with a status that a service made for project/p/app/a of project/q.
func derived(t *testing.T, have ...string) *store.Store {
	t.Helper()
	s := guarded(t, have...)
	operation := store.Operation{Verb: store.PutStatus, ID: "project/p/app/a", Data: parse(t, `{"found":"marker"}`), Inputs: []dovetail.ID{"project/q"}}
	project := store.Operation{Verb: store.PutStatus, ID: "project/p", Data: parse(t, `{"found":"marker"}`), Inputs: []dovetail.ID{"project/q"},
		Content: []dovetail.File{{Name: "file", Data: []byte("marker")}}}
	if _, err := s.Apply(as(t, "root"), []store.Operation{operation, project}, store.Options{}); err != nil {
		t.Fatal(err)
	}
	return s
}

func shownAs(doc *dovetail.Document) string {
	text := string(doc.ID) + " " + string(doc.Status)
	for _, file := range doc.Content {
		text += " " + string(file.Data)
	}
	return text + " " + strings.Join(texts(doc.Inputs), ",")
}

func texts(ids []dovetail.ID) (all []string) {
	for _, id := range ids {
		all = append(all, string(id))
	}
	return all
}

// A status and files that were derived from documents that the principal may not read are shown by no method; a principal
// that may read all of them gets them from every method.
func TestDerivedParts(t *testing.T) {
	const id = dovetail.ID("project/p/app/a")
	ways := []struct {
		name string
		read func(ctx context.Context, s *store.Store) (shown []string, err error)
	}{
		{name: "get", read: func(ctx context.Context, s *store.Store) ([]string, error) {
			a, err := s.Get(ctx, id)
			if err != nil {
				return nil, err
			}
			p, err := s.Get(ctx, "project/p")
			if err != nil {
				return nil, err
			}
			return []string{shownAs(a), shownAs(p)}, nil
		}},
		{name: "get all", read: func(ctx context.Context, s *store.Store) (shown []string, err error) {
			documents, err := s.GetAll(ctx, []dovetail.ID{id, "project/p"})
			for _, doc := range documents {
				shown = append(shown, shownAs(doc))
			}
			return shown, err
		}},
		{name: "list", read: func(ctx context.Context, s *store.Store) (shown []string, err error) {
			page, err := s.List(ctx, store.ListQuery{Kind: "project"})
			for _, doc := range page.Documents {
				shown = append(shown, shownAs(doc))
			}
			return shown, err
		}},
		{name: "export", read: func(ctx context.Context, s *store.Store) (shown []string, err error) {
			for doc, err := range s.Export(ctx) {
				if err != nil {
					return nil, err
				}
				shown = append(shown, shownAs(doc))
			}
			return shown, nil
		}},
		{name: "watch", read: func(ctx context.Context, s *store.Store) (shown []string, err error) {
			from, err := s.Head(ctx)
			if err != nil {
				return nil, err
			}
			if _, err := s.Apply(as(t, "root"), ops(t, `put project/p/app/a {"x":1}`), store.Options{}); err != nil {
				return nil, err
			}
			for event, err := range s.Watch(ctx, from, store.WatchQuery{ID: id}) {
				if err != nil {
					return nil, err
				}
				return []string{shownAs(event.Changes[0].Document)}, nil
			}
			return nil, nil
		}},
		{name: "the answer to a put", read: func(ctx context.Context, s *store.Store) ([]string, error) {
			doc, err := s.Put(ctx, op(t, `put project/p/app/a {"x":2}`))
			if err != nil {
				return nil, err
			}
			return []string{shownAs(doc)}, nil
		}},
		{name: "the answer to a dry run", read: func(ctx context.Context, s *store.Store) ([]string, error) {
			result, err := s.Apply(ctx, ops(t, `patch project/p/app/a {"x":2}`), store.Options{DryRun: true})
			if err != nil {
				return nil, err
			}
			return []string{shownAs(result.Outcomes[0].Document)}, nil
		}},
		{name: "the answer to a repetition", read: func(ctx context.Context, s *store.Store) (shown []string, err error) {
			for range 2 {
				result, err := s.Apply(ctx, ops(t, `put project/p/app/a {"x":3}`), store.Options{Key: "k"})
				if err != nil {
					return nil, err
				}
				shown = append(shown, shownAs(result.Outcomes[0].Document))
			}
			return shown, nil
		}},
		{name: "the answer to a deletion", read: func(ctx context.Context, s *store.Store) ([]string, error) {
			result, err := s.Apply(ctx, ops(t, "cascade-delete project/p"), store.Options{DryRun: true})
			if err != nil {
				return nil, err
			}
			shown := []string{shownAs(result.Outcomes[0].Document)}
			for _, o := range result.Cascaded {
				shown = append(shown, shownAs(o.Document))
			}
			return shown, nil
		}},
		{name: "what is in the way", read: func(ctx context.Context, s *store.Store) ([]string, error) {
			_, err := s.Create(ctx, op(t, "create project/p/app/a"))
			return []string{shownAs(dovetail.AsError(err).Current)}, nil
		}},
		{name: "another version", read: func(ctx context.Context, s *store.Store) ([]string, error) {
			operation := op(t, "put project/p/app/a")
			operation.IfMatch = []dovetail.ETag{{UID: "other", Revision: 7}}
			_, err := s.Put(ctx, operation)
			return []string{shownAs(dovetail.AsError(err).Current)}, nil
		}},
	}
	writes := []string{"create project/p", "update project/p", "delete project/p"}
	readers := []struct {
		name  string
		have  []string
		whole bool
	}{
		{name: "a part of the inputs", have: []string{"read project/p", "read project/q/app/a"}},
		{name: "all of the inputs", have: []string{"read project/p", "read project/q"}, whole: true},
		{name: "everything", have: []string{"read"}, whole: true},
	}
	for _, way := range ways {
		for _, reader := range readers {
			t.Run(way.name+"/"+reader.name, func(t *testing.T) {
				s := derived(t, append(reader.have, writes...)...)
				ctx, end := context.WithCancel(as(t, "ann"))
				defer end()
				shown, err := way.read(ctx, s)
				if err != nil {
					t.Fatal(err)
				}
				text := strings.Join(shown, "\n")
				if reader.whole != strings.Contains(text, `{"found":"marker"}`) || reader.whole == strings.Contains(text, `{"withheld":"made from documents that may not be read"}`) {
					t.Errorf("shown is %s", text)
				}
				if !reader.whole && (strings.Contains(text, "marker") || strings.Contains(text, "project/q\n") || strings.HasSuffix(text, "project/q")) {
					t.Errorf("%s reveals what may not be read", text)
				}
			})
		}
	}
}

// What a status was made from stays with the files that it was made from too.
func TestInputsOfFiles(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p")
	steps := []struct {
		name    string
		content []dovetail.File
		inputs  []dovetail.ID
		want    []dovetail.ID
	}{
		{name: "with files", content: []dovetail.File{{Name: "file", Data: []byte("x")}}, inputs: []dovetail.ID{"project/a"}, want: []dovetail.ID{"project/a"}},
		{name: "a status of something else", inputs: []dovetail.ID{"project/b"}, want: []dovetail.ID{"project/a", "project/b"}},
		{name: "a status of nothing", want: []dovetail.ID{"project/a", "project/b"}},
		{name: "other files", content: []dovetail.File{{Name: "file", Data: []byte("y")}}, inputs: []dovetail.ID{"project/c"}, want: []dovetail.ID{"project/c"}},
		{name: "no files", content: []dovetail.File{}},
	}
	for _, step := range steps {
		operation := store.Operation{Verb: store.PutStatus, ID: "project/p", Data: parse(t, `{}`), Content: step.content, Inputs: step.inputs}
		if _, err := s.Apply(t.Context(), []store.Operation{operation}, store.Options{}); err != nil {
			t.Fatal(err)
		}
		if doc, err := s.Get(t.Context(), "project/p"); err != nil || !slices.Equal(doc.Inputs, step.want) {
			t.Errorf("%s: inputs %v, %v, want %v", step.name, doc.Inputs, err, step.want)
		}
	}
	apply(t, s, `put project/p {"x":1}`)
	apply(t, s, `status project/p {"x":1}`)
	if doc, err := s.Get(t.Context(), "project/p"); err != nil || len(doc.Inputs) > 0 {
		t.Errorf("inputs %v, %v", doc.Inputs, err)
	}
}

// A list that must be complete is refused with an error that names nothing, whatever is stored, unless the
// principal may read all of its scope.
func TestCompleteLists(t *testing.T) {
	tests := []struct {
		name  string
		have  []string
		query store.ListQuery
		want  []string // nil for a refusal
	}{
		{name: "the scope", have: []string{"read project/p/app", "read project/q"}, query: store.ListQuery{Under: "project/q"}, want: []string{"project/q/app/a"}},
		{name: "an empty scope", have: []string{"read project/none"}, query: store.ListQuery{Under: "project/none"}, want: []string{}},
		{name: "all that is there, but not all that may be", have: []string{"read project/q/app/a"}, query: store.ListQuery{Under: "project/q", Kind: "app"}},
		{name: "nothing", query: store.ListQuery{Under: "project/none"}},
		{name: "everywhere", have: []string{"read project/p"}, query: store.ListQuery{Kind: "project"}},
		{name: "a status made of what may not be read", have: []string{"read project/p"}, query: store.ListQuery{Under: "project/p", Kind: "app"}},
		{name: "another kind", have: []string{"read project/p"}, query: store.ListQuery{Under: "project/p", Kind: "hook"}, want: []string{"project/p/hook/h"}},
		{name: "everything", have: []string{"read"}, query: store.ListQuery{Kind: "project"}, want: []string{"project/p", "project/q"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := derived(t, tt.have...)
			tt.query.Complete = true
			page, err := s.List(as(t, "ann"), tt.query)
			if tt.want == nil {
				if dovetail.CodeOf(err) != dovetail.CodeForbidden || strings.Contains(err.Error(), "project") {
					t.Errorf("got %v, %v, want a refusal that names nothing", page, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, doc := range page.Documents {
				got = append(got, string(doc.ID))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestCovers(t *testing.T) {
	s := guarded(t, "read project/p", "read project/q/app/a")
	tests := []struct {
		name    string
		ids     []dovetail.ID
		refused bool
	}{
		{name: "nothing"},
		{name: "one", ids: []dovetail.ID{"project/p"}},
		{name: "several, one of which does not exist", ids: []dovetail.ID{"project/p", "project/p/app/none", "project/q/app/a"}},
		{name: "more below it", ids: []dovetail.ID{"project/p", "project/q"}, refused: true},
		{name: "all of a kind", ids: []dovetail.ID{dovetail.AllOf("project")}, refused: true},
		{name: "all of no kind", ids: []dovetail.ID{dovetail.AllOf("other")}, refused: true},
		{name: "no kind", ids: []dovetail.ID{"other/x"}, refused: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := s.Covers(as(t, "ann"), tt.ids...)
			if (dovetail.CodeOf(err) == dovetail.CodeForbidden) != tt.refused || err != nil && strings.Contains(err.Error(), "project/") {
				t.Errorf("got %v", err)
			}
		})
	}
	if err := s.Covers(as(t, "root"), "other/x", "project/q"); err != nil {
		t.Errorf("root reads everything, but: %v", err)
	}
}
