package layering_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/value"
)

func TestOrigins(t *testing.T) {
	s := newServer(t, apitest.OpenBolt(t))
	s.must(200, "PUT", bucketA, policy+secretDocument+kind("above", "global", "    abstract: true\n"+inherited))
	s.must(200, "PUT", bucketB, kind("below", "site", inherits)+kind("x", "site", usesSecret))
	const origins = "/api/v1.0/revisions/2/origins"
	read := func(query string) map[string]*value.Value {
		all := make(map[string]*value.Value)
		for _, d := range s.must(200, "GET", origins+query, "").documents {
			all[d.At("document", "name").Text] = d
		}
		return all
	}
	all := read("")
	for _, test := range []struct{ name, parents, sources string }{
		{name: "layering-policy", parents: "[]", sources: "[]"},
		{name: "above", parents: "[]", sources: "[]"},
		{name: "below", parents: `[{"schema":"example/Kind/v1","name":"above","layer":"global"}]`, sources: "[]"},
		{name: "x", parents: "[]", sources: `[{"schema":"deckhand/Passphrase/v1","name":"password","layer":"site"}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := all[test.name]
			if got := string(d.Get("parents").JSON()); got != test.parents {
				t.Errorf("parents %s, want %s", got, test.parents)
			}
			if got := string(d.Get("sources").JSON()); got != test.sources {
				t.Errorf("sources %s, want %s", got, test.sources)
			}
			if d.Get("values") != nil {
				t.Errorf("values that were not requested: %s", d.JSON())
			}
		})
	}
	below := read("?metadata.name=below&path=.")["below"].Get("values")
	if len(below.Items) != 2 || below.Items[0].At("origin", "document", "name").Text != "above" || below.Items[1].At("origin", "how").Text != "merge" {
		t.Errorf("the origins of below: %s", below.JSON())
	}
	if one := read("?metadata.name=below&path=.c")["below"].Get("values"); len(one.Items) != 1 {
		t.Errorf("the origins of a place: %s", one.JSON())
	}
	if none := read("?metadata.name=above&path=.")["above"].Get("values"); none != nil {
		t.Errorf("the origins of what is not rendered: %s", none.JSON())
	}
	for query, open := range map[string]bool{"?path=.": false, "?path=.&cleartext-secrets=true": true} {
		if text := s.must(200, "GET", origins+query, "").text; strings.Contains(text, "swordfish") != open {
			t.Errorf("%s: %s", query, text)
		}
	}
	if a := s.must(200, "GET", origins+"?limit=2", ""); len(a.documents) != 2 || a.header.Get("Dovetail-Continue") == "" {
		t.Errorf("a part of them: %s", a.text)
	}
	s.must(400, "GET", origins+"?path=a..b", "")
	s.must(404, "GET", "/api/v1.0/revisions/9/origins", "")
}

// The origins of a document that is rendered from documents that the principal may not read are not shown, nor that it
// exists.
func TestOriginsOfHiddenDocuments(t *testing.T) {
	as := accessServer(t)
	if a := as("root", "PUT", bucketA, policy+kind("above", "global", strings.Replace(inherited, "{a: 1}", "{a: 1, z: 3}", 1))+kind("source", "global", "data: {a: hidden}\n")); a.status != 200 {
		t.Fatal(a.text)
	}
	if a := as("root", "PUT", bucketB, kind("below", "site", strings.Replace(inherits, "{c: 1}", "{a: 2}", 1))); a.status != 200 {
		t.Fatal(a.text)
	}
	const origins = "/api/v1.0/revisions/2/origins?metadata.name=below&path=."
	for _, who := range []string{"root", "insider"} {
		if a := as(who, "GET", origins, ""); !strings.Contains(a.text, "replaced") || !strings.Contains(a.text, "name: above") {
			t.Errorf("what %s may see: %s", who, a.text)
		}
	}
	if a := as("reader", "GET", origins, ""); a.status != 200 || len(a.documents) != 0 {
		t.Errorf("what a reader of one bucket sees: %s", a.text)
	}
}
