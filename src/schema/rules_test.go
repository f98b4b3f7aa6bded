package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// What the golden cases do not cover: the rules that Dovetail adds, and odd data.
func TestExtract(t *testing.T) {
	model := compile(t, readText(t, "rules.yaml"))
	long := strings.Repeat("ä", 200)
	for _, c := range []struct {
		name, kind, data string
		want             []string // of each candidate its targets, joined by " | "
	}{
		{"skip", "many", `{"spec":[{"provider":"p","cluster":"all"},{"provider":"p","cluster":"c"}]}`, []string{"provider/p/cluster/c"}},
		{"many, sorted and without duplicates", "many", `{"spec":[{"provider":"p","cluster":"b"},{"provider":"p","cluster":"a"},{"cluster":"b","provider":"p"}]}`,
			[]string{"provider/p/cluster/a", "provider/p/cluster/b"}},
		{"many fills the rest from the own key", "many", `{"spec":{"app":"a","version":"1","part":"x"}}`, []string{"project/own%20project/app/a/version/1/part/x"}},
		{"many needs the data to name something", "self", `{"spec":{"other":"x"}}`, nil},
		{"many of the own kind", "self", `{"spec":[{"self":"s"},{"project":"p"}]}`, []string{"project/own%20project/self/s", "project/p/self/own%20self"}},
		{"map", "map", `{"spec":{"intent":{"b":1,"a":null,"builtin":{}}}}`, []string{"group/g/controller/a", "group/g/controller/b"}},
		{"map fills from the own key, not from spec", "map", `{"spec":{"project":"p","clouds":{"c":1}}}`, []string{"project/own%20project/cloud/c"}},
		{"field", "field", `{"spec":{"target":"c","cloud":"not this"}}`, []string{"project/own%20project/cloud/c"}},
		{"field with skip", "field", `{"spec":{"target":"none"}}`, nil},
		{"field with many and fixedKv", "field", `{"spec":{"l":[{"name":"c1","provider":"q"},{"name":"c2"}]}}`, []string{"provider/p/cluster/c1", "provider/p/cluster/c2"}},
		{"field with many and a list of strings", "field", `{"spec":{"provider":"q","name":["c2","c1","c2","",7,{"name":"c3"}]}}`,
			[]string{"provider/p/cluster/c1", "provider/p/cluster/c2", "provider/p/cluster/c3"}},
		{"a list of strings without many", "field", `{"spec":{"target":["a","b"]}}`, nil},
		{"oneOf with field", "choice", `{"spec":{"target":"t","provider":"p","group":"g"}}`,
			[]string{"project/own%20project/cloud/t | provider/p/cluster/t | group/g/controller/t"}},
		{"oneOf leaves out what is incomplete", "choice", `{"spec":{"target":"t"}}`, []string{"project/own%20project/cloud/t"}},
		{"oneOf without field means the kind that is named", "choice", `{"spec":{"provider":"p","cluster":"c"}}`, []string{"provider/p/cluster/c"}},
		{"oneOf that names nothing", "choice", `{"spec":{"project":"p"}}`, nil},
		{"first half of the parent", "below", `{"spec":{"y":"2"}}`, []string{"project/own%20project/x/own%20x/y/2"}},
		{"values are escaped", "field", `{"spec":{"target":"a/b c%"}}`, []string{"project/own%20project/cloud/a%2Fb%20c%25"}},
		{"the own key stays escaped once", "field", `{"spec":{"target":"%20"}}`, []string{"project/own%20project/cloud/%2520"}},
		{"a value that no key can have", "field", `{"spec":{"target":".."}}`, []string{"project/own%20project/cloud/.."}},
		{"a value with control characters", "field", `{"spec":{"target":"a\nb"}}`, []string{"project/own%20project/cloud/a%0Ab"}},
		{"a value that is too long", "field", `{"spec":{"target":"` + long + `"}}`,
			[]string{"project/own%20project/cloud/" + strings.Repeat("%C3%A4", 128) + "%E2%80%A6"}},
		{"spec is a list", "one", `{"spec":[{"provider":"p"},{"cluster":"c"}]}`, []string{"provider/p/cluster/c"}},
		{"spec is a string", "one", `{"spec":"cluster"}`, nil},
		{"data is a list", "one", `[{"spec":{"cloud":"c"}}]`, nil},
		{"order of rules", "one", `{"spec":{"controller":"k","part":"x","cloud":"l","provider":"p","cluster":"c"}}`, []string{
			"provider/p/cluster/c", "project/own%20project/cloud/l",
			"project/own%20project/app/own%20app/version/own%20version/part/x", "group/g/controller/k"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, candidate := range checkExtraction(t, kindOf(t, model, c.kind), parseJSON(t, c.data)) {
				var targets []string
				for _, target := range candidate.Targets {
					targets = append(targets, string(target.ID))
				}
				got = append(got, strings.Join(targets, " | "))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// An id that stands for a value that no key can have is the id of no document.
func TestImpossibleTargetsAreNoDocuments(t *testing.T) {
	kind := kindOf(t, compile(t, readText(t, "rules.yaml")), "field")
	for _, value := range []string{".", "..", "a\u0000b", strings.Repeat("x", 257), strings.Repeat("x", 255) + "ü", strings.Repeat("€", 90)} {
		data := parseJSON(t, `{"spec":{"target":`+string(quoted(value))+`}}`)
		found := kind.Extract(ownID(t, kind), data)
		if len(found) != 1 {
			t.Fatalf("%q: %v", value, found)
		}
		id := found[0].Targets[0].ID
		if _, err := dovetail.ParseID(string(id)); err == nil {
			t.Errorf("%q gives %s, which a document may have", value, id)
		}
	}
}

func TestReferences(t *testing.T) {
	model := compile(t, readText(t, "rules.yaml"))
	kind := kindOf(t, model, "choice")
	found := kind.Extract(ownID(t, kind), parseJSON(t, `{"spec":{"target":"t","provider":"p","cluster":"c"}}`))
	want := []dovetail.Reference{
		{ID: "project/own%20project/cloud/t", Kind: "cloud", Cascade: true},
		{ID: "provider/p/cluster/t", Kind: "cluster", Cascade: true},
		{ID: "provider/p/cluster/c", Kind: "cluster"},
	}
	if got := schema.References(found); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	kind = kindOf(t, model, "map")
	found = kind.Extract(ownID(t, kind), parseJSON(t, `{"spec":{"clouds":{"c":1}}}`))
	if got := schema.References(found); len(got) != 1 || !got[0].Weak {
		t.Errorf("got %v, want a weak reference", got)
	}
	if got := schema.References(nil); got != nil {
		t.Errorf("got %v of nothing", got)
	}
}
