package lint

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Problem classifies a Finding. Problems are stable and public.
type Problem string

// The problems.
const (
	NeverApplies   Problem = "never-applies"     // no document can have a reference by the rule
	AlwaysApplies  Problem = "always-applies"    // every document has one, whatever its data
	Superfluous    Problem = "superfluous"       // another rule of the kind finds everything that this one finds
	Forbidden      Problem = "forbidden-by-data" // the JSON Schema of the kind allows none of the documents that it finds something in
	NotInSamples   Problem = "not-in-samples"    // no sample has a reference by the rule
	PartOfKey      Problem = "part-of-key"       // an object of a sample has some of a target's key elements, so that it refers to nothing
	MissingSample  Problem = "missing-target"    // a sample refers to a document that no sample is
	InvalidSample  Problem = "invalid-sample"    // a sample that cannot be stored
	Unreachable    Problem = "unreachable-state" // no sequence of actions leads to the state from the initial one
	NothingSampled Problem = "no-samples"        // no sample is of the kind
	AlwaysHolds    Problem = "always-holds"      // no document breaks the rule in CEL
	NeverHolds     Problem = "never-holds"       // every document breaks the rule in CEL
	OnlyUpdates    Problem = "only-updates"      // a part of a rule in CEL does not count for new documents, and could
	UnknownMember  Problem = "unknown-member"    // a rule in CEL reads what no document of a strict kind has
	BreaksRule     Problem = "breaks-rule"       // a sample breaks a rule in CEL
)

// Finding is one thing that is probably not meant.
type Finding struct {
	Problem  Problem     `json:"problem"`
	Kind     string      `json:"kind,omitempty"`
	Document dovetail.ID `json:"document,omitempty"` // the sample
	Message  string      `json:"message"`            // a sentence in lower case
	Remedy   string      `json:"remedy,omitempty"`
	At       string      `json:"at,omitempty"` // file:line:column of the rule, or of the place in a sample

	position dovetail.Position
}

// Rule is one rule of references with the documents that make it find something: one for each kind that it can find, so
// that there are several with `oneOf`.
type Rule struct {
	Kind     string    `json:"kind"`
	To       []string  `json:"to"`
	Sentence string    `json:"sentence"`
	At       string    `json:"at"` // file:line:column
	Examples []Example `json:"examples,omitempty"`
	// Filled counts the samples that have a reference by the rule.
	Filled int `json:"filled,omitempty"`
}

// Report is what there is to say about a ref-schema.
type Report struct {
	Rules      []Rule      `json:"rules"`
	Conditions []Condition `json:"conditions,omitempty"`
	Samples    []Sample    `json:"samples,omitempty"`
	Findings   []Finding   `json:"findings"`
}

// Lint examines the rules of all kinds, in the order of kinds and rules.
func Lint(model *schema.Model) *Report {
	r := &Report{Rules: []Rule{}, Findings: []Finding{}}
	for _, k := range model.Kinds() {
		first := len(r.Rules)
		for _, rule := range k.References {
			r.Rules = append(r.Rules, r.rule(k, rule))
		}
		if k.Abstract {
			continue
		}
		r.states(k)
		r.conditions(k)
		for i, rule := range k.References {
			if len(r.Rules[first+i].Examples) > 0 {
				r.superfluous(k, rule)
			}
		}
	}
	return r
}

// states reports the states of a lifecycle that no document comes into.
func (r *Report) states(k *schema.Kind) {
	if k.Lifecycle == nil {
		return
	}
	at := k.Lifecycle.Position
	for _, state := range k.Lifecycle.Unreachable() {
		r.Findings = append(r.Findings, Finding{Problem: Unreachable, Kind: k.Name, At: at.String(), position: at,
			Message: fmt.Sprintf("%s: no actions lead from %s to the state %s", k.Name, k.Lifecycle.Initial, state), Remedy: "add an action that does, or remove the state"})
	}
}

