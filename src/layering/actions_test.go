package layering

import (
	"context"
	"net/url"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// allowAll is a policy that allows everything and records what was granted.
type allowAll struct{ granted *string }

func (allowAll) Allows(context.Context, string) bool { return true }

func (e allowAll) Granting(ctx context.Context, action string, _ []dovetail.Right, _ []string) context.Context {
	*e.granted = action
	return ctx
}

// TestEveryEndpointHasAnAction makes sure that a policy file of Deckhand decides about each endpoint, and that each of its actions is asked for.
func TestEveryEndpointHasAnAction(t *testing.T) {
	asked := map[string]bool{actionCreateEncrypted: true, actionListEncrypted: true} // besides, where documents are encrypted
	var granted string
	for _, e := range New(nil, Options{Policy: allowAll{&granted}}).Service().Endpoints {
		if e.Path == "/versions" || e.Path == base+"/health" {
			continue
		}
		if e.Enter == nil {
			t.Errorf("%s %s has no action", e.Method, e.Path)
			continue
		}
		e.Enter(t.Context(), url.Values{})
		asked[granted] = true
	}
	for _, action := range Actions() {
		if !asked[action] {
			t.Errorf("no endpoint asks for %s", action)
		}
	}
	for action := range asked {
		if !slices.Contains(Actions(), action) {
			t.Errorf("%s is no action", action)
		}
	}
}
