package storetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

const rewrittenVersions = 12

// rewritten is a document as it is written again.
func rewritten(doc *dovetail.Document) *dovetail.Document {
	again := *doc
	again.Data, again.References = fmt.Appendf(nil, `{"sealed":%d}`, doc.Revision), doc.References[:1]
	return &again
}

// rewriteAll writes the earlier versions again that are not yet, and returns how many of which documents those were.
func (e *env) rewriteAll() map[dovetail.ID]int {
	e.Helper()
	seen := make(map[dovetail.ID]int)
	err := e.backend.Rewrite(e.Context(), func(doc *dovetail.Document) (*dovetail.Document, error) {
		if len(doc.References) < 2 {
			return nil, nil
		}
		seen[doc.ID]++
		return rewritten(doc), nil
	})
	if err != nil {
		e.Fatal(err)
	}
	return seen
}

// testRewrittenVersions writes a document again under its version, and its earlier versions, as a rotation of keys does.
func testRewrittenVersions(e *env) {
	e.needsVersions()
	doc := newDocument("project/p", strong("project/q"), strong("project/key"))
	gone := newDocument("project/gone", strong("project/q"), strong("project/key"))
	e.put(gone)
	e.commit(store.Txn{Deletes: []dovetail.ID{gone.ID}})
	var positions []store.Cursor
	var documents []*dovetail.Document
	for range rewrittenVersions {
		e.put(doc)
		positions, documents = append(positions, e.head()), append(documents, doc)
		doc = next(doc, doc.References...)
	}
	e.put(rewritten(documents[rewrittenVersions-1]))
	for n, position := range positions[:rewrittenVersions-1] {
		if got, err := e.at(position).Get(e.Context(), doc.ID); err != nil || difference(got, documents[n]) != "" {
			e.Fatalf("version %d is %v (%v) once the last one is written again", n+1, got, err)
		}
	}
	if seen := e.rewriteAll(); seen[doc.ID] != rewrittenVersions-1 || seen[gone.ID] != 1 {
		e.Errorf("%v versions were written again", seen)
	}
	if seen := e.rewriteAll(); len(seen) != 0 {
		e.Errorf("%v versions were written again that had been", seen)
	}
	for n, position := range positions {
		if got, err := e.at(position).Get(e.Context(), doc.ID); err != nil || difference(got, rewritten(documents[n])) != "" {
			e.Errorf("version %d is %v (%v), want %v", n+1, got, err, rewritten(documents[n]))
		}
	}
	for target, want := range map[dovetail.ID][]dovetail.ID{"project/q": {"project/p"}, "project/key": nil} {
		if got, err := e.at(positions[0]).Referrers(e.Context(), []dovetail.ID{target}, "", 0); err != nil || !slices.Equal(got, want) {
			e.Errorf("referrers of %s: %v, %v", target, got, err)
		}
	}
	if got := e.versions(doc.ID); len(got) != rewrittenVersions {
		e.Errorf("there are %d versions", len(got))
	}
	failed := errors.New("failed")
	if err := e.backend.Rewrite(e.Context(), func(*dovetail.Document) (*dovetail.Document, error) { return nil, failed }); !errors.Is(err, failed) {
		e.Errorf("the error is %v", err)
	}
	if err := e.backend.Wipe(e.Context()); err != nil {
		e.Error(err)
	}
	e.wantClean()
}
