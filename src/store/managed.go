package store

import (
	"context"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// ReasonManaged is the reason of the error when another writer than its service writes a document of a managed kind.
const ReasonManaged = "MANAGED"

// managed returns an error for each document of a managed kind that the plan would create, change or delete, unless the
// service of the kind does it. Documents of services hold what others rely on, as the approvals of change sets: a copy, an earlier version or another
// text of one is as good as a forged one.
func (p *plan) managed(options Options) (errs dovetail.Errors) {
	if options.Managed {
		return errs
	}
	for i := range p.steps {
		if st := &p.steps[i]; !st.invalid && st.kind.Managed && st.effect != WasUnchanged && !p.imports(st) {
			errs.Add(p.locate(i, managedByService(st.kind, st.op.ID)))
		}
	}
	for _, o := range p.cascaded {
		if kind, known := p.model.Kind(o.Document.Kind); known && kind.Managed {
			errs.Add(p.locate(p.stepOf[o.Document.ID], managedByService(kind, o.Document.ID)))
		}
	}
	return errs
}

// imports reports whether a step creates its document as it was exported. Where documents are protected, an import may not bring
// the approvals of a change set.
func (p *plan) imports(st *step) bool {
	return st.effect == WasCreated && st.op.restore != nil && len(p.protections) == 0
}

// MayRepair returns CodeForbidden where documents are protected: then no one may write the documents of services past them, which hold
// approvals.
func (s *Store) MayRepair(ctx context.Context) error {
	if len(s.protections(ctx)) == 0 {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeForbidden, Reason: ReasonProtected,
		Message: "documents of services cannot be written past them while the access policy protects documents",
		Remedy:  "use the service; to repair a document, stop the server and write to the database with --store"}
}

func managedByService(kind *schema.Kind, id dovetail.ID) *dovetail.Error {
	by := strings.TrimSpace("its service " + kind.Service)
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonManaged, Key: id, Message: string(id) + " is changed by " + by + " only",
		Remedy: "change it through that service; to repair a document where nothing is protected, send a batch with managed=true"}
}
