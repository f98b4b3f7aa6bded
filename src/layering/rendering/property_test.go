package rendering_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// secret is part of every text of encrypted documents, and of no other.
const secret = "§"

// drawSite makes up a site of few documents that have much to do with each other.
func drawSite(t *rapid.T) []*value.Value {
	layers := []string{"global", "region", "site"}
	documents := []*value.Value{parseJSON(`{"schema":"deckhand/LayeringPolicy/v1","metadata":{"schema":"metadata/Control/v1","name":"policy"},
		"data":{"layerOrder":["global","region","site"]}}`)}
	seen := map[string]bool{}
	for i := range rapid.IntRange(1, 7).Draw(t, "documents") {
		layer := rapid.SampledFrom(layers).Draw(t, "layer")
		name := fmt.Sprint("d", rapid.IntRange(0, i).Draw(t, "name"))
		if seen[name+layer] {
			continue
		}
		seen[name+layer] = true
		encrypted := rapid.IntRange(0, 4).Draw(t, "encrypted") == 0
		definition := map[string]any{"layer": layer, "abstract": rapid.IntRange(0, 3).Draw(t, "abstract") == 0}
		metadata := map[string]any{"schema": "metadata/Document/v1", "name": name, "layeringDefinition": definition,
			"labels": map[string]any{"layer": layer, "name": name}, "replacement": rapid.IntRange(0, 5).Draw(t, "replacement") == 0}
		if encrypted {
			metadata["storagePolicy"] = "encrypted"
		}
		if layer != "global" && rapid.IntRange(0, 3).Draw(t, "child") > 0 {
			definition["parentSelector"] = map[string]any{"layer": rapid.SampledFrom(layers[:2]).Draw(t, "of"), "name": fmt.Sprint("d", rapid.IntRange(0, i).Draw(t, "parent"))}
			definition["actions"] = rapid.SliceOfN(rapid.Custom(drawAction), 1, 3).Draw(t, "actions")
		}
		metadata["substitutions"] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return drawSubstitution(t, i) }), 0, 2).Draw(t, "substitutions")
		v, err := value.FromAny(map[string]any{"schema": "example/Kind/v1", "metadata": metadata, "data": drawData(t, encrypted, 3)})
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, v)
	}
	return documents
}

var drawnPaths = []string{".", ".a", ".b", ".a.b", ".b.a", ".c[0]", ".c[1].a", ".a.c[0]"}

func drawAction(t *rapid.T) any {
	return map[string]any{"method": rapid.SampledFrom([]string{"merge", "merge", "replace", "delete"}).Draw(t, "method"),
		"path": rapid.SampledFrom(drawnPaths).Draw(t, "path")}
}

func drawSubstitution(t *rapid.T, documents int) any {
	from := map[string]any{"schema": "example/Kind/v1", "name": fmt.Sprint("d", rapid.IntRange(0, documents).Draw(t, "source")),
		"path": rapid.SampledFrom(append([]string{".c[*]", ".*"}, drawnPaths...)).Draw(t, "from")}
	to := map[string]any{"path": rapid.SampledFrom(drawnPaths).Draw(t, "to")}
	if rapid.Bool().Draw(t, "within") {
		to["pattern"] = rapid.SampledFrom([]string{"x", "[xy]+", "^"}).Draw(t, "pattern")
		to["recurse"] = map[string]any{"depth": rapid.IntRange(-1, 2).Draw(t, "depth")}
	}
	return map[string]any{"src": from, "dest": to}
}

func drawData(t *rapid.T, encrypted bool, depth int) any {
	kinds := 6
	if depth == 0 {
		kinds = 3
	}
	text := rapid.SampledFrom([]string{"x", "axb", "yy"}).Draw(t, "text")
	if encrypted {
		return secret + text + secret // every leaf, so that whatever comes through can be seen
	}
	switch kind := rapid.IntRange(0, kinds).Draw(t, "kind"); kind {
	case 0:
		return rapid.IntRange(0, 9).Draw(t, "number")
	case 1, 2:
		return text
	case 3:
		return rapid.SampledFrom([]any{nil, true, map[string]any{}, []any{}}).Draw(t, "other")
	case 4:
		return []any{drawData(t, encrypted, depth-1), drawData(t, encrypted, depth-1)}
	default:
		members := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			if rapid.Bool().Draw(t, name) {
				members[name] = drawData(t, encrypted, depth-1)
			}
		}
		return members
	}
}

