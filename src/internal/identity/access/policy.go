package access

import (
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
)

// rights are all there are, in the order of bits.
var rights = dovetail.Rights()

// Any stands for every kind, or every verb.
const Any = "*"

// Role is a name for a list of rules. What any of them allows, the role allows.
type Role struct {
	Name     string
	Rules    []Rule
	Position dovetail.Position // where it was read
}

// Rule allows some verbs on the documents of some kinds.
type Rule struct {
	Kinds    []string         // names of the ref-schema, or Any
	Verbs    []dovetail.Right // or Any
	Position dovetail.Position
}

// Binding gives a role to users and groups, everywhere or below some documents.
type Binding struct {
	Role   string
	Users  []string // Any is every authenticated user
	Groups []string
	// On are the ids where the role holds: "cluster/c1" is that document and all below it, "cluster/c1/*"
	// only what is below. None is everywhere.
	On       []string
	Position dovetail.Position
}

// Policy is an access control policy: roles, and their bindings to users and groups. It is immutable, and safe for
// concurrent use.
type Policy struct {
	roles    map[string]*Role
	bindings []Binding
	use      *useList // nil where the ref-schema decides
	protect  []Protection
}

// useList are the kinds whose documents may be referred to with the right to use them only.
type useList struct {
	kinds    []string
	position dovetail.Position
}

// metricsKind is store.MetricsKind, which no ref-schema has.
const metricsKind = "_metrics"

// builtin are the roles that every policy has.
var builtin = []Role{
	{Name: "viewer", Rules: []Rule{{Kinds: []string{Any}, Verbs: []dovetail.Right{dovetail.RightRead}}}},
	{Name: "metrics", Rules: []Rule{{Kinds: []string{metricsKind}, Verbs: []dovetail.Right{dovetail.RightRead}}}},
	{Name: "editor", Rules: []Rule{{Kinds: []string{Any}, Verbs: rights}}},
}

// meant says what to do about a role that there is not.
func (p *Policy) meant(role string) string {
	names := slices.Sorted(maps.Keys(p.roles))
	if near := suggest.Nearest(role, names); near != "" {
		return "did you mean " + near + "? The roles are " + strings.Join(names, ", ")
	}
	return "define it, or name one of " + strings.Join(names, ", ")
}

// NewPolicy returns the policy of these roles, beside those that are built in, and bindings. It reports all errors
// together, with CodeInvalid: a role without a name, a duplicate role, an unknown verb, a binding of an unknown role
// or without users and groups, a place that is no id.
func NewPolicy(roles []Role, bindings []Binding) (*Policy, error) {
	p := &Policy{roles: make(map[string]*Role), bindings: bindings}
	var errs dovetail.Errors
	fail := func(at dovetail.Position, message, remedy string) {
		errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: message, Remedy: remedy})
	}
	for _, role := range append(slices.Clone(builtin), roles...) {
		switch {
		case role.Name == "":
			fail(role.Position, "a role has no name", "name it")
			continue
		case p.roles[role.Name] != nil:
			fail(role.Position, "duplicate role "+role.Name, "give one of them another name; viewer, editor and metrics are built in")
			continue
		}
		p.roles[role.Name] = &role
		for _, rule := range role.Rules {
			for _, verb := range rule.Verbs {
				if verb != Any && !slices.Contains(rights, verb) {
					fail(rule.Position, "the role "+role.Name+" has the unknown verb "+string(verb), "use "+verbList())
				}
			}
		}
	}
	for _, b := range bindings {
		if p.roles[b.Role] == nil {
			fail(b.Position, "the binding names the role "+b.Role+", which does not exist", p.meant(b.Role))
		}
		if len(b.Users) == 0 && len(b.Groups) == 0 {
			fail(b.Position, "the binding of the role "+b.Role+" has no users and no groups", "name users or groups")
		}
		for _, place := range b.On {
			if _, err := dovetail.ParseID(strings.TrimSuffix(place, belowOnly)); err != nil {
				fail(b.Position, "a binding of the role "+b.Role+" holds on "+place+": "+dovetail.AsError(err).Message,
					"write an id as cluster/c1, or cluster/c1/* for what is below it")
			}
		}
	}
	if err := errs.Err("the policy is invalid"); err != nil {
		return nil, err
	}
	return p, nil
}

// NeedingUse returns the policy under which documents of exactly these kinds, or of all with Any, may be referred to
// with the right to use them only. Without it those are the kinds that the ref-schema marks as sensitive.
func (p *Policy) NeedingUse(kinds []string) *Policy { return p.needingUse(kinds, dovetail.Position{}) }

func (p *Policy) needingUse(kinds []string, at dovetail.Position) *Policy {
	changed := *p
	changed.use = &useList{slices.Clone(kinds), at}
	return &changed
}

// Kinds are what a policy can be about, as a ref-schema has them.
type Kinds struct {
	Names  []string
	KindOf func(id dovetail.ID) error // an error for an id of no kind
}

// CheckKinds returns an error for each kind that a rule or the list of use names, and each place of a binding or protection,
// that the ref-schema does not have: a misspelt one would allow, or protect, nothing without a word. All have CodeInvalid.
func (p *Policy) CheckKinds(known Kinds) error {
	var errs dovetail.Errors
	check := func(kinds []string, at dovetail.Position, what string) {
		for _, kind := range kinds {
			if kind != Any && kind != metricsKind && !slices.Contains(known.Names, kind) {
				errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: what + " names the unknown kind " + kind, Remedy: suggestion(kind, known.Names)})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.roles)) {
		for _, rule := range p.roles[name].Rules {
			check(rule.Kinds, rule.Position, "the role "+name)
		}
	}
	if p.use != nil {
		check(p.use.kinds, p.use.position, "use")
	}
	for _, b := range p.bindings {
		for _, place := range b.On {
			if err := known.KindOf(dovetail.ID(strings.TrimSuffix(place, belowOnly))); err != nil {
				errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: b.Position, Message: "a binding of the role " + b.Role + " holds on " + place + ": " + dovetail.AsError(err).Message,
					Remedy: dovetail.AsError(err).Remedy})
			}
		}
	}
	p.checkProtections(known, &errs)
	return errs.Err("the access policy does not fit the ref-schema")
}

// belowOnly ends a place that does not include its document.
const belowOnly = "/*"

func verbList() string {
	words := make([]string, len(rights))
	for i, verb := range rights {
		words[i] = string(verb)
	}
	return strings.Join(words, ", ") + " or " + Any
}
