package rendering_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// sealedDocuments are encrypted documents, of which KIND is Document or Control.
var sealedDocuments = map[string]string{
	"last":          "schema: a/B/v1\nmetadata:\n  schema: metadata/KIND/v1\n  name: a\n  labels:\n    kind: x\n  layeringDefinition:\n    layer: site\n  storagePolicy: encrypted\ndata: secret\n",
	"middle":        "schema: a/B/v1\nmetadata:\n schema: metadata/KIND/v1\n name: a\n labels:\n  kind: x\n storagePolicy: encrypted\n layeringDefinition:\n  layer: site\ndata: secret\n",
	"narrow":        "schema: a/B/v1\nmetadata:\n schema: metadata/KIND/v1\n name: a\n layeringDefinition:\n  layer: site\n storagePolicy: encrypted\ndata: secret\n",
	"flow":          "schema: a/B/v1\nmetadata: {schema: metadata/KIND/v1, name: a, labels: {kind: x}, storagePolicy: encrypted, layeringDefinition: {layer: site}}\ndata: secret\n",
	"quoted":        "schema: a/B/v1\nmetadata: {\"schema\": \"metadata/KIND/v1\", \"name\": \"a\", \"layeringDefinition\": {\"layer\": \"site\"}, \"storagePolicy\": \"encrypted\"}\ndata: secret\n",
	"data first":    "data:\n  a: secret\nschema: a/B/v1\nmetadata:\n  storagePolicy: encrypted\n  layeringDefinition:\n    layer: site\n  schema: metadata/KIND/v1\n  name: a\n",
	"all members":   "schema: a/B/v1\nmetadata:\n schema: metadata/KIND/v1\n name: a\n labels: {kind: x}\n replacement: false\n storagePolicy: encrypted\n layeringDefinition:\n  abstract: true\n  layer: site\n  parentSelector: {kind: y}\n  actions:\n   - {method: merge, path: .}\n substitutions:\n  - {src: {schema: a/B/v1, name: x, path: .}, dest: {path: .a}}\ndata: {}\n",
	"substitutions": "schema: a/B/v1\nmetadata:\n schema: metadata/KIND/v1\n name: a\n layeringDefinition:\n  layer: site\n substitutions:\n  - src:\n     schema: a/B/v1\n     name: x\n     path: .\n    dest:\n     path: .a\n storagePolicy: encrypted\ndata: {}\n",
}

// commented is a storage policy that is a comment, which an author may mean.
var commented = regexp.MustCompile(`#\s*s?toragePolicy: encrypted`)

// TestMisspelledSecrets removes, swaps, replaces and inserts each character of encrypted documents, with and without the profile
// deckhand: whatever is accepted is still encrypted, unless the line became a comment. The profile refuses that in application
// documents, too.
func TestMisspelledSecrets(t *testing.T) {
	characters := "s,.: \n#'\"\u200bSx1_-{}&*!|é\u0430\u00a0\t\r\ufeff"
	for c := ' '; c <= '~'; c++ {
		characters += string(c)
	}
	characters = string([]rune(characters)[:rounds.Of(10, len([]rune(characters)))])
	for name, text := range sealedDocuments {
		for _, kind := range []string{"Document", "Control"} {
			for _, profile := range []rendering.Profile{"", rendering.ProfileDeckhand} {
				t.Run(strings.TrimSpace(name+" "+kind+" "+string(profile)), func(t *testing.T) {
					t.Parallel()
					accepted := 0
					for changed := range slips(strings.ReplaceAll(text, "KIND", kind), characters) {
						documents, err := readBy(profile, changed)
						if err != nil {
							continue
						}
						accepted++
						lost := commented.MatchString(changed) && (profile == "" || kind == "Control")
						for _, d := range documents {
							if !d.Encrypted && !lost {
								t.Errorf("kept in clear text: %q", changed)
							}
						}
					}
					if accepted < 50 {
						t.Errorf("only %d changes were accepted", accepted)
					}
				})
			}
		}
	}
}

func readBy(p rendering.Profile, text string) ([]*rendering.Document, error) {
	parse := yaml.Parse
	if p == rendering.ProfileDeckhand {
		parse = yaml.ParsePython
	}
	values, err := parse("", []byte(text), value.Limits{})
	if err != nil {
		return nil, err
	}
	return p.Read("", values)
}

// slips yields every text that one slip of the fingers makes of one.
func slips(text, characters string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range text {
			before, after := text[:i], text[i+1:]
			if !yield(before+after) || after != "" && !yield(before+after[:1]+text[i:i+1]+after[1:]) {
				return
			}
			for _, c := range characters {
				if !yield(before+string(c)+after) || !yield(before+string(c)+text[i:]) {
					return
				}
			}
		}
	}
}
