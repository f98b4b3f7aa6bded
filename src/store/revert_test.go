package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

// contents are the documents as lines "ID data", without their versions.
func contents(t testing.TB, s *store.Store) (all []string) {
	t.Helper()
	for doc, err := range s.Export(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s %s %s", doc.ID, doc.Data, doc.Status))
	}
	return all
}

func TestRevert(t *testing.T) {
	tests := []struct {
		name   string
		before []string // one transaction
		revert []string // the transaction to be reverted
		since  []string // one more
		want   []string // the contents then; nil for a refusal
		code   dovetail.Code
		parts  []string // of the refusal: "ID path"
	}{
		{name: "a creation", before: []string{"create project/p"}, revert: []string{"create project/p/app/a"}, want: []string{"project/p {} "}},
		{name: "an update", before: []string{`create project/p {"spec":{"n":1}}`}, revert: []string{`put project/p {"spec":{"n":2}}`}, want: []string{`project/p {"spec":{"n":1}} `}},
		{name: "a deletion", before: []string{`create project/p {"spec":{"n":1}}`}, revert: []string{"delete project/p"}, want: []string{`project/p {"spec":{"n":1}} `}},
		{name: "a status that the deletion took", before: []string{"create project/p"}, revert: []string{"cascade-delete project/p"}, want: []string{"project/p {} "}},
		{name: "a cascade", before: []string{"create project/p", "create project/p/app/a", `create project/p/hook/h {"spec":{"app":"a"}}`}, revert: []string{"cascade-delete project/p"},
			want: []string{"project/p {} ", "project/p/app/a {} ", `project/p/hook/h {"spec":{"app":"a"}} `}},
		{name: "merged with another change", before: []string{`create project/p {"spec":{"n":1,"m":1}}`}, revert: []string{`put project/p {"spec":{"n":2,"m":1}}`},
			since: []string{`put project/p {"spec":{"n":2,"m":7}}`}, want: []string{`project/p {"spec":{"n":1,"m":7}} `}},
		{name: "a value that was changed since", before: []string{`create project/p {"spec":{"n":1,"m":1}}`}, revert: []string{`put project/p {"spec":{"n":2,"m":2}}`},
			since: []string{`put project/p {"spec":{"n":3,"m":2}}`}, code: dovetail.CodeConflict, parts: []string{"project/p /spec/n"}},
		{name: "a creation that was changed since", before: []string{"create project/q"}, revert: []string{"create project/p"},
			since: []string{`put project/p {"spec":{"n":3}}`}, code: dovetail.CodeConflict, parts: []string{"project/p "}},
		{name: "a creation that was deleted since", before: []string{"create project/q"}, revert: []string{"create project/p"},
			since: []string{"delete project/p"}, want: []string{"project/q {} "}},
		{name: "a deletion that was created again", before: []string{"create project/p"}, revert: []string{"delete project/p"},
			since: []string{`create project/p {"spec":{"n":9}}`}, code: dovetail.CodeConflict, parts: []string{"project/p "}},
		{name: "a deletion that was undone since", before: []string{"create project/p"}, revert: []string{"delete project/p"},
			since: []string{"create project/p"}, want: []string{"project/p {} "}},
		{name: "an update that was deleted since", before: []string{"create project/p"}, revert: []string{`put project/p {"spec":{"n":1}}`},
			since: []string{"delete project/p"}, code: dovetail.CodeConflict, parts: []string{"project/p "}},
		{name: "a creation that others refer to", before: []string{"create project/p"}, revert: []string{"create project/p/app/a"},
			since: []string{`create project/p/profile/f {"spec":{"app":"a"}}`}, code: dovetail.CodeInUse},
		{name: "a deletion whose parent is gone", before: []string{"create project/p", "create project/p/app/a"}, revert: []string{"delete project/p/app/a"},
			since: []string{"delete project/p"}, code: dovetail.CodeMissing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, testSchema)
			apply(t, s, tt.before...)
			apply(t, s, tt.revert...)
			position := head(t, s)
			if tt.since != nil {
				apply(t, s, tt.since...)
			}
			unreverted := contents(t, s)
			_, dry := s.Revert(t.Context(), position, store.Options{DryRun: true})
			if got := contents(t, s); !slices.Equal(got, unreverted) {
				t.Errorf("the dry run made %q of %q", got, unreverted)
			}
			_, err := s.Revert(t.Context(), position, store.Options{})
			if dovetail.CodeOf(err) != tt.code || dovetail.CodeOf(dry) != tt.code {
				t.Fatalf("it ends with %v, the dry run with %v, want %q", err, dry, tt.code)
			}
			if err != nil {
				var parts []string
				for _, part := range dovetail.AsError(err).Errors {
					if part.Reason == store.ReasonChangedSince {
						parts = append(parts, string(part.Key)+" "+part.Position.Path)
					}
				}
				if !slices.Equal(parts, tt.parts) {
					t.Errorf("the refusal names %q, want %q: %v", parts, tt.parts, err)
				}
				return
			}
			if got := contents(t, s); !slices.Equal(got, tt.want) {
				t.Errorf("there is %q, want %q", got, tt.want)
			}
			page, err := s.Transactions(t.Context(), store.TransactionQuery{Limit: 1})
			if err != nil || !strings.HasSuffix(tt.name, "since") && !strings.HasPrefix(page.Transactions[0].Message, "Revert "+string(position)) {
				t.Errorf("the last transaction is %+v, %v", page, err)
			}
			if tt.since != nil {
				return
			}
			if _, err := s.Revert(t.Context(), head(t, s), store.Options{}); err != nil {
				t.Errorf("the revert cannot be reverted: %v", err)
			} else if got := contents(t, s); !slices.Equal(got, unreverted) {
				t.Errorf("after the revert of the revert there is %q, want %q", got, unreverted)
			}
		})
	}
}

