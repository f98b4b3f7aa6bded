package protocol

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// hasTerms reports whether a document has a term of each group.
func hasTerms(doc *dovetail.Document, groups [][]string) bool {
	return !slices.ContainsFunc(groups, func(group []string) bool {
		return !slices.ContainsFunc(group, func(term string) bool { return slices.Contains(doc.Terms, term) })
	})
}

// SetTerms implements store.Backend. Existing terms of a document stay beside the new ones.
//
// It ignores intents, since an update sets its own terms when it commits. Only intents of committed transactions must be rolled
// forward first, since the new document is still in the intent.
func (e *Engine) SetTerms(ctx context.Context, documents []*dovetail.Document) error {
	for part := range slices.Chunk(documents, probeBatch) {
		ids := make([]dovetail.ID, len(part))
		for i, doc := range part {
			ids[i] = doc.ID
		}
		views, err := e.find(ctx, ids, false)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if v := views[id]; v.status == committed {
				if err := e.rollForward(ctx, v.Intent.Txn, v.committed, []dovetail.ID{id}); err != nil {
					return err
				}
			}
		}
		if err := e.server.AddTerms(ctx, part); err != nil {
			return err
		}
	}
	return nil
}
