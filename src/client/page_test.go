package client_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// somePage is a page of this many documents from a number on, as servers write it.
func somePage(t *testing.T, first, n int, token string) (text string, documents []*dovetail.Document) {
	t.Helper()
	var items []string
	for i := range n {
		name := fmt.Sprintf("p%04d", first+i)
		d := &dovetail.Document{ID: dovetail.ID("project/" + name), Kind: "project", UID: name, Revision: 1, Data: json.RawMessage(`{"text":"<ü>"}`)}
		item, err := d.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		item = append(item[:len(item)-1], `,"etag":"\"`+name+`-1\""}`...)
		d.Data = json.RawMessage(`{"text":"\u003cü\u003e"}`)
		items, documents = append(items, string(item)), append(documents, d)
	}
	text = `{"items":[` + strings.Join(items, ",") + `]`
	if token != "" {
		text += `,"continue":"` + token + `"`
	}
	return text + `}`, documents
}

// TestPages reads pages as servers write them, and other JSON of the same meaning.
func TestPages(t *testing.T) {
	first, want := somePage(t, 0, 3, "next")
	second, more := somePage(t, 3, 2, "")
	want = append(want, more...)
	for _, test := range []struct {
		name    string
		change  func(string) string
		refused bool
	}{
		{name: "as servers write them", change: func(s string) string { return s }},
		{name: "with a newline", change: func(s string) string { return s + "\n" }},
		{name: "with spaces", change: func(s string) string { return strings.ReplaceAll(s, `,"uid"`, `, "uid"`) }},
		{name: "with a member before the items", change: func(s string) string { return strings.Replace(s, `{`, `{"kind":"List",`, 1) }},
		{name: "with a member behind the items", change: func(s string) string { return s[:len(s)-1] + `,"more":[1]}` }},
		{name: "members in another order", change: func(s string) string {
			return strings.ReplaceAll(s, `,"uid"`, `,"schema":"","uid"`)
		}},
		{name: "cut off in a document", change: func(s string) string { return s[:100] }, refused: true},
		{name: "cut off behind a document", change: func(s string) string { return s[:strings.Index(s, `},{"id"`)+1] }, refused: true},
		{name: "cut off before the end", change: func(s string) string { return s[:len(s)-1] }, refused: true},
		{name: "something behind the end", change: func(s string) string { return s + "{}" }, refused: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, c := newFake(t)
			f.on("GET /v2/documents", answer(200, test.change(first)), answer(200, test.change(second)))
			var got []*dovetail.Document
			for d, err := range c.Export(t.Context()) {
				if err != nil {
					if !test.refused || dovetail.CodeOf(err) != dovetail.CodeInternal {
						t.Errorf("got %v", err)
					}
					return
				}
				got = append(got, d)
			}
			if test.refused || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// TestPagesAhead reads pages while the next ones are fetched: in order, each asked for once, with an error after all that came
// before it, and without another request once the reader has enough.
func TestPagesAhead(t *testing.T) {
	pages := func(t *testing.T) (all []http.HandlerFunc) {
		for n := range 5 {
			text, _ := somePage(t, 2*n, 2, fmt.Sprint("after", n))
			all = append(all, answer(200, text))
		}
		last, _ := somePage(t, 10, 1, "")
		return append(all, answer(200, last))
	}
	for _, test := range []struct {
		name     string
		fails    int // page with an error, from 1; 0 if there is none
		limit    int
		want     int // documents
		requests int // at most
	}{
		{name: "all", want: 11, requests: 6},
		{name: "the fourth fails", fails: 4, want: 6, requests: 4},
		{name: "the first fails", fails: 1, requests: 1},
		{name: "a part of the first", limit: 1, want: 1, requests: 1},
		{name: "a part of the second", limit: 3, want: 3, requests: 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, c := newFake(t)
			answers := pages(t)
			if test.fails > 0 {
				answers[test.fails-1] = problem(410, `{"code":"expired","detail":"the position is no longer kept"}`)
			}
			f.on("GET /v2/documents", answers...)
			got, failed := 0, false
			for d, err := range c.Documents(t.Context(), store.ListQuery{Limit: test.limit}) {
				switch {
				case err != nil && dovetail.CodeOf(err) == dovetail.CodeExpired && !failed:
					failed = true
				case err != nil || failed || d.UID != fmt.Sprintf("p%04d", got):
					t.Fatalf("got %+v, %v after %d documents", d, err, got)
				default:
					got++
				}
			}
			asked := f.asked()
			if got != test.want || failed != (test.fails > 0) || len(asked) > test.requests {
				t.Errorf("got %d documents, failed: %v, by %d requests; want %d, %v, at most %d", got, failed, len(asked), test.want, test.fails > 0, test.requests)
			}
			for n, request := range asked {
				if token := fmt.Sprint("continue=after", n-1); strings.Contains(request, "continue=") != (n > 0) || n > 0 && !strings.Contains(request, token) {
					t.Errorf("request %d is %s", n, request)
				}
			}
		})
	}
}
