package fleet_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/lease"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// system is who the controllers write as.
var system = &dovetail.Principal{Name: dovetail.SystemPrefix + resolution.ServiceName}

// world is a store with the controllers of resolutions and of sets.
type world struct {
	t     testing.TB
	store *store.Store
}

func newWorld(t testing.TB, schemas ...string) *world { return newWorldWith(t, nil, schemas...) }

// newWorldWith returns a world with access control.
func newWorldWith(t testing.TB, guard store.Guard, schemas ...string) *world {
	t.Helper()
	backend := apitest.OpenBolt(t)
	config := store.Config{Author: resolution.Authors(), OnBehalf: map[string]store.OnBehalf{fleet.Kind: fleet.Needs}, Guard: guard}
	w := &world{t: t, store: apitest.NewStore(t, backend, config, schemas...)}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	resolutions := resolution.New(w.store, resolution.Options{})
	sets := &fleet.Controller{Store: w.store, Principal: system, Rest: 20 * time.Millisecond, Retry: 50 * time.Millisecond}
	ctx = dovetail.WithPrincipal(ctx, system)
	go func() {
		defer close(done)
		lease.New(backend, lease.Options{TTL: time.Hour}).Run(ctx, lease.Task{Name: "resolution", Lead: func(ctx context.Context, fence store.Condition) {
			other := make(chan error)
			go func() { other <- sets.Run(ctx, fence) }()
			for _, err := range []error{resolutions.Control(ctx, fence), <-other} {
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		}})
	}()
	t.Cleanup(func() { cancel(); <-done; _ = backend.Close() })
	w.source("cat", `{"packages":[{"name":"web","versions":[{"version":"1.0.0","channels":["main"],"image":"registry.example.org/web:1"},
		{"version":"2.0.0","channels":["main"],"image":"registry.example.org/web:2","properties":[{"type":"helm.kubeVersion","value":">=1.31.0-0"}]}]}]}`)
	return w
}

const (
	own       = "../ref-schemas/v1.yaml"
	inventory = "../../inventory/ref-schemas/v1.yaml"
)

func (w *world) parse(text string) *value.Value {
	w.t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		w.t.Fatalf("%v: %s", err, text)
	}
	return v
}

