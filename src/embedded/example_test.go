package embedded_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/embedded"
	"github.com/dovetail-store/dovetail/src/store"
)

// catalog is a model of one's own: services, each of which belongs to a team.
const catalog = `
resources:
  - name: team
  - name: service
    references:
      - name: team
`

// Service is the data of a service.
type Service struct {
	Metadata Metadata    `json:"metadata"`
	Spec     ServiceSpec `json:"spec"`
}

// Metadata has the labels that selectors look at.
type Metadata struct {
	Labels map[string]string `json:"labels,omitempty"`
}

// ServiceSpec names the team that owns the service.
type ServiceSpec struct {
	Team string `json:"team"`
	Port int    `json:"port"`
}

// must ends an example that does not work. A program handles the error.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func Example() {
	ctx := context.Background()
	s, err := embedded.Open(ctx, embedded.Options{Schema: catalog}) // a temporary store; with Path, a file
	must(err)
	defer s.Close()

	// A team and two services, in one transaction.
	api := Service{Metadata{Labels: map[string]string{"tier": "backend"}}, ServiceSpec{Team: "core", Port: 443}}
	web := Service{Metadata{Labels: map[string]string{"tier": "frontend"}}, ServiceSpec{Team: "core", Port: 80}}
	result, err := s.Apply(ctx,
		embedded.Create("team/core", map[string]any{}),
		embedded.Create("service/api", api),
		embedded.Create("service/web", web))
	must(err)
	for _, outcome := range result.Outcomes {
		fmt.Println(outcome.Effect, outcome.Document.ID)
	}

	// The team cannot be deleted while services reference it.
	_, err = s.Apply(ctx, embedded.Delete("team/core"))
	fmt.Println(dovetail.CodeOf(err), dovetail.AsError(err).BlockedBy.IDs)

	// Services of the backend, as values of Go.
	for doc, err := range s.List(ctx, embedded.Query{Kind: "service", Labels: "tier=backend"}) {
		must(err)
		var service Service
		must(json.Unmarshal(doc.Data, &service))
		fmt.Println(doc.ID, service.Spec.Port)
	}
	// Output:
	// created team/core
	// created service/api
	// created service/web
	// in-use [service/api service/web]
	// service/api 443
}

// open opens a temporary store of the catalog with a team and two services.
func open(ctx context.Context) *embedded.Store {
	s, err := embedded.Open(ctx, embedded.Options{Schema: catalog})
	must(err)
	_, err = s.Apply(ctx,
		embedded.Create("team/core", json.RawMessage(`{}`)),
		embedded.Create("service/api", Service{Spec: ServiceSpec{Team: "core", Port: 443}}),
		embedded.Create("service/web", Service{Spec: ServiceSpec{Team: "core", Port: 80}}))
	must(err)
	return s
}

// A database file keeps its documents and its schema.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	must(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "catalog.db")

	s, err := embedded.Open(ctx, embedded.Options{Path: path, Schema: catalog})
	must(err)
	_, err = s.Apply(ctx, embedded.Create("team/core", map[string]any{}))
	must(err)
	must(s.Close())

	s, err = embedded.Open(ctx, embedded.Options{Path: path})
	must(err)
	defer s.Close()
	doc, err := s.Get(ctx, "team/core")
	fmt.Println(doc.ID, doc.Revision, err)
	// Output: team/core 1 <nil>
}

// The schema of a directory, or of files that the program embeds.
func ExampleOptions_schemaFS() {
	ctx := context.Background()
	s, err := embedded.Open(ctx, embedded.Options{
		SchemaFS: os.DirFS("../../ref-schemas/examples/emco"),
		Clock:    func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
	})
	must(err)
	defer s.Close()
	result, err := s.Apply(ctx, embedded.Create("project/p1", map[string]any{}))
	must(err)
	fmt.Println(result.Outcomes[0].Document.Created)
	// Output: 2026-03-01 12:00:00 +0000 UTC
}

