package access

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// AuditLevel is how much of an event an audit policy has recorded.
type AuditLevel string

// The levels, and the verb of refused logins beside dovetail.Rights.
const (
	AuditNone     AuditLevel = "none"
	AuditMetadata AuditLevel = "metadata" // who, what, when, with which versions
	AuditRequest  AuditLevel = "request"  // besides, what was written, unless the kind is sensitive

	AuditLogin = "login"
)

// AuditPolicy says what is recorded of what principals do. It is immutable, and safe for concurrent use.
type AuditPolicy struct{ rules []auditRule }

// auditRule is about the events that fit all of its members; an empty list fits every event.
type auditRule struct {
	level         AuditLevel
	kinds, verbs  []string
	users, groups []string
	sensitive     *bool
	position      dovetail.Position
}

// AuditEvent is what a policy is asked about.
type AuditEvent struct {
	Principal *dovetail.Principal // nil where none is known
	Verb      string              // a right, or AuditLogin
	Kind      string
	Sensitive bool // the ref-schema marks the kind so
}

// DefaultAuditPolicy records metadata of writes, of what was refused, of logins that were refused, and of reads of
// sensitive kinds by others than Dovetail itself.
func DefaultAuditPolicy() *AuditPolicy {
	yes := true
	writes := []string{string(dovetail.RightCreate), string(dovetail.RightUpdate), string(dovetail.RightDelete), string(dovetail.RightAct), AuditLogin}
	read := []string{string(dovetail.RightRead)}
	return &AuditPolicy{rules: []auditRule{
		{level: AuditMetadata, verbs: writes},
		{level: AuditNone, verbs: read, users: []string{dovetail.SystemPrefix + Any}},
		{level: AuditMetadata, verbs: read, sensitive: &yes},
	}}
}

// Level returns the level of the first rule that the event fits, AuditNone where none does.
func (p *AuditPolicy) Level(e AuditEvent) AuditLevel {
	for i := range p.rules {
		if p.rules[i].fits(e) {
			return p.rules[i].level
		}
	}
	return AuditNone
}

func (r *auditRule) fits(e AuditEvent) bool {
	fits := func(list []string, text string) bool {
		return len(list) == 0 || slices.Contains(list, text) || slices.Contains(list, Any)
	}
	if !fits(r.verbs, e.Verb) || !fits(r.kinds, e.Kind) || r.sensitive != nil && *r.sensitive != e.Sensitive {
		return false
	}
	if len(r.users) == 0 && len(r.groups) == 0 {
		return true
	}
	who := e.Principal
	if who == nil {
		who = &dovetail.Principal{}
	}
	return slices.ContainsFunc(r.users, func(user string) bool {
		prefix, open := strings.CutSuffix(user, Any)
		return user == who.Name || open && strings.HasPrefix(who.Name, prefix)
	}) || slices.ContainsFunc(who.Groups, func(group string) bool { return slices.Contains(r.groups, group) })
}

// CheckKinds returns an error for each kind that a rule names and the ref-schema does not have. All have CodeInvalid.
func (p *AuditPolicy) CheckKinds(known Kinds) error {
	var errs dovetail.Errors
	for _, rule := range p.rules {
		for _, kind := range rule.kinds {
			if kind != Any && !slices.Contains(known.Names, kind) {
				errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: rule.position, Message: "a rule names the unknown kind " + kind, Remedy: suggestion(kind, known.Names)})
			}
		}
	}
	return errs.Err("the audit policy does not fit the ref-schema")
}

// ParseAuditPolicy reads an audit policy file: a list of rules, of which the first that an event fits decides; an
// event that fits none is not recorded.
//
//	rules:
//	  - {level: request, kinds: [registryDefinition], verbs: [create, update]}
//	  - {level: none, users: ["system:*"], verbs: [read]}
//	  - {level: metadata, sensitive: true}
//	  - {level: metadata, verbs: [create, update, delete, act, login]}
//
// name is for errors only. Errors, all together and with their positions, have CodeInvalid.
func ParseAuditPolicy(name string, text []byte) (*AuditPolicy, error) {
	const maxBytes, maxDepth, maxValues = 1 << 20, 20, 100_000
	values, err := yaml.Parse(name, text, value.Limits{Bytes: maxBytes, Depth: maxDepth, Values: maxValues})
	if err != nil {
		return nil, err
	}
	if len(values) != 1 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Message: "an audit policy file holds one document", Remedy: "write rules: and a list"}
	}
	r := newReader(name)
	file := r.Root(values[0], "the file", "")
	file.Map("rules")
	p := &AuditPolicy{}
	for _, item := range file.Get("rules").Items("a rule") {
		p.rules = append(p.rules, readAuditRule(item))
	}
	return p, r.Err("the audit policy file is invalid")
}

func readAuditRule(f decode.Field) auditRule {
	rule := auditRule{position: position(f)}
	if !f.Map("groups", "kinds", "level", "sensitive", "users", "verbs") {
		return rule
	}
	rule.kinds, rule.verbs = f.Get("kinds").Texts("a kind"), f.Get("verbs").Texts("a verb")
	rule.users, rule.groups = f.Get("users").Texts("a user"), f.Get("groups").Texts("a group")
	if sensitive := f.Get("sensitive"); sensitive.Value != nil {
		is := sensitive.Bool()
		rule.sensitive = &is
	}
	level := f.Get("level").OptionalText()
	rule.level = AuditLevel(level)
	if levels := []string{string(AuditNone), string(AuditMetadata), string(AuditRequest)}; !slices.Contains(levels, level) {
		f.Fail(suggestion(level, levels), "a rule has the unknown level %q", level)
	}
	verbs := []string{Any, AuditLogin}
	for _, right := range dovetail.Rights() {
		verbs = append(verbs, string(right))
	}
	for _, verb := range rule.verbs {
		if !slices.Contains(verbs, verb) {
			f.Get("verbs").Fail(suggestion(verb, verbs), "there is no verb %q", verb)
		}
	}
	return rule
}

func suggestion(written string, known []string) string {
	if near := suggest.Nearest(written, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "use one of " + strings.Join(known, ", ")
}
