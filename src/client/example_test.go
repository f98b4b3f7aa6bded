package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// startServer starts a server with the kinds project and, below it, app, and with change sets.
func startServer() (url string, stop func()) {
	dir, err := os.MkdirTemp("", "dovetail")
	must(err)
	backend, err := bolt.Open(filepath.Join(dir, "example.db"), bolt.Options{})
	must(err)
	changeSets, err := os.ReadFile(filepath.FromSlash("../changeset/ref-schemas/v1.yaml"))
	must(err)
	model, err := schema.Compile([]schema.Source{{Name: "example.yaml", Data: []byte(schemaText)}, {Name: "changeset.yaml", Data: changeSets}})
	must(err)
	s, err := store.Open(context.Background(), backend, model, store.Config{})
	must(err)
	proposals := changeset.New(s, changeset.Options{})
	api := httpapi.New(s, httpapi.Options{Services: []httpapi.Service{proposals.Service()}, ChangeSet: proposals.View})
	server := httptest.NewServer(api)
	return server.URL, func() {
		api.Close()
		server.Close()
		_ = backend.Close()
		_ = os.RemoveAll(dir)
	}
}

// must ends an example that does not work.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func put(id dovetail.ID, data string) store.Operation {
	return store.NewOperation(store.Put, id, json.RawMessage(data))
}

func Example() {
	ctx := context.Background()
	url, stop := startServer() // a server for the example, with the kinds project and app
	defer stop()
	c, err := client.New(url, client.Options{})
	must(err)
	defer c.Close()

	// A child and its parent, in one transaction.
	type data map[string]any
	result, err := c.Apply(ctx, []store.Operation{
		store.NewOperation(store.Put, "project/p1/app/nginx", data{"spec": data{"replicas": 2}}),
		store.NewOperation(store.Put, "project/p1", data{}),
	}, store.Options{})
	must(err)
	for _, outcome := range result.Outcomes {
		fmt.Println(outcome.Effect, outcome.Document.ID)
	}

	// The parent cannot be deleted while the child exists.
	_, err = c.Delete(ctx, "project/p1", false)
	fmt.Println(dovetail.CodeOf(err), dovetail.AsError(err).BlockedBy.IDs)

	for doc, err := range c.Documents(ctx, store.ListQuery{Kind: "app"}) {
		must(err)
		fmt.Println(doc.ID, string(doc.Data))
	}
	// Output:
	// created project/p1/app/nginx
	// created project/p1
	// in-use [project/p1/app/nginx]
	// project/p1/app/nginx {"spec":{"replicas":2}}
}

// A server with authentication enabled needs a token, one with TLS of its own CA an HTTP client that trusts it.
func ExampleNew() {
	c, err := client.New("https://dovetail.example:8443", client.Options{
		Token:     os.Getenv("DOVETAIL_TOKEN"),
		UserAgent: "deployer/1.2",
	})
	must(err)
	defer c.Close()
	fmt.Println(c.Server())
	// Output: https://dovetail.example:8443
}

// A change that depends on the version that was read: no update is lost.
func ExampleClient_Apply_ifVersion() {
	ctx := context.Background()
	url, stop := startServer()
	defer stop()
	c, err := client.New(url, client.Options{})
	must(err)
	_, err = c.Apply(ctx, []store.Operation{put("project/p1", `{"spec": {"owner": "core"}}`)}, store.Options{})
	must(err)

	doc, err := c.Get(ctx, "project/p1")
	must(err)
	patch := store.NewOperation(store.Patch, doc.ID, json.RawMessage(`{"spec": {"owner": "web"}}`)).IfVersion(doc.ETag())
	_, err = c.Apply(ctx, []store.Operation{patch}, store.Options{})
	fmt.Println(err)
	_, err = c.Apply(ctx, []store.Operation{patch}, store.Options{}) // of a version that is no longer there
	fmt.Println(dovetail.CodeOf(err))
	// Output:
	// <nil>
	// stale
}

func ExampleClient_Documents() {
	ctx := context.Background()
	url, stop := startServer()
	defer stop()
	c, err := client.New(url, client.Options{})
	must(err)
	_, err = c.Apply(ctx, []store.Operation{
		put("project/p1", `{"metadata": {"labels": {"tier": "backend"}}}`),
		put("project/p2", `{"metadata": {"labels": {"tier": "frontend"}}}`),
	}, store.Options{})
	must(err)
	labels, err := selector.ParseLabels("tier=backend")
	must(err)
	for doc, err := range c.Documents(ctx, store.ListQuery{Kind: "project", Labels: labels}) {
		must(err)
		fmt.Println(doc.ID)
	}
	// Output: project/p1
}

// What deleting a document with all that depends on it would do.
func ExampleClient_Apply_dryRun() {
	ctx := context.Background()
	url, stop := startServer()
	defer stop()
	c, err := client.New(url, client.Options{})
	must(err)
	_, err = c.Apply(ctx, []store.Operation{put("project/p1", `{}`), put("project/p1/app/nginx", `{}`)}, store.Options{})
	must(err)
	result, err := c.Apply(ctx, []store.Operation{{Verb: store.Delete, ID: "project/p1", Cascade: true}}, store.Options{DryRun: true})
	must(err)
	for _, outcome := range result.Cascaded {
		fmt.Println(outcome.Effect, outcome.Document.ID, "as", outcome.Cause.Relation)
	}
	// Output: deleted project/p1/app/nginx as descendant
}

