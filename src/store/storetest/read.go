package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

var readTests = []test{
	{"read/exact", testExact},
	{"read/absent", testAbsentDocument},
	{"read/all", testGetAll},
	{"read/ownership", testOwnership},
	{"read/large", testLargeDocument},
	{"read/too-large", testTooLargeDocument},
	{"read/tricky-ids", testTrickyIDs},
	{"read/cancelled", testCancelledReads},
}

// testExact stores what is hard to keep and reads the same.
func testExact(e *env) {
	data := func(text string) func(*dovetail.Document) {
		return func(d *dovetail.Document) { d.Data = json.RawMessage(text) }
	}
	cases := []struct {
		name   string
		change func(*dovetail.Document)
	}{
		{"as it comes", func(*dovetail.Document) {}},
		{"integers", data(`{"a":9223372036854775807,"b":-9223372036854775808,"c":18446744073709551616,"d":9007199254740993}`)},
		{"numbers as written", data(`{"a":1.0,"b":1e400,"c":-0,"d":0.1000,"e":1E+2,"f":3.14159265358979323846264338327950288}`)},
		{"member order", data(`{"z":1,"a":2,"m":{"y":1,"b":2}}`)},
		{"member names", data(`{"a.b":1,"$set":2,"":3,"$":4,"_id":"x","__proto__":5,"a b":6}`)},
		{"empty values", data(`{"a":{},"b":[],"c":"","d":null,"e":[null,{},[]]}`)},
		{"text", data(`{"a":"ä€😀","b":"\u0000\u001f","c":"\\ \" / \n","d":"e\u0301"}`)},
		{"deep", data(strings.Repeat(`{"a":[`, 40) + "1" + strings.Repeat(`]}`, 40))},
		{"no data", data(``)},
		{"status", func(d *dovetail.Document) { d.Status = json.RawMessage(`{"phase":"ready","n":1.50}`) }},
		{"inputs", func(d *dovetail.Document) {
			d.Status = json.RawMessage(`{}`)
			d.Inputs = []dovetail.ID{"source/b", "source/a%2Fb/version/1"}
		}},
		{"files", func(d *dovetail.Document) {
			d.Content = []dovetail.File{
				{Name: "file", Filename: "b.tar.gz", MediaType: "application/gzip", Data: []byte{0, 1, 2, 0xff, 0xfe, '\n'}},
				{Name: "file", Filename: "a b ä.yaml", Data: []byte("a: 1\n")},
				{Name: "empty", MediaType: "text/plain"},
			}
		}},
		{"references", func(d *dovetail.Document) {
			d.References = []dovetail.Reference{
				{ID: "b/1", Kind: "b"}, {ID: "a/1", Kind: "a", Weak: true}, {ID: "c/1", Kind: "c", Cascade: true},
				{ID: "c/1", Kind: "c", Weak: true, Cascade: true},
			}
		}},
		{"times", func(d *dovetail.Document) {
			d.Created = time.Date(1969, time.December, 31, 23, 59, 59, 1, time.UTC)
			d.Updated = time.Date(2026, time.July, 1, 0, 0, 0, 999999999, time.FixedZone("", 2*60*60))
		}},
		{"no bookkeeping", func(d *dovetail.Document) {
			d.Created, d.Updated, d.Schema, d.Kind = time.Time{}, time.Time{}, "", "k"
		}},
		{"revision", func(d *dovetail.Document) { d.Revision = math.MaxInt64 }},
		{"kind", func(d *dovetail.Document) { d.Kind = "Some_other-kind.x" }},
	}
	for _, c := range cases {
		id := dovetail.ID("").Child("case", c.name)
		want := newDocument(id)
		c.change(want)
		e.put(want)
		if diff := difference(e.get(id), want); diff != "" {
			e.Errorf("%s: Get: %s", c.name, diff)
		}
		if listed := e.list(store.Query{Kind: want.Kind, After: id[:len(id)-1], Limit: 1}); len(listed) != 1 {
			e.Errorf("%s: List found %v", c.name, idsOf(listed))
		} else if diff := difference(listed[0], want); diff != "" {
			e.Errorf("%s: List: %s", c.name, diff)
		}
	}
}

