package override_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// readStore notes the environments of which documents are listed. After, if it is there, is called with each of them once the documents are read.
type readStore struct {
	*store.Store
	mu    sync.Mutex
	read  map[inventory.Environment]bool
	after func(inventory.Environment)
}

func (s *readStore) List(ctx context.Context, q store.ListQuery) (*store.Page, error) {
	page, err := s.Store.List(ctx, q)
	if key := q.Under.Key(); len(key) >= 2 {
		e := inventory.Environment{Cluster: key[0].Value, Name: key[1].Value}
		s.mu.Lock()
		s.read[e] = true
		s.mu.Unlock()
		if s.after != nil {
			s.after(e)
		}
	}
	return page, err
}

// names returns the environments that were read, and forgets them.
func (s *readStore) names() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for e := range s.read {
		all = append(all, e.Name)
	}
	clear(s.read)
	slices.Sort(all)
	return strings.Join(all, " ")
}

// allButOne lets the principal "limited" read everything except what is below the environment c/e00001, and all others everything.
type allButOne struct{}

func (allButOne) Permissions(ctx context.Context) dovetail.Permissions {
	who := dovetail.PrincipalOf(ctx)
	return limits{who != nil && who.Name == "limited"}
}

func (allButOne) Protections(context.Context) []dovetail.Protection { return nil }

type limits struct{ limited bool }

const hiddenEnvironment = dovetail.ID("cluster/c/environment/e00001")

func (l limits) Allows(_ dovetail.Right, _ string, id dovetail.ID) bool {
	return !l.limited || !id.IsDescendantOf(hiddenEnvironment)
}

func (l limits) Below(right dovetail.Right, kinds []string, id dovetail.ID) bool {
	return !l.limited || id != "" && id != hiddenEnvironment && !hiddenEnvironment.IsDescendantOf(id) && l.Allows(right, "", id)
}
func (l limits) Anywhere(dovetail.Right, []string, dovetail.ID) bool { return true }
func (l limits) Everywhere(dovetail.Right) bool                      { return !l.limited }
func (l limits) NeedsUse(string, bool) bool                          { return false }

// newReadStore returns a store with environments of which all but each third use the ParamSet common.
func newReadStore(t *testing.T, backend store.Backend, config store.Config, environments int) *readStore {
	t.Helper()
	s := apitest.NewStore(t, apitest.Closing(t, backend), config, "../inventory/ref-schemas/v1.yaml", "../descriptor/ref-schemas/v1.yaml", "ref-schemas/v1.yaml")
	load(t, s, sharedFiles(environments, func(i int) bool { return i%3 != 2 }), "")
	return &readStore{Store: s, read: make(map[inventory.Environment]bool)}
}

const commonDraft = `{"paramSet":{"name":"common","location":"environments/parameters","parameters":{"LEVEL":"debug"}}}`

// askFor is the impact of a draft, for the principal of a context, as JSON.
func askFor(ctx context.Context, t testing.TB, o *override.Overrides, body string) string {
	t.Helper()
	c := &client{contextual{t, ctx}, o.Service().Endpoints}
	text, err := json.Marshal(c.must("POST", "/api/effective-set/impact", "limit=10000", body).Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// contextual is a test with another context.
type contextual struct {
	testing.TB
	ctx context.Context
}

func (c contextual) Context() context.Context { return c.ctx }

// write puts a member into the spec of a document.
func write(t testing.TB, s *store.Store, id dovetail.ID, member, text string) {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	data = data.Unplaced()
	data.Get("spec").Set(member, v)
	if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: id, Data: data}}, store.Options{}); err != nil {
		t.Fatal(err)
	}
}

// TestImpactReadsWhatChanged asks for one impact again and again: only environments that have changed since are read again.
func TestImpactReadsWhatChanged(t *testing.T) {
	const all = "e00000 e00001 e00002 e00003 e00004 e00005"
	environment := func(name string) dovetail.ID { return inventory.Environment{Cluster: "c", Name: name}.ID() }
	for name, open := range map[string]func(testing.TB) store.Backend{"bolt": apitest.OpenBolt, "mongo": mongotest.Open} {
		t.Run(name, func(t *testing.T) {
			s := newReadStore(t, open(t), store.Config{}, 6)
			options := override.Options{Repository: repositoryOf}
			o := override.New(override.Stored{Store: s}, options)
			askFor(t.Context(), t, o, commonDraft)
			if read := s.names(); read != all {
				t.Fatalf("first %s were read", read)
			}
			for _, test := range []struct {
				name   string
				change func()
				draft  string
				want   string
			}{
				{name: "nothing changes"},
				{name: "an environment that uses the ParamSet", change: func() { write(t, s.Store, environment("e00003"), "cloud", `{"e2eParameters":{"LEVEL":"other"}}`) }, want: "e00003"},
				{name: "an environment that does not use it", change: func() { write(t, s.Store, environment("e00002"), "cloud", `{"e2eParameters":{"LEVEL":"other"}}`) }, want: "e00002"},
				{name: "two environments", change: func() {
					write(t, s.Store, environment("e00000"), "cloud", `{"e2eParameters":{"LEVEL":"more"}}`)
					write(t, s.Store, environment("e00004"), "cloud", `{"e2eParameters":{"LEVEL":"more"}}`)
				}, want: "e00000 e00004"},
				{name: "a document that no environment has", change: func() {
					if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Create, ID: "cluster/other", Data: value.NewMap()}}, store.Options{}); err != nil {
						t.Fatal(err)
					}
				}},
				{name: "another ParamSet of the site", change: func() { write(t, s.Store, "siteParamSet/first", "parameters", `{"LEVEL":"changed"}`) }, want: all},
				{name: "the ParamSet itself", change: func() { write(t, s.Store, "siteParamSet/common", "parameters", `{"LEVEL":"stored"}`) }, want: all},
				{name: "another draft", draft: strings.Replace(commonDraft, "debug", "trace", 1), want: all},
			} {
				if test.change != nil {
					test.change()
				}
				if test.draft == "" {
					test.draft = commonDraft
				}
				got := askFor(t.Context(), t, o, test.draft)
				if read := s.names(); read != test.want {
					t.Errorf("%s: %q were read, want %q", test.name, read, test.want)
				}
				if whole := askFor(t.Context(), t, override.New(override.Stored{Store: s.Store}, options), test.draft); whole != got {
					t.Errorf("%s: %s, want %s", test.name, got, whole)
				}
			}
		})
	}
}

