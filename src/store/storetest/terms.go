package storetest

import (
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

var termTests = []test{
	{"terms/select", testTerms},
	{"terms/set", testSetTerms},
	{"terms/begin", testTermsThatBeginAlike},
}

// termed returns a document with terms.
func termed(n int, revision uint64, terms ...string) *dovetail.Document {
	return &dovetail.Document{ID: dovetail.ID(fmt.Sprintf("site/s%d/app/a%03d", n%2, n)), Kind: "app", UID: fmt.Sprint("u", n), Revision: revision,
		Data: []byte(fmt.Sprintf(`{"spec":{"n":%d,"revision":%d}}`, n, revision)), Terms: terms}
}

// now returns a snapshot of now, nil where the backend keeps no versions.
func (e *env) now() store.Snapshot {
	if !e.backend.Capabilities().Versions {
		return nil
	}
	return e.at("")
}

// wantTerms holds what a list yields against the documents that have the terms: none of them may be missing, and a backend with
// indexes over terms leaves out the others of the same position.
func (e *env) wantTerms(from store.Reader, q store.Query, want []dovetail.ID) {
	e.Helper()
	var got []dovetail.ID
	for doc, err := range from.List(e.Context(), q) {
		if err != nil {
			e.Fatal(err)
		}
		got = append(got, doc.ID)
	}
	if !slices.IsSorted(got) {
		e.Errorf("%+v is not in the order of ids: %v", q.Terms, got)
	}
	has := got
	if !e.backend.Capabilities().Terms {
		has = slices.DeleteFunc(slices.Clone(got), func(id dovetail.ID) bool { return !slices.Contains(want, id) })
	}
	if !slices.Equal(has, want) {
		e.Errorf("%+v selects %v, want %v", q, got, want)
	}
}

// testTerms lists by terms: one, several, of several groups, below a document, page by page, and after updates and deletions;
// earlier positions keep what they had.
func testTerms(e *env) {
	var txn store.Txn
	ids := func(fits func(n int) bool) (all []dovetail.ID) {
		for n := range 60 {
			if fits(n) {
				all = append(all, termed(n, 1).ID)
			}
		}
		slices.Sort(all)
		return all
	}
	for n := range 60 {
		txn.Puts = append(txn.Puts, termed(n, 1, "all", fmt.Sprint("three", n%3), fmt.Sprint("four", n%4)))
	}
	e.commit(txn)
	check := func(from store.Reader, fits func(n int) bool) {
		e.Helper()
		e.wantTerms(from, store.Query{Kind: "app", Terms: [][]string{{"all"}}}, ids(fits))
		e.wantTerms(from, store.Query{Terms: [][]string{{"none"}}}, nil)
		e.wantTerms(from, store.Query{Kind: "app", Terms: [][]string{{"three1"}}}, ids(func(n int) bool { return fits(n) && n%3 == 1 }))
		e.wantTerms(from, store.Query{Kind: "app", Terms: [][]string{{"three1", "four2", "none"}}}, ids(func(n int) bool { return fits(n) && (n%3 == 1 || n%4 == 2) }))
		e.wantTerms(from, store.Query{Kind: "app", Terms: [][]string{{"three1", "three0"}, {"four2"}, {"all"}}},
			ids(func(n int) bool { return fits(n) && n%3 != 2 && n%4 == 2 }))
		e.wantTerms(from, store.Query{Kind: "app", Under: "site/s1", Terms: [][]string{{"three0"}}}, ids(func(n int) bool { return fits(n) && n%3 == 0 && n%2 == 1 }))
		all := ids(fits)
		if e.backend.Capabilities().Terms {
			for i := 0; i < len(all); i += 7 {
				q := store.Query{Kind: "app", Terms: [][]string{{"all"}, {"three0", "three1", "three2"}}, Limit: 7}
				if i > 0 {
					q.After = all[i-1]
				}
				e.wantTerms(from, q, all[i:min(i+7, len(all))])
			}
		}
	}
	always := func(int) bool { return true }
	check(e.backend, always)
	before := e.now()
	txn = store.Txn{}
	for n := range 60 {
		switch n % 5 {
		case 0:
			txn.Deletes = append(txn.Deletes, termed(n, 1).ID)
		case 1:
			txn.Puts = append(txn.Puts, termed(n, 2, "other"))
		case 2:
			txn.Puts = append(txn.Puts, termed(n, 2, "all", fmt.Sprint("three", n%3), fmt.Sprint("four", n%4)))
		}
	}
	e.commit(txn)
	kept := func(n int) bool { return n%5 > 1 }
	check(e.backend, kept)
	e.wantTerms(e.backend, store.Query{Terms: [][]string{{"other"}}}, ids(func(n int) bool { return n%5 == 1 }))
	if before != nil {
		check(before, always)
		e.wantTerms(before, store.Query{Terms: [][]string{{"other"}}}, nil)
		check(e.now(), kept)
	}
	e.wantClean()
}

// testSetTerms gives stored documents terms: versions, positions and the feed stay as they are, and documents that were changed keep
// their terms.
func testSetTerms(e *env) {
	e.commit(store.Txn{Puts: []*dovetail.Document{termed(1, 1), termed(2, 1, "old"), termed(3, 1, "old")}})
	e.commit(store.Txn{Puts: []*dovetail.Document{termed(1, 2), termed(3, 2, "newer")}})
	before, head := e.now(), e.head()
	if err := e.backend.SetTerms(e.Context(), []*dovetail.Document{termed(1, 2, "x"), termed(2, 1, "x", "y"), termed(3, 1, "x"), termed(4, 1, "x")}); err != nil {
		e.Fatal(err)
	}
	if now := e.head(); now != head {
		e.Errorf("the head is %s, and was %s", now, head)
	}
	e.wantTerms(e.backend, store.Query{Kind: "app", Terms: [][]string{{"x"}}}, []dovetail.ID{termed(2, 1).ID, termed(1, 1).ID})
	e.wantTerms(e.backend, store.Query{Kind: "app", Terms: [][]string{{"newer"}}}, []dovetail.ID{termed(3, 1).ID})
	if before != nil {
		for _, n := range []int{1, 2, 3} {
			doc, err := before.Get(e.Context(), termed(n, 1).ID)
			if want := uint64(2 - (n+1)%2); err != nil || doc.Revision != want {
				e.Errorf("document %d at the position before: %v %v", n, doc, err)
			}
		}
		versions := 0
		for v, err := range e.backend.Versions(e.Context(), termed(1, 1).ID) {
			if versions++; err != nil || v.Revision == 1 && v.Document != nil && string(v.Document.Data) != string(termed(1, 1).Data) {
				e.Errorf("%+v %v", v, err)
			}
		}
		if versions != 2 {
			e.Errorf("there are %d versions, want 2", versions)
		}
	}
	e.commit(store.Txn{Puts: []*dovetail.Document{termed(2, 1, "z")}}) // the same version, read before it had the terms
	e.wantTerms(e.backend, store.Query{Kind: "app", Terms: [][]string{{"y"}}}, []dovetail.ID{termed(2, 1).ID})
	e.wantTerms(e.backend, store.Query{Kind: "app", Terms: [][]string{{"z"}}}, []dovetail.ID{termed(2, 1).ID})
	e.commit(store.Txn{Puts: []*dovetail.Document{termed(2, 2, "y")}, Deletes: []dovetail.ID{termed(1, 1).ID}})
	e.wantTerms(e.backend, store.Query{Kind: "app", Terms: [][]string{{"y"}}}, []dovetail.ID{termed(2, 1).ID})
	if e.backend.Capabilities().Terms {
		e.wantTerms(e.backend, store.Query{Kind: "app", Terms: [][]string{{"x"}}}, nil)
	}
	e.wantClean()
}

// testTermsThatBeginAlike lists by terms that other terms of the same documents begin with, of few and of many values, now and earlier.
func testTermsThatBeginAlike(e *env) {
	const many = 1200
	var txn store.Txn
	for n := range many {
		txn.Puts = append(txn.Puts, termed(n, 1, "few", fmt.Sprint("few", n%3), "many", fmt.Sprintf("many%04d", n)))
		if n%10 == 0 {
			txn.Puts[n].Terms = []string{"other"}
		}
		slices.Sort(txn.Puts[n].Terms)
	}
	e.commit(txn)
	before := e.now()
	txn = store.Txn{}
	for n := range many {
		switch n % 40 {
		case 1:
			txn.Deletes = append(txn.Deletes, termed(n, 1).ID)
		case 2:
			txn.Puts = append(txn.Puts, termed(n, 2, "many", fmt.Sprintf("many%04d", n+1)))
		case 3:
			txn.Puts = append(txn.Puts, termed(n, 2, "few", "few0"))
		}
	}
	e.commit(txn)
	few := func(n int) bool { return n%10 != 0 }
	check := func(from store.Reader, few, many, first func(n int) bool) {
		e.Helper()
		selected := func(fits func(n int) bool) (all []dovetail.ID) {
			for n := range 1200 {
				if fits(n) {
					all = append(all, termed(n, 1).ID)
				}
			}
			slices.Sort(all)
			return all
		}
		e.wantTerms(from, store.Query{Kind: "app", Terms: [][]string{{"few"}}}, selected(few))
		e.wantTerms(from, store.Query{Kind: "app", Terms: [][]string{{"many"}}}, selected(many))
		e.wantTerms(from, store.Query{Terms: [][]string{{"few", "other"}}}, selected(func(n int) bool { return few(n) || n%10 == 0 }))
		e.wantTerms(from, store.Query{Terms: [][]string{{"few"}, {"many"}}}, selected(func(n int) bool { return few(n) && many(n) }))
		e.wantTerms(from, store.Query{Terms: [][]string{{"many"}, {"few0"}}}, selected(func(n int) bool { return many(n) && first(n) }))
		e.wantTerms(from, store.Query{Under: "site/s1", Terms: [][]string{{"many"}}}, selected(func(n int) bool { return many(n) && n%2 == 1 }))
		e.wantTerms(from, store.Query{Under: "site/s1", Terms: [][]string{{"few"}}}, selected(func(n int) bool { return few(n) && n%2 == 1 }))
		if all := selected(many); e.backend.Capabilities().Terms {
			e.wantTerms(from, store.Query{Terms: [][]string{{"many"}}, After: all[9], Limit: 20}, all[10:30])
		}
	}
	kept := func(n int) bool { return few(n) && n%40 != 1 }
	check(e.backend, func(n int) bool { return kept(n) && n%40 != 2 }, func(n int) bool { return kept(n) && n%40 != 3 },
		func(n int) bool { return kept(n) && n%40 != 2 && (n%3 == 0 || n%40 == 3) })
	if before != nil {
		check(before, few, few, func(n int) bool { return few(n) && n%3 == 0 })
	}
	e.wantClean()
}
