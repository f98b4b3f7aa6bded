package oslopolicy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/oslopolicy"
)

var garden = oslopolicy.Service{Actions: []string{"garden:water", "garden:list_plants"}, Default: "rule:admin_api", Rules: map[string]string{"admin_api": "role:admin"}}

func TestAllows(t *testing.T) {
	ann := oslopolicy.Subject{Roles: []string{"Gardener", "reader"}, Attributes: map[string]string{"user_id": "u1", "project_id": "p1"}}
	tests := []struct {
		name, rule string // of garden:water
		want       bool
	}{
		{name: "any user", rule: `""`, want: true},
		{name: "any user, as a list", rule: `[]`, want: true},
		{name: "any user by a sign", rule: `"@"`, want: true},
		{name: "no user", rule: `"!"`},
		{name: "a role", rule: `role:reader`, want: true},
		{name: "a role in another case", rule: `role:gardener`, want: true},
		{name: "another role", rule: `role:admin`},
		{name: "the default by its name", rule: `rule:admin_api`},
		{name: "another rule", rule: `rule:friend`, want: true},
		{name: "and", rule: `role:gardener and role:reader`, want: true},
		{name: "and, not both", rule: `role:gardener and role:admin`},
		{name: "or", rule: `role:admin or role:reader`, want: true},
		{name: "not", rule: `not role:admin`, want: true},
		{name: "not twice", rule: `not not role:admin`},
		{name: "and before or", rule: `role:reader or role:admin and role:admin`, want: true},
		{name: "parentheses", rule: `(role:reader or role:admin) and role:admin`},
		{name: "not before and", rule: `not role:admin and role:reader`, want: true},
		{name: "not of parentheses", rule: `not (role:admin or role:reader)`},
		{name: "words in capitals", rule: `role:admin OR NOT role:admin`, want: true},
		{name: "an attribute", rule: `user_id:u1`, want: true},
		{name: "an attribute in quotes", rule: `"user_id:'u1'"`, want: true},
		{name: "another one", rule: `user_id:u2`},
		{name: "one that is missing", rule: `domain_id:d1`},
		{name: "the own project", rule: `"project_id:%(project_id)s"`, want: true},
		{name: "what is not the same", rule: `"user_id:%(project_id)s"`},
		{name: "a literal with the own project", rule: `"'p1':%(project_id)s"`, want: true},
		{name: "a boolean", rule: `True:False`},
		{name: "lists", rule: `[["role:admin"], ["role:reader", "project_id:p1"]]`, want: true},
		{name: "lists of which none holds", rule: `[["role:admin"], ["role:reader", "project_id:p2"], "!"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := oslopolicy.Parse("policy.yaml", []byte("friend: role:reader\n\"garden:water\": "+tt.rule), garden)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Allows("garden:water", ann); got != tt.want {
				t.Errorf("got %v", got)
			}
			if p.Allows("garden:list_plants", ann) || !p.Allows("garden:list_plants", oslopolicy.Subject{Roles: []string{"admin"}}) {
				t.Error("an action without a rule has another than the default")
			}
			if p.Allows("garden:dig", ann) {
				t.Error("an action that there is not is allowed")
			}
		})
	}
}

func TestRefused(t *testing.T) {
	tests := []struct{ name, text, says string }{
		{name: "no map", text: "[]", says: "policy.yaml:1"},
		{name: "two documents", text: "{}\n---\n{}", says: "one document"},
		{name: "a rule of another type", text: "\n\"garden:water\": 3", says: `policy.yaml:2:`},
		{name: "an unknown action", text: `"garden:list_plant": "@"`, says: "did you mean garden:list_plants?"},
		{name: "an unknown action", text: `"garden:xyzzy": "@"`, says: `"garden:xyzzy" is no action of garden`},
		{name: "a misspelled service", text: `"gardn:water": "@"`, says: "did you mean garden:water?"},
		{name: "a misspelled name", text: `admin_apy: "@"`, says: "did you mean admin_api?"},
		{name: "an unknown rule", text: `"garden:water": "rule:admin_ap"`, says: "did you mean admin_api?"},
		{name: "an unknown attribute", text: `"garden:water": "projct_id:x"`, says: "did you mean project_id?"},
		{name: "what contexts have", text: `"garden:water": "is_admin:True"`, says: `"is_admin", which no token has`},
		{name: "an unknown target", text: `"garden:water": "project_id:%(projct_id)s"`, says: "did you mean project_id?"},
		{name: "a target that is not closed", text: `"garden:water": "project_id:%(project_id"`, says: "which is not known of what is acted on"},
		{name: "a role by an attribute", text: `"garden:water": "role:%(role)s"`, says: "a role by an attribute"},
		{name: "a server", text: `"garden:water": "https://x/%(y)s"`, says: "not supported"},
		{name: "no check", text: `"garden:water": "admin"`, says: `"admin", which is no check`},
		{name: "an empty check", text: `"garden:water": "role:"`, says: `which is no check`},
		{name: "two checks", text: `"garden:water": "role:a role:b"`, says: `goes on with "role:b"`},
		{name: "no operand", text: `"garden:water": "role:a and"`, says: "ends where a check is due"},
		{name: "an operator first", text: `"garden:water": "or role:a"`, says: `has "or" where a check is due`},
		{name: "an open parenthesis", text: `"garden:water": "(role:a"`, says: "not closed"},
		{name: "a closed one", text: `"garden:water": "role:a)"`, says: `goes on with ")"`},
		{name: "a rule of itself", text: "a: rule:b\nb: rule:a\n\"garden:water\": rule:a", says: "refers to itself"},
		{name: "the default of itself", text: "admin_api: rule:admin_api", says: "refers to itself"},
		{name: "a list of something else", text: `"garden:water": [[3]]`, says: "policy.yaml:1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := oslopolicy.Parse("policy.yaml", []byte(tt.text), garden)
			if dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Fatalf("got %v", err)
			}
			text := err.Error()
			if e := dovetail.AsError(err); e.Remedy != "" {
				text += " " + e.Remedy
			}
			for _, e := range dovetail.AsError(err).Errors {
				text += fmt.Sprint(" ", e, " ", e.Remedy)
			}
			if !strings.Contains(text, tt.says) {
				t.Errorf("got %s, want %s", text, tt.says)
			}
		})
	}
}

// TestRules compares rules with what their operators mean, however they are nested.
func TestRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		roles := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), func(role string) string { return role }).Draw(t, "roles")
		var draw func(depth int) (string, bool)
		draw = func(depth int) (string, bool) {
			if depth == 0 {
				role := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "role")
				return "role:" + role, slices.Contains(roles, role)
			}
			x, is := draw(depth - 1)
			switch rapid.IntRange(0, 3).Draw(t, "operator") {
			case 0:
				return "not (" + x + ")", !is
			case 1:
				y, too := draw(depth - 1)
				return "(" + x + ") and (" + y + ")", is && too
			case 2:
				y, too := draw(depth - 1)
				return "(" + x + ") or (" + y + ")", is || too
			}
			return "((" + x + "))", is
		}
		rule, want := draw(rapid.IntRange(0, 4).Draw(t, "depth"))
		p, err := oslopolicy.Parse("policy.yaml", fmt.Appendf(nil, "%q: %q", "garden:water", rule), garden)
		if err != nil {
			t.Fatal(err)
		}
		if p.Allows("garden:water", oslopolicy.Subject{Roles: roles}) != want {
			t.Errorf("%s for %v", rule, roles)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(`"garden:water": "(role:a or not rule:b) and project_id:%(project_id)s"`)
	f.Add(`b: [["@"], "!"]`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := oslopolicy.Parse("policy.yaml", []byte(text), garden)
		if err == nil {
			p.Allows("garden:water", oslopolicy.Subject{Roles: []string{"a"}})
		} else if dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Error(err)
		}
	})
}