func (w *world) source(name, text string) {
	w.t.Helper()
	operations, err := sourcedoc.Operations(nil, name, w.parse(text), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.apply(w.t.Context(), operations...)
}

func (w *world) apply(ctx context.Context, operations ...store.Operation) {
	w.t.Helper()
	if _, err := w.store.Apply(ctx, operations, store.Options{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) put(id, data string) {
	w.t.Helper()
	w.apply(w.t.Context(), store.Operation{Verb: store.Put, ID: dovetail.ID(id), Data: w.parse(data)})
}

func (w *world) get(id string) *dovetail.Document {
	w.t.Helper()
	doc, err := w.store.Get(w.t.Context(), dovetail.ID(id))
	if err != nil {
		w.t.Fatal(err)
	}
	return doc
}

// until waits for a status of a set in the form of tell.
func (w *world) until(set, want string) {
	w.t.Helper()
	apitest.Until(w.t, w.store, "the status is "+want, func() bool { return tell(w.get("activeResolutionSet/"+set)) == want })
}

// tell shows the status of a set in short.
func tell(doc *dovetail.Document) string {
	s := fleet.ReadStatus(doc)
	var all []string
	for _, c := range s.Conditions {
		all = append(all, c.Type+"="+c.Status+":"+c.Reason)
	}
	for _, p := range s.Problems {
		all = append(all, p.Cluster+"!"+p.Reason)
	}
	for _, v := range s.Versions {
		all = append(all, fmt.Sprintf("%s:%s*%d", v.Package, v.Version, v.Clusters))
	}
	return strings.Join(all, " ")
}

// members are the names of the ActiveResolutions that there are.
func (w *world) members() string {
	w.t.Helper()
	var all []string
	for doc, err := range w.store.Documents(w.t.Context(), store.ListQuery{Kind: state.Kind}) {
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, doc.Key()[0].Value)
	}
	return strings.Join(all, " ")
}

// holds waits until it is so.
func (w *world) holds(what string, is func() bool) {
	w.t.Helper()
	apitest.Until(w.t, w.store, what, is)
}

const template = `"template":{"metadata":{"labels":{"team":"web"},"annotations":{"deppy.io/activator-class":"Operator"}},"spec":{"sources":["cat"],"constraints":["required(\"web\")"]}}`

// TestSet: an ActiveResolution is kept for each cluster, with what that has; the status of the set sums them up.
func TestSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, own)
	set := func(clusters string) {
		t.Helper()
		w.put("activeResolutionSet/web", `{"spec":{"clusters":[`+clusters+`],`+template+`}}`)
	}
	const (
		old    = `{"name":"old","facts":{"kubernetes":"v1.29.3"}}`
		recent = `{"name":"recent","facts":{"kubernetes":"v1.31.0"}}`
	)
	set(old + "," + recent)
	w.until("web", "Resolved=True:Resolved Activated=True:Activated web:1.0.0*1 web:2.0.0*1")
	if got, want := w.members(), "web-old web-recent"; got != want {
		t.Errorf("there are %s, want %s", got, want)
	}
	doc := w.get("activeResolution/web-old")
	if got, want := string(doc.Data), `{"metadata":{"name":"web-old","labels":{"team":"web","resolution.dovetail.dev/set":"web","resolution.dovetail.dev/cluster":"old"},"annotations":{"deppy.io/activator-class":"Operator"}},`+
		`"spec":{"set":"web","sources":["cat"],"constraints":["required(\"web\")"],"facts":{"kubernetes":"v1.29.3"}}}`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s := fleet.ReadStatus(w.get("activeResolutionSet/web")); s.ObservedGeneration != 1 || s.Conditions[0].ObservedGeneration != 1 || s.Clusters != 2 || s.Resolved != 2 || s.Activated == nil || *s.Activated != 2 || s.Conditions[0].Message != "2 of 2 clusters are resolved" {
		t.Errorf("the status is %+v", s)
	}

	// What one cluster asks for beside the others.
	set(old + `,{"name":"recent","facts":{"kubernetes":"v1.31.0"},"constraints":["prohibited(\"web\")"],"annotations":{"activator.dovetail.dev/server":"https://recent"}}`)
	w.until("web", "Resolved=False:Unsatisfiable Activated=True:Activated recent!Unsatisfiable web:1.0.0*1 web:2.0.0*1") // the last good selections stay
	if got := string(w.get("activeResolution/web-recent").Data); !strings.Contains(got, `"constraints":["required(\"web\")","prohibited(\"web\")"]`) || !strings.Contains(got, `"activator.dovetail.dev/server":"https://recent"`) {
		t.Errorf("got %s", got)
	}
	if got, want := fleet.ReadStatus(w.get("activeResolutionSet/web")).Conditions[0].Message, "1 of 2 clusters are resolved; 1 Unsatisfiable; the first is recent: [0] required"; !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}

	// A cluster that is no longer named, and one by the name of another resolution.
	w.put("activeResolution/web-taken", `{"spec":{"constraints":[]}}`)
	set(old + `,{"name":"taken"}`)
	w.until("web", "Resolved=False:NameTaken Activated=False:NameTaken taken!NameTaken web:1.0.0*1")
	if got, want := w.members(), "web-old web-taken"; got != want {
		t.Errorf("there are %s, want %s", got, want)
	}
	w.apply(t.Context(), store.Operation{Verb: store.Delete, ID: "activeResolution/web-taken"})
	w.until("web", "Resolved=True:Resolved Activated=True:Activated web:1.0.0*1 web:2.0.0*1")

	// What is changed by hand is changed back, and what is deleted comes again.
	w.put("activeResolution/web-old", `{"spec":{"set":"web","constraints":[]}}`)
	w.apply(t.Context(), store.Operation{Verb: store.Delete, ID: "activeResolution/web-taken"})
	w.holds("as before", func() bool {
		return w.members() == "web-old web-taken" && string(w.get("activeResolution/web-old").Data) == string(doc.Data)
	})

	// One that only says that it belongs to the set is named, and stays.
	w.put("activeResolution/mine", `{"spec":{"set":"web","constraints":[]}}`)
	w.until("web", "Resolved=True:Resolved Activated=True:Activated !NotAMember web:1.0.0*1 web:2.0.0*1")

	// With the set go those that belong to it.
	w.apply(t.Context(), store.Operation{Verb: store.Delete, ID: "activeResolutionSet/web", Cascade: true})
	if got := w.members(); got != "" {
		t.Errorf("%s stay", got)
	}
}

