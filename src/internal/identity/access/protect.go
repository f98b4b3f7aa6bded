package access

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
)

// Protection is a rule that lets documents change through approved change sets only.
type Protection struct {
	dovetail.Protection

	Position dovetail.Position // where it was read
}

func readProtection(f decode.Field) Protection {
	f.Map("approvals", "by", "message", "on")
	p := Protection{Position: position(f)}
	p.Approvals, p.Message = 1, f.Get("message").OptionalText()
	if approvals := f.Get("approvals"); approvals.Value != nil {
		p.Approvals = approvals.Integer(1)
	}
	for _, item := range f.Get("on").NonEmptyList("an id") {
		p.On = append(p.On, item.Text())
	}
	if f.Get("by").Value == nil {
		return p
	}
	for _, item := range f.Get("by").NonEmptyList("a group or user") {
		name := item.Text()
		p.By = append(p.By, name)
		if why := CheckName(strings.TrimPrefix(name, dovetail.UserPrefix)); name != "" && why != "" {
			item.Fail("write the name of a group, or of a user as user:alice", "the name %s of a group or user %s", decode.Quote(name), why)
		}
	}
	return p
}

// Protecting returns the policy with these protections. Errors: CodeInvalid for a place that is no id.
func (p *Policy) Protecting(rules []Protection) (*Policy, error) {
	var errs dovetail.Errors
	for _, rule := range rules {
		for _, place := range rule.On {
			if _, err := dovetail.ParseID(strings.TrimSuffix(place, belowOnly)); err != nil {
				errs.Add(rule.wrong(place, err, "write an id as cluster/c1, or cluster/c1/* for what is below it"))
			}
		}
	}
	changed := *p
	changed.protect = slices.Clone(rules)
	return &changed, errs.Err("the protections are invalid")
}

// wrong is the error of a place that it cannot cover.
func (p *Protection) wrong(place string, err error, remedy string) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Position: p.Position, Message: "a protection covers " + place + ": " + dovetail.AsError(err).Message, Remedy: remedy}
}

// Protections are those in force, in the order of the file.
func (p *Policy) Protections() []dovetail.Protection {
	all := make([]dovetail.Protection, len(p.protect))
	for i, rule := range p.protect {
		all[i] = rule.Protection
	}
	return all
}

// ProtectionsFor are those of Protections that concern a principal, each with the places only where the principal has some
// right: a refusal tells those that may write as much.
func (p *Policy) ProtectionsFor(who *dovetail.Principal) []dovetail.Protection {
	grants, all := p.For(who), []dovetail.Protection{}
	for _, rule := range p.Protections() {
		rule.On = slices.DeleteFunc(slices.Clone(rule.On), func(place string) bool {
			return !slices.ContainsFunc(rights, func(right dovetail.Right) bool {
				return grants.Anywhere(right, nil, dovetail.ID(strings.TrimSuffix(place, belowOnly)))
			})
		})
		if len(rule.On) > 0 {
			all = append(all, rule)
		}
	}
	return all
}

// checkProtections reports each place of a protection whose kind the ref-schema does not have.
func (p *Policy) checkProtections(known Kinds, errs *dovetail.Errors) {
	for _, rule := range p.protect {
		for _, place := range rule.On {
			if err := known.KindOf(dovetail.ID(strings.TrimSuffix(place, belowOnly))); err != nil {
				errs.Add(rule.wrong(place, err, dovetail.AsError(err).Remedy))
			}
		}
	}
}