func parseJSON(text string) *value.Value {
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		panic(err)
	}
	return v
}

// drawRendering makes up a site and takes those documents away that are refused.
func drawRendering(t *rapid.T) ([]*rendering.Document, *rendering.Rendering) {
	documents, err := rendering.Read("", drawSite(t))
	if err != nil {
		t.Fatal(err)
	}
	for {
		rendered, err := rendering.Render(documents, rendering.Options{})
		if err == nil {
			return documents, rendered
		}
		for _, e := range parts(err) {
			id, ok := rendering.DocumentOf(e)
			if !ok {
				t.Fatalf("no document is named by %v", e)
			}
			documents = slices.DeleteFunc(documents, func(d *rendering.Document) bool { return d.ID == id })
		}
	}
}

// outcome is everything that rendering says.
func outcome(documents []*rendering.Document) string {
	rendered, err := rendering.Render(documents, rendering.Options{})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, w := range rendered.Warnings.Kept() {
		b.WriteString(w.Error() + "\n")
	}
	for _, r := range rendered.Documents {
		fmt.Fprintf(&b, "%s %s %s\n", r.ID, r.Data().JSON(), r.Redacted().JSON())
	}
	return b.String()
}

// TestOrderDoesNotMatter shows that result, refusal and warnings are the same for every order of the
// documents, and that rendering leaves documents as they are.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := drawSite(t)
		documents, err := rendering.Read("", values)
		if err != nil {
			t.Fatal(err)
		}
		before := value.NewList(values...).JSON()
		want := outcome(documents)
		if string(value.NewList(values...).JSON()) != string(before) {
			t.Fatal("the documents were changed")
		}
		for range 3 {
			if got := outcome(rapid.Permutation(documents).Draw(t, "order")); got != want {
				t.Fatalf("in another order\n%s\nnot\n%s", got, want)
			}
		}
	})
}

// TestExplanations shows that every explanation has the value that was rendered, that its origin has that
// value at the position given, and that no explanation shows a secret.
func TestExplanations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		documents, rendered := drawRendering(t)
		for _, r := range rendered.Documents {
			if strings.Contains(string(r.Redacted().JSON()), secret) {
				t.Fatalf("%s is redacted as %s", r.ID, r.Redacted().JSON())
			}
			if !r.Secret() && !value.Equal(r.Redacted(), r.Data()) {
				t.Fatalf("%s has no secrets and is redacted as %s", r.ID, r.Redacted().JSON())
			}
			hidden, err := rendered.Explain(r.ID, ".", false)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range hidden {
				if text, err := value.FromAny(e); err != nil || strings.Contains(string(text.JSON()), secret) {
					t.Fatalf("%s tells %s %v", r.ID, text.JSON(), err)
				}
			}
			explained, err := rendered.Explain(r.ID, ".", true)
			if err != nil {
				t.Fatal(err)
			}
			leaves := map[string]*value.Value{}
			collect(leaves, "", r.Data())
			if len(explained) != len(leaves) {
				t.Fatalf("%d of %d values of %s are explained", len(explained), len(leaves), r.ID)
			}
			for _, e := range explained {
				if !value.Equal(leaves[e.Path], e.Value) {
					t.Fatalf("%s of %s is explained as %s", e.Path, r.ID, e.Value.JSON())
				}
				checkOrigin(t, documents, e)
			}
		}
	})
}

// collect gathers the leaves of data by their paths.
func collect(leaves map[string]*value.Value, path string, v *value.Value) {
	for i, item := range v.Items {
		collect(leaves, path+"["+strconv.Itoa(i)+"]", item)
	}
	for _, m := range v.Members {
		collect(leaves, path+"."+m.Name, m.Value)
	}
	if len(v.Items) == 0 && len(v.Members) == 0 {
		if path == "" {
			path = "."
		}
		leaves[path] = v
	}
}

