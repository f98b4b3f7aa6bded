package client_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// dated is an answer that was read at position p7.
func dated(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Dovetail-Position", "p7")
		answer(200, body)(w, r)
	}
}

func TestPositionOf(t *testing.T) {
	refused := problem(400, `{"code":"invalid","detail":"no such position"}`)
	for _, test := range []struct {
		name            string
		id              dovetail.ID
		documents, item http.HandlerFunc
		want            store.Cursor
		code            dovetail.Code
	}{
		{name: "a time", documents: dated(`{"items":[]}`), want: "p7"},
		{name: "a time for a document", id: "project/p1", documents: dated(`{"items":[]}`), want: "p7"},
		{name: "a version", id: "project/p1", documents: refused, item: dated(document), want: "p7"},
		{name: "nothing", documents: refused, code: dovetail.CodeInvalid},
		{name: "nothing for a document", id: "project/p1", documents: refused, item: refused, code: dovetail.CodeInvalid},
		{name: "too old", id: "project/p1", documents: problem(410, `{"code":"expired","detail":"too old"}`), code: dovetail.CodeExpired},
		{name: "a server that knows no past", documents: answer(200, `{"items":[]}`), code: dovetail.CodeInternal},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, c := newFake(t)
			f.on("GET /v2/documents", test.documents)
			f.on("GET /v2/projects/p1", test.item)
			got, err := c.PositionOf(t.Context(), "text", test.id)
			if code := dovetail.CodeOf(err); got != test.want || err != nil && code != test.code || err == nil && test.code != "" {
				t.Errorf("got %q, %v, want %q, %s", got, err, test.want, test.code)
			}
		})
	}
}

