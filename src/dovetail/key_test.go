package dovetail_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"pgregory.net/rapid"
)

func Example() {
	key := dovetail.Key{{Name: "project", Value: "p1"}, {Name: "compositeApp", Value: "CA"}, {Name: "compositeAppVersion", Value: "v3"}, {Name: "app", Value: "nginx/1"}}
	fmt.Println(key.ID())
	fmt.Println(key.KeyID())
	fmt.Println(key.ID().IsDescendantOf("project/p1"))
	// Output:
	// project/p1/compositeApp/CA/compositeAppVersion/v3/app/nginx%2F1
	// {app,compositeApp,compositeAppVersion,project,}
	// true
}

func TestParseID(t *testing.T) {
	tests := []struct {
		name, text string
		says       string // "" means that it is canonical
	}{
		{name: "one element", text: "project/p1"},
		{name: "two elements", text: "project/p1/app/nginx"},
		{name: "escaped slash", text: "project/a%2Fb"},
		{name: "spaces and letters", text: "project/%D0%B6%20x"},
		{name: "underscore and dots", text: "project/a_b..c"},
		{name: "empty", text: "", says: "pairs"},
		{name: "name without value", text: "project/p1/app", says: "pairs"},
		{name: "leading slash", text: "/project/p1", says: "pairs"},
		{name: "empty value", text: "project/", says: "is empty"},
		{name: "empty name", text: "project/p1//x", says: "element name"},
		{name: "dot", text: "project/.", says: "URL cannot carry"},
		{name: "two dots", text: "project/..", says: "URL cannot carry"},
		{name: "bad escape", text: "project/%zz", says: "pairs"},
		{name: "escape that is not needed", text: "project/%61", says: "canonical spelling is project/a"},
		{name: "lower-case escape", text: "project/a%2fb", says: "canonical spelling is project/a%2Fb"},
		{name: "control character", text: "project/a%00b", says: "control"},
		{name: "not UTF-8", text: "project/%FF", says: "UTF-8"},
		{name: "name with a dollar", text: "$project/p", says: "element name"},
		{name: "too long", text: "project/" + strings.Repeat("x", 257), says: "longer than 256"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			id, err := dovetail.ParseID(test.text)
			switch {
			case test.says == "" && (err != nil || string(id) != test.text):
				t.Errorf("%q: %v", id, err)
			case test.says != "" && (dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), test.says)):
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestKeyAndIDAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var key dovetail.Key
		var id dovetail.ID
		for range rapid.IntRange(1, 5).Draw(t, "elements") {
			e := dovetail.Element{Name: rapid.StringMatching(`[A-Za-z]([A-Za-z0-9_-]{0,5}[a-z0-9])?`).Draw(t, "name"),
				Value: rapid.String().Filter(func(s string) bool { return dovetail.CheckValue(s) == "" }).Draw(t, "value")}
			key, id = append(key, e), id.Child(e.Name, e.Value)
		}
		if id != key.ID() {
			t.Fatalf("built %q, the key has %q", id, key.ID())
		}
		parsed, err := dovetail.ParseID(string(id))
		if err != nil || parsed != id {
			t.Fatalf("%q parsed to %q: %v", id, parsed, err)
		}
		if again := id.Key(); again.ID() != id || again.KeyID() != key.KeyID() {
			t.Fatalf("%q has the key %v", id, again)
		}
	})
}

func TestDescendants(t *testing.T) {
	tests := []struct {
		id, ancestor dovetail.ID
		want         bool
	}{
		{"project/p/app/a", "project/p", true},
		{"project/p", "project/p", false},
		{"project/p-1", "project/p", false},
		{"project/p1/app/a", "project/p", false},
		{"project/p", "", true},
	}
	for _, test := range tests {
		if got := test.id.IsDescendantOf(test.ancestor); got != test.want {
			t.Errorf("%q below %q: %t", test.id, test.ancestor, got)
		}
	}
}

func TestKeyInJSON(t *testing.T) {
	text, err := json.Marshal(dovetail.ID(`z/1/a/"x"`).Key())
	if want := `{"z":"1","a":"\"x\""}`; err != nil || string(text) != want {
		t.Errorf("%s, want %s: %v", text, want, err)
	}
}

func FuzzParseID(f *testing.F) {
	for _, seed := range []string{"project/p1", "a/b/c/d", "a/%2F", "a/..", "", "/", "a//b/", "a/%", "a/\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := dovetail.ParseID(text)
		if err != nil {
			if dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Fatalf("error %v", err)
			}
			return
		}
		if string(id) != text || id.Key().ID() != id {
			t.Fatalf("%q is read as %q with the key %v", text, id, id.Key())
		}
	})
}
