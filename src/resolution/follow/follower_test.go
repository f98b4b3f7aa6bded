package follow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/internal/operate/lease"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/resolution/follow"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// publisher publishes one source.
type publisher struct {
	mu      sync.Mutex
	content string // a Source document
	partly  []follow.Quarantined
	err     error
	fetches int
	specs   []string // what was asked for: its URL
}

func (p *publisher) publish(content string, err error, partly ...follow.Quarantined) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.content, p.err, p.partly = content, err, partly
}

func (p *publisher) Fetch(_ context.Context, _ string, s *follow.Spec, revision string) (*follow.Content, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fetches++
	p.specs = append(p.specs, s.URL.String())
	if p.err != nil {
		return nil, p.err
	}
	if revision == p.content {
		return nil, nil //nolint:nilnil // as Fetch does
	}
	docs, err := yaml.Parse("source", []byte(p.content), value.Limits{})
	if err != nil {
		return nil, err
	}
	return &follow.Content{Source: docs[0], Revision: p.content, Digest: fmt.Sprint(len(p.partly), p.content), Quarantined: p.partly}, nil
}

func (p *publisher) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fetches
}

type world struct {
	*testing.T
	store     *store.Store
	published *publisher
}

// run runs a test in a bubble, with a follower of a store.
func run(t *testing.T, test func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		backend := apitest.OpenBolt(t)
		defer backend.Close()
		w := &world{T: t, store: apitest.NewStore(t, backend, store.Config{}, "../ref-schemas/v1.yaml"), published: &publisher{}}
		ctx, cancel := context.WithCancel(t.Context())
		f := &follow.Follower{Store: w.store, Fetcher: w.published}
		var working sync.WaitGroup
		working.Go(func() {
			lease.New(backend, lease.Options{}).Run(ctx, lease.Task{Name: "test", Lead: func(ctx context.Context, fence store.Condition) {
				if err := f.Run(ctx, fence); err != nil {
					t.Error(err)
				}
			}})
		})
		test(w)
		cancel()
		working.Wait()
	})
}

func (w *world) put(id, text string) {
	w.Helper()
	docs, err := yaml.Parse("doc", []byte(text), value.Limits{})
	if err != nil {
		w.Fatal(err)
	}
	if _, err := w.store.Apply(w.Context(), []store.Operation{{Verb: store.Put, ID: dovetail.ID(id), Data: docs[0]}}, store.Options{}); err != nil {
		w.Fatal(err)
	}
}

// stored lists what is below the source, and its status.
func (w *world) stored() (ids string, s follow.Status, condition string) {
	w.Helper()
	synctest.Wait()
	var list []string
	for doc, err := range w.store.Documents(w.Context(), store.ListQuery{Under: "source/cat"}) {
		if err != nil {
			w.Fatal(err)
		}
		list = append(list, strings.TrimPrefix(string(doc.ID), "source/cat/package/"))
	}
	doc, err := w.store.Get(w.Context(), "source/cat")
	if err != nil {
		w.Fatal(err)
	}
	var status struct {
		Conditions []struct{ Type, Status, Reason, Message string }
	}
	_ = json.Unmarshal(doc.Status, &status)
	for _, c := range status.Conditions {
		condition += c.Type + " " + c.Status + " " + c.Reason
	}
	return strings.Join(list, " "), follow.ReadStatus(doc), condition
}

func (w *world) expect(ids, condition string) follow.Status {
	w.Helper()
	got, s, is := w.stored()
	if got != ids || is != condition {
		w.Errorf("%s: %s (%s), want %s: %s", is, got, s.Error, condition, ids)
	}
	return s
}

const following = "spec: {follow: {type: helm, url: 'https://example.org/a', interval: 1m}}"

