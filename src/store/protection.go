package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// ReasonProtected is the reason of CodeForbidden where a write would change a document that a protection covers.
const ReasonProtected = "PROTECTED"

// protections returns those that a transaction has to respect: none in a view, where nothing is changed yet.
func (s *Store) protections(ctx context.Context) []dovetail.Protection {
	if s.config.Guard == nil || s.overlay() != nil {
		return nil
	}
	return s.config.Guard.Protections(ctx)
}

// protect refuses the steps that would change a document which a protection covers, whoever asks, also by a cascade. It comes
// after the rights, so that who has none on a document learns nothing of its protection. The status that Dovetail itself
// computes may be written.
func (p *plan) protect() {
	if len(p.protections) == 0 {
		return
	}
	for i := range p.steps {
		st := &p.steps[i]
		if st.invalid || st.effect == WasUnchanged || st.op.Verb == PutStatus && strings.HasPrefix(p.principal, dovetail.SystemPrefix) {
			continue
		}
		if rule := p.covering(st.op.ID); rule != nil {
			p.fail(i, protected(st.op.ID, rule))
		}
	}
	for _, o := range p.cascaded {
		rule := p.covering(o.Document.ID)
		if rule == nil {
			continue
		}
		root := p.stepOf[o.Document.ID]
		switch st := &p.steps[root]; {
		case p.view.reads(o.Document.Kind, o.Document.ID):
			p.fail(root, protected(o.Document.ID, rule))
		case !st.cascadeForbidden:
			st.cascadeForbidden = true
			p.fail(root, &dovetail.Error{Code: dovetail.CodeForbidden, Reason: ReasonProtected,
				Message: "some documents to be deleted with " + string(st.op.ID) + " may only be changed by a change set", Remedy: stageIt})
		}
	}
}

// covering returns the first protection that keeps a document as it is, nil if there is none.
func (p *plan) covering(id dovetail.ID) *dovetail.Protection {
	if p.approved[id] {
		return nil
	}
	if i := slices.IndexFunc(p.protections, func(rule dovetail.Protection) bool { return rule.Covers(id) }); i >= 0 {
		return &p.protections[i]
	}
	return nil
}

const stageIt = "stage it in a change set: `dovetail changeset create NAME`, and write with --change-set NAME"

func protected(id dovetail.ID, rule *dovetail.Protection) *dovetail.Error {
	message := fmt.Sprintf("%s is protected: it changes only through a change set with %d", id, rule.Approvals)
	if message += " approval"; rule.Approvals != 1 {
		message += "s"
	}
	if len(rule.By) > 0 {
		message += " of " + strings.Join(rule.By, ", ")
	}
	if rule.Message != "" {
		message += ": " + rule.Message
	}
	return &dovetail.Error{Code: dovetail.CodeForbidden, Reason: ReasonProtected, Key: id, Message: message, Remedy: stageIt}
}

// reasonOf returns the reason of a refusal of CodeForbidden: that of its parts of this code, if it is the same of all.
func reasonOf(parts []*dovetail.Error) string {
	reason, first := "", true
	for _, part := range parts {
		switch {
		case part.Code != dovetail.CodeForbidden:
		case first:
			reason, first = part.Reason, false
		case part.Reason != reason:
			return ""
		}
	}
	return reason
}
