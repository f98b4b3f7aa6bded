package state

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/activator"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

// The types of conditions. Deprecated and SelectionsStale are there only while they are true.
const (
	ConditionResolved        = "Resolved"
	ConditionActivated       = "Activated"       // there when an activator class is named
	ConditionDeprecated      = "Deprecated"      // something deprecated is selected
	ConditionSelectionsStale = "SelectionsStale" // the selections are those of an earlier answer
)

// The reasons of conditions beside those of packages solver and activator.
const (
	ReasonResolved      = "Resolved"
	ReasonUnsatisfiable = "Unsatisfiable"
	ReasonTimedOut      = "TimedOut"
	ReasonActivated     = "Activated"
	ReasonSelected      = "DeprecatedSelected"
	ReasonApproval      = "AwaitingApproval" // nothing was activated: the plan waits for an approval
	ReasonWindow        = "AwaitingWindow"   // nothing was activated: the selections wait for a window
)

// Condition is one in the style of Kubernetes.
type Condition struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"` // "True", "False" or "Unknown"
	Reason             string    `json:"reason"`
	Message            string    `json:"message"` // at most MaxMessage bytes
	LastTransitionTime time.Time `json:"lastTransitionTime"`
	ObservedGeneration uint64    `json:"observedGeneration"`
}

// MaxMessage bounds the message of a condition, in bytes.
const MaxMessage = 1024

const (
	statusTrue    = "True"
	statusFalse   = "False"
	statusUnknown = "Unknown"
)

// Status is the status of an ActiveResolution.
type Status struct {
	// ObservedGeneration is metadata.generation where that is given; otherwise it counts the changes of what
	// is asked for that were seen.
	ObservedGeneration uint64             `json:"observedGeneration"`
	Conditions         []Condition        `json:"conditions"`
	Selections         []string           `json:"selections,omitempty"` // source:name:version:channel
	Plan               []solver.Step      `json:"plan,omitzero"`        // the steps to them, where the spec has a policy; none if nothing changes
	PlanDigest         string             `json:"planDigest,omitempty"` // of the plan, its selections and their images
	Author             string             `json:"author,omitempty"`     // who asked for this, where the plan needs an approval; the store keeps it
	Approval           *api.PlanApproval  `json:"approval,omitempty"`   // of the plan
	Rollback           *solver.Rollback   `json:"rollback,omitempty"`   // of the plan; none without steps
	Activation         *Activation        `json:"activation,omitempty"` // the last one
	Entities           []activator.Entity `json:"entities,omitempty"`
	Bundle             *Bundle            `json:"bundle,omitempty"`
	Explanation        []Explained        `json:"explanation,omitempty"` // of the selections
	Unsat              *solver.Unsat      `json:"unsat,omitempty"`
	Error              *Fault             `json:"error,omitempty"`
	InputDigest        string             `json:"inputDigest,omitempty"` // of the spec and of what it looks at in the sources
	SpecDigest         string             `json:"specDigest"`            // of what the document asks for
	Withheld           string             `json:"withheld,omitempty"`    // set by the store for a principal that may not read all inputs
}

// Explained says why something is selected: for a constraint, or for another selection that depends on it.
type Explained struct {
	Selection string     `json:"selection"`
	Why       solver.Why `json:"why"`
}

// Fault is what keeps a resolution from being tried. Index counts constraints or sources, from 0.
type Fault struct {
	Reason string `json:"reason"`
	Index  int    `json:"index"`
}

// Answer is what came of a request: an error, or the outcome of a problem.
type Answer struct {
	Err     error
	Digest  string // of the problem
	Outcome *solver.Outcome
}

// Surroundings are what a status depends on beside its request.
type Surroundings struct {
	Now       time.Time
	PublicURL string // where others reach the API, for the URL in the wrapper of a bundle
}

// Assess makes the status, given the one before, and the files that belong to it; nil files are to stay as they
// are. Times of conditions that are as they were stay, too.
func Assess(req *Request, a Answer, before *Status, in Surroundings) (*Status, []dovetail.File) {
	s := &Status{ObservedGeneration: req.Generation, InputDigest: a.Digest, SpecDigest: req.Digest, Author: before.Author, Activation: before.Activation}
	if s.ObservedGeneration == 0 {
		s.ObservedGeneration = before.ObservedGeneration
		if before.SpecDigest != req.Digest {
			s.ObservedGeneration++
		}
	}
	same := before.SpecDigest == req.Digest
	resolved := Condition{Type: ConditionResolved, Status: statusFalse}
	switch {
	case a.Err != nil:
		e := dovetail.AsError(a.Err)
		resolved.Reason, resolved.Message = cmp.Or(e.Reason, string(e.Code)), refused(e)
		if reason, index, ok := solver.FaultOf(a.Err); ok {
			s.Error = &Fault{reason, index}
		}
	case a.Outcome.TimedOut:
		resolved.Status, resolved.Reason, resolved.Message = statusUnknown, ReasonTimedOut, a.Outcome.Message
	case a.Outcome.Unsat != nil:
		resolved.Reason, resolved.Message = ReasonUnsatisfiable, a.Outcome.Message
		s.Unsat = a.Outcome.Unsat
	default:
		resolved.Status, resolved.Reason, resolved.Message = statusTrue, ReasonResolved, a.Outcome.Message
	}
	s.Conditions = append(s.Conditions, resolved)
	var files []dovetail.File
	if resolved.Status == statusTrue {
		s.plan(a.Outcome)
		if last := before.Approval; last != nil && same && last.Plan == s.PlanDigest {
			s.Approval = last
		}
		files = s.choose(req, a.Outcome.Selections, before, in)
	} else {
		s.keep(before, resolved.Reason)
	}
	s.date(before, in.Now)
	return s, files
}

