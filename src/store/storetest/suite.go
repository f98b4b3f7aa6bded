package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Config says how to test a backend. Only Open is required; subtests that need a field that is nil
// are skipped.
type Config struct {
	// Open returns a fresh, empty store. The suite closes it.
	Open func(t *testing.T) store.Backend
	// Reopen closes the store and opens the same one again, as a restart does.
	Reopen func(t *testing.T, b store.Backend) store.Backend
	// Join opens another connection to the same database; nil where there can be only one.
	Join func(t *testing.T, b store.Backend) store.Backend
	// Expire makes the history of changes up to now too old for Changes.
	Expire func(t *testing.T, b store.Backend)
	// Advance lets so much time pass for the clock that dates commits; nil skips the tests that need it.
	Advance func(t *testing.T, b store.Backend, by time.Duration)
	// Corrupt breaks the backend's own indexes, behind its back, in each way that Check can repair.
	// The store holds some documents with references by then.
	Corrupt func(t *testing.T, b store.Backend)
	// Exclude leaves out subtests, by name ("resume/expired"), for the reason that it gives.
	Exclude map[string]string
	// Subjects, where not empty, are the only ones that are tested ("read", "conditions"): for what is a part of a backend.
	Subjects []string
}

// test is one subtest. Its name is "subject/promise".
type test struct {
	name string
	run  func(*env)
}

// tests lists the whole suite.
func tests() []test {
	return slices.Concat(readTests, listTests, referrerTests, termTests, indexTests, schemaTests, conditionTests, writeTests, integrityTests,
		changeTests, everyTests, resumeTests, concurrencyTests, raceTests, checkTests, lifeTests, modelTests, historyTests, snapshotTests, retentionTests, deadlineTests, removeTests)
}

// Run tests a backend against the contract.
func Run(t *testing.T, config Config) {
	all := tests()
	for name := range config.Exclude {
		if !slices.ContainsFunc(all, func(test test) bool { return test.name == name }) {
			t.Errorf("Exclude names %q, which is no subtest", name)
		}
	}
	for _, test := range all {
		if subject, _, _ := strings.Cut(test.name, "/"); len(config.Subjects) > 0 && !slices.Contains(config.Subjects, subject) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			if reason, ok := config.Exclude[test.name]; ok {
				t.Skip(reason)
			}
			e := &env{T: t, config: config, backend: config.Open(t)}
			t.Cleanup(func() {
				if err := e.backend.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
			test.run(e)
		})
	}
}

// env is what a subtest works with: its own store, and helpers that fail the test.
type env struct {
	*testing.T
	config  Config
	backend store.Backend
	another store.Backend // see other
}

// other returns another connection to the same database, or the same one where there can be only one.
func (e *env) other() store.Backend {
	if e.another == nil {
		e.another = e.backend
		if e.config.Join != nil {
			e.another = e.config.Join(e.T, e.backend)
			e.Cleanup(func() { _ = e.another.Close() })
		}
	}
	return e.another
}

// restart closes the store and opens it again, or skips the test.
func (e *env) restart() {
	e.Helper()
	if e.config.Reopen == nil {
		e.Skip("the backend does not say how to reopen a store")
	}
	e.backend = e.config.Reopen(e.T, e.backend)
}

// commit fails the test when the transaction does not succeed.
func (e *env) commit(txn store.Txn) {
	e.Helper()
	if err := e.backend.Commit(e.Context(), txn); err != nil {
		e.Fatalf("Commit: %v", err)
	}
}

// put stores the documents unconditionally, in one transaction.
func (e *env) put(documents ...*dovetail.Document) {
	e.Helper()
	e.commit(store.Txn{Puts: documents})
}

// get returns the document, which must exist.
func (e *env) get(id dovetail.ID) *dovetail.Document {
	e.Helper()
	d, err := e.backend.Get(e.Context(), id)
	if err != nil {
		e.Fatalf("Get(%s): %v", id, err)
	}
	return d
}

// exists reports whether the document is there.
func (e *env) exists(id dovetail.ID) bool {
	e.Helper()
	_, err := e.backend.Get(e.Context(), id)
	if err != nil && dovetail.CodeOf(err) != dovetail.CodeNotFound {
		e.Fatalf("Get(%s): %v", id, err)
	}
	return err == nil
}

// list returns what the query selects.
func (e *env) list(q store.Query) []*dovetail.Document {
	e.Helper()
	documents, err := list(e.Context(), e.backend, q)
	if err != nil {
		e.Fatalf("List(%+v): %v", q, err)
	}
	return documents
}

func list(ctx context.Context, b store.Reader, q store.Query) (documents []*dovetail.Document, err error) {
	for d, err := range b.List(ctx, q) {
		if err != nil {
			return nil, err
		}
		documents = append(documents, d)
	}
	return documents, nil
}

// referrers returns all referrers of the documents.
func (e *env) referrers(of ...dovetail.ID) []dovetail.ID {
	e.Helper()
	ids, err := e.backend.Referrers(e.Context(), of, "", 0)
	if err != nil {
		e.Fatalf("Referrers(%v): %v", of, err)
	}
	return ids
}

// head returns the cursor of now.
func (e *env) head() store.Cursor {
	e.Helper()
	cursor, err := e.backend.Head(e.Context())
	if err != nil {
		e.Fatalf("Head: %v", err)
	}
	return cursor
}

// wantCode fails the test unless the error has the code and is a *dovetail.Error with a message.
func (e *env) wantCode(what string, err error, want dovetail.Code) {
	e.Helper()
	if err := checkCode(err, want); err != nil {
		e.Errorf("%s: %v", what, err)
	}
}

func checkCode(err error, want dovetail.Code) error {
	typed, ok := err.(*dovetail.Error)
	switch {
	case err == nil:
		return fmt.Errorf("no error, want code %s", want)
	case !ok:
		return fmt.Errorf("error of type %T (%v), want *dovetail.Error", err, err)
	case typed.Code != want:
		return fmt.Errorf("code %s (%v), want %s", typed.Code, err, want)
	case typed.Message == "":
		return fmt.Errorf("error of code %s has no message", want)
	}
	return nil
}
