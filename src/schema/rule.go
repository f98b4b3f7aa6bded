package schema

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/condition"
	"github.com/dovetail-store/dovetail/src/value"
)

// ReasonRule is the reason of CodeUnprocessable where data break a rule of their kind.
const ReasonRule = "RULE"

// Rule is a condition in CEL, the Common Expression Language, that the documents of a kind fulfil when they are written.
type Rule struct {
	Expr     string
	Message  string // what users read when it is broken; "" for the expression
	Position dovetail.Position

	// OnUpdates means that the rule compares with the data before, so that it only counts for updates.
	OnUpdates bool

	kind    *Kind
	program condition.Program
	parent  bool       // it reads the parent
	slots   []ruleSlot // those that it reads
}

func newRule(k *Kind, of *ruleEntry, program condition.Program) *Rule {
	r := &Rule{Expr: of.expr.value, Message: of.message.value, Position: of.at, kind: k, program: program}
	_, r.OnUpdates = program.Reads(varOld)
	_, r.parent = program.Reads(varParent)
	if names, reads := program.Reads(varRefs); reads {
		for _, s := range k.ruleSlots {
			if len(names) == 0 || slices.Contains(names, s.name) {
				r.slots = append(r.slots, s)
			}
		}
	}
	return r
}

// ReadsParent reports whether the rule reads the data of the parent.
func (r *Rule) ReadsParent() bool { return r.parent }

// ReadsTargets reports whether the rule reads the data of documents that the document refers to by a reference rule.
func (r *Rule) ReadsTargets(of *Reference) bool {
	return slices.ContainsFunc(r.slots, func(s ruleSlot) bool { return slices.Contains(s.rules, of) })
}

// ReadsOthers reports whether the rule reads other documents than its own.
func (r *Rule) ReadsOthers() bool { return r.parent || len(r.slots) > 0 }

// RuleInput is what the rules of a kind are evaluated on.
type RuleInput struct {
	ID     dovetail.ID
	Data   *value.Value
	Before *value.Value   // the data before an update; nil if there is none
	Parent *value.Value   // the data of the parent; nil where no rule reads it
	Refs   []TargetOfRule // the documents referred to, in the order of references, as far as rules read them
}

// TargetOfRule is a document that a reference rule finds.
type TargetOfRule struct {
	Rule *Reference
	Data *value.Value
}

// Check returns what is wrong with a document by the rule: that it is broken, or cannot be evaluated, which never shows values.
// Its own error is the end of the context.
func (r *Rule) Check(ctx context.Context, in RuleInput) (*dovetail.Error, error) {
	if r.OnUpdates && in.Before == nil {
		return nil, nil
	}
	holds, err := r.program.Holds(ctx, r.values(in))
	switch {
	case ctx.Err() != nil:
		return nil, dovetail.AsError(ctx.Err())
	case err == nil && holds:
		return nil, nil
	}
	broken := &dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: ReasonRule, Key: in.ID,
		Remedy: "`dovetail explain " + r.kind.Name + "` shows its rules"}
	switch {
	case err != nil:
		broken.Message = "the rule " + strconv.Quote(r.Expr) + " of " + r.kind.Name + " cannot be evaluated: " + err.Error()
	case r.Message != "":
		broken.Message = "breaks a rule of " + r.kind.Name + ": " + r.Message
	default:
		broken.Message = "breaks the rule " + strconv.Quote(r.Expr) + " of " + r.kind.Name
	}
	return broken, nil
}

// values are the variables of the rule.
func (r *Rule) values(in RuleInput) map[string]*value.Value {
	variables := map[string]*value.Value{varSelf: in.Data, varOld: in.Before, varParent: in.Parent}
	if _, reads := r.program.Reads(varKey); reads {
		key := value.NewMap()
		for _, e := range in.ID.Key() {
			key.Members = append(key.Members, value.Member{Name: e.Name, Value: value.NewString(e.Value)})
		}
		variables[varKey] = key
	}
	if _, reads := r.program.Reads(varRefs); reads {
		refs := value.NewMap()
		for _, s := range r.slots {
			var targets []*value.Value
			for _, t := range in.Refs {
				if slices.Contains(s.rules, t.Rule) {
					targets = append(targets, t.Data)
				}
			}
			switch {
			case s.many:
				refs.Members = append(refs.Members, value.Member{Name: s.name, Value: value.NewList(targets...)})
			case len(targets) > 0:
				refs.Members = append(refs.Members, value.Member{Name: s.name, Value: targets[0]})
			}
		}
		variables[varRefs] = refs
	}
	return variables
}

// String is the rule in a line: its expression, and what it says to users.
func (r *Rule) String() string {
	if r.Message == "" {
		return r.Expr
	}
	return r.Expr + "  (" + r.Message + ")"
}

// RuleDescription is one condition that documents fulfil when they are written.
type RuleDescription struct {
	Expr      string `json:"expr"` // in CEL
	Message   string `json:"message,omitempty"`
	OnUpdates bool   `json:"onUpdates,omitempty"` // it compares with the data before, and so counts for updates only
}

func describeRules(k *Kind) []RuleDescription {
	var all []RuleDescription
	for _, r := range k.Rules {
		all = append(all, RuleDescription{r.Expr, r.Message, r.OnUpdates})
	}
	return all
}

// ruleText is what counts of a rule for the meaning of a model.
type ruleText struct {
	Expr    string
	Message string `json:",omitempty"`
}

func ruleTexts(k *Kind) []ruleText {
	var all []ruleText
	for _, r := range k.Rules {
		all = append(all, ruleText{r.Expr, r.Message})
	}
	slices.SortFunc(all, func(a, b ruleText) int { return strings.Compare(a.Expr, b.Expr) })
	return all
}

// diffRules says which rules two models have only one of.
func diffRules(a, b *Kind) []Difference {
	var all []Difference
	only := func(of, other *Kind, what string) {
		for _, r := range of.Rules {
			if !slices.ContainsFunc(other.Rules, func(o *Rule) bool { return o.Expr == r.Expr && o.Message == r.Message }) {
				all = append(all, Difference{RulesChanged, a.Name, a.Name + ": " + what + r.String()})
			}
		}
	}
	only(b, a, "it has now the rule ")
	only(a, b, "it no longer has the rule ")
	return all
}

// NewRules are the rules of a kind that it did not have before; all where the kind is new.
func (k *Kind) NewRules(before *Kind) []*Rule {
	var all []*Rule
	for _, r := range k.Rules {
		if before == nil || !slices.ContainsFunc(before.Rules, func(o *Rule) bool { return o.Expr == r.Expr }) {
			all = append(all, r)
		}
	}
	return all
}
