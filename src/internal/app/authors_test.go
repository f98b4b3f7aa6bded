package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/store"
)

// TestAuthors shows who is said to have changed documents last, and that it is not told of documents that may not be read.
func TestAuthors(t *testing.T) {
	file, tokens := accessFile(t, accessRoles, "root", "reader", "ann", "norole")
	server := start(t, map[string]string{"access": file})
	server.as(t, tokens["root"], "POST", "/v2/clusters", named("c1"))
	server.as(t, tokens["root"], "POST", "/v2/clusters", named("gone"))
	server.as(t, tokens["root"], "DELETE", "/v2/clusters/gone", "")
	server.as(t, tokens["root"], "POST", "/v2/clusters/c1/environments", named("dev"))
	if status, _, text := server.as(t, tokens["ann"], "PUT", "/v2/clusters/c1/environments/dev", `{"metadata":{"name":"dev","description":"of ann"}}`); status != 200 {
		t.Fatal(status, text)
	}
	const all = "?id=cluster/c1/environment/dev&id=cluster/c1&id=cluster/gone&id=cluster/never&id=nokind/x"
	tests := []struct {
		name, who, query string
		status           int
		want             []string // the principals
		message          string
	}{
		{name: "all", who: "reader", query: all, status: 200, want: []string{"cluster/c1/environment/dev ann", "cluster/c1 root"}},
		{name: "what may be read", who: "ann", query: all, status: 200, want: []string{"cluster/c1/environment/dev ann"}},
		{name: "nothing", who: "norole", query: all, status: 200},
		{name: "nobody", who: "nobody", query: all, status: 401},
		{name: "no id", who: "reader", status: 400, message: "the query has 0 ids"},
		{name: "too many", who: "reader", query: "?" + strings.Repeat("id=cluster/c1&", store.MaxAuthors+1), status: 400, message: "the query has 101 ids"},
		{name: "no ids", who: "reader", query: "?id=cluster&id=a/b", status: 400, message: "cluster"},
		{name: "a misspelt parameter", who: "reader", query: "?ids=cluster/c1", status: 400, message: "did you mean id?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, _, text := server.as(t, tokens[tt.who], "GET", "/v2/authors"+tt.query, "")
			if status != tt.status || !strings.Contains(text, tt.message) {
				t.Fatalf("got %d %s, want %d", status, text, tt.status)
			}
			if status != 200 {
				return
			}
			var got struct{ Items []store.Author }
			decode(t, text, &got)
			var authors []string
			for _, author := range got.Items {
				authors = append(authors, string(author.ID)+" "+author.Principal)
				if !strings.HasSuffix(author.Version, map[bool]string{true: "-2", false: "-1"}[author.Principal == "ann"]) {
					t.Errorf("the version of %s is %q", author.ID, author.Version)
				}
			}
			if !slices.Equal(authors, tt.want) {
				t.Errorf("got %q, want %q", authors, tt.want)
			}
		})
	}
}
