package access_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

func TestAuditPolicy(t *testing.T) {
	file, err := access.ParseAuditPolicy("audit.yaml", []byte(`rules:
- {level: request, kinds: [app], verbs: [update], groups: [team]}
- {level: none, users: ["system:*"], verbs: [read]}
- {level: metadata, sensitive: true}
- {level: metadata, verbs: [create, login]}
`))
	if err != nil {
		t.Fatal(err)
	}
	who := func(name string, groups ...string) *dovetail.Principal {
		return &dovetail.Principal{Name: name, Groups: groups}
	}
	tests := []struct {
		name            string
		event           access.AuditEvent
		want, byDefault access.AuditLevel
	}{
		{name: "the first rule", event: access.AuditEvent{Principal: who("ann", "team"), Verb: "update", Kind: "app"}, want: access.AuditRequest, byDefault: access.AuditMetadata},
		{name: "another group", event: access.AuditEvent{Principal: who("ann", "others"), Verb: "update", Kind: "app"}, want: access.AuditNone, byDefault: access.AuditMetadata},
		{name: "no principal", event: access.AuditEvent{Verb: "update", Kind: "app"}, want: access.AuditNone, byDefault: access.AuditMetadata},
		{name: "a read of Dovetail itself", event: access.AuditEvent{Principal: who("system:sync"), Verb: "read", Kind: "credential", Sensitive: true}, want: access.AuditNone, byDefault: access.AuditNone},
		{name: "a read of a secret", event: access.AuditEvent{Principal: who("ann"), Verb: "read", Kind: "credential", Sensitive: true}, want: access.AuditMetadata, byDefault: access.AuditMetadata},
		{name: "another read", event: access.AuditEvent{Principal: who("ann"), Verb: "read", Kind: "app"}, want: access.AuditNone, byDefault: access.AuditNone},
		{name: "a login", event: access.AuditEvent{Verb: access.AuditLogin}, want: access.AuditMetadata, byDefault: access.AuditMetadata},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := file.Level(tt.event); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got := access.DefaultAuditPolicy().Level(tt.event); got != tt.byDefault {
				t.Errorf("by default %s, want %s", got, tt.byDefault)
			}
		})
	}
}

func TestAuditPolicyRefused(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{name: "a level", text: "rules: [{level: metdata}]", want: `audit.yaml:1:9: a rule has the unknown level "metdata"; did you mean metadata?`},
		{name: "no level", text: "rules: [{}]", want: `unknown level ""`},
		{name: "a verb", text: "rules: [{level: none, verbs: [raed]}]", want: `there is no verb "raed"; did you mean read?`},
		{name: "a member", text: "rules: [{level: none, kind: app}]", want: `unknown member "kind"; did you mean kinds?`},
		{name: "sensitive", text: "rules: [{level: none, sensitive: x}]", want: "sensitive must be true or false"},
		{name: "another file", text: "roles: []", want: `unknown member "roles"; did you mean rules?`},
		{name: "nothing", text: "", want: "holds one document"},
		{name: "two documents", text: "rules: []\n---\nrules: []", want: "holds one document"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := access.ParseAuditPolicy("audit.yaml", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
