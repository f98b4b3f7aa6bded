package store

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// ReasonManaged is the reason of the error when another writer than its service writes a document of a managed kind.
const ReasonManaged = "MANAGED"

// managed returns an error for each document of a managed kind that the plan would change or delete, unless the writer
// says that it knows what it does. Creating one harms nothing: an import does it.
func (p *plan) managed(options Options) (errs dovetail.Errors) {
	if options.Managed {
		return errs
	}
	for i := range p.steps {
		if st := &p.steps[i]; !st.invalid && st.kind.Managed && (st.effect == WasUpdated || st.effect == WasDeleted) {
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

func managedByService(kind *schema.Kind, id dovetail.ID) *dovetail.Error {
	by := strings.TrimSpace("its service " + kind.Service)
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonManaged, Key: id, Message: string(id) + " is changed by " + by + " only",
		Remedy: "change it through that service; to repair a document, send a batch with managed=true"}
}