// TestKeptImpactsAreForWhoMayRead: what was calculated for one principal is not told to another who may not read all of it.
func TestKeptImpactsAreForWhoMayRead(t *testing.T) {
	s := newReadStore(t, apitest.OpenBolt(t), store.Config{Guard: allButOne{}}, 4)
	options := override.Options{Repository: repositoryOf}
	o := override.New(override.Stored{Store: s}, options)
	if whole := askFor(t.Context(), t, o, commonDraft); !strings.Contains(whole, "e00001") {
		t.Fatalf("of all: %s", whole)
	}
	limited := dovetail.WithPrincipal(t.Context(), &dovetail.Principal{Name: "limited"})
	got := askFor(limited, t, o, commonDraft)
	if fresh := askFor(limited, t, override.New(override.Stored{Store: s}, options), commonDraft); got != fresh {
		t.Errorf("kept %s, want %s", got, fresh)
	}
	if !strings.Contains(got, "limited may not read everything") {
		t.Errorf("it tells of what may not be read: %s", got)
	}
}

// TestReadsForImpactsAreRecorded: where reads are recorded, each impact is made from documents that are read for it.
func TestReadsForImpactsAreRecorded(t *testing.T) {
	var mu sync.Mutex
	recorded := make(map[string]int)
	audit := store.Audit{Report: func(_ context.Context, r store.AuditRecord) {
		mu.Lock()
		defer mu.Unlock()
		if r.Event == store.AuditRead {
			for _, op := range r.Operations {
				recorded[string(op.ID)]++
			}
		}
	}, Level: func(store.AuditEvent) store.AuditLevel { return store.AuditMetadata }}
	s := newReadStore(t, apitest.OpenBolt(t), store.Config{Audit: audit}, 3)
	o := override.New(override.Stored{Store: s}, override.Options{Repository: repositoryOf})
	askFor(t.Context(), t, o, commonDraft)
	first := maps.Clone(recorded)
	clear(recorded)
	askFor(t.Context(), t, o, commonDraft)
	if len(first) == 0 || fmt.Sprint(first) != fmt.Sprint(recorded) {
		t.Errorf("first %v, then %v", first, recorded)
	}
}

// TestImpactsOfWhatChangedMeanwhile changes an environment after a request has read it, and asks again before that ends: what the first one calculates is not kept.
func TestImpactsOfWhatChangedMeanwhile(t *testing.T) {
	s := newReadStore(t, apitest.OpenBolt(t), store.Config{}, 3)
	options := override.Options{Repository: repositoryOf}
	o := override.New(override.Stored{Store: s}, options)
	changed := false
	s.after = func(e inventory.Environment) {
		if e.Name != "e00001" || changed {
			return
		}
		changed = true
		of := e.ID()
		for _, association := range listOf(t, s.Store, of, "paramSetAssociation") { // it uses the ParamSet no longer
			if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: association}}, store.Options{}); err != nil {
				t.Error(err)
			}
		}
		askFor(t.Context(), t, override.New(override.Stored{Store: s.Store}, options), commonDraft)
		askFor(t.Context(), t, o, strings.Replace(commonDraft, "debug", "trace", 1)) // the service learns of the change
	}
	if first := askFor(t.Context(), t, o, commonDraft); !strings.Contains(first, "e00001") || !changed {
		t.Fatalf("before the change: %s", first)
	}
	if got := askFor(t.Context(), t, o, commonDraft); strings.Contains(got, "e00001") {
		t.Errorf("after it: %s", got)
	}
}

func listOf(t testing.TB, s *store.Store, under dovetail.ID, kind string) []dovetail.ID {
	t.Helper()
	page, err := s.List(t.Context(), store.ListQuery{Under: under, Kind: kind})
	if err != nil || len(page.Documents) == 0 {
		t.Fatal(page, err)
	}
	var ids []dovetail.ID
	for _, doc := range page.Documents {
		ids = append(ids, doc.ID)
	}
	return ids
}