// TestAt reads the past in every way, and writes nothing there.
func TestAt(t *testing.T) {
	f, c := newFake(t)
	f.on("GET /v2/projects/p1", answer(200, document))
	f.on("GET /v2/documents", answer(200, `{"items":[]}`))
	then := c.At("p7")
	if then.Position() != "p7" || c.Position() != "" {
		t.Errorf("the positions are %q and %q", then.Position(), c.Position())
	}
	ctx := t.Context()
	_, _ = then.Get(ctx, "project/p1")
	_, _ = then.References(ctx, "project/p1")
	_, _ = then.Referrers(ctx, "project/p1", "", 0)
	_, _ = then.Tree(ctx, "project/p1", 1, 1)
	_, _ = then.Tree(ctx, "", 1, 1)
	for _, err := range then.Documents(ctx, store.ListQuery{Kind: "app"}) {
		t.Error(err)
	}
	requests := f.asked()
	if len(requests) != 6 {
		t.Errorf("got %v", requests)
	}
	for _, request := range requests {
		if !strings.Contains(request, "at=p7") {
			t.Errorf("read now: %s", request)
		}
	}
	refused := map[string]error{}
	_, refused["Apply"] = then.Apply(ctx, []store.Operation{put("project/p1", `{}`)}, store.Options{})
	_, refused["Revert"] = then.Revert(ctx, "p6", store.Options{})
	_, refused["Head"] = then.Head(ctx)
	for _, err := range then.Watch(ctx, "", store.WatchQuery{}) {
		refused["Watch"] = err
	}
	for name, err := range refused {
		if dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if len(refused) != 4 || len(f.asked()) != 6 {
		t.Errorf("got %v, asked %v", refused, f.asked())
	}
}

func TestHistoryPages(t *testing.T) {
	f, c := newFake(t)
	f.on("GET /v2/projects/p1",
		answer(200, `{"items":[{"op":"updated","version":"u-2","position":"p2","time":"2026-03-01T12:00:00Z","principal":"ann","message":"why","paths":["/a"]}],"continue":"more"}`),
		answer(200, `{"items":[{"op":"created","version":"u-1","erased":true}]}`))
	var got []store.VersionSummary
	for v, err := range c.History(t.Context(), "project/p1") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
	}
	want := []store.VersionSummary{
		{Op: store.Updated, Version: "u-2", Position: "p2", Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
			Provenance: store.Provenance{Principal: "ann", Message: "why"}, Paths: []string{"/a"}},
		{Op: store.Created, Version: "u-1", Erased: true}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if requests := f.asked(); len(requests) != 2 || !strings.Contains(requests[1], "continue=more") || !strings.Contains(requests[1], "view=history") {
		t.Errorf("asked %v", requests)
	}
}

func TestTransactions(t *testing.T) {
	f, c := newFake(t)
	const transaction = `{"position":"p/7","time":"2026-03-01T12:00:00Z","principal":"ann","message":"why","origin":"git:1",` +
		`"changes":[{"op":"created","id":"project/p1","kind":"project","version":"u-1"}]}`
	f.on("GET /v2/transactions", answer(200, `{"items":[`+transaction+`],"before":"p6"}`))
	f.on("GET /v2/transactions/p%2F7", answer(200, transaction))
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	want := store.Transaction{Cursor: "p/7", Time: at, Provenance: store.Provenance{Principal: "ann", Message: "why", Origin: "git:1"},
		Changes: []store.Change{{Op: store.Created, ID: "project/p1", Kind: "project", UID: "u", Revision: 1}}}
	page, err := c.Transactions(t.Context(), store.TransactionQuery{ID: "project/p1", Under: "project/p0", Kind: "project", Principal: "ann", From: at, To: at.Add(time.Hour),
		Before: "p9", Limit: 3})
	if err != nil || page.Next != "p6" || len(page.Transactions) != 1 || !reflect.DeepEqual(page.Transactions[0], want) {
		t.Errorf("got %+v, %v", page, err)
	}
	if one, err := c.Transaction(t.Context(), "p/7"); err != nil || !reflect.DeepEqual(one, want) {
		t.Errorf("got %+v, %v", one, err)
	}
	asked := "GET /v2/transactions?before=p9&from=2026-03-01T12%3A00%3A00Z&id=project%2Fp1&kind=project&limit=3&principal=ann&to=2026-03-01T13%3A00%3A00Z&under=project%2Fp0"
	if got := f.asked(); got[0] != asked {
		t.Errorf("asked %v, want %s", got, asked)
	}
}

// TestMessage sends why a client writes with every way of writing.
func TestMessage(t *testing.T) {
	var got []string
	f, c := newFake(t)
	noted := func(w http.ResponseWriter, r *http.Request) {
		got = append(got, fmt.Sprint(r.URL.Path, " ", r.URL.RawQuery, " ", r.Header.Get("Dovetail-Message")))
		answer(200, `{"results":[{"index":1,"effect":"updated","id":"project/p1","kind":"project","etag":"\"u-3\""}]}`)(w, r)
	}
	for _, path := range []string{"/v2/batch", "/v2/documents", "/v2/rollback", "/v2/transactions/p7/revert"} {
		f.on("POST "+path, noted)
	}
	ctx, options := t.Context(), store.Options{Message: "fürs Wochenende"}
	_, err := c.Apply(ctx, []store.Operation{put("project/p1", `{}`)}, options)
	failed := []error{err}
	_, err = c.Import(ctx, []*dovetail.Document{{ID: "project/p1"}}, options)
	failed = append(failed, err)
	result, err := c.Rollback(ctx, "project/p1", "u-1", options)
	failed = append(failed, err)
	if err == nil && result.Outcomes[0].Document.ETag().Version() != "u-3" {
		t.Errorf("got %+v", result)
	}
	options.DryRun = true
	_, err = c.Revert(ctx, "p7", options)
	for _, err := range append(failed, err) {
		if err != nil {
			t.Error(err)
		}
	}
	want := []string{"/v2/batch  fürs Wochenende", "/v2/documents  fürs Wochenende", "/v2/rollback  fürs Wochenende", "/v2/transactions/p7/revert dryRun=true fürs Wochenende"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := c.Revert(ctx, "p7", store.Options{Message: "two\nlines"}); dovetail.CodeOf(err) != dovetail.CodeInvalid || len(got) != 4 {
		t.Errorf("a message of two lines: %v", err)
	}
}

func TestRevertConflict(t *testing.T) {
	f, c := newFake(t)
	f.on("POST /v2/transactions/p7/revert", problem(409, `{"code":"conflict","reason":"CHANGED_SINCE","detail":"changed since","errors":[
		{"code":"conflict","reason":"CHANGED_SINCE","id":"project/p1","path":"/spec/n","message":"it is 3 now"},
		{"code":"conflict","reason":"CHANGED_SINCE","id":"project/p2","message":"deleted"}]}`))
	_, err := c.Revert(t.Context(), "p7", store.Options{})
	e := dovetail.AsError(err)
	if e.Code != dovetail.CodeConflict || e.Reason != store.ReasonChangedSince || len(e.Errors) != 2 || e.Errors[0].Key != "project/p1" || e.Errors[0].Position.Path != "/spec/n" {
		t.Errorf("got %+v", e)
	}
}
