package fleet_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
)

// changingPolicy is an access policy that tests change. A context without a principal may do everything.
type changingPolicy struct{ atomic.Pointer[access.Policy] }

func (p *changingPolicy) Permissions(ctx context.Context) dovetail.Permissions {
	who := dovetail.PrincipalOf(ctx)
	if who == nil {
		who = system
	}
	return p.Load().For(who)
}

func (*changingPolicy) Protections(context.Context) []dovetail.Protection { return nil }

// allow lets groups do some with all documents of a kind.
func (p *changingPolicy) allow(t *testing.T, allowed map[string]map[string]dovetail.Right) {
	t.Helper()
	var roles []access.Role
	var bindings []access.Binding
	for group, rights := range allowed {
		role := access.Role{Name: "of-" + group}
		for kind, right := range rights {
			role.Rules = append(role.Rules, access.Rule{Kinds: []string{kind}, Verbs: []dovetail.Right{right}})
		}
		roles = append(roles, role)
		bindings = append(bindings, access.Binding{Role: role.Name, Groups: []string{group}})
	}
	policy, err := access.NewPolicy(roles, bindings)
	if err != nil {
		t.Fatal(err)
	}
	p.Store(policy)
}

// A set acts with the rights that its actor has now, by the groups of the request that wrote it.
func TestSetActsWithTheRightsOfItsActor(t *testing.T) {
	t.Parallel()
	all := map[string]dovetail.Right{"*": access.Any}
	tests := []struct {
		name    string
		set     string                    // its clusters
		lost    map[string]dovetail.Right // the rights that are left
		message string
	}{
		{name: "read of clusters", set: `"clusterSelector":"env=prod",`, lost: map[string]dovetail.Right{fleet.Kind: access.Any, state.Kind: access.Any, "source": access.Any},
			message: "ann, who wrote activeResolutionSet/web, may not read every cluster"},
		{name: "create of resolutions", set: `"clusterSelector":"env=prod",`, lost: map[string]dovetail.Right{"*": dovetail.RightRead},
			message: "ann, who wrote activeResolutionSet/web, may not create every activeResolution"},
		{name: "create of one resolution", set: `"clusters":[{"name":"a","facts":{"kubernetes":"v1.29.3"}}],`, lost: map[string]dovetail.Right{"*": dovetail.RightRead},
			message: "ann, who wrote activeResolutionSet/web, may not create activeResolution/web-a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			policy := &changingPolicy{}
			policy.allow(t, map[string]map[string]dovetail.Right{"ops": all, "root": all})
			w := newWorldWith(t, policy, own, inventory)
			w.put("cluster/a", `{"metadata":{"labels":{"env":"prod"}},"spec":{"facts":{"kubernetes":"v1.29.3"}}}`)
			as := func(who, group string) context.Context {
				return dovetail.WithPrincipal(t.Context(), &dovetail.Principal{Name: who, Groups: []string{group}})
			}
			set := store.Operation{Verb: store.Put, ID: "activeResolutionSet/web", Data: w.parse(`{"spec":{` + tt.set + template + `}}`)}
			w.apply(as("ann", "ops"), set)
			w.until("web", "Resolved=True:Resolved Activated=True:Activated web:1.0.0*1")

			policy.allow(t, map[string]map[string]dovetail.Right{"ops": tt.lost, "root": all})
			w.put("cluster/b", `{"metadata":{"labels":{"env":"prod"}},"spec":{"facts":{"kubernetes":"v1.29.3"}}}`)
			w.put("source/cat/package/web/packageVersion/1.1.0", `{"metadata":{"name":"1.1.0"},"spec":{"channels":["main"],"image":"registry.example.org/web:1.1"}}`)
			w.until("web", "Resolved=False:"+store.ReasonActor)
			if got := fleet.ReadStatus(w.get("activeResolutionSet/web")).Conditions[0].Message; !strings.Contains(got, tt.message) {
				t.Errorf("the message is %q, want %q", got, tt.message)
			}
			member := func() *state.Status { return state.ReadStatus(w.get("activeResolution/web-a")) }
			w.holds("the resolution stays as it was", func() bool { return member().Conditions[0].Reason == store.ReasonActor })
			if got := member().Selections; w.members() != "web-a" || !slices.Equal(got, []string{"cat:web:1.0.0:main"}) {
				t.Errorf("there are %s, with %v", w.members(), got)
			}

			want := "web:1.1.0*2"
			if !strings.Contains(tt.set, "Selector") {
				want = "web:1.1.0*1"
			}
			policy.allow(t, map[string]map[string]dovetail.Right{"ops": all, "root": all})
			w.until("web", "Resolved=True:Resolved Activated=True:Activated "+want)

			policy.allow(t, map[string]map[string]dovetail.Right{"ops": tt.lost, "root": all})
			w.put("source/cat/package/web/packageVersion/1.2.0", `{"metadata":{"name":"1.2.0"},"spec":{"channels":["main"],"image":"registry.example.org/web:1.2"}}`)
			w.until("web", "Resolved=False:"+store.ReasonActor)
			w.apply(as("eve", "root"), set) // the same again, by someone who may do it
			w.until("web", "Resolved=True:Resolved Activated=True:Activated "+strings.Replace(want, "1.1", "1.2", 1))
		})
	}
}
