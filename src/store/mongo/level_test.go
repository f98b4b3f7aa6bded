package mongo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// earlierStore makes a store as versions of Dovetail did that knew no levels.
func earlierStore(t *testing.T) string {
	t.Helper()
	uri := freshURI(t)
	alterLog(t, uri, identityID, bson.D{{Key: "$set", Value: bson.D{{Key: identityName, Value: "S"}}}})
	return uri
}

// alterLog changes a document of the log as no process of this version does.
func alterLog(t *testing.T, uri, id string, update bson.D) {
	t.Helper()
	clientOptions, database, err := ClientOptions(uri)
	must(t, err)
	client, err := driver.Connect(clientOptions)
	must(t, err)
	defer func() { must(t, client.Disconnect(context.Background())) }()
	_, err = client.Database(database).Collection(logName).UpdateOne(t.Context(), bson.D{{Key: fieldID, Value: id}}, update, options.UpdateOne().SetUpsert(true))
	must(t, err)
}

func openAs(t *testing.T, uri string, o Options) *Backend {
	t.Helper()
	o.ExternalMaintenance = true
	b, err := Open(t.Context(), uri, o)
	must(t, err)
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// leavesIntent reports whether a creation below a parent is answered before its intent is gone.
func leavesIntent(t *testing.T, uri string) bool {
	t.Helper()
	const id = "box/1/item/1"
	b, err := Open(t.Context(), uri, Options{ExternalMaintenance: true, Protocol: protocol.Settings{MaxClearDelay: time.Hour}})
	must(t, err)
	t.Cleanup(func() { must(t, b.client.Disconnect(context.Background())) }) // Close would wait for the intent
	must(t, b.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{doc("box/1", 1)}}))
	must(t, b.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{doc(id, 1)}, Require: []store.Condition{{Test: store.Absent, ID: id}, {Test: store.Exists, ID: "box/1"}}}))
	found, err := b.server.Find(t.Context(), []dovetail.ID{id}, false)
	must(t, err)
	return found[id].Intent != nil
}

func TestLevelOfStores(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		make func(t *testing.T) (uri string)
		want protocol.Level
	}{
		{"new", func(t *testing.T) string { return freshURI(t) }, protocol.Implicit},
		{"of a version that knew no levels", earlierStore, protocol.ThreeSteps},
		{"of a version that gave no names", func(t *testing.T) string {
			uri := freshURI(t)
			b := openAs(t, uri, Options{})
			must(t, b.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{doc("box/0", 1)}}))
			_, err := b.server.log.alone.DeleteOne(t.Context(), identity)
			must(t, err)
			return uri
		}, protocol.ThreeSteps},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			uri := tt.make(t)
			if level, newest := openAs(t, uri, Options{}).Level(); level != tt.want || newest != protocol.NewestLevel {
				t.Errorf("level %d of %d, want %d", level, newest, tt.want)
			}
			if got, want := leavesIntent(t, uri), tt.want >= protocol.Implicit; got != want {
				t.Errorf("a creation was answered before its intent was gone: %t, want %t", got, want)
			}
		})
	}
}

func TestRaiseLevel(t *testing.T) {
	t.Parallel()
	earlier := protocol.ThreeSteps
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, uri string)
		refusal string // "": none
	}{
		{"no other process", func(*testing.T, string) {}, ""},
		{"a process of this version", func(t *testing.T, uri string) { openAs(t, uri, Options{}) }, ""},
		{"a process that does not know the level", func(t *testing.T, uri string) { openAs(t, uri, Options{Name: "old", Version: "1.2.3", knows: earlier}) },
			"old (version 1.2.3, knows level 1"},
		{"a process that did not know the level and has ended", func(t *testing.T, uri string) { must(t, openAs(t, uri, Options{knows: earlier}).Close()) }, ""},
		{"a process that did not know the level and died", func(t *testing.T, uri string) { expire(t, uri, openAs(t, uri, Options{knows: earlier})) }, ""},
		{"a writer that does not announce itself", func(t *testing.T, uri string) {
			alterLog(t, uri, clockID, bson.D{{Key: "$currentDate", Value: bson.D{{Key: "time", Value: true}}}})
		}, "one used the store"},
		{"a reader of the past that does not announce itself", func(t *testing.T, uri string) {
			alterLog(t, uri, clockID, bson.D{{Key: "$currentDate", Value: bson.D{{Key: "now", Value: bson.D{{Key: "$type", Value: "timestamp"}}}}}})
		}, "one used the store"},
		{"a writer that did not announce itself, long ago", func(t *testing.T, uri string) {
			alterLog(t, uri, clockID, bson.D{{Key: "$set", Value: bson.D{{Key: "time", Value: time.Now().Add(-time.Hour)}, {Key: "now", Value: bson.Timestamp{T: 1000, I: 1}}}}})
		}, ""},
		{"a leader that does not announce itself", func(t *testing.T, uri string) { leads(t, uri, "host :1", time.Now(), false) }, `"host :1" leads tasks`},
		{"a leader that did not announce itself, long ago", func(t *testing.T, uri string) { leads(t, uri, "host :1", time.Now().Add(-time.Hour), false) }, ""},
		{"a leader that did not announce itself, and gave its leases back", func(t *testing.T, uri string) { leads(t, uri, "host :1", time.Now(), true) }, ""},
		{"a leader of this version", func(t *testing.T, uri string) {
			must(t, openAs(t, uri, Options{}).SetName(t.Context(), "host :1"))
			leads(t, uri, "host :1", time.Now(), false)
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			uri := earlierStore(t)
			tt.prepare(t, uri)
			from, err := openAs(t, uri, Options{watch: time.Millisecond}).RaiseLevel(t.Context(), nothing)
			if tt.refusal == "" {
				must(t, err)
			} else if dovetail.CodeOf(err) != dovetail.CodeConflict || !strings.Contains(err.Error(), tt.refusal) {
				t.Errorf("the answer is %v, want a conflict that says %s", err, tt.refusal)
			}
			if from != protocol.ThreeSteps {
				t.Errorf("the level was %d", from)
			}
			if got, want := leavesIntent(t, uri), tt.refusal == ""; got != want {
				t.Errorf("a creation was answered before its intent was gone: %t, want %t", got, want)
			}
		})
	}
}

