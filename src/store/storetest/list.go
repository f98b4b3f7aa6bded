package storetest

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

var listTests = []test{
	{"list/queries", testQueries},
	{"list/below-several", testListBelowSeveral},
	{"list/empty", testEmptyList},
	{"list/pages", testPages},
	{"list/break", testListBreak},
	{"list/commit-inside", testCommitInsideList},
	{"list/snapshot", testListSnapshot},
	{"list/cancel", testListCancel},
	{"list/follows-writes", testListFollowsWrites},
}

var referrerTests = []test{
	{"referrers/order-and-pages", testReferrerPages},
	{"referrers/of-many", testReferrersOfMany},
	{"referrers/prefixes", testReferrerPrefixes},
	{"referrers/follow-writes", testReferrersFollowWrites},
}

// testQueries compares combinations of a set of conditions with their plain meaning: each one in a long run, and usually every
// seventh, which still holds every pair of conditions.
func testQueries(e *env) {
	all := make(map[dovetail.ID]*dovetail.Document)
	for _, id := range trickyIDs {
		all[id] = newDocument(id)
	}
	e.put(slices.Collect(maps.Values(all))...)

	every, n := rounds.Of(7, 1), 0
	afters := append([]dovetail.ID{"", "project", "project/p1/", "project/p1/app/a/intent", "project/p1/app/a!", "zzz"}, trickyIDs...)
	for _, under := range append([]dovetail.ID{"", "project", "absent/x"}, trickyIDs...) {
		for _, kind := range []string{"", "app", "project", "proj", "intent", "app-x"} {
			for _, after := range afters {
				for _, limit := range []int{0, 1, 3} {
					if n++; n%every != 0 {
						continue
					}
					q := store.Query{Under: under, Kind: kind, After: after, Limit: limit}
					if got, want := idsOf(e.list(q)), idsOf(selectFrom(q, all)); !slices.Equal(got, want) {
						e.Fatalf("List(%+v)\n got %v\nwant %v", q, got, want)
					}
				}
			}
		}
	}
}

// testListBelowSeveral reads what lies below several documents, which are neighbors or have others in between, in pages: each is
// yielded, whatever else is.
func testListBelowSeveral(e *env) {
	const projects = 60
	var stored []dovetail.ID
	parent := func(n int) dovetail.ID { return dovetail.ID(fmt.Sprintf("project/p%02d", n)) }
	for n := range projects {
		stored = append(stored, parent(n), parent(n)+"-1", parent(n)+"0") // which come before and after what lies below
		apps := []int{0, 1, 3, 25}[n%4]
		stored = append(stored, numbered(string(parent(n))+"/app/", apps)...)
	}
	e.put(newDocuments(stored...)...)
	slices.Sort(stored)
	for _, every := range []int{1, 4, 7, 13, 45} {
		var of []dovetail.ID
		for n := 0; n < projects; n += every {
			of = append(of, parent(n))
		}
		for _, limit := range []int{0, 1, 10, 64} {
			for _, kind := range []string{"", "app"} {
				var got, want []dovetail.ID
				for _, id := range stored {
					if slices.ContainsFunc(of, id.IsDescendantOf) {
						want = append(want, id)
					}
				}
				q := store.Query{Kind: kind, Below: of, Limit: limit}
				for {
					page := idsOf(e.list(q))
					got = append(got, page...)
					if len(page) < limit || limit == 0 {
						break
					}
					q.After = page[len(page)-1]
				}
				if !slices.IsSorted(got) {
					e.Errorf("List(%+v) is not in the order of ids", q)
				}
				got = slices.DeleteFunc(got, func(id dovetail.ID) bool { return !slices.ContainsFunc(of, id.IsDescendantOf) })
				if !slices.Equal(got, want) {
					e.Fatalf("List(%+v)\n got %v\nwant %v", q, got, want)
				}
			}
		}
	}
}

func testEmptyList(e *env) {
	if got := e.list(store.Query{}); len(got) > 0 {
		e.Errorf("a fresh store lists %v", idsOf(got))
	}
}

// testPages reads a long list in pages and in one go.
func testPages(e *env) {
	const n = 2500
	var want []dovetail.ID
	for chunk := range slices.Chunk(numbered("project/p1/app/", n), 500) {
		want = append(want, chunk...)
		e.put(newDocuments(chunk...)...)
	}
	if got := idsOf(e.list(store.Query{})); !slices.Equal(got, want) {
		e.Errorf("List without a limit gives %d documents, want %d in order", len(got), n)
	}
	for _, size := range []int{7, 1000} {
		var got []dovetail.ID
		for {
			q := store.Query{Under: "project/p1", Kind: "app", Limit: size}
			if len(got) > 0 {
				q.After = got[len(got)-1]
			}
			page := e.list(q)
			got = append(got, idsOf(page)...)
			if len(page) < size {
				break
			}
		}
		if !slices.Equal(got, want) {
			e.Errorf("pages of %d give %d documents, want %d in order", size, len(got), n)
		}
	}
}

