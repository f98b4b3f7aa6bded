package layering_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// TestSlipsAreSealed puts encrypted documents with each character of their metadata removed, doubled, replaced or swapped with the
// next: what the service accepts is not in the store in plaintext.
func TestSlipsAreSealed(t *testing.T) {
	const header, line = "schema: deckhand/Passphrase/v1\n", "data: swordfish\n"
	metadata := map[string]string{
		"block": "metadata:\n  schema: metadata/Document/v1\n  name: password\n  layeringDefinition:\n    abstract: false\n    layer: site\n  storagePolicy: encrypted\n",
		"flow":  "metadata: {schema: metadata/Document/v1, name: password, storagePolicy: encrypted, layeringDefinition: {layer: site}}\n",
	}
	for _, profile := range []rendering.Profile{rendering.ProfileDovetail, rendering.ProfileDeckhand} {
		for name, text := range metadata {
			t.Run(string(profile)+" "+name, func(t *testing.T) {
				s := serve(t, newStore(t, apitest.OpenBolt(t)), layering.Options{Keys: newKeys(t), Profile: profile})
				s.must(200, "PUT", bucketB, strings.ReplaceAll(policy, "\n---\n", "\n"))
				accepted := 0
				for changed := range slipsOf(text) {
					if a := s.send("PUT", bucketA, header+changed+line); a.status != 200 {
						continue
					}
					accepted++
					if strings.Contains(s.stored(), "swordfish") {
						t.Fatalf("in clear: %s", changed)
					}
				}
				if accepted == 0 {
					t.Error("no change was accepted")
				}
				s.must(200, "PUT", bucketA, header+strings.ReplaceAll(text, "encrypted", "cleartext")+line)
				if !strings.Contains(s.stored(), "swordfish") {
					t.Error("what is meant to be in clear text is not found")
				}
			})
		}
	}
}

// slipsOf yields what one slip makes of a text.
func slipsOf(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range len(text) - 1 {
			before, here, after := text[:i], text[i:i+1], text[i+1:]
			for _, changed := range []string{before + after, before + here + here + after, before + "x" + after, before + " " + after, before + after[:1] + here + after[1:]} {
				if changed != text && !yield(changed) {
					return
				}
			}
		}
	}
}