// Everything that is wrong with a transaction is reported together.
func ExampleStore_Apply_refused() {
	ctx := context.Background()
	s := open(ctx)
	defer s.Close()
	_, err := s.Apply(ctx,
		embedded.Create("service/mail", Service{Spec: ServiceSpec{Team: "post", Port: 25}}),
		embedded.Create("service/api", Service{Spec: ServiceSpec{Team: "core", Port: 443}}))
	for _, part := range dovetail.AsError(err).Errors {
		fmt.Println(part.Code, part.Key, part.Missing)
	}
	// Output:
	// missing service/mail [team/post]
	// exists service/api []
}

// Two programs that change the same document do not lose an update: the second one reads again.
func ExampleStore_Apply_ifVersion() {
	ctx := context.Background()
	s := open(ctx)
	defer s.Close()
	doc, err := s.Get(ctx, "service/api")
	must(err)
	patch := embedded.Patch(doc.ID, map[string]any{"spec": map[string]any{"port": 8443}}).IfVersion(doc.ETag())
	_, err = s.Apply(ctx, patch)
	fmt.Println(err)
	_, err = s.Apply(ctx, patch) // of a version that is no longer there
	fmt.Println(dovetail.CodeOf(err), string(dovetail.AsError(err).Current.Data))
	// Output:
	// <nil>
	// stale {"metadata":{},"spec":{"team":"core","port":8443}}
}

func ExampleStore_DryRun() {
	ctx := context.Background()
	s := open(ctx)
	defer s.Close()
	result, err := s.DryRun(ctx, embedded.DeleteCascade("team/core"))
	must(err)
	for _, outcome := range result.Cascaded {
		fmt.Println(outcome.Effect, outcome.Document.ID, "as", outcome.Cause.Relation, "of", outcome.Cause.ID)
	}
	_, err = s.Get(ctx, "team/core")
	fmt.Println(err)
	// Output:
	// deleted service/api as referrer of team/core
	// deleted service/web as referrer of team/core
	// <nil>
}

// Pages of a list: the next one begins after the last id of the one before.
func ExampleStore_List_pages() {
	ctx := context.Background()
	s := open(ctx)
	defer s.Close()
	query := embedded.Query{Kind: "service", Fields: "spec.team=core", Limit: 1}
	for page := 1; ; page++ {
		count := 0
		for doc, err := range s.List(ctx, query) {
			must(err)
			fmt.Println("page", page, doc.ID)
			query.After = doc.ID
			count++
		}
		if count < query.Limit {
			break
		}
	}
	// Output:
	// page 1 service/api
	// page 2 service/web
}

func ExampleStore_Referrers() {
	ctx := context.Background()
	s := open(ctx)
	defer s.Close()
	references, err := s.References(ctx, "service/api")
	must(err)
	fmt.Println("service/api references", references[0].ID)
	referrers, err := s.Referrers(ctx, "team/core")
	must(err)
	fmt.Println("team/core is referenced by", referrers)
	// Output:
	// service/api references team/core
	// team/core is referenced by [service/api service/web]
}

func ExampleStore_Watch() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := open(ctx)
	defer s.Close()

	from, err := s.Head(ctx) // before what shall be seen
	must(err)
	_, err = s.Apply(ctx, embedded.Delete("service/api"),
		embedded.Patch("service/web", map[string]any{"spec": map[string]any{"port": 8080}}))
	must(err)
	for event, err := range s.Watch(ctx, from, store.WatchQuery{Kind: "service"}) {
		must(err)
		for _, change := range event.Changes {
			fmt.Println(change.Op, change.ID)
		}
		cancel() // ends the watch
	}
	// Output:
	// deleted service/api
	// updated service/web
}

// What this package does not show is in the engine: here a tree.
func ExampleStore_Engine() {
	ctx := context.Background()
	s := open(ctx)
	defer s.Close()
	tree, err := s.Engine().Tree(ctx, "", 1, 10)
	must(err)
	for _, node := range tree.Children {
		fmt.Println(node.Kind, node.ID)
	}
	// Output:
	// service service/api
	// service service/web
	// team team/core
}
