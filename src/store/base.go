package store

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// maxBases bounds the bytes of the versions that one refusal shows, and maxBaseVersions how many versions of a document are
// looked at for one.
const (
	maxBases        = 4 << 20
	maxBaseVersions = 1000
)

// bases finds the versions that were expected of documents which have others now, as far as they are kept, so that users see
// what was changed since.
type bases struct{ room int }

// of returns the version that the operation of a refusal expected; nil where it is not kept, may not be shown, or is too large.
// The data of sensitive kinds is read on its own, so that the audit records that.
func (b *bases) of(ctx context.Context, p *plan, refusal *dovetail.Error) *dovetail.Document {
	if refusal.Code != dovetail.CodeStale || refusal.Index < 1 || refusal.Index > len(p.steps) || b.room <= 0 {
		return nil
	}
	op := p.steps[refusal.Index-1].op
	if len(op.IfMatch) == 0 || p.store.sensitive(refusal.Current.Kind) {
		return nil
	}
	want := op.IfMatch[0]
	seen := 0
	for version, err := range p.store.backend.Versions(ctx, op.ID) {
		if seen++; err != nil || seen > maxBaseVersions || version.UID == want.UID && version.Revision < want.Revision {
			return nil // the refusal is complete without
		}
		doc := version.Document
		if version.Op == Deleted || doc == nil || doc.ETag() != want {
			continue
		}
		if b.room -= sizeOfData(doc) + len(doc.Status); b.room < 0 {
			return nil
		}
		return p.view.show(doc)
	}
	return nil
}
