package layering_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/store"
)

// guard gives each principal rights, as "read layeredDocument": on a kind, or, with a bucket behind it, on that of a bucket.
type guard map[string][]string

func (g guard) Permissions(ctx context.Context) dovetail.Permissions {
	who := dovetail.PrincipalOf(ctx)
	if who == nil {
		return rights{}
	}
	if strings.HasPrefix(who.Name, dovetail.SystemPrefix) {
		return rights{"*"}
	}
	return rights(g[who.Name])
}

func (guard) Protections(context.Context) []dovetail.Protection { return nil }

type rights []string

func (r rights) Allows(right dovetail.Right, kind string, id dovetail.ID) bool {
	return r.Everywhere(right) || slices.ContainsFunc(r, func(text string) bool {
		words := strings.Fields(text)
		return words[0] == string(right) && words[1] == kind && (len(words) < 3 || strings.HasPrefix(string(id), "layeringBucket/"+words[2]+"/"))
	})
}

func (r rights) Below(right dovetail.Right, kinds []string, id dovetail.ID) bool {
	return !slices.ContainsFunc(kinds, func(kind string) bool { return !r.Allows(right, kind, id+"/x/y") })
}

func (r rights) Anywhere(right dovetail.Right, kinds []string, _ dovetail.ID) bool {
	return r.Everywhere(right) || slices.ContainsFunc(r, func(text string) bool {
		words := strings.Fields(text)
		return words[0] == string(right) && (len(kinds) == 0 || slices.Contains(kinds, words[1]))
	})
}

func (r rights) NeedsUse(_ string, sensitive bool) bool { return sensitive }

func (r rights) Everywhere(dovetail.Right) bool { return slices.Contains(r, "*") }

// accessServer is a server of which root sees everything, reader the documents of bucket b, insider those of all buckets, keeper
// besides their secrets, and writer writes bucket a, and reads besides only what is for all: bucket g. It returns how one of
// them sends a request.
func accessServer(t testing.TB) func(who, method, path, body string) answer {
	return accessServerOn(t, apitest.OpenBolt(t), store.Audit{})
}

func accessServerOn(t testing.TB, backend store.Backend, audit store.Audit) func(who, method, path, body string) answer {
	t.Helper()
	revision := []string{"read layeringRevision", "read layeringTag"}
	with := func(more ...string) []string { return append(slices.Clone(revision), more...) }
	g := guard{"root": {"*"}, "norole": {},
		"reader":   with("read layeredDocument b"),
		"insider":  with("read layeredDocument"),
		"keeper":   with("read layeredDocument", "read secretKey"),
		"indexer":  with("read layeringHead", "read layeringIndex", "read layeringContent", "read layeredDocument a", "read layeredDocument g"),
		"archivar": with("read layeringHead", "read layeringIndex", "read layeringContent", "read layeredDocument"),
		"reporter": with("create layeringValidationEntry"),
		"writer":   with("read layeredDocument a", "read layeredDocument g", "create layeredDocument a", "update layeredDocument a", "delete layeredDocument a"),
		"redacted": with("read layeredDocument", "create layeredDocument a", "update layeredDocument a", "delete layeredDocument a"),
		"user":     with("read layeredDocument g", "use layeredDocument b", "read layeredDocument a", "create layeredDocument a", "update layeredDocument a", "delete layeredDocument a"),
		"blind":    with("read layeredDocument g", "create layeredDocument a", "update layeredDocument a", "delete layeredDocument a"),
	}
	s := newStoreWith(t, backend, store.Config{Guard: g, Audit: audit})
	t.Cleanup(func() { _ = backend.Close() })
	srv := serveWith(t, s, layering.Options{Keys: newKeys(t)}, httpapi.Options{
		Authenticate: func(_ context.Context, r *http.Request) (httpapi.Caller, error) {
			return httpapi.Known(&dovetail.Principal{Name: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}), nil
		}})
	return func(who, method, path, body string) answer {
		return srv.do(method, path, body, "Authorization", "Bearer "+who)
	}
}

// TestAccess shows that a principal gets only the documents that it may read, secrets only if it may read the keys, and
// that writes need the right to write.
func TestAccess(t *testing.T) {
	as := accessServer(t)
	if a := as("norole", "DELETE", "/api/v1.0/revisions", ""); a.status != 403 {
		t.Errorf("deletes all of nothing: %d %s", a.status, a.text)
	}
	if a := as("root", "PUT", bucketA, policy+secretDocument); a.status != 200 {
		t.Fatal(a.text)
	}
	if a := as("root", "PUT", bucketB, kind("x", "site", usesSecret)); a.status != 200 {
		t.Fatal(a.text)
	}
	const validation, report = "/api/v1.0/revisions/1/validations/v", "status: success\nvalidator: {name: v}\n"
	const documents, renderedTwo = "/api/v1.0/revisions/2/documents", "/api/v1.0/revisions/2/rendered-documents"
	for _, test := range []struct {
		name, who, method, path, body string
		status, documents             int
		secret                        bool
	}{
		{name: "everything", who: "root", method: "GET", path: documents, status: 200, documents: 3},
		{name: "what one may read", who: "reader", method: "GET", path: documents, status: 200, documents: 1},
		{name: "rendered, of documents that one may not read", who: "reader", method: "GET", path: renderedTwo, status: 200},
		{name: "rendered", who: "insider", method: "GET", path: renderedTwo, status: 200, documents: 3},
		{name: "secrets are not for all", who: "insider", method: "GET", path: renderedTwo + "?cleartext-secrets=true", status: 403},
		{name: "secrets for who may have the keys", who: "keeper", method: "GET", path: renderedTwo + "?cleartext-secrets=true", status: 200, documents: 3, secret: true},
		{name: "nothing", who: "norole", method: "GET", path: documents, status: 403},
		{name: "one revision", who: "reader", method: "GET", path: "/api/v1.0/revisions/1", status: 200},
		{name: "a dry run", who: "reader", method: "PUT", path: bucketB + "?dryRun=true", status: 403},
		{name: "a write", who: "keeper", method: "PUT", path: bucketB, body: kind("x", "site", "data: {}\n"), status: 403},
		{name: "a tag", who: "reader", method: "POST", path: "/api/v1.0/revisions/1/tags/t", status: 403},
		{name: "a report", who: "reporter", method: "POST", path: validation, body: report, status: 201},
		{name: "a report beside others that one may not see", who: "reporter", method: "POST", path: validation, body: report, status: 201},
		{name: "reports of others", who: "reporter", method: "GET", path: validation, status: 404},
		{name: "all reports", who: "root", method: "GET", path: validation + "/entries/1", status: 200},
		{name: "a rollback", who: "reader", method: "POST", path: "/api/v1.0/rollback/1", status: 403},
		{name: "all", who: "reader", method: "DELETE", path: "/api/v1.0/revisions", status: 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := as(test.who, test.method, test.path, test.body)
			if a.status != test.status || test.documents > 0 && len(a.documents) != test.documents || strings.Contains(a.text, "swordfish") != test.secret {
				t.Errorf("%d with %d documents: %s", a.status, len(a.documents), a.text)
			}
			if a.status == 403 && a.class() != "HTTPForbidden" {
				t.Errorf("the class is %s", a.class())
			}
		})
	}
	if a := as("root", "GET", "/api/v1.0/revisions/3", ""); a.status != 404 {
		t.Errorf("something was written: %s", a.text)
	}
}
