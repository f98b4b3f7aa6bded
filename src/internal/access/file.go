package access

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// File is what a access policy file holds.
type File struct {
	Policy *Policy
	Tokens *Tokens
}

// Parse reads a access policy file: one object with lists of roles, bindings and tokens, each as its type is
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
//
// name is for errors only; reserved are prefixes that names of tokens may not have, beside those that are always reserved.
// Errors, all together and with their places, have CodeInvalid.
func Parse(name string, text []byte, reserved ...string) (*File, error) {
	values, err := yaml.Parse(name, text, value.Limits{})
	if err != nil {
		return nil, err
	}
	r := &reader{file: name}
	root := value.NewMap()
	if len(values) > 0 && values[0].Kind != value.Null {
		root = values[0]
	}
	if len(values) > 1 {
		r.fail(values[1], "an access policy file has one document", "put all roles, bindings and tokens into one")
	}
	var (
		roles    []Role
		bindings []Binding
		tokens   []Token
		use      []string
		uses     bool
		at       dovetail.Position // of use
	)
	r.object(root, "the file", map[string]func(*value.Value){
		"roles": func(v *value.Value) { r.each(v, func(item *value.Value) { roles = append(roles, r.role(item)) }) },
		"bindings": func(v *value.Value) {
			r.each(v, func(item *value.Value) { bindings = append(bindings, r.binding(item)) })
		},
		"tokens": func(v *value.Value) { r.each(v, func(item *value.Value) { tokens = append(tokens, r.token(item)) }) },
		"use": func(v *value.Value) {
			uses, at = v.Kind != value.Null, r.at(v)
			r.texts(&use)(v)
		},
	})
	if err := r.errs.Err("the access policy file is invalid"); err != nil {
		return nil, err
	}
	policy, err := NewPolicy(roles, bindings)
	r.errs.Join(err)
	if err == nil && uses {
		policy = policy.needingUse(use, at)
	}
	known, err := NewTokens(tokens, reserved...)
	r.errs.Join(err)
	return &File{Policy: policy, Tokens: known}, r.errs.Err("the access policy file is invalid")
}

// reader collects what is wrong.
type reader struct {
	file string
	errs dovetail.Errors
}

func (r *reader) at(v *value.Value) dovetail.Position {
	return v.In(r.file)
}

func (r *reader) fail(v *value.Value, message, remedy string) {
	r.errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: r.at(v), Message: message, Remedy: remedy})
}

// object reads the members of a map, each by its function.
func (r *reader) object(v *value.Value, what string, members map[string]func(*value.Value)) {
	if v.Kind != value.Map {
		r.fail(v, what+" must be an object, not a "+v.Kind.String(), "write members as name: value")
		return
	}
	for _, m := range v.Members {
		read, ok := members[m.Name]
		if !ok {
			names := make([]string, 0, len(members))
			for name := range members {
				names = append(names, name)
			}
			slices.Sort(names)
			r.fail(m.Value, what+" has the unknown member "+m.Name, "use "+strings.Join(names, ", "))
			continue
		}
		read(m.Value)
	}
}

// each reads the items of a list; null is an empty one.
func (r *reader) each(v *value.Value, read func(*value.Value)) {
	switch v.Kind {
	case value.Null:
	case value.List:
		for _, item := range v.Items {
			read(item)
		}
	default:
		r.fail(v, "a list is needed here, not a "+v.Kind.String(), "write its items with dashes, or in brackets")
	}
}

func (r *reader) text(into *string) func(*value.Value) {
	return func(v *value.Value) {
		text, ok := v.Str()
		if !ok || text == "" {
			r.fail(v, "a text is needed here", "write one, in quotes if it looks like a number")
			return
		}
		*into = text
	}
}

func (r *reader) texts(into *[]string) func(*value.Value) {
	return func(v *value.Value) {
		r.each(v, func(item *value.Value) {
			var text string
			r.text(&text)(item)
			*into = append(*into, text)
		})
	}
}

func (r *reader) role(v *value.Value) Role {
	role := Role{Position: r.at(v)}
	r.object(v, "a role", map[string]func(*value.Value){
		"name": r.text(&role.Name),
		"rules": func(v *value.Value) {
			r.each(v, func(item *value.Value) { role.Rules = append(role.Rules, r.rule(item)) })
		},
	})
	return role
}

func (r *reader) rule(v *value.Value) Rule {
	rule := Rule{Position: r.at(v)}
	var words []string
	r.object(v, "a rule", map[string]func(*value.Value){"kinds": r.texts(&rule.Kinds), "verbs": r.texts(&words)})
	for _, word := range words {
		rule.Verbs = append(rule.Verbs, dovetail.Right(word))
	}
	if len(rule.Kinds) == 0 || len(rule.Verbs) == 0 {
		r.fail(v, "a rule allows nothing", `give it kinds and verbs; "*" is all of them`)
	}
	return rule
}

func (r *reader) binding(v *value.Value) Binding {
	b := Binding{Position: r.at(v)}
	r.object(v, "a binding", map[string]func(*value.Value){
		"role": r.text(&b.Role), "users": r.texts(&b.Users), "groups": r.texts(&b.Groups), "on": r.texts(&b.On),
	})
	return b
}

func (r *reader) token(v *value.Value) Token {
	token := Token{Position: r.at(v)}
	var digest, expires string
	r.object(v, "a token", map[string]func(*value.Value){
		"name": r.text(&token.Name), "groups": r.texts(&token.Groups), "sha256": r.text(&digest), "expires": r.text(&expires),
	})
	if n, err := hex.Decode(token.Digest[:], []byte(digest)); err != nil || n != len(token.Digest) || len(digest) != 2*n {
		r.fail(v, "a token lacks the digest sha256, of 64 hexadecimal digits", "make one with `dovetail auth token`")
	}
	if expires != "" {
		var err error
		if token.Expires, err = readTime(expires); err != nil {
			r.fail(v, "a token expires "+expires+", which is no time", "write 2027-01-31 or 2027-01-31T12:00:00Z")
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
