package access

import (
	"encoding/hex"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// File is what an access policy file holds.
type File struct {
	Policy *Policy
	Tokens *Tokens
}

// Parse reads an access policy file: one object with lists of roles, bindings, tokens and protections, each as its type is
// described here, in lower case, and of the kinds whose documents need the right `use` to be referred to:
//
//	roles:
//	  - name: environment-editor
//	    rules: [{kinds: [environment, deployPostfix], verbs: [read, update]}]
//	bindings:
//	  - {role: environment-editor, users: [alice], groups: [team-a], on: [cluster/cluster-01/*]}
//	tokens:
//	  - {name: ci, groups: [machines], sha256: 9f86d0..., expires: 2027-01-01}
//	use: [credential]
//	protect:
//	  - {on: [cluster/prod], approvals: 2, by: [release-managers, user:alice], message: see the runbook}
//
// name is for errors only; reserved are prefixes that names of tokens may not have, beside those that are always reserved.
// Errors, all together and with their places, have CodeInvalid.
func Parse(name string, text []byte, reserved ...string) (*File, error) {
	values, err := yaml.Parse(name, text, value.Limits{})
	if err != nil {
		return nil, err
	}
	r := newReader(name)
	root := value.NewMap()
	if len(values) > 0 && values[0].Kind != value.Null {
		root = values[0]
	}
	file := r.Root(root, "the file", "")
	if len(values) > 1 {
		r.Root(values[1], "the second document", "").Fail("put everything into one", "an access policy file has one document")
	}
	var (
		roles    []Role
		bindings []Binding
		tokens   []Token
		protect  []Protection
	)
	file.Map("bindings", "protect", "roles", "tokens", "use")
	for _, item := range file.Get("roles").Items("a role") {
		roles = append(roles, readRole(item))
	}
	for _, item := range file.Get("bindings").Items("a binding") {
		bindings = append(bindings, readBinding(item))
	}
	for _, item := range file.Get("tokens").Items("a token") {
		tokens = append(tokens, readToken(item))
	}
	for _, item := range file.Get("protect").Items("a protection") {
		protect = append(protect, readProtection(item))
	}
	use := file.Get("use").Texts("a kind")
	if err := r.Err("the access policy file is invalid"); err != nil {
		return nil, err
	}
	var errs dovetail.Errors
	policy, err := NewPolicy(roles, bindings)
	errs.Join(err)
	if at := file.Get("use"); err == nil && !at.IsMissing() {
		policy = policy.needingUse(use, position(at))
	}
	if err == nil {
		policy, err = policy.Protecting(protect)
		errs.Join(err)
	}
	known, err := NewTokens(tokens, reserved...)
	errs.Join(err)
	return &File{Policy: policy, Tokens: known}, errs.Err("the access policy file is invalid")
}

// newReader reads a file whose errors have no paths: it is written by hand, and lines are enough.
func newReader(file string) *decode.Decoder {
	return &decode.Decoder{File: file, Complete: func(e *dovetail.Error) { e.Position.Path = "" }}
}

// position is where a field is, as errors of the policy show it.
func position(f decode.Field) dovetail.Position {
	at := f.Position()
	at.Path = ""
	return at
}

func readRole(f decode.Field) Role {
	role := Role{Position: position(f)}
	f.Map("name", "rules")
	role.Name = f.Get("name").OptionalText()
	for _, item := range f.Get("rules").Items("a rule") {
		role.Rules = append(role.Rules, readRule(item))
	}
	return role
}

func readRule(f decode.Field) Rule {
	rule := Rule{Position: position(f)}
	f.Map("kinds", "verbs")
	rule.Kinds = f.Get("kinds").Texts("a kind")
	for _, word := range f.Get("verbs").Texts("a verb") {
		rule.Verbs = append(rule.Verbs, dovetail.Right(word))
	}
	if len(rule.Kinds) == 0 || len(rule.Verbs) == 0 {
		f.Fail(`give it kinds and verbs; "*" is all of them`, "a rule allows nothing")
	}
	return rule
}

func readBinding(f decode.Field) Binding {
	f.Map("groups", "on", "role", "users")
	return Binding{Position: position(f), Role: f.Get("role").OptionalText(), Users: f.Get("users").Texts("a user"),
		Groups: f.Get("groups").Texts("a group"), On: f.Get("on").Texts("an id")}
}

func readToken(f decode.Field) Token {
	f.Map("expires", "groups", "name", "sha256")
	token := Token{Position: position(f), Name: f.Get("name").OptionalText(), Groups: f.Get("groups").Texts("a group")}
	digest, expires := f.Get("sha256").OptionalText(), f.Get("expires").OptionalText()
	if n, err := hex.Decode(token.Digest[:], []byte(digest)); err != nil || n != len(token.Digest) || len(digest) != 2*n {
		f.Fail("make one with `dovetail auth token`", "a token lacks the digest sha256, of 64 hexadecimal digits")
	}
	if expires != "" {
		var err error
		if token.Expires, err = readTime(expires); err != nil {
			f.Fail("write 2027-01-31 or 2027-01-31T12:00:00Z", "a token expires %s, which is no time", expires)
		}
	}
	return token
}

func readTime(text string) (time.Time, error) {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, nil
	}
	return time.Parse(time.RFC3339, text)
}
