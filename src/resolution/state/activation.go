package state

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/resolution/activator"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/window"
)

// Activation is what was activated last: from then on it counts as installed.
type Activation struct {
	Time      time.Time          `json:"time"`
	Installed []solver.Installed `json:"installed"`
	Plan      []solver.Step      `json:"plan,omitempty"`     // the steps that led to it
	Rollback  *solver.Rollback   `json:"rollback,omitempty"` // of the plan
	Approval  *api.PlanApproval  `json:"approval,omitempty"` // of the plan
}

// plan puts the plan of an outcome into the status, with its digest and the way back.
func (s *Status) plan(of *solver.Outcome) {
	if of.Plan == nil {
		return
	}
	s.Plan, s.Rollback, s.PlanDigest = of.Plan, of.Rollback, planDigest(of)
}

// planDigest tells plans apart, by all that an approval is about: the steps, and what is selected with its images and manifests.
func planDigest(of *solver.Outcome) string {
	hash := sha256.New()
	encoder := json.NewEncoder(hash)
	for _, step := range of.Plan {
		_ = encoder.Encode(step) // a hash takes everything
	}
	for _, one := range of.Selections {
		_ = encoder.Encode([]string{one.String(), one.Image, one.MediaType})
		if one.Manifests != "" {
			_ = encoder.Encode(one.Manifests)
		}
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}

// next is the activation of the selections with their entities: the last one, where that is of the same.
func (s *Status) next(selections []solver.Selection, before *Status, entities []activator.Entity, now time.Time) *Activation {
	installed := make([]solver.Installed, 0, len(selections))
	for _, one := range selections {
		installed = append(installed, solver.Installed{Name: one.Package, Version: one.Version})
	}
	slices.SortFunc(installed, func(a, b solver.Installed) int { return cmp.Compare(a.Name, b.Name) })
	if last := before.Activation; last != nil && slices.Equal(last.Installed, installed) && slices.Equal(before.Entities, entities) {
		return last
	}
	return &Activation{Time: now.UTC().Truncate(time.Second), Installed: installed, Plan: s.Plan, Rollback: s.Rollback, Approval: s.Approval}
}

// waits is the condition of an activation that has to wait, nil for one that may be now.
func (s *Status) waits(req *Request, next *Activation, before *Status, now time.Time) *Condition {
	if next == before.Activation {
		return nil
	}
	if req.Spec.Approval && s.Approval == nil {
		return &Condition{Type: ConditionActivated, Status: statusFalse, Reason: ReasonApproval, Message: "the plan " + s.PlanDigest + " waits for an approval"}
	}
	if opens, open := window.Opens(req.Spec.Windows, now); !open {
		return &Condition{Type: ConditionActivated, Status: statusFalse, Reason: ReasonWindow, Message: "waits for a window, of which the next opens at " + window.Text(opens)}
	}
	return nil
}

// Opens is when what waits for a window is to be activated; zero where nothing waits.
func (s *Status) Opens(req *Request, now time.Time) time.Time {
	resolved, activated := s.condition(ConditionResolved), s.condition(ConditionActivated)
	if resolved == nil || resolved.Status != statusTrue || activated == nil || activated.Reason != ReasonWindow {
		return time.Time{}
	}
	opens, open := window.Opens(req.Spec.Windows, now)
	if open {
		return now
	}
	return opens
}

// Replans reports whether the request's plan begins at the last activation, which is another than before.
func (s *Status) Replans(req *Request, before *Status) bool {
	return req.PlansFromActivation && s.Activation != nil && (before.Activation == nil || !slices.Equal(s.Activation.Installed, before.Activation.Installed))
}
