package storetest

import (
	"context"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

var retentionTests = []test{
	{"retention/time", testRetentionByTime},
	{"retention/quiet", testRetentionOfQuietStore},
	{"retention/kind", testRetentionByKind},
	{"retention/versions", testRetentionByVersions},
	{"retention/under-writers", testRetentionUnderWriters},
}

// era is a moment that others are seconds away from.
type era struct {
	position  store.Cursor
	snapshot  store.Snapshot
	time      time.Time // of its last commit
	documents []*dovetail.Document
}

// era returns the moment of now.
func (e *env) era() era {
	e.Helper()
	position := e.head()
	now := era{position: position, snapshot: e.at(position), documents: e.list(store.Query{})}
	for set, err := range e.backend.Transactions(e.Context(), "") {
		if err != nil {
			e.Fatal(err)
		}
		now.time = set.Time
		break
	}
	return now
}

func (e *env) expire(r store.Retention) {
	e.Helper()
	for range 2 { // again it does nothing
		if err := e.backend.Expire(e.Context(), r); err != nil {
			e.Fatalf("Expire(%+v): %v", r, err)
		}
	}
}

// wantEra fails the test unless the position of an era is read as it was.
func (e *env) wantEra(what string, then era) {
	e.Helper()
	for _, s := range []store.Snapshot{then.snapshot, e.at(then.position)} {
		got, err := list(e.Context(), s, store.Query{})
		if err != nil || !slices.EqualFunc(got, then.documents, func(a, b *dovetail.Document) bool { return difference(a, b) == "" }) {
			e.Errorf("%s there are %v, %v, want %v", what, idsOf(got), err, idsOf(then.documents))
		}
	}
}

// wantExpired fails the test unless all reads of an era are refused.
func (e *env) wantExpired(what string, then era) {
	e.Helper()
	_, err := e.backend.At(e.Context(), then.position)
	e.wantCode(what+", At", err, dovetail.CodeExpired)
	_, err = e.backend.PositionAt(e.Context(), then.time)
	e.wantCode(what+", PositionAt", err, dovetail.CodeExpired)
	_, err = then.snapshot.Get(e.Context(), "project/p")
	e.wantCode(what+", Get of an open snapshot", err, dovetail.CodeExpired)
	_, err = list(e.Context(), then.snapshot, store.Query{})
	e.wantCode(what+", List of an open snapshot", err, dovetail.CodeExpired)
}

// threeEras writes documents over three eras: one that never changes, one that always does, one that is deleted, and one that
// is created.
func (e *env) threeEras() [3]era {
	e.Helper()
	e.needsVersions()
	if e.config.Advance == nil {
		e.Skip("the backend does not say how to let time pass")
	}
	p := newDocument("project/p", strong("project/still"))
	e.put(newDocument("project/still"), p, newDocument("project/p/app/a"), newDocument("project/brief"))
	var eras [3]era
	eras[0] = e.era()
	e.config.Advance(e.T, e.backend, time.Second)
	p = next(p)
	e.put(p, next(e.get("project/p/app/a")))
	e.commit(store.Txn{Deletes: []dovetail.ID{"project/brief"}})
	eras[1] = e.era()
	e.config.Advance(e.T, e.backend, time.Second)
	e.put(next(p), next(e.get("project/p/app/a")), newDocument("project/late"))
	eras[2] = e.era()
	return eras
}

// testRetentionByTime: positions expire by the time of their commits, and what is read at the others stays the same.
func testRetentionByTime(e *env) {
	eras := e.threeEras()
	e.expire(store.Retention{Before: eras[0].time.Add(-time.Hour)})
	for _, then := range eras {
		e.wantEra("when the history is longer,", then)
	}
	e.expire(store.Retention{Before: eras[1].time})
	e.wantExpired("the first era", eras[0])
	for _, err := range e.backend.Changes(e.Context(), eras[0].position) {
		e.wantCode("Changes since the first era", err, dovetail.CodeExpired)
		break
	}
	e.wantEra("in the second era", eras[1])
	e.wantEra("in the third era", eras[2])
	position, err := e.backend.PositionAt(e.Context(), eras[1].time)
	if err != nil {
		e.Errorf("PositionAt of the horizon: %v", err)
	} else if got, err := list(e.Context(), e.at(position), store.Query{}); err != nil || len(got) != len(eras[1].documents) {
		e.Errorf("at the horizon there are %v, %v", idsOf(got), err)
	}
	if got := e.versions("project/p"); len(got) < 2 || got[len(got)-2].Revision != 2 || got[len(got)-1].Revision != 3 {
		e.Errorf("of project/p there are %+v", got)
	}
	e.expire(store.Retention{Before: eras[0].time}) // what has expired does not come back, nor does it hurt
	e.wantExpired("the first era, later", eras[0])
	e.restart()
	eras[1].snapshot = e.at(eras[1].position)
	e.wantEra("after a restart, in the second era", eras[1])
	e.wantClean()
}

// testRetentionOfQuietStore: where nothing was written for longer than the history, what there is can still be read and dated.
func testRetentionOfQuietStore(e *env) {
	eras := e.threeEras()
	later := eras[2].time.Add(time.Second)
	e.expire(store.Retention{Before: later})
	e.wantExpired("the second era", eras[1])
	for _, at := range []time.Time{later, later.Add(time.Hour)} {
		position, err := e.backend.PositionAt(e.Context(), at)
		if err != nil {
			e.Fatalf("PositionAt(%s): %v", at, err)
		}
		if got, err := list(e.Context(), e.at(position), store.Query{}); err != nil || len(got) != len(eras[2].documents) {
			e.Errorf("at %s there are %v, %v", at, idsOf(got), err)
		}
	}
	cursor := e.head()
	e.put(next(e.get("project/p")))
	if sets := e.changesSince(cursor); len(sets) == 0 || len(sets[0].Changes) != 1 || sets[0].Changes[0].Revision != 4 {
		e.Errorf("the changes since are %+v", sets)
	}
	e.wantClean()
}

// testRetentionByKind: versions of one kind are erased, which reads say; all else stays.
func testRetentionByKind(e *env) {
	eras := e.threeEras()
	e.expire(store.Retention{Kinds: map[string]store.KindRetention{"project": {Before: eras[1].time.Add(time.Second)}}})
	first := e.at(eras[0].position)
	for _, id := range []dovetail.ID{"project/p", "project/brief"} {
		_, err := first.Get(e.Context(), id)
		e.wantCode("Get of an erased version of "+string(id), err, dovetail.CodeExpired)
	}
	_, err := first.Get(e.Context(), "project/late")
	e.wantCode("Get of what was created later", err, dovetail.CodeNotFound)
	_, err = first.GetAll(e.Context(), []dovetail.ID{"project/still", "project/p"})
	e.wantCode("GetAll", err, dovetail.CodeExpired)
	for _, d := range eras[0].documents {
		if d.Kind == "app" || d.ID == "project/still" {
			if got, err := first.Get(e.Context(), d.ID); err != nil || difference(got, d) != "" {
				e.Errorf("%s was %v, %v", d.ID, got, err)
			}
		}
	}
	var readable, gone []dovetail.ID
	for d, err := range first.List(e.Context(), store.Query{}) {
		switch {
		case err == nil:
			readable = append(readable, d.ID)
		case d == nil:
			e.Fatalf("List: %v", err)
		default:
			e.wantCode("List of an erased version", err, dovetail.CodeExpired)
			gone = append(gone, d.ID)
		}
	}
	if !slices.Equal(readable, []dovetail.ID{"project/p/app/a", "project/still"}) || !slices.Equal(gone, []dovetail.ID{"project/brief", "project/p"}) {
		e.Errorf("the first era has %v, and erased %v", readable, gone)
	}
	if referrers, err := first.Referrers(e.Context(), []dovetail.ID{"project/still"}, "", 0); err != nil || !slices.Equal(referrers, []dovetail.ID{"project/p"}) {
		e.Errorf("referrers: %v, %v", referrers, err)
	}
	e.wantEra("in the second era", eras[1])
	e.wantEra("in the third era", eras[2])
	if got := e.versions("project/p"); len(got) != 3 || got[0].Document != nil || got[0].Cursor == "" || got[1].Document == nil || got[2].Document == nil {
		e.Errorf("of project/p there are %+v", got)
	}
	e.wantClean()
}

// testRetentionByVersions: of each document the latest versions of its kind are kept, and what it says now.
func testRetentionByVersions(e *env) {
	e.needsVersions()
	d, other := newDocument("project/p"), newDocument("project/p/app/a")
	e.put(d, other, newDocument("project/q"))
	for range 4 {
		d, other = next(d), next(other)
		e.put(d, other)
	}
	e.expire(store.Retention{Kinds: map[string]store.KindRetention{"project": {Versions: 2}}})
	for _, test := range []struct {
		id   dovetail.ID
		want []bool // of each version, the oldest first, whether what it says is kept
	}{
		{"project/p", []bool{false, false, true, true, true}},
		{"project/p/app/a", []bool{true, true, true, true, true}},
		{"project/q", []bool{true}},
	} {
		var got []bool
		for _, v := range e.versions(test.id) {
			got = append(got, v.Document != nil)
		}
		if !slices.Equal(got, test.want) {
			e.Errorf("of the versions of %s are kept %v, want %v", test.id, got, test.want)
		}
	}
	e.commit(store.Txn{Deletes: []dovetail.ID{"project/p/app/a", "project/p"}})
	e.put(newDocument("project/p"))
	e.expire(store.Retention{Kinds: map[string]store.KindRetention{"project": {Versions: 1}}})
	var kept []uint64
	for _, v := range e.versions("project/p") {
		if v.Document != nil {
			kept = append(kept, v.Revision)
		}
	}
	if !slices.Equal(kept, []uint64{5, 1}) {
		e.Errorf("after the deletion and the creation are kept the revisions %v", kept)
	}
	e.wantClean()
}

// testRetentionUnderWriters: upkeep and writers do not disturb each other, and what a snapshot of now says is always kept.
func testRetentionUnderWriters(e *env) {
	e.needsVersions()
	e.put(newDocument("project/p"), newDocument("project/q"))
	ctx, stop := context.WithCancel(e.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d := e.get("project/p")
		for ctx.Err() == nil {
			d = next(d)
			if err := e.commitWithRetry(store.Txn{Puts: []*dovetail.Document{d}}); err != nil {
				e.Error(err)
				return
			}
		}
	}()
	for range 20 {
		if err := e.backend.Expire(e.Context(), store.Retention{Kinds: map[string]store.KindRetention{"project": {Versions: 1}}}); err != nil {
			e.Errorf("Expire: %v", err)
		}
		documents, err := list(e.Context(), e.at(""), store.Query{})
		if dovetail.CodeOf(err) == dovetail.CodeExpired {
			continue // more than one version was written since
		}
		if err != nil || len(documents) != 2 {
			e.Errorf("a snapshot of now has %v, %v", idsOf(documents), err)
		}
	}
	stop()
	<-done
	e.wantClean()
}