func ExampleClient_Watch() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	url, stop := startServer()
	defer stop()
	c, err := client.New(url, client.Options{})
	must(err)
	from, err := c.Head(ctx) // before what shall be seen
	must(err)
	_, err = c.Apply(ctx, []store.Operation{put("project/p1", `{}`), put("project/p1/app/nginx", `{}`)}, store.Options{})
	must(err)
	for event, err := range c.Watch(ctx, from, store.WatchQuery{Kind: "app"}) {
		must(err)
		for _, change := range event.Changes {
			fmt.Println(change.Op, change.ID)
		}
		cancel() // ends the watch
	}
	// Output:
	// created project/p1/app/nginx
}

// What a document was, who changed it and why, and how to have it back.
func ExampleClient_History() {
	ctx := context.Background()
	url, stop := startServer()
	defer stop()
	c, err := client.New(url, client.Options{})
	must(err)
	for _, write := range []struct{ data, why string }{{`{"spec": {"replicas": 2}}`, "first"}, {`{"spec": {"replicas": 5}}`, "more load"}} {
		_, err := c.Apply(ctx, []store.Operation{put("project/p1", write.data)}, store.Options{Message: write.why})
		must(err)
	}
	var latest, first store.VersionSummary
	for version, err := range c.History(ctx, "project/p1") {
		must(err)
		fmt.Println(version.Op, version.Paths, version.Message)
		if latest.Version == "" {
			latest = version
		}
		first = version
	}

	then, err := c.At(first.Position).Get(ctx, "project/p1")
	must(err)
	fmt.Println(string(then.Data))

	_, err = c.Revert(ctx, latest.Position, store.Options{Message: "the load is gone"})
	must(err)
	now, err := c.Get(ctx, "project/p1")
	must(err)
	fmt.Println(string(now.Data))
	// Output:
	// updated [/spec/replicas] more load
	// created [] first
	// {"spec":{"replicas":2}}
	// {"spec":{"replicas":2}}
}

// Changes that are prepared and reviewed before they are made, and undone.
func ExampleClient_ChangeSets() {
	ctx := context.Background()
	url, stop := startServer()
	defer stop()
	c, err := client.New(url, client.Options{})
	must(err)
	_, err = c.Apply(ctx, []store.Operation{put("project/p1", `{"spec": {"replicas": 2}}`)}, store.Options{})
	must(err)

	sets := c.ChangeSets()
	_, err = sets.Create(ctx, api.NewChangeSet{Name: "weekend", Title: "More replicas"}, store.Options{})
	must(err)
	view := c.InChangeSet("weekend") // reads what would be, and stages what it writes
	_, err = view.Apply(ctx, []store.Operation{put("project/p1", `{"spec": {"replicas": 5}}`)}, store.Options{})
	must(err)
	for _, reader := range []*client.Client{c, view} {
		doc, err := reader.Get(ctx, "project/p1")
		must(err)
		fmt.Println(string(doc.Data))
	}

	diff, err := sets.Diff(ctx, "weekend")
	must(err)
	for _, change := range diff.Operations[0].Changes {
		fmt.Println(change.Op, change.Path, string(change.From), string(change.To))
	}
	_, err = sets.Review(ctx, "weekend", api.Approve, "fine", store.Options{})
	must(err)
	merge, err := sets.Merge(ctx, "weekend", store.Options{})
	must(err)
	fmt.Println(merge.ChangeSet.State, merge.Operations[0].Effect)

	back, err := sets.Revert(ctx, "weekend", api.NewChangeSet{}, store.Options{})
	must(err)
	_, err = sets.Merge(ctx, back.Name, store.Options{})
	must(err)
	doc, err := c.Get(ctx, "project/p1")
	must(err)
	fmt.Println(string(doc.Data))
	// Output:
	// {"spec":{"replicas":2}}
	// {"spec":{"replicas":5}}
	// replace /spec/replicas 2 5
	// merged updated
	// {"spec":{"replicas":2}}
}

// A value that another user changed since, too, is a conflict; a rebase decides it.
func ExampleConflictsOf() {
	ctx := context.Background()
	url, stop := startServer()
	defer stop()
	c, err := client.New(url, client.Options{})
	must(err)
	sets := c.ChangeSets()
	write := func(to *client.Client, data string) {
		_, err := to.Apply(ctx, []store.Operation{put("project/p1", data)}, store.Options{})
		must(err)
	}
	write(c, `{"spec": {"replicas": 2}}`)
	_, err = sets.Create(ctx, api.NewChangeSet{Name: "weekend"}, store.Options{})
	must(err)
	write(c.InChangeSet("weekend"), `{"spec": {"replicas": 5}}`)
	write(c, `{"spec": {"replicas": 3}}`)

	_, err = sets.Merge(ctx, "weekend", store.Options{})
	var resolve []api.Resolution
	for _, conflict := range api.ConflictsOf(err) {
		fmt.Println(conflict.ID, conflict.Path, string(conflict.Base), string(conflict.Staged), string(conflict.Now))
		resolve = append(resolve, api.Resolution{ID: conflict.ID, Path: conflict.Path, Take: api.TakeStaged})
	}
	_, err = sets.Rebase(ctx, "weekend", resolve, store.Options{})
	must(err)
	merge, err := sets.Merge(ctx, "weekend", store.Options{})
	must(err)
	fmt.Println(merge.ChangeSet.State)
	// Output:
	// project/p1 /spec/replicas 2 5 3
	// merged
}