// numbered returns n ids in order.
func numbered(prefix string, n int) []dovetail.ID {
	ids := make([]dovetail.ID, n)
	for i := range ids {
		ids[i] = dovetail.ID(fmt.Sprintf("%s%06d", prefix, i))
	}
	return ids
}

func testListBreak(e *env) {
	e.put(newDocuments(numbered("project/", 100)...)...)
	seen := 0
	for _, err := range e.backend.List(e.Context(), store.Query{}) {
		if err != nil {
			e.Fatal(err)
		}
		if seen++; seen == 3 {
			break
		}
	}
	e.put(newDocument("project/x")) // a list that was left holds nothing up
}

// testCommitInsideList writes much while it iterates.
func testCommitInsideList(e *env) {
	ids := numbered("project/", 200)
	e.put(newDocuments(ids...)...)
	for d, err := range e.backend.List(e.Context(), store.Query{Kind: "project"}) {
		if err != nil {
			e.Fatal(err)
		}
		twin := newDocument("other/" + d.ID[len("project/"):])
		twin.Data = largeData(64 << 10)
		e.commit(creation(twin, d.ID))
		e.commit(store.Txn{Puts: []*dovetail.Document{next(d)}})
	}
	if n := len(e.list(store.Query{Kind: "other"})); n != len(ids) {
		e.Errorf("%d of %d documents were created inside a list", n, len(ids))
	}
}

// testListSnapshot changes all documents together while lists are under way: a list of one instant
// shows them all at one revision.
func testListSnapshot(e *env) {
	if !e.backend.Capabilities().SnapshotList {
		e.Skip("the backend does not promise lists of one instant")
	}
	current := newDocuments(numbered("project/", 50)...)
	e.put(current...)
	for range 20 {
		revisions := make(map[uint64]bool)
		for d, err := range e.backend.List(e.Context(), store.Query{}) {
			if err != nil {
				e.Fatal(err)
			}
			if len(revisions) == 0 {
				for i := range current {
					current[i] = next(current[i])
				}
				e.put(current...)
			}
			revisions[d.Revision] = true
		}
		if len(revisions) != 1 {
			e.Fatalf("one list shows revisions %v", slices.Collect(maps.Keys(revisions)))
		}
	}
}

func testListCancel(e *env) {
	e.put(newDocuments(numbered("project/", 3000)...)...)
	ctx, cancel := context.WithCancel(e.Context())
	defer cancel()
	seen, ended := 0, false
	for d, err := range e.backend.List(ctx, store.Query{}) {
		switch {
		case ended:
			e.Fatal("the list goes on after an error")
		case err != nil:
			e.wantCode("List", err, dovetail.CodeCanceled)
			ended = true
		case d != nil:
			seen++
			cancel()
		}
	}
	if !ended || seen == 3000 {
		e.Errorf("a cancelled list gave %d documents, ended with an error: %v", seen, ended)
	}
}

// testListFollowsWrites sees that a document's entry moves with its kind and goes with it.
func testListFollowsWrites(e *env) {
	d := newDocument("project/p1")
	e.put(d)
	d = next(d)
	d.Kind = "other"
	e.put(d)
	if got := e.list(store.Query{Kind: "project"}); len(got) > 0 {
		e.Errorf("the old kind still lists %v", idsOf(got))
	}
	if got := e.list(store.Query{Kind: "other"}); len(got) != 1 {
		e.Errorf("the new kind lists %v", idsOf(got))
	}
	e.commit(store.Txn{Deletes: []dovetail.ID{d.ID}})
	for _, kind := range []string{"", "other", "project"} {
		if got := e.list(store.Query{Kind: kind}); len(got) > 0 {
			e.Errorf("after the deletion kind %q lists %v", kind, idsOf(got))
		}
	}
}

func testReferrerPages(e *env) {
	ids := numbered("app/", 60)
	for i, id := range ids {
		reference := strong("cluster/c1")
		if i%3 == 0 {
			reference = weak("cluster/c1")
		}
		e.put(newDocument(id, strong("cluster/other"), reference))
	}
	e.put(newDocument("cluster/c1", strong("cluster/c1"))) // itself is not among its referrers
	cases := []struct {
		after dovetail.ID
		limit int
		want  []dovetail.ID
	}{
		{"", 0, ids},
		{"", 7, ids[:7]},
		{ids[6], 7, ids[7:14]},
		{ids[6] + "!", 1, ids[7:8]},
		{"app", 2, ids[:2]},
		{ids[59], 10, nil},
		{ids[50], 0, ids[51:]},
		{"", 1000, ids},
	}
	for _, c := range cases {
		got, err := e.backend.Referrers(e.Context(), []dovetail.ID{"cluster/c1"}, c.after, c.limit)
		if err != nil || !slices.Equal(got, c.want) {
			e.Errorf("Referrers(after %q, limit %d) = %v, %v, want %v", c.after, c.limit, got, err, c.want)
		}
	}
	if got := e.referrers("cluster/absent"); len(got) > 0 {
		e.Errorf("no document refers to cluster/absent, but got %v", got)
	}
}

