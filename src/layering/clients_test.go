package layering_test

import (
	"os"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestClients sends each call that clients of Airship Deckhand make, with the headers that they send, and checks what they
// read. testdata/clients.yaml lists the calls: none may be without requests in testdata/client-requests.yaml.
func TestClients(t *testing.T) {
	read := func(name string) *value.Value {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		values, err := yaml.ParsePython(name, text, value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return values[0]
	}
	requests := read("client-requests.yaml")
	played := make(map[string]*value.Value)
	for _, c := range requests.Get("calls").Items {
		played[c.Get("client").Text+": "+c.Get("does").Text] = c
	}
	keys := newKeys(t)
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		for _, call := range read("clients.yaml").Get("calls").Items {
			if call.Get("call") == nil {
				continue // a call of the engine
			}
			name := call.Get("client").Text + ": " + call.Get("does").Text
			t.Run(name, func(t *testing.T) {
				c := played[name]
				if c == nil {
					t.Fatal("no requests")
				}
				s := serve(t, newStore(t, open(t)), layering.Options{Keys: keys, Profile: rendering.ProfileDeckhand})
				for i, request := range slices.Concat(requests.Get("before").Items, c.Get("requests").Items) {
					s.play(i+1, request)
				}
			})
		}
	})
}
