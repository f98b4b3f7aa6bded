package httpapi

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestNegotiate(t *testing.T) {
	tests := []struct {
		accept string
		offers offers
		want   format
		err    bool
	}{
		{accept: "", offers: resources, want: formatJSON},
		{accept: "*/*", offers: resources, want: formatJSON},
		{accept: "application/json", offers: resources, want: formatJSON},
		{accept: "application/yaml", offers: resources, want: formatYAML},
		{accept: "text/x-yaml; charset=utf-8", offers: resources, want: formatYAML},
		{accept: "application/*;q=0.5, text/yaml;q=0.6", offers: resources, want: formatYAML},
		{accept: "application/json;q=0.1, */*;q=0.2", offers: resources, want: formatYAML},
		{accept: "text/html, */*;q=0.1", offers: resources, want: formatJSON},
		{accept: "text/*", offers: resources, want: formatYAML},
		{accept: "multipart/form-data", offers: resources | multipartForm, want: formatMultipart},
		{accept: "multipart/form-data, application/json", offers: resources, want: formatJSON},
		{accept: "text/event-stream", offers: resources | eventStream, want: formatEvents},
		{accept: "multipart/form-data", offers: resources, err: true},
		{accept: "application/json;q=0", offers: resources, err: true},
		{accept: "nonsense", offers: resources, err: true},
		{accept: "application/json;q=x", offers: resources, err: true},
		{accept: "image/png", offers: anything, want: formatJSON},
		{accept: "image/png", offers: files, want: formatJSON},
	}
	for _, tt := range tests {
		t.Run(tt.accept, func(t *testing.T) {
			got, err := negotiate([]string{tt.accept}, tt.offers)
			if got != tt.want || (err != nil) != tt.err {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
	if got, err := negotiate([]string{"text/html", "application/yaml"}, resources); got != formatYAML || err != nil {
		t.Errorf("two lines: got %d, %v", got, err)
	}
}

func TestTree(t *testing.T) {
	root := &node{}
	for _, template := range []string{"/a", "/a/{x}", "/a/{x}/{y}", "/a/{x}/words", "/a/{x}/words/{z}", "/long/way"} {
		root.descend(segmentsOf(template)).route = &route{template: template}
	}
	root.alias("one", root.descend(segmentsOf("/a")))
	root.alias("long/road", root.descend(segmentsOf("/long/way")))
	root.alias("long", root.descend(segmentsOf("/a"))) // goes no further than the words that are there
	tests := []struct {
		path, template string
		values         []string
		aliased        bool
	}{
		{path: "a", template: "/a"},
		{path: "a/b", template: "/a/{x}", values: []string{"b"}},
		{path: "a/b/c", template: "/a/{x}/{y}", values: []string{"b", "c"}},
		{path: "a/words/words", template: "/a/{x}/words", values: []string{"words"}},
		{path: "a/b/words/w", template: "/a/{x}/words/{z}", values: []string{"b", "w"}},
		{path: "a/b/c/d"},
		{path: "a//c"},
		{path: "one/b", template: "/a/{x}", values: []string{"b"}, aliased: true},
		{path: "long/way", template: "/long/way"},
		{path: "long/road", template: "/long/way", aliased: true},
		{path: "long"},
		{path: ""},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			var m match
			found := root.find(tt.path, &m)
			if found != (tt.template != "") || found && m.route.template != tt.template {
				t.Fatalf("got %v, %v", found, m.route)
			}
			if found && (m.aliased != tt.aliased || len(m.values)+len(tt.values) > 0 && !reflect.DeepEqual(m.values, tt.values)) {
				t.Errorf("got %v, %v", m.values, m.aliased)
			}
		})
	}
}

func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{{"", ""}: 0, {"a", ""}: 1, {"apps", "aps"}: 1, {"apps", "maps"}: 2, {"abc", "xyz"}: 3} {
		if got := distance(pair[0], pair[1]); got != want {
			t.Errorf("%v: got %d, want %d", pair, got, want)
		}
	}
}

func TestQuoteHeader(t *testing.T) {
	if got, want := quoteHeader("a \"b\" \\ ä\r\n"), `"a \"b\" \\ ???"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzToken(f *testing.F) {
	f.Add("scope", encodeToken("scope", pageToken{After: "project/p1", Position: "here-7"}))
	f.Add("other", encodeToken("scope", pageToken{After: "project/p1", Position: "here-7", View: "uid-1"}))
	f.Add("scope", "e30")
	f.Add("scope", "")
	f.Fuzz(func(t *testing.T, scope, text string) {
		token, err := decodeToken(scope, text)
		if err != nil {
			if dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Errorf("code %s", dovetail.CodeOf(err))
			}
			return
		}
		if _, err := dovetail.ParseID(string(token.After)); err != nil {
			t.Errorf("the token leads to %q", token.After)
		}
		if again, err := decodeToken(scope, encodeToken(scope, token)); err != nil || again != token {
			t.Errorf("got %v, %v", again, err)
		}
		if _, err := decodeToken(scope+"x", text); err == nil {
			t.Error("the token is good for another list")
		}
	})
}

func FuzzTags(f *testing.F) {
	for _, seed := range []string{`"a-1"`, `"a-1", W/"b-2"`, "*", `"a,b"`, `"`, ",,", "W/", `"a-1" "b"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h := http.Header{"If-Match": {text}, "If-None-Match": {text}}
		tags, exists, err := ifMatch(h)
		if err != nil && dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("code %s", dovetail.CodeOf(err))
		}
		if err == nil && len(tags) == 0 && !exists {
			t.Error("a condition without any meaning")
		}
		matchesTag(h, `"a-1"`)
	})
}
