package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

var modelTests = []test{{"model/random-transactions", testModel}}

// testModel runs random transactions on the backend and on a model, which is the contract in the
// simplest words, and compares every answer and all contents.
func testModel(e *env) {
	rounds.Checks(e.T, 15, 100)
	rapid.Check(e.T, func(t *rapid.T) {
		m := newMachine(t, e)
		t.Repeat(map[string]func(*rapid.T){
			"transaction": m.transaction,
			"valid":       m.validTransaction,
			"query":       m.query,
			"referrers":   m.referrers,
			"":            m.compare,
		})
		m.compareChanges(t)
	})
	e.wantClean()
}

// machine is one run: a store that begins empty, and the model of it.
type machine struct {
	e        *env
	model    model
	position store.Cursor   // where the run began
	seen     []store.Change // what the model says has changed since then
}

func newMachine(t *rapid.T, e *env) *machine {
	m := &machine{e: e, model: make(model)}
	documents, err := list(e.Context(), e.backend, store.Query{})
	if err == nil {
		err = e.backend.Commit(e.Context(), store.Txn{Deletes: idsOf(documents)})
	}
	if err != nil {
		t.Fatal(err)
	}
	m.position = e.at("").Position()
	return m
}

var (
	poolIDs = []dovetail.ID{"project/p", "project/p/app/a", "project/p/app/a/x/x", "project/p-x", "project/p-x/app/a", "project/p.x",
		"cluster/c", "cluster/c/label/l", "dep/d"}
	poolKinds = []string{"project", "app", "other"}
	drawID    = rapid.SampledFrom(poolIDs)
	drawQuery = rapid.Custom(func(t *rapid.T) store.Query {
		return store.Query{
			Under: rapid.SampledFrom(append([]dovetail.ID{""}, poolIDs...)).Draw(t, "under"),
			Kind:  rapid.SampledFrom(append([]string{""}, poolKinds...)).Draw(t, "kind"),
			After: rapid.SampledFrom(append([]dovetail.ID{""}, poolIDs...)).Draw(t, "after"),
			Limit: rapid.IntRange(0, 3).Draw(t, "limit"),
		}
	})
)

// drawTxn makes a transaction of any writes and any conditions.
func (m *machine) drawTxn(t *rapid.T) store.Txn {
	var txn store.Txn
	for _, id := range rapid.SliceOfNDistinct(drawID, 0, 4, rapid.ID).Draw(t, "written") {
		if rapid.IntRange(0, 3).Draw(t, "delete?") == 0 {
			txn.Deletes = append(txn.Deletes, id)
			continue
		}
		txn.Puts = append(txn.Puts, m.drawDocument(t, id))
	}
	for range rapid.IntRange(0, 3).Draw(t, "conditions") {
		c := store.Condition{Test: store.Test(rapid.IntRange(0, int(store.Unreferenced)).Draw(t, "test")), ID: drawID.Draw(t, "id")}
		if current := m.model[c.ID]; current != nil {
			c.Version = current.ETag()
			if rapid.IntRange(0, 4).Draw(t, "stale?") == 0 {
				c.Version.Revision++
			}
		}
		if rapid.Bool().Draw(t, "for?") {
			c.For = drawID.Draw(t, "for")
		}
		txn.Require = append(txn.Require, c)
	}
	return txn
}

func (m *machine) drawDocument(t *rapid.T, id dovetail.ID) *dovetail.Document {
	d := newDocument(id)
	if current := m.model[id]; current != nil {
		d = next(current)
	}
	d.Kind = rapid.SampledFrom(poolKinds).Draw(t, "kind")
	for _, target := range rapid.SliceOfN(drawID, 0, 3).Draw(t, "targets") {
		d.References = append(d.References, dovetail.Reference{ID: target, Kind: "any",
			Weak: rapid.Bool().Draw(t, "weak"), Cascade: rapid.Bool().Draw(t, "cascade")})
	}
	return d
}

func (m *machine) transaction(t *rapid.T) { m.commit(t, m.drawTxn(t)) }

// validTransaction requires what the model says holds, so that much of it is done.
func (m *machine) validTransaction(t *rapid.T) {
	txn := m.drawTxn(t)
	txn.Require = slices.DeleteFunc(txn.Require, func(c store.Condition) bool { return m.model.failure(txn, c) != "" })
	m.commit(t, txn)
}

