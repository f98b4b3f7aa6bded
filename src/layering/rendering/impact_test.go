package rendering_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestEveryConsequenceHasACause changes, adds and removes documents of sites. Each rendered document that differs must be made of
// one of these, and no secret may be shown.
func TestEveryConsequenceHasACause(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		documents, before := drawRendering(t)
		other, _ := drawRendering(t)
		change := slices.DeleteFunc(other, func(*rendering.Document) bool { return rapid.Bool().Draw(t, "left out") })
		next, edits := rendering.Overlay(documents, change, func(d *rendering.Document) bool {
			return d.Schema != rendering.PolicySchema && rapid.IntRange(0, 5).Draw(t, "removed") == 0
		})
		after, err := rendering.Render(next, rendering.Options{})
		if err != nil {
			return
		}
		impact := rendering.ImpactOf(before, after, edits)
		text, err := json.Marshal(impact)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), secret) {
			t.Fatalf("a secret is shown: %s", text)
		}
		for _, c := range impact.Documents {
			if len(c.Because) == 0 {
				t.Fatalf("%s is %s for no reason", c.Document, c.Change)
			}
		}
		if want := rendering.Diff(before, after); len(want) != len(impact.Documents) {
			t.Fatalf("%d documents, want %d", len(impact.Documents), len(want))
		}
	})
}

// TestImpactOfReplacement removes a replacement, so that the replaced document is rendered again.
func TestImpactOfReplacement(t *testing.T) {
	documents, err := rendering.Parse("site.yaml", []byte(absenceSite))
	if err != nil {
		t.Fatal(err)
	}
	documents = slices.DeleteFunc(documents, func(d *rendering.Document) bool { return d.Name == "broken" })
	before, err := rendering.Render(documents, rendering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	next, edits := rendering.Overlay(documents, nil, func(d *rendering.Document) bool { return d.Replacement })
	after, err := rendering.Render(next, rendering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// A document is the same when schema and name are, so this one is changed.
	impact := rendering.ImpactOf(before, after, edits)
	replacement := rendering.ID{Schema: "example/Kind/v1", Name: "old", Layer: "site"}
	if len(impact.Documents) != 1 || impact.Documents[0].Document.Layer != "global" || !slices.Equal(impact.Documents[0].Because, []rendering.ID{replacement}) {
		t.Errorf("%+v", impact.Documents)
	}
}

// TestImpactOfAVersion changes an image in the versions of a real site: the charts that use it change, and nothing else.
func TestImpactOfAVersion(t *testing.T) {
	text, err := os.ReadFile("testdata/deckhand/real-sites/airskiff/documents.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := rendering.Parse("site.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	before, err := rendering.Render(documents, rendering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(documents, func(d *rendering.Document) bool { return d.Name == "software-versions" && d.Layer == "global" })
	whole := documents[i].Value()
	changed, err := value.ParseJSON(whole.JSON(), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	changed.At("data", "images", "osh", "glance").Set("cirros_image", value.NewString("https://example.net/cirros.img"))
	change, err := rendering.Read("change.yaml", []*value.Value{changed})
	if err != nil {
		t.Fatal(err)
	}
	next, edits := rendering.Overlay(documents, change, func(*rendering.Document) bool { return false })
	after, err := rendering.Render(next, rendering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	impact := rendering.ImpactOf(before, after, edits)
	var got []string
	for _, c := range impact.Documents {
		if !slices.Contains(c.Because, documents[i].ID) {
			t.Errorf("%s is different because of %v", c.Document, c.Because)
		}
		for _, v := range c.Values {
			got = append(got, c.Document.Name+v.Path)
		}
	}
	const tests = "glance/data/values/conf/rally_tests/tests/GlanceImages."
	want := []string{tests + "create_and_delete_image/0/args/image_location", tests + "create_and_list_image/0/args/image_location",
		"glance/data/values/images/tags/cirros_image", "software-versions/data/images/osh/glance/cirros_image"}
	slices.Sort(got)
	if !slices.Equal(got, want) || impact.Unchanged != 84 {
		t.Errorf("%q, and %d unchanged; want %q, 84", got, impact.Unchanged, want)
	}
}