// choose puts the selections into the status, and what an activator makes of them.
func (s *Status) choose(req *Request, selections []solver.Selection, before *Status, in Surroundings) []dovetail.File {
	var deprecated []string
	selected := make([]activator.Selected, 0, len(selections))
	for _, one := range selections {
		s.Selections = append(s.Selections, one.String())
		s.Explanation = append(s.Explanation, Explained{one.String(), one.Why})
		selected = append(selected, activator.Selected{Package: one.Package, Image: one.Image, MediaType: one.MediaType, Source: one.Source, Version: one.Version, Channel: one.Channel, Manifests: one.Manifests})
		if one.Deprecated {
			deprecated = append(deprecated, one.Package+" "+one.Version)
		}
	}
	files := []dovetail.File{}
	if req.Activated {
		files = s.activate(req, selections, selected, before, in)
	}
	if len(deprecated) > 0 {
		s.Conditions = append(s.Conditions, Condition{Type: ConditionDeprecated, Status: statusTrue, Reason: ReasonSelected,
			Message: "deprecated: " + strings.Join(deprecated, ", ")})
	}
	return files
}

// keep takes over what was selected before, and says so.
func (s *Status) keep(before *Status, reason string) {
	s.Selections, s.Explanation, s.Entities, s.Bundle = before.Selections, before.Explanation, before.Entities, before.Bundle
	if len(s.Selections) == 0 {
		return
	}
	for _, c := range before.Conditions {
		if c.Type == ConditionActivated || c.Type == ConditionDeprecated {
			s.Conditions = append(s.Conditions, c)
		}
	}
	s.Conditions = append(s.Conditions, Condition{Type: ConditionSelectionsStale, Status: statusTrue, Reason: reason,
		Message: fmt.Sprintf("the last good answer is kept: %s", count(len(s.Selections), "selection"))})
}

// date gives the conditions the time of their last transition and their generation, and cuts their messages.
func (s *Status) date(before *Status, now time.Time) {
	for i := range s.Conditions {
		c := &s.Conditions[i]
		c.Message = Cut(c.Message)
		if c.ObservedGeneration == 0 {
			c.ObservedGeneration = s.ObservedGeneration
		}
		if was := before.condition(c.Type); was != nil && was.Status == c.Status {
			c.LastTransitionTime = was.LastTransitionTime
			continue
		}
		c.LastTransitionTime = now.UTC().Truncate(time.Second)
	}
}

func (s *Status) condition(kind string) *Condition {
	if i := slices.IndexFunc(s.Conditions, func(c Condition) bool { return c.Type == kind }); i >= 0 {
		return &s.Conditions[i]
	}
	return nil
}

// ReadStatus reads a stored status; one that is of another making says nothing.
func ReadStatus(doc *dovetail.Document) *Status {
	var s Status
	if len(doc.Status) == 0 || json.Unmarshal(doc.Status, &s) != nil {
		return &Status{}
	}
	return &s
}

// Counted is a status that says nothing but which request it is of, and whose.
func (s *Status) Counted() *Status {
	return &Status{ObservedGeneration: s.ObservedGeneration, SpecDigest: s.SpecDigest, Author: s.Author}
}

// Settled reports whether the status of an ActiveResolution speaks of what it asks for, or is withheld from the reader, who
// would wait in vain.
func Settled(doc *dovetail.Document) bool {
	req, err := ReadRequest(doc)
	if err != nil {
		return true
	}
	status := ReadStatus(doc)
	return status.SpecDigest == req.Digest || status.Withheld != ""
}

// refused formats the errors of a spec or its sources, with the position in the document. The solver's positions in
// sources mean nothing for sources that are stored as documents, but its messages name package and version.
func refused(e *dovetail.Error) string {
	parts := e.Errors
	if len(parts) == 0 {
		parts = []*dovetail.Error{e}
	}
	var all []string
	for _, part := range parts {
		text := part.Message
		if part.Reason != solver.ReasonInvalidSource && part.Position.Path != "" {
			text = "/spec" + part.Position.Path + ": " + text
		}
		if part.Remedy != "" {
			text += " (" + part.Remedy + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// Cut shortens a message to what a condition may hold.
func Cut(message string) string {
	const more = "…"
	if len(message) <= MaxMessage {
		return message
	}
	end := MaxMessage - len(more)
	for !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end] + more
}

func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
