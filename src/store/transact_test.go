package store_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

func TestIsConflict(t *testing.T) {
	of := func(codes ...dovetail.Code) error {
		e := &dovetail.Error{Code: codes[0], Message: "m"}
		for _, code := range codes[1:] {
			e.Errors = append(e.Errors, dovetail.Errorf(code, "part"))
		}
		return e
	}
	tests := []struct {
		name string
		err  error
		want bool
	}{
		{name: "no error"},
		{name: "changed", err: of(dovetail.CodeStale), want: true},
		{name: "created", err: of(dovetail.CodeExists), want: true},
		{name: "deleted", err: of(dovetail.CodeNotFound), want: true},
		{name: "competing writers", err: of(dovetail.CodeConflict), want: true},
		{name: "a state that forbids it", err: &dovetail.Error{Code: dovetail.CodeConflict, Reason: store.ReasonFenced}},
		{name: "a missing reference", err: of(dovetail.CodeMissing)},
		{name: "in use", err: of(dovetail.CodeInUse)},
		{name: "not known", err: of(dovetail.CodeUnknown)},
		{name: "of another package", err: errors.New("disk")},
		{name: "one part", err: of(dovetail.CodeMissing, dovetail.CodeMissing, dovetail.CodeStale), want: true},
		{name: "no part", err: of(dovetail.CodeStale, dovetail.CodeMissing, dovetail.CodeForbidden)},
		{name: "marked", err: store.Retry(of(dovetail.CodeStale)), want: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := store.IsConflict(tt.err); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func TestTransact(t *testing.T) {
	stale, unknown, disk := dovetail.Errorf(dovetail.CodeStale, "changed"), dovetail.Errorf(dovetail.CodeUnknown, "not known"), errors.New("disk")
	tests := []struct {
		name  string
		calls []error // what the attempts return; the last one again and again
		want  error   // nil for success
		code  dovetail.Code
		tries int
	}{
		{name: "at once", calls: []error{nil}, tries: 1},
		{name: "after conflicts", calls: []error{store.Retry(stale), store.Retry(stale), nil}, tries: 3},
		{name: "an error that is not marked", calls: []error{stale}, want: stale, code: dovetail.CodeStale, tries: 1},
		{name: "another error after a conflict", calls: []error{store.Retry(stale), disk}, want: disk, code: dovetail.CodeInternal, tries: 2},
		{name: "no error that is marked", calls: []error{store.Retry(nil)}, tries: 1},
		{name: "never", calls: []error{store.Retry(stale)}, want: stale, code: dovetail.CodeConflict, tries: 100},
		{name: "never known", calls: []error{store.Retry(stale), store.Retry(unknown)}, want: unknown, code: dovetail.CodeUnknown, tries: 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tries := 0
			err := store.Transact(t.Context(), func() error {
				tries++
				return tt.calls[min(tries, len(tt.calls))-1]
			})
			if !errors.Is(err, tt.want) || dovetail.CodeOf(err) != tt.code || tries != tt.tries {
				t.Errorf("%v (%s) after %d attempts, want %v (%s) after %d", err, dovetail.CodeOf(err), tries, tt.want, tt.code, tt.tries)
			}
		})
	}
	t.Run("the context ends", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		tries := 0
		err := store.Transact(ctx, func() error {
			if tries++; tries == 5 {
				cancel()
			}
			return store.Retry(stale)
		})
		if dovetail.CodeOf(err) != dovetail.CodeCanceled || tries >= 100 {
			t.Errorf("%v after %d attempts", err, tries)
		}
	})
}

// Writers that compete for one document all get through, and none loses what another one wrote.
func TestTransactIsConcurrent(t *testing.T) {
	const writers, each = 8, 25
	s := open(t, `
resources:
  - {name: counter, schema: {type: object}}
`)
	id := dovetail.ID("").Child("counter", "c")
	if _, err := s.Create(t.Context(), store.Operation{ID: id, Data: parse(t, `{"n":0}`)}); err != nil {
		t.Fatal(err)
	}
	add := func() error {
		return store.Transact(t.Context(), func() error {
			doc, err := s.Get(t.Context(), id)
			if err != nil {
				return err
			}
			n, err := strconv.ParseInt(parse(t, string(doc.Data)).Get("n").Text, 10, 64)
			if err != nil {
				return err
			}
			_, err = s.Put(t.Context(), store.Operation{ID: id, IfMatch: []dovetail.ETag{doc.ETag()},
				Data: value.NewMap(value.Member{Name: "n", Value: value.NewNumber(n + 1)})})
			if store.IsConflict(err) {
				return store.Retry(err)
			}
			return err
		})
	}
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range each {
				if err := add(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	doc := get(t, s, id)
	if got, want := parse(t, string(doc.Data)).Get("n").Text, strconv.Itoa(writers*each); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
