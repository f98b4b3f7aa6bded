package mongo

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

// TestEveryQueryHasAnIndex has the server explain every shape of query that the backend sends.
func TestEveryQueryHasAnIndex(t *testing.T) {
	clientOptions, name, err := ClientOptions(freshURI(t))
	if err != nil {
		t.Fatal(err)
	}
	var listening shapes
	clientOptions.SetMonitor(&event.CommandMonitor{Started: listening.note})
	b, err := open(t.Context(), clientOptions, name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	fill(t, b)
	listening.begin()
	doEverything(t, b)
	found := listening.end()
	if len(found) < 15 {
		t.Errorf("only %d shapes of queries were sent: is all that the backend does among them?", len(found))
	}
	for _, q := range found {
		plan, err := b.database.RunCommand(t.Context(), bson.D{{Key: "explain", Value: q.command}, {Key: "verbosity", Value: "queryPlanner"}}).Raw()
		if err != nil {
			t.Errorf("%s: %v", q.shape, err)
			continue
		}
		names, scans := indexesOf(plan)
		if len(names) == 0 || scans || q.hint != "" && !slices.Contains(names, q.hint) {
			t.Errorf("%s: the plan uses the indexes %v, and scans the collection: %v\n%v", q.shape, names, scans, plan)
		}
		t.Logf("%v: %s", names, q.shape)
	}
}

// fill stores enough that a planner finds an index worth its while.
func fill(t *testing.T, b *Backend) {
	var txn store.Txn
	txn.Puts = storetest.Foundation()
	for _, creation := range storetest.Creations(0, 2000) {
		txn.Puts = append(txn.Puts, creation.Puts...)
	}
	if err := b.Commit(t.Context(), txn); err != nil {
		t.Fatal(err)
	}
}

// doEverything has the backend send every query that it knows.
func doEverything(t *testing.T, b *Backend) {
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	cursor, err := b.Head(ctx)
	must(err)
	creation := storetest.Creation(2000)
	must(b.Commit(ctx, creation))
	if err := b.Commit(ctx, creation); dovetail.CodeOf(err) != dovetail.CodeExists {
		t.Fatal(err)
	}
	doc := creation.Puts[0]
	next := *doc
	next.Revision++
	at := store.Condition{Test: store.AtVersion, ID: doc.ID, Version: doc.ETag()}
	must(b.Commit(ctx, store.Txn{Require: []store.Condition{at}, Puts: []*dovetail.Document{&next}}))
	again := next
	again.Revision++
	at.Version = next.ETag()
	must(b.Commit(ctx, store.Txn{Require: []store.Condition{at, {Test: store.Exists, ID: doc.References[0].ID}}, Puts: []*dovetail.Document{&again}}))
	at.Version = again.ETag()
	removal := store.Txn{Require: []store.Condition{at, {Test: store.Childless, ID: doc.ID}, {Test: store.Unreferenced, ID: doc.ID}},
		Deletes: []dovetail.ID{doc.ID}}
	must(b.Commit(ctx, removal))
	several := store.Txn{}
	for _, creation := range storetest.Creations(2001, 3) {
		several.Puts = append(several.Puts, creation.Puts...)
		several.Require = append(several.Require, creation.Require...)
		several.Require = append(several.Require, store.Condition{Test: store.Childless, ID: creation.Puts[0].ID + "/x/y"},
			store.Condition{Test: store.Unreferenced, ID: creation.Puts[0].ID + "/x/y"})
	}
	must(b.Commit(ctx, several))
	withTerms := *several.Puts[0]
	withTerms.Terms = []string{"one", "three"}
	must(b.SetTerms(ctx, []*dovetail.Document{&withTerms}))
	_, err = b.GetAll(ctx, []dovetail.ID{doc.ID, "project/project001", "cluster/cluster001"})
	must(err)
	for _, under := range []dovetail.ID{"", "project/project001"} {
		for _, kind := range []string{"", "app"} {
			for _, after := range []dovetail.ID{"", "project/project001/app/app000000201"} {
				for _, terms := range [][][]string{nil, {{"one"}}, {{"one", "two"}, {"three"}}} {
					for _, limit := range []int{10, 1000} {
						for _, err := range b.List(ctx, store.Query{Under: under, Kind: kind, After: after, Terms: terms, Limit: limit}) {
							must(err)
						}
					}
				}
			}
		}
	}
	for _, limit := range []int{0, 5} {
		_, err = b.Referrers(ctx, []dovetail.ID{"cluster/cluster001"}, "project/project001", limit)
		must(err)
	}
	for _, err := range b.Changes(ctx, cursor) {
		must(err)
		break
	}
	for _, err := range b.Check(ctx, true) {
		must(err)
	}
	readThePast(t, b, cursor, doc.ID)
	rewritten := several.Puts[0]
	must(b.Commit(ctx, store.Txn{Puts: []*dovetail.Document{rewritten}})) // erases the versions before
	_, err = b.Sweep(ctx)
	must(err)
	must(b.Purge(ctx, 0))
	must(b.Ping(ctx))
}

// readThePast has the backend send every query for versions and snapshots.
func readThePast(t *testing.T, b *Backend, cursor store.Cursor, id dovetail.ID) {
	ctx := t.Context()
	var position store.Cursor
	for set, err := range b.Transactions(ctx, "") {
		must(t, err)
		position = set.Cursor
	}
	for _, err := range b.TransactionsAfter(ctx, position) {
		must(t, err)
	}
	for _, at := range []store.Cursor{"", position, cursor} {
		s, err := b.At(ctx, at)
		must(t, err)
		for _, under := range []dovetail.ID{"", "project/project001"} {
			for _, kind := range []string{"", "app"} {
				for _, after := range []dovetail.ID{"", "project/project001/app/app000000201"} {
					for _, terms := range [][][]string{nil, {{"one"}}, {{"one", "two"}, {"three"}}} {
						_, err := collect(s.List(ctx, store.Query{Under: under, Kind: kind, After: after, Terms: terms, Limit: 10}))
						must(t, err)
					}
				}
			}
		}
		_, err = s.GetAll(ctx, []dovetail.ID{id, "project/project001"})
		must(t, err)
		_, err = s.Referrers(ctx, []dovetail.ID{"cluster/cluster001"}, "", 5)
		must(t, err)
	}
	_, err := collect(b.Versions(ctx, id))
	must(t, err)
	_, err = b.PositionAt(ctx, time.Now())
	must(t, err)
}

// shapes gathers queries that differ in more than values.
type shapes struct {
	mutex sync.Mutex
	on    bool
	seen  map[string]shape
}

// shape is a query as a find command, with the index that it names.
type shape struct {
	shape   string
	command bson.D
	hint    string
}

func (s *shapes) begin() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.on, s.seen = true, make(map[string]shape)
}