func testAbsentDocument(e *env) {
	e.put(newDocuments("project/p1", "project/p1/app/a")...)
	for _, id := range []dovetail.ID{"project/p", "project/p11", "project/p1/app", "project/p1/app/b", "project/p1/app/a/x/y", "other/p1"} {
		_, err := e.backend.Get(e.Context(), id)
		e.wantCode("Get("+string(id)+")", err, dovetail.CodeNotFound)
	}
	e.commit(store.Txn{Deletes: []dovetail.ID{"project/p1/app/a"}})
	_, err := e.backend.Get(e.Context(), "project/p1/app/a")
	e.wantCode("Get of a deleted document", err, dovetail.CodeNotFound)
}

func testGetAll(e *env) {
	a, b := newDocument("project/a"), newDocument("project/b")
	e.put(a, b)
	cases := []struct {
		name string
		ids  []dovetail.ID
		want []*dovetail.Document
	}{
		{"none", nil, nil},
		{"in the order asked", []dovetail.ID{"project/b", "project/a"}, []*dovetail.Document{b, a}},
		{"with a gap", []dovetail.ID{"project/a", "project/x", "project/b"}, []*dovetail.Document{a, nil, b}},
		{"all absent", []dovetail.ID{"project/x", "project"}, []*dovetail.Document{nil, nil}},
		{"twice", []dovetail.ID{"project/a", "project/a"}, []*dovetail.Document{a, a}},
	}
	for _, c := range cases {
		got, err := e.backend.GetAll(e.Context(), c.ids)
		if err != nil || len(got) != len(c.want) {
			e.Errorf("%s: GetAll gives %d documents and %v, want %d", c.name, len(got), err, len(c.want))
			continue
		}
		for i := range got {
			if diff := difference(got[i], c.want[i]); diff != "" {
				e.Errorf("%s: document %d: %s", c.name, i, diff)
			}
		}
	}

	ids := make([]dovetail.ID, 3000)
	for i := range ids {
		ids[i] = []dovetail.ID{"project/a", "project/x"}[i%2]
	}
	got, err := e.backend.GetAll(e.Context(), ids)
	if err != nil || len(got) != len(ids) || got[2998] == nil || got[2999] != nil {
		e.Errorf("GetAll of 3,000 ids: %d documents, %v", len(got), err)
	}
}

// testOwnership changes documents after they were written and after they were read; the store must not change.
func testOwnership(e *env) {
	in := newDocument("project/p1", strong("project/p1"))
	in.Status = json.RawMessage(`{"a":1}`)
	in.Content = []dovetail.File{{Name: "file", Data: []byte("content")}}
	want := *in
	want.Data, want.Status = bytes.Clone(in.Data), bytes.Clone(in.Status)
	want.References = slices.Clone(in.References)
	want.Content = []dovetail.File{{Name: "file", Data: []byte("content")}}

	scribble := func(d *dovetail.Document) {
		for _, b := range [][]byte{d.Data, d.Status, d.Content[0].Data} {
			_ = append(b, "beyond the end"...)
			clear(b)
		}
		d.References[0] = strong("project/p2")
		d.Content[0].Name, d.Kind = "other", "other"
	}
	txn := store.Txn{Require: []store.Condition{absent(in.ID)}, Puts: []*dovetail.Document{in}}
	e.commit(txn)
	scribble(in)
	txn.Require[0], txn.Puts[0] = store.Condition{}, nil

	read := func() *dovetail.Document { return e.get("project/p1") }
	for range 2 {
		got := read()
		if diff := difference(got, &want); diff != "" {
			e.Fatalf("after a change of what went in or came out: %s", diff)
		}
		scribble(got)
	}
	scribble(e.list(store.Query{})[0])
	all, err := e.backend.GetAll(e.Context(), []dovetail.ID{"project/p1"})
	if err != nil {
		e.Fatal(err)
	}
	scribble(all[0])
	if diff := difference(read(), &want); diff != "" {
		e.Errorf("after a change of what List and GetAll gave: %s", diff)
	}
}