// TestSetOfSelectedClusters: clusters are selected by their labels, with what their documents say that they have.
func TestSetOfSelectedClusters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, own, inventory)
	cluster := func(name, env, version string) {
		t.Helper()
		w.put("cluster/"+name, fmt.Sprintf(`{"metadata":{"labels":{"env":%q}},"spec":{"facts":{"kubernetes":%q}}}`, env, version))
	}
	cluster("a", "prod", "v1.29.3")
	cluster("b", "test", "v1.31.0")
	w.put("activeResolutionSet/web", `{"spec":{"clusterSelector":"env=prod",`+template+`}}`)
	w.until("web", "Resolved=True:Resolved Activated=True:Activated web:1.0.0*1")
	cluster("c", "prod", "v1.32.0")
	w.until("web", "Resolved=True:Resolved Activated=True:Activated web:1.0.0*1 web:2.0.0*1")
	cluster("a", "prod", "v1.33.0")
	w.until("web", "Resolved=True:Resolved Activated=True:Activated web:2.0.0*2")
	w.apply(t.Context(), store.Operation{Verb: store.Delete, ID: "cluster/a"})
	w.until("web", "Resolved=True:Resolved Activated=True:Activated web:2.0.0*1")
	if got, want := w.members(), "web-c"; got != want {
		t.Errorf("there are %s, want %s", got, want)
	}
	if got, want := w.get("activeResolutionSet/web").Inputs, []dovetail.ID{"cluster/*", "source/cat"}; !slices.Equal(sorted(got), want) {
		t.Errorf("made from %v, want %v", got, want)
	}
	// What is said in the set goes before what the document says.
	w.put("activeResolutionSet/web", `{"spec":{"clusterSelector":"env=prod","clusters":[{"name":"c","facts":{"kubernetes":"v1.29.0"}}],`+template+`}}`)
	w.until("web", "Resolved=True:Resolved Activated=True:Activated web:1.0.0*1")
}

func sorted(ids []dovetail.ID) []dovetail.ID { return slices.Sorted(slices.Values(ids)) }

// TestSetThatIsWrong: what cannot be understood is named, and what is kept stays.
func TestSetThatIsWrong(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 20_001 {
		many = append(many, fmt.Sprintf(`{"name":"c%d"}`, i))
	}
	tests := []struct{ name, spec, reason, want string }{
		{"many", `{"clusters":[` + strings.Join(many, ",") + `],` + template + `}`, fleet.ReasonInvalidSet, "the set has 20001 clusters; it may have 20000"},
		{"large", `{"clusters":[` + strings.Join(many[:1000], ",") + `],"template":{"spec":{"constraints":["` + strings.Repeat(" ", 600_000) + `required(\"web\")"]}}}`, fleet.ReasonInvalidSet, "what is written for 1000 clusters has 572 MiB"},
		{"constraint", `{"clusters":[{"name":"a"}],"template":{"spec":{"sources":["cat"],"constraints":["requird(\"web\")"]}}}`, "InvalidConstraint", "requird"},
		{"selector", `{"clusterSelector":"env in prod",` + template + `}`, fleet.ReasonInvalidSet, "selector"},
		{"twice", `{"clusters":[{"name":"a"},{"name":"a"}],` + template + `}`, fleet.ReasonInvalidSet, `duplicate "a"`},
		{"name", `{"clusters":[{"name":"a/\u0001"}],` + template + `}`, fleet.ReasonInvalidSet, "no cluster can be called"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, own)
			w.put("activeResolutionSet/web", `{"spec":{"clusters":[{"name":"a"}],`+template+`}}`)
			w.until("web", "Resolved=True:Resolved Activated=True:Activated web:2.0.0*1")
			w.put("activeResolutionSet/web", `{"spec":`+tt.spec+`}`)
			w.until("web", "Resolved=False:"+tt.reason)
			if got := fleet.ReadStatus(w.get("activeResolutionSet/web")).Conditions[0].Message; !strings.Contains(got, tt.want) {
				t.Errorf("it says %s, not %s", got, tt.want)
			}
			if got, want := w.members(), "web-a"; got != want {
				t.Errorf("there are %s, want %s", got, want)
			}
		})
	}
}