func (m *machine) commit(t *rapid.T, txn store.Txn) {
	var want []string
	for _, c := range txn.Require {
		if failure := m.model.failure(txn, c); failure != "" {
			want = append(want, failure)
		}
	}
	var got []string
	err := m.e.backend.Commit(m.e.Context(), txn)
	for _, part := range parts(err) {
		got = append(got, describe(part))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("Commit(%+v): %v\n got %s\nwant %s", txn, err, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	if err == nil {
		m.seen = append(m.seen, m.model.changes(txn)...)
		m.model = m.model.after(txn)
	}
}

func (m *machine) query(t *rapid.T) {
	q := drawQuery.Draw(t, "query")
	m.compareList(t, q)
}

func (m *machine) compare(t *rapid.T) { m.compareList(t, store.Query{}) }

func (m *machine) compareList(t *rapid.T, q store.Query) {
	got, err := list(m.e.Context(), m.e.backend, q)
	want := selectFrom(q, m.model)
	if err != nil || !slices.EqualFunc(got, want, func(a, b *dovetail.Document) bool { return difference(a, b) == "" }) {
		t.Fatalf("List(%+v)\n got %v, %v\nwant %v", q, idsOf(got), err, idsOf(want))
	}
}

func (m *machine) referrers(t *rapid.T) {
	targets := rapid.SliceOfN(drawID, 1, 4).Draw(t, "targets")
	after, limit := dovetail.ID(""), rapid.IntRange(0, 3).Draw(t, "limit")
	if rapid.Bool().Draw(t, "page") {
		after = drawID.Draw(t, "after")
	}
	got, err := m.e.backend.Referrers(m.e.Context(), targets, after, limit)
	var want []dovetail.ID
	for _, target := range targets {
		want = append(want, m.model.referrers(target, false)...)
	}
	slices.Sort(want)
	want = slices.DeleteFunc(slices.Compact(want), func(id dovetail.ID) bool { return id <= after })
	if limit > 0 {
		want = want[:min(limit, len(want))]
	}
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("Referrers(%v, after %q, limit %d) = %v, %v, want %v", targets, after, limit, got, err, want)
	}
}

// compareChanges compares what happened to each document during the run.
func (m *machine) compareChanges(t *rapid.T) {
	m.commit(t, store.Txn{Puts: []*dovetail.Document{newDocument(marker)}})
	want, got := byDocument(m.seen), make([]store.Change, 0, len(m.seen))
	sets, _ := m.e.after(m.e.backend, m.position)
	for _, set := range sets {
		got = append(got, set.Changes...)
	}
	if have := byDocument(got); !maps.EqualFunc(have, want, slices.Equal[[]store.Change]) {
		t.Fatalf("TransactionsAfter: %+v, want %+v", have, want)
	}
}

func byDocument(changes []store.Change) map[dovetail.ID][]store.Change {
	m := make(map[dovetail.ID][]store.Change)
	for _, c := range changes {
		m[c.ID] = append(m[c.ID], c)
	}
	return m
}

// model is what a store is: documents by id.
type model map[dovetail.ID]*dovetail.Document

func (m model) after(txn store.Txn) model {
	after := maps.Clone(m)
	for _, d := range txn.Puts {
		after[d.ID] = d
	}
	for _, id := range txn.Deletes {
		delete(after, id)
	}
	return after
}

func (m model) changes(txn store.Txn) (changes []store.Change) {
	for _, d := range txn.Puts {
		op := store.Created
		if m[d.ID] != nil {
			op = store.Updated
		}
		changes = append(changes, changeOf(op, d))
	}
	for _, id := range txn.Deletes {
		if d := m[id]; d != nil {
			changes = append(changes, changeOf(store.Deleted, d))
		}
	}
	return changes
}

func (m model) referrers(target dovetail.ID, holding bool) (ids []dovetail.ID) {
	for id, d := range m {
		if id != target && slices.ContainsFunc(d.References, func(r dovetail.Reference) bool {
			return r.ID == target && !(holding && r.Weak)
		}) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// failure describes the error of a condition, "" when it holds.
func (m model) failure(txn store.Txn, c store.Condition) string {
	e := &dovetail.Error{Key: c.For}
	if e.Key == "" {
		e.Key = c.ID
	}
	after, current := m.after(txn), m[c.ID]
	block := func(ids []dovetail.ID) {
		if len(ids) > 0 {
			e.Code, e.BlockedBy = dovetail.CodeInUse, &dovetail.Blockers{IDs: ids, Total: len(ids)}
		}
	}
	switch c.Test {
	case store.Absent:
		if current != nil {
			e.Code, e.Current = dovetail.CodeExists, current
		}
	case store.AtVersion:
		if current == nil {
			e.Code = dovetail.CodeNotFound
		} else if current.ETag() != c.Version {
			e.Code, e.Current = dovetail.CodeStale, current
		}
	case store.Exists:
		if after[c.ID] == nil {
			e.Code, e.Missing = dovetail.CodeMissing, []dovetail.ID{c.ID}
		}
	case store.Childless:
		block(idsOf(selectFrom(store.Query{Under: c.ID}, after)))
	case store.Unreferenced:
		block(after.referrers(c.ID, true))
	}
	if e.Code == "" {
		return ""
	}
	return describe(e)
}

// describe says all that the contract promises of an error.
func describe(e *dovetail.Error) string {
	text := fmt.Sprintf("%s about %s, missing %v", e.Code, e.Key, e.Missing)
	if e.BlockedBy != nil {
		text += fmt.Sprintf(", blocked by %v of %d", e.BlockedBy.IDs, e.BlockedBy.Total)
	}
	if e.Current != nil {
		text += fmt.Sprintf(", current %s %v", e.Current.ETag(), e.Current.References)
	}
	return text
}