func largeData(size int) json.RawMessage {
	return json.RawMessage(`{"a":"` + strings.Repeat("x", size) + `"}`)
}

func testLargeDocument(e *env) {
	small, large := newDocument("project/a"), newDocument("project/b")
	large.Data = largeData(4 << 20)
	large.Content = []dovetail.File{{Name: "file", Data: bytes.Repeat([]byte{0, 1, 2}, 1<<20)}}
	e.put(small, large)
	for range 2 {
		for _, d := range e.list(store.Query{}) {
			if diff := difference(d, map[dovetail.ID]*dovetail.Document{small.ID: small, large.ID: large}[d.ID]); diff != "" {
				e.Error(diff)
			}
		}
		large = next(large)
		large.Content = nil
		e.put(large)
	}
}

func testTooLargeDocument(e *env) {
	limit := e.backend.Capabilities().MaxDocument
	if limit == 0 {
		e.Skip("the backend has no limit")
	}
	head := e.head()
	large := newDocument("project/b")
	large.Data = largeData(limit)
	err := e.backend.Commit(e.Context(), store.Txn{Puts: []*dovetail.Document{newDocument("project/a"), large}})
	e.wantCode("Commit of a document over the limit", err, dovetail.CodeTooLarge)
	if found := e.list(store.Query{}); len(found) > 0 || e.head() != head {
		e.Errorf("the refused transaction left %v", idsOf(found))
	}
}

// trickyIDs are close to one another in byte order, and each is close to being another's parent.
var trickyIDs = []dovetail.ID{
	"project/p1", "project/p1-x", "project/p1.x", "project/p1%20x", "project/p1%2Fx", "project/p1%25", "project/p1+x", "project/p1_",
	"project/p10", "project/p1~", "project/P1", "project/p", "project/%C3%A9", "projec/p1", "project-x/p1",
	"project/p1/app/a", "project/p1/app/a-b", "project/p1/app/a/intent/i", "project/p1/app/a0", "project/p1/app-x/a",
	"project/p1/app/app", "project/p1-x/app/a", "project/p1%2Fx/app/a", "project/p1/zone/z",
}

func testTrickyIDs(e *env) {
	for i, id := range trickyIDs {
		if e.exists(id) {
			e.Errorf("%s is there before it is created", id)
		}
		e.put(newDocument(id))
		if got := e.get(id).ID; got != id {
			e.Errorf("Get(%s) gives %s", id, got)
		}
		if n := len(e.list(store.Query{})); n != i+1 {
			e.Errorf("%d documents are there after %d creations", n, i+1)
		}
	}
	for i, id := range trickyIDs {
		e.commit(store.Txn{Deletes: []dovetail.ID{id}})
		if n := len(e.list(store.Query{})); e.exists(id) || n != len(trickyIDs)-i-1 {
			e.Errorf("%d documents are there after %s was deleted", n, id)
		}
	}
}

func testCancelledReads(e *env) {
	e.put(newDocument("project/p1"))
	cancelled, cancel := context.WithCancel(e.Context())
	cancel()
	expired, cancel := context.WithDeadline(e.Context(), time.Unix(0, 0))
	defer cancel()
	for _, c := range []struct {
		ctx  context.Context
		want dovetail.Code
	}{{cancelled, dovetail.CodeCanceled}, {expired, dovetail.CodeTimeout}} {
		_, err := e.backend.Get(c.ctx, "project/p1")
		e.wantCode("Get", err, c.want)
		_, err = e.backend.GetAll(c.ctx, []dovetail.ID{"project/p1"})
		e.wantCode("GetAll", err, c.want)
		_, err = list(c.ctx, e.backend, store.Query{})
		e.wantCode("List", err, c.want)
		_, err = e.backend.Referrers(c.ctx, []dovetail.ID{"project/p1"}, "", 0)
		e.wantCode("Referrers", err, c.want)
		_, err = e.backend.Head(c.ctx)
		e.wantCode("Head", err, c.want)
		e.wantCode("Ping", e.backend.Ping(c.ctx), c.want)
		_, err = findings(c.ctx, e.backend, false)
		e.wantCode("Check", err, c.want)
	}
}
