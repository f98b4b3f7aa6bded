package fleet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/value"
)

// ReasonProgressing says that some of the clusters have no answer yet to what is asked for.
const ReasonProgressing = "Progressing"

// ReasonSeveral stands for more than one.
const ReasonSeveral = "SeveralReasons"

const statusTrue = "True"

// How much a status names; the rest is counted.
const (
	maxProblems = 50
	maxVersions = 200
)

// Status is the status of an ActiveResolutionSet.
type Status struct {
	// ObservedGeneration counts the changes of what the set asks for that were seen.
	ObservedGeneration uint64 `json:"observedGeneration"`

	SpecDigest string            `json:"specDigest"` // of what the set asks for
	Conditions []state.Condition `json:"conditions"`
	Clusters   int               `json:"clusters"`
	Resolved   int               `json:"resolved"`            // clusters
	Activated  *int              `json:"activated,omitempty"` // clusters, where an activator class is named

	Problems     []Problem `json:"problems,omitempty"` // by cluster: what is not as it is asked for
	MoreProblems int       `json:"moreProblems,omitempty"`

	Versions     []Spread `json:"versions,omitempty"` // what is selected, by package and version
	MoreVersions int      `json:"moreVersions,omitempty"`

	Author   string          `json:"author,omitempty"`   // who asked for this, where plans need an approval; the store keeps it
	Actor    json.RawMessage `json:"actor,omitempty"`    // with whose rights it is kept; the store keeps it
	Withheld string          `json:"withheld,omitempty"` // set by the store for a principal that may not read all inputs
}

// Problem is one of a cluster. The reason is that of a condition of its ActiveResolution, or the code of the error with which writing that was refused.
type Problem struct {
	Cluster    string `json:"cluster,omitempty"` // "" of what says that it belongs to the set, and does not
	Resolution string `json:"resolution"`        // the name of its ActiveResolution
	Reason     string `json:"reason"`
	Message    string `json:"message"`
}

// Spread is on how many clusters a version of a package is selected.
type Spread struct {
	Package  string `json:"package"`
	Version  string `json:"version"`
	Clusters int    `json:"clusters"`
}

// release is a version of a package.
type release struct{ pkg, version string }

// seen is what is known of a stored ActiveResolution. It is small: there may be ten thousands.
type seen struct {
	version   dovetail.ETag
	set       string // the name of the set that it belongs to; "" if there is none
	cluster   string // of which a set made it
	digest    string // of its data
	settled   bool
	resolved  verdict
	activated verdict
	selected  []unique.Handle[release]
}

// verdict is a condition in short. The status of one that is not there is "".
type verdict struct{ status, reason, message string }

// see notes what a stored ActiveResolution says.
func see(doc *dovetail.Document) (*seen, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	at := &seen{version: doc.ETag(), digest: digestOf(data), settled: state.Settled(doc)}
	if set := data.At("spec", "set"); set != nil {
		at.set = set.Text
	}
	if cluster := data.At("metadata", "labels", labelCluster); cluster != nil {
		at.cluster = cluster.Text
	}
	status := state.ReadStatus(doc)
	for _, c := range status.Conditions {
		v := verdict{c.Status, c.Reason, c.Message}
		if c.Status == statusTrue {
			v.message = "" // it is not used
		}
		switch c.Type {
		case state.ConditionResolved:
			at.resolved = v
		case state.ConditionActivated:
			at.activated = v
		}
	}
	for _, text := range status.Selections {
		if parts := strings.Split(text, ":"); len(parts) > 2 { // source:name:version:channel
			at.selected = append(at.selected, unique.Make(release{parts[1], parts[2]}))
		}
	}
	return at, nil
}

// MadeBy is the name of the set that made an ActiveResolution; "" if there is none.
func MadeBy(doc *dovetail.Document) string {
	at, err := see(doc)
	if err != nil || at.cluster == "" || doc.ID != memberID(at.set, at.cluster) {
		return ""
	}
	return at.set
}

// summary sums up what became of the members of a set. refused are the errors, by id, of those that could not be written.
func summary(s *Set, members []Member, stored map[dovetail.ID]*seen, refused map[dovetail.ID]error) *Status {
	sum := &Status{SpecDigest: s.Digest, Clusters: len(members)}
	spread, activated, named, pending := make(map[unique.Handle[release]]int), 0, false, 0
	var unresolved, waiting, idle []Problem // idle are those of unresolved of which nothing is activated
	for _, m := range members {
		at, err := stored[m.ID], refused[m.ID]
		problem := Problem{Cluster: m.Cluster, Resolution: s.Name + "-" + m.Cluster}
		switch {
		case err != nil:
			e := dovetail.AsError(err)
			problem.Reason, problem.Message = cmp.Or(e.Reason, string(e.Code)), e.Error()
			unresolved, idle = append(unresolved, problem), append(idle, problem)
			continue
		case at == nil || at.set != s.Name || at.digest != m.digest || !at.settled || at.resolved.status == "":
			pending++
			continue
		case at.resolved.status != statusTrue:
			problem.Reason, problem.Message = at.resolved.reason, at.resolved.message
			unresolved = append(unresolved, problem)
			if at.activated.status != statusTrue {
				idle = append(idle, problem)
			}
		default:
			sum.Resolved++
		}
		named = named || at.activated.status != ""
		switch {
		case at.activated.status == statusTrue:
			activated++
		case at.activated.status != "" && at.resolved.status == statusTrue:
			problem.Reason, problem.Message = at.activated.reason, at.activated.message
			waiting = append(waiting, problem)
		}
		for _, one := range at.selected {
			spread[one]++
		}
	}
	sum.spread(spread)
	sum.Problems = slices.Concat(unresolved, waiting, strays(members, refused))
	if more := len(sum.Problems) - maxProblems; more > 0 {
		sum.Problems, sum.MoreProblems = sum.Problems[:maxProblems], more
	}
	resolved := state.Condition{Type: state.ConditionResolved, Status: statusTrue, Reason: state.ReasonResolved,
		Message: fmt.Sprintf("%d of %d clusters are resolved", sum.Resolved, sum.Clusters)}
	sum.conclude(resolved, unresolved, pending)
	if named {
		sum.Activated = &activated
		sum.conclude(state.Condition{Type: state.ConditionActivated, Status: statusTrue, Reason: state.ReasonActivated,
			Message: fmt.Sprintf("%d of %d clusters are activated", activated, sum.Clusters)}, slices.Concat(waiting, idle), sum.Clusters-activated-len(waiting)-len(idle))
	}
	return sum
}