// testReferrersOfMany asks for the referrers of many documents, of which two are there and one refers to itself, in one call.
func testReferrersOfMany(e *env) {
	const many = 6000 // more than a database may take in one query
	targets, ids := numbered("cluster/", many), numbered("app/", 40)
	for i, id := range ids { // the first half refers to two of them each, the other half to none
		switch {
		case i < 10:
			e.put(newDocument(id, strong(targets[i]), weak(targets[many-1-i])))
		case i < 20:
			e.put(newDocument(id, weak(targets[7]), strong(targets[many-8])))
		default:
			e.put(newDocument(id, strong("cluster/other")))
		}
	}
	e.put(newDocument(targets[30], strong(targets[30])), newDocument(targets[31], strong(targets[32])))
	want := append(slices.Clone(ids[:20]), targets[31])
	cases := []struct {
		name  string
		of    []dovetail.ID
		after dovetail.ID
		limit int
		want  []dovetail.ID
	}{
		{"all", targets, "", 0, want},
		{"first", targets, "", 7, want[:7]},
		{"next", targets, ids[6], 7, want[7:14]},
		{"last", targets, ids[18], 7, want[19:]},
		{"exactly", targets, ids[18], 2, want[19:]},
		{"end", targets, targets[31], 1, nil},
		{"each once", []dovetail.ID{targets[7], targets[many-8], targets[7]}, "", 0, append([]dovetail.ID{ids[7]}, ids[10:20]...)},
		{"itself", []dovetail.ID{targets[30]}, "", 0, nil},
		{"none", nil, "", 0, nil},
	}
	for _, c := range cases {
		got, err := e.backend.Referrers(e.Context(), c.of, c.after, c.limit)
		if err != nil || !slices.Equal(got, c.want) {
			e.Errorf("%s: Referrers of %d = %v, %v, want %v", c.name, len(c.of), got, err, c.want)
		}
	}
}

// testReferrerPrefixes refers to each tricky id from its own referrer.
func testReferrerPrefixes(e *env) {
	for i, id := range trickyIDs {
		e.put(newDocument(dovetail.ID(fmt.Sprintf("app/%02d", i)), strong(id)))
	}
	for i, id := range trickyIDs {
		want := []dovetail.ID{dovetail.ID(fmt.Sprintf("app/%02d", i))}
		if got := e.referrers(id); !slices.Equal(got, want) {
			e.Errorf("Referrers(%s) = %v, want %v", id, got, want)
		}
	}
}

func testReferrersFollowWrites(e *env) {
	show := func() string {
		var b strings.Builder
		for target := range seq("a/1", "b/1", "c/1") {
			fmt.Fprintf(&b, "%s<%v ", target[:1], len(e.referrers(target)))
		}
		return b.String()
	}
	d := newDocument("app/a", strong("a/1"), weak("b/1"))
	e.put(d)
	steps := []struct {
		name string
		txn  store.Txn
		want string
	}{
		{"references as created", store.Txn{}, "a<1 b<1 c<0 "},
		{"one goes, one comes", store.Txn{Puts: []*dovetail.Document{next(d, weak("b/1"), strong("c/1"))}}, "a<0 b<1 c<1 "},
		{"the same twice", store.Txn{Puts: []*dovetail.Document{next(d, strong("c/1"), weak("c/1"), strong("c/1"))}}, "a<0 b<0 c<1 "},
		{"no references", store.Txn{Puts: []*dovetail.Document{next(d)}}, "a<0 b<0 c<0 "},
		{"all", store.Txn{Puts: []*dovetail.Document{next(d, strong("a/1"), strong("b/1"), strong("c/1"))}}, "a<1 b<1 c<1 "},
		{"deleted", store.Txn{Deletes: []dovetail.ID{"app/a"}}, "a<0 b<0 c<0 "},
	}
	for _, step := range steps {
		e.commit(step.txn)
		if got := show(); got != step.want {
			e.Errorf("%s: %s, want %s", step.name, got, step.want)
		}
	}
}

func seq(ids ...dovetail.ID) iter.Seq[dovetail.ID] { return slices.Values(ids) }
