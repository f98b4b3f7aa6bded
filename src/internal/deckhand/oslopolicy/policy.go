package oslopolicy

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// Service is what a service has policies about.
type Service struct {
	Actions []string          // such as deckhand:list_revisions
	Default string            // the rule of actions that a file does not have
	Rules   map[string]string // names that rules may refer to, with their rules where a file does not have them
}

// Subject is whoever asks.
type Subject struct {
	Roles      []string
	Attributes map[string]string // by their names, such as project_id
}

// The attributes that a subject may have.
var attributes = []string{"user_id", "user_domain_id", "project_id", "project_domain_id", "domain_id", "system_scope"}

// targets are the attributes of what is acted on that rules may name. It belongs to whoever asks.
var targets = []string{"user_id", "project_id"}

// Policy is a policy file. It is immutable, and safe for concurrent use.
type Policy struct{ rules map[string]check }

// Allows reports whether a subject may take an action of the service.
func (p *Policy) Allows(action string, who Subject) bool {
	rule := p.rules[action]
	return rule != nil && rule(p, who)
}

// check is whether a rule, or a part of it, allows a subject something.
type check func(p *Policy, who Subject) bool

// Parse reads a policy file, YAML or JSON. Errors, all together and with their places, have CodeInvalid: what is no rule, names that there are not,
// and rules that refer to themselves. name is for errors only.
func Parse(name string, text []byte, of Service) (*Policy, error) {
	values, err := yaml.Parse(name, text, value.Limits{})
	if err != nil {
		return nil, err
	}
	d := &decode.Decoder{File: name, Complete: func(e *dovetail.Error) { e.Position.Path = "" }}
	root := value.NewMap()
	if len(values) > 0 && values[0].Kind != value.Null {
		root = values[0]
	}
	file := d.Root(root, "the policy file", "")
	if len(values) > 1 {
		d.Root(values[1], "the second document", "").Fail("put everything into one", "a policy file has one document")
	}
	r := &reader{service: of, refers: make(map[string][]reference), policy: &Policy{rules: make(map[string]check)}}
	if file.IsMap() {
		for key, rule := range file.All() {
			r.known = append(r.known, key)
			r.policy.rules[key] = r.rule(key, rule)
		}
	}
	r.complete()
	for key, rule := range file.All() {
		r.checkName(key, rule)
	}
	r.checkReferences()
	return r.policy, d.Err("the policy file is invalid")
}

// reader reads one file.
type reader struct {
	service Service
	policy  *Policy
	known   []string               // names that the file has
	refers  map[string][]reference // by rules
}

// reference is a name that a rule refers to.
type reference struct {
	name string
	at   decode.Field
}

// complete adds the rules that the file does not have.
func (r *reader) complete() {
	add := func(name, rule string) {
		if r.policy.rules[name] == nil {
			r.policy.rules[name] = r.expression(name, decode.Field{}, rule)
		}
	}
	for name, rule := range r.service.Rules {
		add(name, rule)
	}
	for _, action := range r.service.Actions {
		add(action, r.service.Default)
	}
}

// checkName refuses a name that is no action but looks like one: nothing would ever ask for its rule. Other names are for rules to refer to.
func (r *reader) checkName(name string, at decode.Field) {
	if slices.Contains(r.service.Actions, name) || r.service.Rules[name] != "" {
		return
	}
	for _, references := range r.refers {
		if slices.ContainsFunc(references, func(to reference) bool { return to.name == name }) {
			return
		}
	}
	own := r.service.Actions
	for rule := range r.service.Rules {
		own = append(slices.Clip(own), rule)
	}
	prefix, _, _ := strings.Cut(r.service.Actions[0], ":")
	near := suggest.Nearest(name, own)
	if strings.HasPrefix(name, prefix+":") || near != "" && suggest.Misspells(name, near) {
		at.Fail(meant(near, "leave it out"), "%s is no action of %s, and no rule refers to it", decode.Quote(name), prefix)
	}
}

// meant is a remedy for a name.
func meant(near, otherwise string) string {
	if near == "" {
		return otherwise
	}
	return "did you mean " + near + "?"
}

// checkReferences refuses rules that refer to names that there are not, or to themselves.
func (r *reader) checkReferences() {
	names := append(slices.Clone(r.known), r.service.Actions...)
	for name := range r.service.Rules {
		names = append(names, name)
	}
	state := make(map[string]int) // 1 while what a rule refers to is examined, 2 afterwards
	var visit func(name string)
	visit = func(name string) {
		state[name] = 1
		for _, to := range r.refers[name] {
			switch {
			case r.policy.rules[to.name] == nil:
				to.at.Fail(meant(suggest.Nearest(to.name, names), "define it, or refer to another one"), "%s refers to the rule %s, which does not exist", name, decode.Quote(to.name))
			case state[to.name] == 1:
				to.at.Fail("break the cycle", "the rule %s refers to itself, by %s", to.name, name)
			case state[to.name] == 0:
				visit(to.name)
			}
		}
		state[name] = 2
	}
	for _, name := range r.known {
		if state[name] == 0 {
			visit(name)
		}
	}
	for _, name := range names {
		if state[name] == 0 {
			visit(name)
		}
	}
}
