package access_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

const sample = `roles:
  - name: environment-editor
    rules:
      - {kinds: [environment, deployPostfix, application], verbs: [read, create, update, delete]}
      - {kinds: [cluster], verbs: [read]}
bindings:
  - {role: environment-editor, users: [alice], groups: [team-a], on: [cluster/cluster-01/*, cluster/shared]}
  - {role: viewer, users: ["*"], on: [cluster/public]}
  - {role: editor, groups: [admins]}
`

func parse(t *testing.T, text string) *access.File {
	t.Helper()
	file, err := access.Parse("access.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestGrants(t *testing.T) {
	policy := parse(t, sample).Policy
	alice := &dovetail.Principal{Name: "alice"}
	bob := &dovetail.Principal{Name: "bob", Groups: []string{"team-a", "others"}}
	root := &dovetail.Principal{Name: "root", Groups: []string{"admins"}}
	tests := []struct {
		name string
		who  *dovetail.Principal
		verb dovetail.Right
		kind string
		id   dovetail.ID
		role string // that allows it; "" for forbidden
	}{
		{name: "below the place", who: alice, verb: dovetail.RightUpdate, kind: "environment", id: "cluster/cluster-01/environment/dev", role: "environment-editor"},
		{name: "deep below the place", who: alice, verb: dovetail.RightDelete, kind: "application", id: "cluster/cluster-01/environment/dev/deployPostfix/core/application/a", role: "environment-editor"},
		{name: "the place itself, when only what is below it is given", who: alice, verb: dovetail.RightRead, kind: "cluster", id: "cluster/cluster-01"},
		{name: "the place itself", who: alice, verb: dovetail.RightRead, kind: "cluster", id: "cluster/shared", role: "environment-editor"},
		{name: "another verb", who: alice, verb: dovetail.RightUpdate, kind: "cluster", id: "cluster/shared"},
		{name: "another kind", who: alice, verb: dovetail.RightRead, kind: "credential", id: "cluster/cluster-01/credential/x"},
		{name: "another place", who: alice, verb: dovetail.RightRead, kind: "environment", id: "cluster/cluster-02/environment/dev"},
		{name: "a place that begins alike", who: alice, verb: dovetail.RightRead, kind: "environment", id: "cluster/cluster-011/environment/dev"},
		{name: "an action needs its verb", who: alice, verb: dovetail.RightAct, kind: "environment", id: "cluster/cluster-01/environment/dev"},
		{name: "by group", who: bob, verb: dovetail.RightCreate, kind: "environment", id: "cluster/cluster-01/environment/dev", role: "environment-editor"},
		{name: "every authenticated user", who: bob, verb: dovetail.RightRead, kind: "credential", id: "cluster/public/credential/x", role: "viewer"},
		{name: "every authenticated user, but not to write", who: bob, verb: dovetail.RightCreate, kind: "credential", id: "cluster/public/credential/x"},
		{name: "everywhere", who: root, verb: dovetail.RightAct, kind: "anything", id: "anything/x", role: "editor"},
		{name: "a verb that is none", who: root, verb: "fly", kind: "anything", id: "anything/x"},
		{name: "no principal", verb: dovetail.RightRead, kind: "cluster", id: "cluster/public"},
		{name: "the system", who: &dovetail.Principal{Name: "system:sync"}, verb: dovetail.RightDelete, kind: "x", id: "x/y", role: "system"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			allowed, role := policy.For(tt.who).Why(tt.verb, tt.kind, tt.id)
			if allowed != (tt.role != "") || role != tt.role {
				t.Errorf("got %v by %q, want by %q", allowed, role, tt.role)
			}
		})
	}
	if !policy.For(root).Everywhere(dovetail.RightRead) {
		t.Error("the editor of everything is not")
	}
	if policy.For(alice).Everywhere(dovetail.RightRead) {
		t.Error("the editor of a part is of everything")
	}
	if policy.For(nil).Everywhere(dovetail.RightRead) {
		t.Error("a request without a principal may read everything")
	}
}

