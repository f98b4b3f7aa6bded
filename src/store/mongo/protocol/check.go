package protocol

import (
	"context"
	"iter"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// ProblemLinks is the finding for a record whose links differ from the references of its document.
const ProblemLinks = "index-wrong"

// Check compares the links of all records with their documents; see store.Backend. It skips records with an intent, whose links are
// about to change.
func (e *Engine) Check(ctx context.Context, repair bool) iter.Seq2[store.Finding, error] {
	return func(yield func(store.Finding, error) bool) {
		q := store.Query{Limit: pageDocuments}
		for {
			read := 0
			var wrong []*Record
			for r, err := range e.server.Scan(ctx, q) {
				if err != nil {
					yield(store.Finding{}, err)
					return
				}
				read++
				q.After = r.ID
				if r.Intent == nil && !linked(r) {
					wrong = append(wrong, r)
				}
			}
			for _, r := range wrong {
				if finding, err := e.repairLinks(ctx, r, repair); !yield(finding, err) || err != nil {
					return
				}
			}
			if read < q.Limit {
				return
			}
		}
	}
}

// linked reports whether the links are the references of the document.
func linked(r *Record) bool {
	strong, weak := Links(r.Doc.References)
	return sameIDs(r.Strong, strong) && sameIDs(r.Weak, weak)
}

func sameIDs(a, b []dovetail.ID) bool {
	return slices.Equal(unique(slices.Clone(a)), unique(slices.Clone(b)))
}

func (e *Engine) repairLinks(ctx context.Context, r *Record, repair bool) (store.Finding, error) {
	finding := store.Finding{Problem: ProblemLinks, ID: r.ID,
		Message: "the index over references does not say what " + string(r.ID) + " refers to"}
	if repair {
		n, err := e.server.Apply(ctx, []Change{{ID: r.ID, Version: r.Doc.ETag(), Link: SetLinks, Links: r.Doc.References}})
		if err != nil {
			return store.Finding{}, err
		}
		finding.Repaired = n == 1
	}
	return finding, nil
}
