package changeset_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The seal of a review is in the status of a change set, whose readers may know all uids and times of an operation that they may not read. Only the salt
// in that operation keeps them from trying what its content is.
func TestSealDoesNotConfirmAGuess(t *testing.T) {
	seal := func(salt func() string) string {
		t.Helper()
		uids, now := 0, time.Unix(1_800_000_000, 0)
		s := newStore(t, store.Config{Clock: func() time.Time { return now }, NewUID: func() string { uids++; return strconv.Itoa(uids) }})
		sets, ann := changeset.New(s, changeset.Options{Salt: salt}), as(t, "ann")
		must[*changeset.Shown](t)(sets.Create(ann, "x", "", "", store.Options{}))
		stage(ann, t, sets, "x", store.Operation{Verb: store.Create, ID: "project/p", Data: spec(t, `{"pin":1234}`)})
		must[*changeset.Shown](t)(sets.Review(ann, "x", api.Comment, "seen", store.Options{}))
		var status struct{ Reviews []changeset.Review }
		doc := must[*dovetail.Document](t)(s.Get(ann, "changeSet/x"))
		if err := json.Unmarshal(doc.Status, &status); err != nil || len(status.Reviews) != 1 || status.Reviews[0].Seal == "" {
			t.Fatalf("%v: %s", err, doc.Status)
		}
		return status.Reviews[0].Seal
	}
	same := func() string { return "salt" }
	if one, other := seal(same), seal(same); one != other {
		t.Fatal("more than the salt differs")
	}
	if one, other := seal(nil), seal(nil); one == other {
		t.Error("the seal depends only on what a reader of the change set may know, and on the content")
	}
}