func TestBelow(t *testing.T) {
	policy := parse(t, `roles:
  - name: environments
    rules: [{kinds: [environment], verbs: [read]}, {kinds: [deployPostfix], verbs: ["*"]}]
  - {name: everything, rules: [{kinds: ["*"], verbs: [read, use]}]}
bindings:
  - {role: environments, users: [ann], on: [cluster/c1/*]}
  - {role: environments, users: [eve], on: [cluster/c1/environment/dev]}
  - {role: everything, users: [bob], on: [cluster/c1]}
  - {role: everything, users: [root]}
`).Policy
	both := []string{"environment", "deployPostfix"}
	tests := []struct {
		name  string
		who   string
		right dovetail.Right
		kinds []string
		id    dovetail.ID
		want  bool
	}{
		{name: "the place", who: "ann", right: dovetail.RightRead, kinds: both, id: "cluster/c1", want: true},
		{name: "a document below the place", who: "ann", right: dovetail.RightRead, kinds: both, id: "cluster/c1/environment/dev", want: true},
		{name: "a kind more", who: "ann", right: dovetail.RightRead, kinds: append(both, "application"), id: "cluster/c1"},
		{name: "another verb of one kind", who: "ann", right: dovetail.RightUpdate, kinds: both, id: "cluster/c1"},
		{name: "a part of what is below", who: "eve", right: dovetail.RightRead, kinds: both, id: "cluster/c1"},
		{name: "another place", who: "ann", right: dovetail.RightRead, kinds: both, id: "cluster/c2"},
		{name: "everywhere", who: "ann", right: dovetail.RightRead, kinds: both},
		{name: "every kind", who: "bob", right: dovetail.RightUse, kinds: []string{"any"}, id: "cluster/c1", want: true},
		{name: "every kind, everywhere", who: "root", right: dovetail.RightRead, kinds: []string{"any"}, want: true},
		{name: "no kind", who: "eve", right: dovetail.RightRead, id: "cluster/c9", want: true},
		{name: "the system", who: "system:sync", right: dovetail.RightRead, kinds: both, want: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := policy.For(&dovetail.Principal{Name: tt.who}).Below(tt.right, tt.kinds, tt.id); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestNeedsUse(t *testing.T) {
	tests := []struct {
		name, text string
		kinds      map[string]bool // those that need it; secret is marked by the schema
	}{
		{name: "as the schema says", text: "roles: []", kinds: map[string]bool{"secret": true, "app": false}},
		{name: "null is not given", text: "use:", kinds: map[string]bool{"secret": true, "app": false}},
		{name: "as listed", text: "use: [app]", kinds: map[string]bool{"secret": false, "app": true}},
		{name: "none", text: "use: []", kinds: map[string]bool{"secret": false, "app": false}},
		{name: "all", text: `use: ["*"]`, kinds: map[string]bool{"secret": true, "app": true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			grants := parse(t, tt.text).Policy.For(&dovetail.Principal{Name: "ann"})
			for kind, want := range tt.kinds {
				if got := grants.NeedsUse(kind, kind == "secret"); got != want {
					t.Errorf("%s: got %v, want %v", kind, got, want)
				}
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // parts of the error, in order
	}{
		{name: "no object", text: "[]", want: []string{"access.yaml:1:1: the file must be a map, not a list"}},
		{name: "an unknown member", text: "rules: []", want: []string{"access.yaml:1:1: the file has the unknown member \"rules\"; did you mean roles? The members are bindings, protect, roles, tokens, use"}},
		{name: "a role without rules that allow", text: "roles: [{name: a, rules: [{kinds: [x]}]}]", want: []string{"1:27: a rule allows nothing"}},
		{name: "a verb that is none", text: "roles: [{name: a, rules: [{kinds: [x], verbs: [fly]}]}]",
			want: []string{"1:27: the role a has the unknown verb fly; use read, create, update, delete, act, use or *"}},
		{name: "a duplicate role, a binding without users, a binding of an unknown role", text: "roles: [{name: viewer}]\nbindings:\n- {role: viewer}\n- {role: x, users: [a]}\n",
			want: []string{"1:9: duplicate role viewer", "3:3: the binding of the role viewer has no users and no groups", "4:3: the binding names the role x, which does not exist; define it, or name one of editor, metrics, viewer"}},
		{name: "a misspelt role", text: "bindings: [{role: Veiwer, users: [a]}]", want: []string{"1:12: the binding names the role Veiwer, which does not exist; did you mean viewer? The roles are editor, metrics, viewer"}},
		{name: "a place that is none", text: "bindings: [{role: viewer, users: [a], on: [cluster]}]", want: []string{"1:12: a binding of the role viewer holds on cluster: invalid id"}},
		{name: "tokens", text: "tokens:\n- {name: a}\n- {sha256: 12}\n", want: []string{"2:3: a token lacks the digest sha256", "3:12: sha256 must be a string, not the number 12; write \"12\" in quotes", "3:3: a token lacks"}},
		{name: "a token of the system", text: "tokens: [{name: 'system:x', sha256: " + strings.Repeat("ab", 32) + "}]", want: []string{"1:10: the token system:x has a reserved name"}},
		{name: "a token of the provider", text: "tokens: [{name: 'OIDC:x', sha256: " + strings.Repeat("ab", 32) + "}]", want: []string{"1:10: the token OIDC:x has a reserved name: oidc: begins"}},
		{name: "a token of a client certificate", text: "tokens: [{name: 'cert:x', sha256: " + strings.Repeat("ab", 32) + "}]", want: []string{"1:10: the token cert:x has a reserved name"}},
		{name: "a token of a service account", text: "tokens: [{name: 'serviceaccount:a:b', sha256: " + strings.Repeat("ab", 32) + "}]", want: []string{"1:10: the token serviceaccount:a:b has a reserved name"}},
		{name: "a token of the prefix that is set", text: "tokens: [{name: 'corp:x', sha256: " + strings.Repeat("ab", 32) + "}]", want: []string{"1:10: the token corp:x has a reserved name"}},
		{name: "a token that looks like another", text: "tokens: [{name: '\u0430dmin', sha256: " + strings.Repeat("ab", 32) + "}, {name: \"a\\u202eb\", sha256: " + strings.Repeat("cd", 32) + "}]",
			want: []string{"1:10: the name \"\\u0430dmin\" of a token mixes letters of several alphabets", "of a token contains a control or invisible character"}},
		{name: "a token twice", text: "tokens: [{name: x, sha256: " + strings.Repeat("ab", 32) + "}, {name: y, sha256: " + strings.Repeat("ab", 32) + "}]", want: []string{"the token y is also that of x"}},
		{name: "a token until never", text: "tokens: [{name: x, expires: soon, sha256: " + strings.Repeat("ab", 32) + "}]", want: []string{"a token expires soon, which is no time"}},
		{name: "two documents", text: "roles: []\n---\nroles: []\n", want: []string{"an access policy file has one document"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := access.Parse("access.yaml", []byte(tt.text), "corp:")
			if dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Fatalf("got %v, want an invalid file", err)
			}
			rest := err.Error()
			for _, want := range tt.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("got %s\nwant after what came before: %s", err, want)
				}
				rest = after
			}
		})
	}
}

// TestGrantsProperty compares decisions with the definition: some binding that holds for the principal has
// a rule with kind and verb, and a place at or above the document.
func TestGrantsProperty(t *testing.T) {
	names := []string{"a", "b", "*"}
	kinds := []string{"k", "l", access.Any}
	places := []string{"k/1", "k/1/*", "k/1/l/2", "k/11"}
	ids := []dovetail.ID{"k/1", "k/1/l/2", "k/1/l/22", "k/11", "k/2", "k/11/l/2"}
	rapid.Check(t, func(t *rapid.T) {
		verb := rapid.SampledFrom([]dovetail.Right{dovetail.RightRead, dovetail.RightCreate, dovetail.RightUpdate, dovetail.RightDelete, dovetail.RightAct, dovetail.RightUse})
		var roles []access.Role
		for i := range rapid.IntRange(0, 3).Draw(t, "roles") {
			role := access.Role{Name: fmt.Sprint("r", i)}
			for range rapid.IntRange(0, 2).Draw(t, "rules") {
				role.Rules = append(role.Rules, access.Rule{
					Kinds: rapid.SliceOfN(rapid.SampledFrom(kinds), 1, 2).Draw(t, "kinds"), Verbs: rapid.SliceOfN(verb, 1, 2).Draw(t, "verbs")})
			}
			roles = append(roles, role)
		}
		var bindings []access.Binding
		for range rapid.IntRange(0, 4).Draw(t, "bindings") {
			if len(roles) == 0 {
				break
			}
			bindings = append(bindings, access.Binding{
				Role:   rapid.SampledFrom(roles).Draw(t, "role").Name,
				Users:  rapid.SliceOfN(rapid.SampledFrom(names), 1, 2).Draw(t, "users"),
				Groups: rapid.SliceOfN(rapid.SampledFrom([]string{"g", "h"}), 0, 2).Draw(t, "groups"),
				On:     rapid.SliceOfN(rapid.SampledFrom(places), 0, 2).Draw(t, "on"),
			})
		}
		policy, err := access.NewPolicy(roles, bindings)
		if err != nil {
			t.Fatal(err)
		}
		who := &dovetail.Principal{Name: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "who"), Groups: rapid.SliceOfN(rapid.SampledFrom([]string{"g", "h", "i"}), 0, 2).Draw(t, "groups")}
		grants := policy.For(who)
		for _, id := range ids {
			kind := rapid.SampledFrom([]string{"k", "l"}).Draw(t, "kind")
			v := verb.Draw(t, "verb")
			if got, want := grants.Allows(v, kind, id), allowed(roles, bindings, who, v, kind, id); got != want {
				t.Fatalf("%s %s %s: got %v, want %v", v, kind, id, got, want)
			}
			if grants.Below(v, []string{kind}, id) {
				for _, below := range ids {
					if below.IsDescendantOf(id) && !grants.Allows(v, kind, below) {
						t.Fatalf("%s %s %s is forbidden, though all below %s is allowed", v, kind, below, id)
					}
				}
			}
			if grants.Everywhere(v) && !grants.Allows(v, kind, id) {
				t.Fatalf("%s %s is forbidden, though it is allowed everywhere", v, id)
			}
		}
	})
}

func allowed(roles []access.Role, bindings []access.Binding, who *dovetail.Principal, verb dovetail.Right, kind string, id dovetail.ID) bool {
	in := func(list []string, texts ...string) bool {
		for _, item := range list {
			for _, text := range texts {
				if item == text {
					return true
				}
			}
		}
		return false
	}
	for _, b := range bindings {
		covered := len(b.On) == 0
		for _, place := range b.On {
			above, below := strings.CutSuffix(place, "/*")
			covered = covered || strings.HasPrefix(string(id), above+"/") || !below && string(id) == above
		}
		if !covered || !in(b.Users, who.Name, "*") && !in(b.Groups, who.Groups...) {
			continue
		}
		for _, role := range roles {
			for _, rule := range role.Rules {
				if role.Name == b.Role && in(rule.Kinds, kind, "*") {
					for _, v := range rule.Verbs {
						if v == verb {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add("tokens: [{name: x, sha256: abc}]")
	f.Add("roles: null\nbindings: {}")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := access.Parse("f", []byte(text))
		if err == nil && (file.Policy == nil || file.Tokens == nil) {
			t.Error("neither a file nor an error")
		}
	})
}

func BenchmarkMay(b *testing.B) {
	file, err := access.Parse("access.yaml", []byte(sample))
	if err != nil {
		b.Fatal(err)
	}
	grants := file.Policy.For(&dovetail.Principal{Name: "alice"})
	for b.Loop() {
		grants.Allows(dovetail.RightUpdate, "environment", "cluster/cluster-01/environment/dev")
	}
}