// TestFollower: what is published is stored, and what is stored stays where it cannot be read.
func TestFollower(t *testing.T) {
	run(t, func(w *world) {
		one := "packages: [{name: p, versions: [{version: 1.0.0, channels: [c]}]}, {name: q, versions: [{version: 1.0.0, channels: [c]}]}]"
		two := "packages: [{name: p, versions: [{version: 2.0.0, channels: [c]}]}]"
		w.published.publish(one, nil)
		w.put("source/cat", following)
		whole := "p p/packageVersion/1.0.0 q q/packageVersion/1.0.0"
		if s := w.expect(whole, "Followed True Current"); s.Packages != 2 || s.Versions != 2 || s.Updated == nil {
			w.Errorf("%+v", s)
		}
		before, err := w.store.Head(w.Context())
		if err != nil {
			w.Fatal(err)
		}
		clocktest.Advance(10 * time.Minute)
		if now, err := w.store.Head(w.Context()); err != nil || now != before || w.published.asked() < 10 {
			w.Errorf("nothing was published, and after %d fetches the store went from %s to %s (%v)", w.published.asked(), before, now, err)
		}

		w.published.publish("", dovetail.Errorf(dovetail.CodeUnavailable, "no connection"))
		clocktest.Advance(time.Minute)
		if s := w.expect(whole, "Followed False Failing"); s.Error != "no connection" || s.ErrorCode != dovetail.CodeUnavailable {
			w.Errorf("%+v", s)
		}
		w.published.publish("packages: []", nil)
		clocktest.Advance(time.Minute)
		w.expect(whole, "Followed False Failing")

		w.published.publish(two, nil, follow.Quarantined{Package: "q", Message: "it is broken"})
		clocktest.Advance(time.Minute)
		if s := w.expect("p p/packageVersion/2.0.0 q q/packageVersion/1.0.0", "Followed False Quarantined"); len(s.Quarantined) != 1 {
			w.Errorf("%+v", s)
		}
		w.published.publish(two, nil)
		clocktest.Advance(time.Minute)
		w.published.publish(two+" ", nil) // another revision: the digest of the test holds what is quarantined
		clocktest.Advance(time.Minute)
		w.expect("p p/packageVersion/2.0.0", "Followed True Current")

		w.put("source/cat", "spec: {priority: 3}") // it follows nothing any more
		asked := w.published.asked()
		clocktest.Advance(time.Hour)
		if w.published.asked() != asked {
			w.Error("it is still followed")
		}
	})
}

// TestRefusedPackages: a package that the store refuses is quarantined, and the others are stored.
func TestRefusedPackages(t *testing.T) {
	run(t, func(w *world) {
		w.published.publish("packages: [{name: p, versions: [{version: 1.0.0, channels: [c]}]}, {name: bad, defaultChannel: 7, versions: [{version: 1.0.0, channels: [c]}]}]", nil)
		w.put("source/cat", following)
		if s := w.expect("p p/packageVersion/1.0.0", "Followed False Quarantined"); len(s.Quarantined) != 1 || s.Quarantined[0].Package != "bad" || s.Quarantined[0].Message == "" {
			w.Errorf("%+v", s)
		}
	})
}

// TestRefresh: another thing to follow, and a refresh that is asked for, do not wait for the interval.
func TestRefresh(t *testing.T) {
	run(t, func(w *world) {
		content := func(version string) string {
			return "packages: [{name: p, versions: [{version: " + version + ", channels: [c]}]}]"
		}
		w.published.publish(content("1.0.0"), nil)
		w.put("source/cat", following)
		w.expect("p p/packageVersion/1.0.0", "Followed True Current")
		w.published.publish(content("2.0.0"), nil)
		w.put("source/cat", strings.Replace(following, "/a", "/b", 1))
		w.expect("p p/packageVersion/2.0.0", "Followed True Current")
		if last := w.published.specs[len(w.published.specs)-1]; last != "https://example.org/b" {
			w.Errorf("asked at %s", last)
		}
		w.published.publish(content("3.0.0"), nil)
		doc, err := w.store.Get(w.Context(), "source/cat")
		if err != nil {
			w.Fatal(err)
		}
		at := time.Now().UTC()
		status, err := follow.Requested(doc, at)
		if err != nil {
			w.Fatal(err)
		}
		if _, err := w.store.Apply(w.Context(), []store.Operation{{Verb: store.PutStatus, ID: doc.ID, Data: status}}, store.Options{}); err != nil {
			w.Fatal(err)
		}
		if s := w.expect("p p/packageVersion/3.0.0", "Followed True Current"); s.Refreshed == nil || !s.Refreshed.Equal(at) {
			w.Errorf("%+v", s)
		}
	})
}