func (r *Report) rule(k *schema.Kind, rule *schema.Reference) Rule {
	result := Rule{Kind: k.Name, Sentence: rule.String(), At: rule.Position.String()}
	for _, to := range rule.To {
		result.To = append(result.To, to.Name)
		found := example(k, rule, to)
		if found == nil {
			r.add(NeverApplies, k, rule, "check type, field, map and the values to skip", "%s: no document can refer to a %s by this rule", k.Name, to.Name)
			continue
		}
		result.Examples = append(result.Examples, *found)
		if found.always {
			r.add(AlwaysApplies, k, rule, "remove the rule: parents are enforced without one, and a reference to the document itself says nothing",
				"%s: every %s refers to %s by this rule, whatever its data", k.Name, k.Name, found.Targets[0])
		}
		if why := forbidden(k, found); why != "" {
			r.add(Forbidden, k, rule, "change the JSON Schema of the kind, or the rule", "%s: the JSON Schema does not allow %s: %s", k.Name, found.Data.JSON(), why)
		}
	}
	return result
}

func (r *Report) add(problem Problem, k *schema.Kind, rule *schema.Reference, remedy, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{Problem: problem, Kind: k.Name, Message: fmt.Sprintf(format, args...), Remedy: remedy,
		At: rule.Position.String(), position: rule.Position})
}

// forbidden says why the JSON Schema of the kind does not allow what the example has to have; "" where it does. What a name
// must look like is no reason: other names may be allowed.
func forbidden(k *schema.Kind, e *Example) string {
	var leaves []string
	var walk func(path []string, v *value.Value)
	walk = func(path []string, v *value.Value) {
		leaves = append(leaves, value.Pointer(path...))
		for _, m := range v.Members {
			walk(append(slices.Clip(path), m.Name), m.Value)
		}
	}
	walk(nil, e.Data)
	errs := k.Validate(e.Data)
	for _, err := range errs.Kept() {
		var keyword schema.Keyword
		if !errors.As(err, &keyword) || !slices.Contains(leaves, err.Position.Path) {
			continue
		}
		switch keyword {
		case "type", "false", "additionalProperties", "unevaluatedProperties":
			return strings.TrimSpace(err.Position.Path + " " + err.Message)
		}
	}
	return ""
}

// superfluous reports a rule when another one finds all that it finds and is at least as strict. Of two equal rules
// the later one is reported.
func (r *Report) superfluous(k *schema.Kind, rule *schema.Reference) {
	for _, other := range k.References {
		if other == rule || other.Weak && !rule.Weak || other.Cascade != rule.Cascade || !skipsNoMore(other, rule) || !covers(k, other, rule) {
			continue
		}
		if skipsNoMore(rule, other) && covers(k, rule, other) && rule.Weak == other.Weak && slices.Index(k.References, rule) < slices.Index(k.References, other) {
			continue
		}
		r.add(Superfluous, k, rule, "remove one of the two, or give each a place of its own with at",
			"%s: everything that this rule finds is found by the one at %s too", k.Name, other.Position)
		return
	}
}

// skipsNoMore reports whether a rule takes every name for a reference that the other does.
func skipsNoMore(rule, other *schema.Reference) bool {
	skipped := slices.Concat(other.Skip, other.FilterKeys)
	return !slices.ContainsFunc(slices.Concat(rule.Skip, rule.FilterKeys), func(name string) bool { return !slices.Contains(skipped, name) })
}

// covers reports whether a rule finds all that another one finds, in every document made for either of them.
func covers(k *schema.Kind, rule, other *schema.Reference) bool {
	for _, of := range []*schema.Reference{rule, other} {
		for _, to := range of.To {
			for _, e := range []*Example{example(k, of, to), rich(k, of, to), spread(k, of, to)} {
				if e == nil {
					continue
				}
				targets := found(k, e.ID, e.Data, rule, nil)
				if slices.ContainsFunc(found(k, e.ID, e.Data, other, nil), func(id dovetail.ID) bool { return !slices.Contains(targets, id) }) {
					return false
				}
			}
		}
	}
	return true
}
