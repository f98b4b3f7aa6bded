package layering

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// drawIndex makes an index of few names, so that two of them have much in common.
func drawIndex(t *rapid.T, name string) index {
	x := make(index)
	for range rapid.IntRange(0, 8).Draw(t, name) {
		id := rendering.ID{Schema: rapid.SampledFrom([]string{"a/B/v1", "c/D/v1"}).Draw(t, "schema"), Name: rapid.SampledFrom([]string{"x", "y", "z.$"}).Draw(t, "name"),
			Layer: rapid.SampledFrom([]string{"", "site", "global"}).Draw(t, "layer")}
		x[id] = entry{id: id, bucket: rapid.SampledFrom([]string{"b1", "b2"}).Draw(t, "bucket"), content: strconv.Itoa(rapid.IntRange(0, 3).Draw(t, "content")),
			since: rapid.IntRange(1, 4).Draw(t, "since"), put: rapid.IntRange(0, 2).Draw(t, "put")}
	}
	return x
}

// An index follows from the one before and what is stored of their difference.
func TestIndexFromDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawIndex(t, "before"), drawIndex(t, "after")
		stored := &dovetail.Document{ID: indexID(2), Data: after.differenceFrom(before).data().JSON()}
		read, err := readDifference(stored)
		if err != nil {
			t.Fatal(err)
		}
		if got := before.apply(read); !maps.Equal(got, after) {
			t.Fatalf("from %v by %s: %v, want %v", before, stored.Data, got, after)
		}
		if after.same(before) && after.digest() != before.digest() {
			t.Fatalf("%v and %v are the same, but their digests are not", before, after)
		}
	})
}

func TestDamagedIndex(t *testing.T) {
	for _, data := range []string{`{`, `{"documents":{"b":{"s":{"l":{"n":["c"]}}}}}`, `{"documents":{"b":{"s":{"l":{"n":["c","first"]}}}}}`, `{"gone":[["s","l"]]}`} {
		if _, err := readDifference(&dovetail.Document{ID: indexID(1), Data: []byte(data)}); dovetail.CodeOf(err) != dovetail.CodeCorrupt {
			t.Errorf("%s: %v", data, err)
		}
	}
	if _, err := readRevision(&dovetail.Document{ID: revisionID(1), Data: []byte(`{"spec":{}}`)}); dovetail.CodeOf(err) != dovetail.CodeCorrupt {
		t.Errorf("a revision without whole: %v", err)
	}
}

func TestDeepDiff(t *testing.T) {
	for _, test := range []struct{ name, was, is, want string }{
		{"equal", `{"a":[1,{"b":null}]}`, `{"a":[1,{"b":null}]}`, `{}`},
		{"values", `{"a":1,"b":["x"]}`, `{"a":2,"b":["y"]}`,
			`{"values_changed":{"root['a']":{"new_value":2,"old_value":1},"root['b'][0]":{"new_value":"y","old_value":"x"}}}`},
		{"members", `{"a":1}`, `{"b":1}`, `{"dictionary_item_added":["root['b']"],"dictionary_item_removed":["root['a']"]}`},
		{"elements", `{"l":[1,2]}`, `{"l":[1]}`, `{"iterable_item_removed":{"root['l'][1]":2}}`},
		{"more elements", `[1]`, `[1,{"a":2}]`, `{"iterable_item_added":{"root[1]":{"a":2}}}`},
		{"types", `{"a":1,"b":1.5,"c":true}`, `{"a":"1","b":null,"c":[]}`,
			`{"type_changes":{"root['a']":{"old_type":"int","new_type":"str","old_value":1,"new_value":"1"},` +
				`"root['b']":{"old_type":"float","new_type":"NoneType","old_value":1.5,"new_value":null},"root['c']":{"old_type":"bool","new_type":"list","old_value":true,"new_value":[]}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := func(text string) *value.Value {
				v, err := value.ParseJSON([]byte(text), value.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			if got := string(deepDiff(read(test.was), read(test.is)).JSON()); got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
	if got := string(deepDiff(nil, value.NewMap()).JSON()); got != `{"type_changes":{"root":{"old_type":"NoneType","new_type":"dict","old_value":null,"new_value":{}}}}` {
		t.Errorf("from nothing: %s", got)
	}
}

func TestSortKeys(t *testing.T) {
	one := func(schema, name, layer, bucket string, revision int) chosen {
		return chosen{Raw: Raw{&rendering.Document{ID: rendering.ID{Schema: schema, Name: name, Layer: layer}}, bucket, revision}}
	}
	all := []chosen{one("s1", "b", "site", "y", 3), one("s2", "a", "global", "x", 2), one("s1", "c", "global", "z", 1)}
	for _, test := range []struct{ sort, order, want string }{
		{"", "", "bac"}, {"schema", "", "bca"}, {"metadata.name", "", "abc"}, {"metadata.name", "desc", "cba"},
		{"metadata.layeringDefinition.layer", "", "acb"}, {"status.bucket", "", "abc"}, {"status.revision", "", "cab"},
		{"metadata.layeringDefinition.layer,metadata.name", "desc", "bca"},
	} {
		query := map[string][]string{}
		if test.sort != "" {
			query["sort"] = []string{test.sort}
		}
		if test.order != "" {
			query["order"] = []string{test.order}
		}
		s, err := readSelection(query, "list")
		if err != nil {
			t.Fatal(err)
		}
		part, _ := s.apply(slices.Clone(all), "list")
		got := ""
		for _, c := range part {
			got += c.Name
		}
		if got != test.want {
			t.Errorf("by %s %s: %s, want %s", test.sort, test.order, got, test.want)
		}
	}
}

// Every code has a status and a class.
func TestProblems(t *testing.T) {
	for code, want := range map[dovetail.Code]string{
		dovetail.CodeInvalid: "400 HTTPBadRequest", dovetail.CodeUnauthenticated: "401 HTTPUnauthorized", dovetail.CodeForbidden: "403 HTTPForbidden",
		dovetail.CodeNotFound: "404 HTTPNotFound", dovetail.CodeMethod: "405 HTTPMethodNotAllowed", dovetail.CodeStale: "412 HTTPPreconditionFailed",
		dovetail.CodeTooLarge: "413 HTTPRequestEntityTooLarge", dovetail.CodeMediaType: "415 HTTPUnsupportedMediaType", dovetail.CodeCorrupt: "500 HTTPInternalServerError",
		dovetail.CodeUnavailable: "503 HTTPServiceUnavailable", dovetail.CodeUnknown: "504 HTTPGatewayTimeout", dovetail.CodeUnprocessable: "400 HTTPBadRequest",
		dovetail.CodeRateLimited: "429 HTTPTooManyRequests", dovetail.CodeExpired: "410 HTTPGone", dovetail.CodeNotAcceptable: "406 HTTPNotAcceptable",
		dovetail.CodeRequired: "428 HTTPPreconditionRequired", dovetail.CodeCanceled: "499 HTTPClientClosedRequest",
	} {
		e := &dovetail.Error{Code: code, Message: "m"}
		if got := strconv.Itoa(statusOf(code)) + " " + classOf(e); got != want || failure(e).Status != statusOf(code) {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
}

// A site that is kept again takes no room from others.
func TestCacheKeepsOthers(t *testing.T) {
	c := &cache{limit: 2}
	documents := []*rendering.Document{{}}
	for _, digest := range []string{"a", "b", "b"} {
		c.keepSite(&site{digest: digest, all: documents})
	}
	if c.site("a") == nil || c.site("b") == nil || len(c.sites) != 2 {
		t.Errorf("%d sites are kept", len(c.sites))
	}
}