// nothing prepares nothing.
func nothing(context.Context) error { return nil }

// TestTermsByLevel: while processes without levels may write, of which some give no terms, no document is searched for by them. What is to be
// undone of that is undone before the level is raised, and not where it is not raised.
func TestTermsByLevel(t *testing.T) {
	t.Parallel()
	uri := earlierStore(t)
	b := openAs(t, uri, Options{watch: time.Millisecond})
	if can := b.Capabilities(); !can.Terms || can.EveryTerm {
		t.Errorf("at level 1 it can %+v", can)
	}
	leads(t, uri, "host :1", time.Now(), false)
	if _, err := b.RaiseLevel(t.Context(), func(context.Context) error { t.Error("prepared while an earlier process runs"); return nil }); err == nil {
		t.Error("the level was raised")
	}
	leads(t, uri, "host :1", time.Now(), true)
	failed := errors.New("not now")
	if _, err := b.RaiseLevel(t.Context(), func(context.Context) error { return failed }); !errors.Is(err, failed) || b.Capabilities().EveryTerm {
		t.Errorf("got %v, and can %+v", err, b.Capabilities())
	}
	prepared := 0
	if _, err := b.RaiseLevel(t.Context(), func(context.Context) error { prepared++; return nil }); err != nil || prepared != 1 || !b.Capabilities().EveryTerm {
		t.Errorf("got %v after %d preparations, and can %+v", err, prepared, b.Capabilities())
	}
}

// leads writes a heartbeat of a leader, as package lease does.
func leads(t *testing.T, uri, holder string, at time.Time, released bool) {
	t.Helper()
	beat := doc("_beat/s", 1)
	beat.Kind, beat.Updated, beat.Data = "_beat", at, fmt.Appendf(nil, `{"holder":%q,"id":"i","released":%t}`, holder, released)
	must(t, openAs(t, uri, Options{}).Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{beat}}))
}

// expire has a process be taken for dead.
func expire(t *testing.T, uri string, b *Backend) {
	t.Helper()
	long := time.Now().Add(-protocol.MemberExpiry - time.Minute)
	alterLog(t, uri, identityID, bson.D{{Key: "$set", Value: bson.D{{Key: "members." + b.member.ID + ".seen", Value: long}}}})
}

// TestRaisedLevel looks what processes do once the level is raised.
func TestRaisedLevel(t *testing.T) {
	t.Parallel()
	uri := earlierStore(t)
	clock := fakeClock()
	follows := openAs(t, uri, Options{Protocol: protocol.Settings{Clock: clock}})
	stopped := openAs(t, uri, Options{knows: protocol.ThreeSteps})
	expire(t, uri, stopped)
	_, err := openAs(t, uri, Options{watch: time.Millisecond}).RaiseLevel(t.Context(), nothing)
	must(t, err)

	t.Run("a process that knows the level uses it", func(t *testing.T) {
		clock.AwaitWaits(1)
		clock.Advance(protocol.AnnounceInterval)
		clock.AwaitWaits(1) // the process has announced itself
		if level, _ := follows.Level(); level != protocol.Implicit {
			t.Errorf("it uses level %d", level)
		}
	})
	t.Run("a process that does not know it refuses to start", func(t *testing.T) {
		_, err := Open(t.Context(), uri, Options{knows: protocol.ThreeSteps})
		const want = "the store is at protocol level 2, and this version of Dovetail knows levels up to 1"
		if dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, want %s", err, want)
		}
	})
	t.Run("a version that knows no levels refuses to start", func(t *testing.T) {
		found, err := follows.server.log.alone.FindOne(t.Context(), identity).Raw()
		must(t, err)
		if name, there := found.Lookup("name").StringValueOK(); there {
			t.Errorf("it finds the name %q", name)
		}
		if name, _ := found.Lookup("store").StringValueOK(); name != "S" || follows.name != "S" {
			t.Errorf("the store was named S, and is now %q", name)
		}
	})
	t.Run("a process that was stopped for long does nothing any more", func(t *testing.T) {
		if err := stopped.announce(t.Context()); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Fatalf("it announces itself with %v", err)
		}
		if err := stopped.Ping(t.Context()); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("it is well: %v", err)
		}
		if err := stopped.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{doc("box/9", 1)}}); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
			t.Errorf("it writes: %v", err)
		}
	})
}
