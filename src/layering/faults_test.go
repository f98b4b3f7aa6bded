package layering_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
)

// TestManyFaults sends documents with very many faults, which costs little, and asks for the answers in every way there is. They
// describe the first hundred, and count all.
func TestManyFaults(t *testing.T) {
	t.Parallel()
	const many = 400
	each := func(rest string) string {
		var b strings.Builder
		for i := range many {
			b.WriteString(kind(fmt.Sprint("d", i), "site", rest))
		}
		return b.String()
	}
	missing := each(strings.Replace(reads, "name: source", "name: none", 1))
	secret := strings.Replace(secretDocument, "name: password", "name: broken", 1)
	secret = strings.Replace(secret, "storagePolicy: encrypted", "storagePolicy: encrypted\n  substitutions: [{src: {schema: example/Kind/v1, name: none, path: .a}, dest: {path: .}}]", 1)
	for _, test := range []struct {
		name, before, who, method, path, body string
		status, total                         int
		class                                 string
	}{
		{name: "put", who: "root", method: "PUT", path: bucketA, body: missing, status: 409, total: many, class: "SubstitutionSourceNotFound"},
		{name: "dry run", who: "root", method: "PUT", path: bucketA + "?dryRun=true", body: missing, status: 409, total: many, class: "SubstitutionSourceNotFound"},
		{name: "put by one who may not read everything", who: "writer", method: "PUT", path: bucketA, body: missing, status: 409, total: many, class: "SubstitutionSourceNotFound"},
		{name: "rendered", before: missing, who: "root", method: "GET", path: "/api/v1.0/revisions/2/rendered-documents", status: 409, total: many, class: "SubstitutionSourceNotFound"},
		{name: "origins", before: missing, who: "root", method: "GET", path: "/api/v1.0/revisions/2/origins?path=.", status: 409, total: many, class: "SubstitutionSourceNotFound"},
		{name: "rendered for one who may not see secrets", before: missing + secret, who: "insider", method: "GET", path: "/api/v1.0/revisions/2/rendered-documents", status: 409, total: many, class: "SubstitutionSourceNotFound"},
		{name: "rendered, wrong only where secrets are", before: secret, who: "insider", method: "GET", path: "/api/v1.0/revisions/2/rendered-documents", status: 400, total: 1, class: "InvalidDocumentFormat"},
		{name: "duplicates", who: "root", method: "PUT", path: bucketA, body: strings.Repeat(kind("x", "site", "data: {}\n"), many+1), status: 409, total: many, class: "DuplicateDocumentExists"},
		{name: "without the rights", who: "reader", method: "PUT", path: bucketA, body: missing, status: 403, class: "HTTPForbidden"},
		{name: "with rights elsewhere", who: "writer", method: "PUT", path: bucketC, body: missing, status: 403, total: many, class: "HTTPForbidden"},
		{name: "documents of another bucket", before: each("data: {}\n"), who: "root", method: "PUT", path: bucketB, body: each("data: {}\n"), status: 409, total: many, class: "DuplicateDocumentExists"},
		{name: "removals that break", before: kind("source", "site", "data: {a: 1}\n") + each(reads), who: "root", method: "PUT", path: bucketA, body: each(reads), status: 409, total: many, class: "DocumentInUse"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			as := accessServer(t)
			must(t, as("root", "PUT", bucketG, policy), 200)
			if test.before != "" {
				must(t, as("root", "PUT", bucketA+"?validate=structure", test.before), 200)
			}
			a := as(test.who, test.method, test.path, test.body)
			if a.status != test.status || a.class() != test.class || len(a.text) > 60_000 {
				t.Fatalf("%d %s in %d bytes: %.2000s", a.status, a.class(), len(a.text), a.text)
			}
			details := a.one(t).Get("details")
			listed, counted := len(details.Get("messageList").Items), details.Get("errorCount").Text
			if test.total == 0 {
				return
			}
			if listed != min(test.total, dovetail.MaxErrors) || counted != fmt.Sprint(test.total) {
				t.Errorf("%d listed of %s, want %d", listed, counted, test.total)
			}
			if cut := strings.Contains(a.one(t).Get("message").Text, "the first 100 are listed"); cut != (test.total > listed) {
				t.Errorf("the message is %s", a.one(t).Get("message").Text)
			}
		})
	}
}

// The answer to a PUT of documents with very many warnings says how many there are.
func TestManyWarnings(t *testing.T) {
	const many = 300
	srv := newServer(t, apitest.OpenBolt(t))
	var b strings.Builder
	for i := range many {
		b.WriteString(kind(fmt.Sprint("d", i), "site", "    parentSelector: {k: v}\n    actions: [{method: merge, path: .}]\n  labels: {k: v}\ndata: {}\n"))
	}
	a := srv.do("PUT", bucketA, policy+b.String())
	warnings := a.header.Values("Warning")
	if a.status != 200 || len(warnings) != 20 || !strings.Contains(warnings[0], "cannot be a parent") || !strings.HasSuffix(warnings[19], `"and 281 more warnings"`) {
		t.Errorf("%d with %d warnings: %q", a.status, len(warnings), warnings)
	}
}

// Reports of validations are as many, and as long, as their validators like: lists show the first ones and count all.
func TestManyReports(t *testing.T) {
	const many = 130
	srv := newServer(t, apitest.OpenBolt(t))
	must(t, srv.do("PUT", bucketA, policy), 200)
	report := "status: failure\nvalidator: {name: v}\nerrors: [" + strings.Repeat("{message: wrong},", many) + "]\n"
	for range many {
		must(t, srv.do("POST", "/api/v1.0/revisions/1/validations/v", report), 201)
	}
	for _, test := range []struct {
		name, query string
		results     int
	}{
		{name: "the first ones", results: 100},
		{name: "the others", query: "?offset=100", results: 30},
		{name: "fewer", query: "?limit=3", results: 3},
		{name: "more than one list has", query: "?limit=1000", results: 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := must(t, srv.with(t).do("GET", "/api/v1.0/revisions/1/validations/detail"+test.query, ""), 200).one(t)
			results := a.Get("results").Items
			if len(results) != test.results || a.Get("count").Text != fmt.Sprint(many) {
				t.Fatalf("%d of %s", len(results), a.Get("count").Text)
			}
			if first := results[0]; len(first.Get("errors").Items) != dovetail.MaxErrors || first.Get("errorCount").Text != fmt.Sprint(many) {
				t.Errorf("%d errors of %v", len(first.Get("errors").Items), first.Get("errorCount"))
			}
		})
	}
	one := must(t, srv.do("GET", "/api/v1.0/revisions/1/validations/v/entries/129", ""), 200).one(t)
	if len(one.Get("errors").Items) != dovetail.MaxErrors || one.Get("errorCount").Text != fmt.Sprint(many) {
		t.Errorf("one report has %d errors of %v", len(one.Get("errors").Items), one.Get("errorCount"))
	}
	if list := must(t, srv.do("GET", "/api/v1.0/revisions/1/validations/v", ""), 200).one(t); list.Get("count").Text != fmt.Sprint(many) {
		t.Errorf("listed: %s", list.Get("count").Text)
	}
}