func (s *shapes) end() []shape {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.on = false
	var all []shape
	for _, q := range s.seen {
		all = append(all, q)
	}
	slices.SortFunc(all, func(a, b shape) int { return strings.Compare(a.shape, b.shape) })
	return all
}

// note takes the queries out of a command: of a find, an aggregation, an update, a delete or a findAndModify.
func (s *shapes) note(_ context.Context, started *event.CommandStartedEvent) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.on {
		return
	}
	raw := slices.Clone(started.Command)
	collection, _ := raw.Index(0).Value().StringValueOK()
	switch started.CommandName {
	case "find":
		s.add("find", collection, raw, "filter")
	case "findAndModify":
		s.add("findAndModify", collection, raw, "query")
	case "aggregate": // what it begins with
		first := bson.D{{Key: "filter", Value: raw.Lookup("pipeline", "0", "$match")}, {Key: "hint", Value: raw.Lookup("hint")}}
		for i, stage := range []string{"1", "2"} {
			for _, name := range []string{"sort", "limit"} {
				if v := raw.Lookup("pipeline", stage, "$"+name); !v.IsZero() && len(first) == 2+i {
					first = append(first, bson.E{Key: name, Value: v})
				}
			}
		}
		if match, err := bson.Marshal(first); err == nil {
			s.add("aggregate", collection, match, "filter")
		}
	case "update", "delete":
		statements, _ := raw.Lookup(started.CommandName + "s").Array().Values()
		for _, statement := range statements {
			s.add(started.CommandName, collection, statement.Document(), "q")
		}
	}
}

func (s *shapes) add(verb, collection string, raw bson.Raw, filter string) {
	command := bson.D{{Key: "find", Value: collection}, {Key: "filter", Value: raw.Lookup(filter)}}
	text := verb + " " + collection + " " + outline(raw.Lookup(filter))
	hint := ""
	for _, name := range []string{"sort", "hint", "limit"} {
		v := raw.Lookup(name)
		if v.IsZero() || name == "limit" && verb == "delete" {
			continue
		}
		command = append(command, bson.E{Key: name, Value: v})
		if name == "limit" {
			continue
		}
		text += " " + name + " " + v.String()
		if name == "hint" {
			var keys bson.D
			_ = v.Unmarshal(&keys)
			if hint = (index{keys: keys}).name(); hint == "_id_1" {
				hint = "_id_"
			}
		}
	}
	s.seen[text] = shape{text, command, hint}
}

// outline is a filter without its values.
func outline(v bson.RawValue) string {
	if v.Type != bson.TypeEmbeddedDocument {
		return "·"
	}
	elements, _ := v.Document().Elements()
	var parts []string
	for _, element := range elements {
		parts = append(parts, element.Key()+":"+outline(element.Value()))
	}
	return "{" + strings.Join(parts, " ") + "}"
}

// indexesOf finds the names of the indexes that a plan uses, and whether it scans the collection.
func indexesOf(plan bson.Raw) (names []string, scans bool) {
	elements, _ := plan.Elements()
	for _, element := range elements {
		v := element.Value()
		switch text, isText := v.StringValueOK(); {
		case slices.Contains([]string{"rejectedPlans", "IndexCosts", "IndexDetails"}, element.Key()): // were only thought of
		case v.Type == bson.TypeEmbeddedDocument || v.Type == bson.TypeArray:
			inner, scanned := indexesOf(bson.Raw(v.Value))
			names, scans = append(names, inner...), scans || scanned
		case !isText:
		case element.Key() == "indexName" || element.Key() == "Index Name":
			names = append(names, text)
		case element.Key() == "stage" && (text == "IDHACK" || strings.HasPrefix(text, "EXPRESS")):
			names = append(names, "_id_")
		case text == "COLLSCAN" || text == "Seq Scan":
			scans = true
		}
	}
	return names, scans
}
