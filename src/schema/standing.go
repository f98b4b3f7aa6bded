package schema

import (
	"slices"
	"strings"
)

// Progress is how far a worker is with an action.
type Progress string

// What a progress can be; "" stands for what no worker carries out, of which nothing is known.
const (
	Requested Progress = "requested"
	Running   Progress = "running"
	Done      Progress = "done"
	Failed    Progress = "failed"
)

// pending is what a ref-schema calls Requested and Running.
const pending = "pending"

// progressNames are those that a ref-schema may write behind a state.
var progressNames = []string{pending, string(Done), string(Failed)}

// Pending reports whether a worker has to do something yet.
func (p Progress) Pending() bool { return p == Requested || p == Running }

// Standing is the state that a document is in, and how far a worker is with the action that led to it.
type Standing struct {
	State    string
	Progress Progress
}

// MayBeIn reports whether the standing is among some, each of which is a state or STATE/PROGRESS. Where it depends on a progress of which
// nothing is known, it is.
func (s Standing) MayBeIn(states []string) bool { return s.among(states, true) }

// IsIn is MayBeIn, but false where it depends on a progress of which nothing is known.
func (s Standing) IsIn(states []string) bool { return s.among(states, false) }

func (s Standing) among(states []string, unknown bool) bool {
	return slices.ContainsFunc(states, func(text string) bool {
		state, progress, qualified := strings.Cut(text, "/")
		switch {
		case state != s.State:
			return false
		case !qualified:
			return true
		case s.Progress == "":
			return unknown
		case progress == pending:
			return s.Progress.Pending()
		}
		return progress == string(s.Progress)
	})
}

// stateOf is the state of what may have a progress behind it.
func stateOf(text string) string {
	state, _, _ := strings.Cut(text, "/")
	return state
}

// overlap reports whether a document can be in both of two, each a state or STATE/PROGRESS.
func overlap(a, b string) bool {
	return a == b || stateOf(a) == stateOf(b) && (!strings.Contains(a, "/") || !strings.Contains(b, "/"))
}