// TestRevertOfRandomHistories reverts the last transactions of a random history in reverse order: what there was before them
// is there again, or a revert is refused and names what holds it.
func TestRevertOfRandomHistories(t *testing.T) {
	rounds.Checks(t, 40, 100)
	rapid.Check(t, func(rt *rapid.T) {
		s := openOnce(t, rt, testSchema)
		type moment struct {
			position store.Cursor
			contents []string
		}
		past := []moment{{head(t, s), nil}}
		for range rapid.IntRange(1, 15).Draw(rt, "steps") {
			var operations []store.Operation
			for range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(rt, "size") {
				o, _ := drawOperation(t, rt)
				operations = append(operations, o)
			}
			_, _ = s.Apply(t.Context(), operations, store.Options{}) // many are refused
			if position := head(t, s); position != past[len(past)-1].position {
				past = append(past, moment{position, contents(t, s)})
			}
		}
		for n := len(past) - 1; n > 0; n-- {
			_, err := s.Revert(t.Context(), past[n].position, store.Options{})
			if err != nil {
				rt.Fatalf("the revert of transaction %d of %d: %v", n, len(past)-1, err)
			}
			if got := contents(t, s); !slices.Equal(got, past[n-1].contents) {
				rt.Fatalf("after the revert of transaction %d there is\n%q, want\n%q", n, got, past[n-1].contents)
			}
		}
	})
}

// TestRevertTwice sends a request again whose answer was lost.
func TestRevertTwice(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p")
	apply(t, s, `put project/p {"spec":{"n":2}}`)
	update := head(t, s)
	apply(t, s, "create project/q")
	creation := head(t, s)
	requests := []struct {
		name string
		send func(key string) (*store.Result, error)
	}{
		{"revert of an update", func(key string) (*store.Result, error) {
			return s.Revert(t.Context(), update, store.Options{Key: key})
		}},
		{"revert of a creation", func(key string) (*store.Result, error) {
			return s.Revert(t.Context(), creation, store.Options{Key: key})
		}},
		{"rollback", func(key string) (*store.Result, error) {
			return s.Rollback(t.Context(), "project/p", "", store.Options{Key: key})
		}},
	}
	for i, tt := range requests {
		t.Run(tt.name, func(t *testing.T) {
			first, err := tt.send(tt.name)
			if err != nil || first.Repeated || len(first.Outcomes) != 1 {
				t.Fatalf("%+v, %v", first, err)
			}
			after := contents(t, s)
			again, err := tt.send(tt.name)
			if err != nil || !again.Repeated || again.Outcomes[0].Effect != first.Outcomes[0].Effect {
				t.Errorf("again: %+v, %v", again, err)
			}
			if got := contents(t, s); !slices.Equal(got, after) {
				t.Errorf("again it made %q of %q", got, after)
			}
			if _, err := requests[(i+1)%len(requests)].send(tt.name); dovetail.CodeOf(err) != dovetail.CodeUnprocessable {
				t.Errorf("another request with the key: %v", err)
			}
		})
	}
}

func TestRollback(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, `create project/p {"spec":{"n":1}}`)
	first := get(t, s, "project/p")
	apply(t, s, `put project/p {"spec":{"n":2}}`)
	apply(t, s, `put project/p {"spec":{"n":3}}`)
	want := func(data string) {
		t.Helper()
		if got := contents(t, s); !slices.Equal(got, []string{"project/p " + data + " "}) {
			t.Errorf("there is %q, want %s", got, data)
		}
	}
	rollback := func(version string) {
		t.Helper()
		if _, err := s.Rollback(t.Context(), "project/p", version, store.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	rollback("")
	want(`{"spec":{"n":2}}`)
	rollback(first.ETag().Version())
	want(`{"spec":{"n":1}}`)
	apply(t, s, "delete project/p")
	rollback("")
	want(`{"spec":{"n":1}}`)
	if _, err := s.Rollback(t.Context(), "project/p", "x-9", store.Options{}); dovetail.CodeOf(err) != dovetail.CodeExpired {
		t.Errorf("to a version that is not kept: %v", err)
	}
	if _, err := s.Apply(t.Context(), nil, store.Options{Message: strings.Repeat("x", store.MaxMessage+1)}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("a long message: %v", err)
	}
}