// checkOrigin wants a value that data, a merge or a replacement brought to be in that document.
func checkOrigin(t *rapid.T, documents []*rendering.Document, e rendering.Explanation) {
	i := slices.IndexFunc(documents, func(d *rendering.Document) bool { return d.ID == e.Origin.Document })
	if i < 0 {
		t.Fatalf("%s of %s comes from %s, which is not there", e.Path, e.Document, e.Origin.Document)
	}
	if e.Origin.How != "data" && e.Origin.How != "merge" && e.Origin.How != "replace" {
		return
	}
	leaves := map[string]*value.Value{}
	collect(leaves, "", documents[i].Data())
	if root := leaves["."]; root != nil && root.Kind == value.Null { // Render merges null as an empty object
		leaves["{}"] = value.NewMap()
	}
	if !slices.ContainsFunc(slices.Collect(maps.Values(leaves)), func(v *value.Value) bool { return value.Equal(v, e.Value) }) {
		t.Fatalf("%s of %s is %s, which %s does not have", e.Path, e.Document, e.Value.JSON(), e.Origin.Document)
	}
}

// TestDiffProperties shows that a rendering does not differ from itself, and that what one way adds the
// other removes.
func TestDiffProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var renderings [2]*rendering.Rendering
		for i := range renderings {
			_, renderings[i] = drawRendering(t)
			if found := rendering.Diff(renderings[i], renderings[i]); len(found) > 0 {
				t.Fatalf("it differs from itself: %v", found)
			}
		}
		there, back := rendering.Diff(renderings[0], renderings[1]), rendering.Diff(renderings[1], renderings[0])
		count := func(differences []rendering.Difference, change rendering.Change) int {
			return len(slices.DeleteFunc(slices.Clone(differences), func(d rendering.Difference) bool { return d.Change != change }))
		}
		if count(there, rendering.Added) != count(back, rendering.Removed) || count(there, rendering.Changed) != count(back, rendering.Changed) {
			t.Fatalf("there %v, back %v", there, back)
		}
		if text, err := value.FromAny(there); err != nil || strings.Contains(string(text.JSON()), secret) {
			t.Fatalf("it tells secrets: %s %v", text.JSON(), err)
		}
	})
}

// FuzzDocuments parses, renders and explains anything.
func FuzzDocuments(f *testing.F) {
	f.Add([]byte(policy + network))
	f.Add([]byte("schema: a/B/v1\ndata: {}\n"))
	f.Add([]byte("--- text\n--- [1]\n"))
	for _, id := range []string{"015-index-merge-element", "064-replace-basic", "087-dest-pattern", "098-layered-and-substituted-sample"} {
		f.Add(yamlOf(f, vectors+"/cases/"+id+"/documents.yaml"))
	}
	f.Add(yamlOf(f, "testdata/golden/provenance.yaml"))
	f.Add(yamlOf(f, "testdata/golden/secrets.yaml"))
	f.Add(yamlOf(f, "testdata/golden/format.yaml"))
	f.Fuzz(func(t *testing.T, text []byte) {
		documents, err := rendering.Parse("fuzz.yaml", text)
		if err != nil {
			if code := dovetail.CodeOf(err); code != dovetail.CodeInvalid && code != dovetail.CodeTooLarge {
				t.Fatalf("%s: %v", code, err)
			}
			return
		}
		rendered, err := rendering.Render(documents, rendering.Options{})
		if err != nil {
			for _, e := range parts(err) {
				if e.Reason == "" || e.Message == "" {
					t.Fatalf("%+v", e)
				}
			}
			return
		}
		for _, r := range rendered.Documents {
			if _, err := rendered.Explain(r.ID, ".", false); err != nil {
				t.Fatal(err)
			}
			r.Whole(r.Redacted())
		}
	})
}