// strays are the problems of what is no member of the set.
func strays(members []Member, refused map[dovetail.ID]error) []Problem {
	others := maps.Clone(refused)
	for _, m := range members {
		delete(others, m.ID)
	}
	var problems []Problem
	for _, id := range slices.Sorted(maps.Keys(others)) {
		e := dovetail.AsError(others[id])
		problems = append(problems, Problem{Resolution: id.Key()[0].Value, Reason: cmp.Or(e.Reason, string(e.Code)), Message: e.Error()})
	}
	return problems
}

// conclude adds a condition, given how it is when all is as it should be, what is not, and how many clusters have no answer yet.
func (sum *Status) conclude(c state.Condition, problems []Problem, pending int) {
	if pending > 0 {
		c.Status, c.Reason = "Unknown", ReasonProgressing
		c.Message += fmt.Sprintf("; %d have no answer yet", pending)
	}
	if len(problems) > 0 {
		counts := make(map[string]int)
		for _, p := range problems {
			counts[p.Reason]++
		}
		reasons := slices.Sorted(maps.Keys(counts))
		for _, reason := range reasons {
			c.Message += fmt.Sprintf("; %d %s", counts[reason], reason)
		}
		c.Message += fmt.Sprintf("; the first is %s: %s", problems[0].Cluster, problems[0].Message)
		if pending == 0 {
			c.Status, c.Reason = "False", reasons[0]
			if len(reasons) > 1 {
				c.Reason = ReasonSeveral
			}
		}
	}
	sum.Conditions = append(sum.Conditions, c)
}

// spread lists what is selected, by package, and the versions of each by how many clusters have them.
func (sum *Status) spread(counts map[unique.Handle[release]]int) {
	for one, n := range counts {
		sum.Versions = append(sum.Versions, Spread{one.Value().pkg, one.Value().version, n})
	}
	slices.SortFunc(sum.Versions, func(a, b Spread) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(b.Clusters, a.Clusters), cmp.Compare(a.Version, b.Version))
	})
	if more := len(sum.Versions) - maxVersions; more > 0 {
		sum.Versions, sum.MoreVersions = sum.Versions[:maxVersions], more
	}
}

// invalid is the status of a set that cannot be understood.
func invalid(s *Set, err error, kept int) *Status {
	e := dovetail.AsError(err)
	return &Status{SpecDigest: s.Digest, Clusters: kept, Conditions: []state.Condition{{Type: state.ConditionResolved, Status: "False",
		Reason: cmp.Or(e.Reason, ReasonInvalidSet), Message: e.Error()}}}
}

// Date gives the status its generation, and the conditions the time of their last transition, and cuts messages.
func (sum *Status) Date(before *Status, now time.Time) {
	if sum.ObservedGeneration = before.ObservedGeneration; before.SpecDigest != sum.SpecDigest {
		sum.ObservedGeneration++
	}
	for i := range sum.Conditions {
		c := &sum.Conditions[i]
		c.ObservedGeneration = sum.ObservedGeneration
		c.Message, c.LastTransitionTime = state.Cut(c.Message), now.UTC().Truncate(time.Second)
		for _, was := range before.Conditions {
			if was.Type == c.Type && was.Status == c.Status {
				c.LastTransitionTime = was.LastTransitionTime
			}
		}
	}
	for i := range sum.Problems {
		sum.Problems[i].Message = state.Cut(sum.Problems[i].Message)
	}
}

// ReadStatus reads the status of a set; that of another making says nothing.
func ReadStatus(doc *dovetail.Document) *Status {
	var s Status
	if len(doc.Status) == 0 || json.Unmarshal(doc.Status, &s) != nil {
		return &Status{}
	}
	return &s
}

// Settled reports whether the status of a set speaks of what it asks for, and all of its clusters have their answer.
func Settled(doc *dovetail.Document) bool {
	s, err := Read(doc)
	if err != nil {
		return true
	}
	status := ReadStatus(doc)
	return status.Withheld != "" || status.SpecDigest == s.Digest && !status.progresses()
}

// progresses reports whether some of the clusters have no answer yet.
func (sum *Status) progresses() bool {
	return slices.ContainsFunc(sum.Conditions, func(c state.Condition) bool { return c.Reason == ReasonProgressing })
}
