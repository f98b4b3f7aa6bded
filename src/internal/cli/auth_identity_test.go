package cli_test

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// authority is a server that knows a few identities.
type authority struct {
	cli.Store
	self     dovetail.CallerIdentity
	subjects []dovetail.Subject

	protections []dovetail.Protection
}

var first = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func (a authority) WhoAmI(context.Context) (dovetail.CallerIdentity, error) { return a.self, nil }

func (a authority) WhoCan(_ context.Context, right dovetail.Right, id dovetail.ID) ([]dovetail.Subject, error) {
	if right != dovetail.RightDelete || id != "cluster/c1" {
		return nil, nil
	}
	return a.subjects, nil
}

func (a authority) Allowed(context.Context, dovetail.Right, dovetail.ID) (bool, error) {
	return true, nil
}

func (a authority) Protections(_ context.Context, id dovetail.ID) ([]dovetail.Protection, error) {
	return slices.DeleteFunc(slices.Clone(a.protections), func(p dovetail.Protection) bool { return !p.Covers(id) }), nil
}

func (a authority) Sessions(context.Context) ([]dovetail.Session, error) {
	return []dovetail.Session{
		{ID: "11f647859a19cfd005f0", Principal: "ci", Authenticated: "token", Since: first, LastUsed: first.Add(time.Minute), Address: "192.0.2.1:4711", Streams: 2, Current: true},
		{ID: "22f647859a19cfd005f0", Principal: "oidc:alice", Groups: []string{"oidc:team"}, Authenticated: "oidc", Since: first, LastUsed: first, Address: "192.0.2.2:4711", Expires: first.Add(time.Hour)},
	}, nil
}

func (a authority) EndSession(_ context.Context, id string) error {
	if id == "22f647859a19cfd005f0" {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeNotFound, Message: "ci has no session " + id + " on this process of the server", Remedy: "see `dovetail auth sessions`"}
}

// TestIdentityScripts replays the commands of auth that speak to a server with authentication, and one without.
func TestIdentityScripts(t *testing.T) {
	tests := []struct {
		name, file string
		server     authority
	}{
		{name: "with authentication", file: "testdata/access/identity.txt", server: authority{
			self: dovetail.CallerIdentity{Principal: "ci", Groups: []string{"machines", "builders"}, Authenticated: "token", Session: "11f647859a19cfd005f0",
				Roles: []dovetail.HeldRole{{Role: "environment-editor", On: []string{"cluster/c1", "cluster/c2/*"}}, {Role: "viewer"}}},
			protections: []dovetail.Protection{{On: []string{"cluster/c1"}, Approvals: 2, By: []string{"release-managers", "user:alice"}, Message: "see the runbook"},
				{On: []string{"cluster/c1/*"}, Approvals: 1}},
			subjects: []dovetail.Subject{{Kind: dovetail.SubjectUser, Name: "alice", Role: "editor"},
				{Kind: dovetail.SubjectGroup, Name: "machines", Role: "environment-editor", On: []string{"cluster/c1", "cluster/c2/*"}}}}},
		{name: "without", file: "testdata/access/anonymous.txt", server: authority{subjects: []dovetail.Subject{{Kind: dovetail.SubjectUser, Name: "*"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, err := os.ReadFile(tt.file)
			if err != nil {
				t.Fatal(err)
			}
			tt.server.Store = openStore(t, false)
			s := parseScript(string(text))
			got := s.run(t.Context(), t, cli.Deps{Connect: func(cli.Server) (cli.Store, error) { return tt.server, nil }})
			if *update {
				if err := os.WriteFile(tt.file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(text) {
				t.Errorf("the script puts out something else:\n%s", difference(string(text), got))
			}
		})
	}
}