// TestApprovalOfSet: who made the set ask for something cannot approve the plans for it, though the resolutions are written by the service.
func TestApprovalOfSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, own)
	as := func(who string) context.Context {
		return dovetail.WithPrincipal(t.Context(), &dovetail.Principal{Name: who})
	}
	put := func(who, description, version string) {
		t.Helper()
		w.apply(as(who), store.Operation{Verb: store.Put, ID: "activeResolutionSet/web", Data: w.parse(fmt.Sprintf(
			`{"metadata":{"description":%q},"spec":{"clusters":[{"name":"a","facts":{"kubernetes":%q}}],"template":{"metadata":{"annotations":{"deppy.io/activator-class":"Operator"}},
			"spec":{"sources":["cat"],"constraints":["required(\"web\")"],"policy":"latest","installed":[],"approval":"required"}}}}`, description, version))})
	}
	approve := func(who string) string {
		t.Helper()
		plan := state.ReadStatus(w.get("activeResolution/web-a")).PlanDigest
		for _, e := range resolution.New(w.store, resolution.Options{}).Service().Endpoints {
			if !strings.HasSuffix(e.Path, "/approve") {
				continue
			}
			_, err := e.Handle(as(who), &httpapi.Request{Path: map[string]string{"activeResolution": "web-a"}, Body: w.parse(`{"plan":"` + plan + `"}`)})
			if err != nil {
				return dovetail.AsError(err).Reason
			}
			return "approved"
		}
		return "no endpoint"
	}
	expect := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	put("alice", "", "v1.29.3")
	w.until("web", "Resolved=True:Resolved Activated=False:AwaitingApproval a!AwaitingApproval web:1.0.0*1")
	put("bob", "a label does not change the author", "v1.29.3")
	expect(approve("alice"), state.ReasonOwnPlan)
	// Nor does a note in what the service has written.
	doc := w.get("activeResolution/web-a")
	data, err := value.DataOf(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	forged := data.Clone()
	forged.Get("metadata").Get("annotations").Set(state.AuthorAnnotation, value.NewString("bob"))
	w.apply(as("alice"), store.Operation{Verb: store.Put, ID: doc.ID, Data: forged})
	expect(approve("alice"), state.ReasonOwnPlan)
	expect(approve("bob"), "approved")
	w.until("web", "Resolved=True:Resolved Activated=True:Activated web:1.0.0*1")
	put("bob", "", "v1.31.0")
	w.until("web", "Resolved=True:Resolved Activated=False:AwaitingApproval a!AwaitingApproval web:2.0.0*1")
	expect(approve("bob"), state.ReasonOwnPlan)
	expect(approve("alice"), "approved")
}

// BenchmarkFleet is the time from a set, of clusters with four versions of Kubernetes, to the status that all of them are activated; and from
// a version that is added to the source to that all have it.
func BenchmarkFleet(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w := newWorld(b, own)
				var clusters []string
				for i := range n {
					clusters = append(clusters, fmt.Sprintf(`{"name":"c%05d","facts":{"kubernetes":"v1.%d.0"}}`, i, 29+i%4))
				}
				b.StartTimer()
				began := time.Now()
				w.put("activeResolutionSet/web", `{"spec":{"clusters":[`+strings.Join(clusters, ",")+`],`+template+`}}`)
				w.until("web", fmt.Sprintf("Resolved=True:Resolved Activated=True:Activated web:1.0.0*%d web:2.0.0*%d", n/2, n/2))
				b.ReportMetric(time.Since(began).Seconds(), "s-from-set")
				began = time.Now()
				w.put("source/cat/package/web/packageVersion/1.1.0", `{"metadata":{"name":"1.1.0"},"spec":{"channels":["main"],"image":"registry.example.org/web:1.1"}}`)
				w.until("web", fmt.Sprintf("Resolved=True:Resolved Activated=True:Activated web:1.1.0*%d web:2.0.0*%d", n/2, n/2))
				b.ReportMetric(time.Since(began).Seconds(), "s-from-version")
			}
		})
	}
}
