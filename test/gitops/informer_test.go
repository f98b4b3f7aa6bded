package gitops

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// rounds is the first number usually, and the second in a long run, as in the tests of the program itself.
func rounds(usual, long int) int {
	if os.Getenv("DOVETAIL_TEST_LONG") != "" {
		return long
	}
	return usual
}

func dynamicClient(t *testing.T, config *rest.Config) *dynamic.DynamicClient {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// watchable are the resources that discovery offers for watching.
func watchable(t *testing.T, config *rest.Config) []schema.GroupVersionResource {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := client.ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	var all []schema.GroupVersionResource
	for _, list := range discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "watch"}}, lists) {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range list.APIResources {
			all = append(all, version.WithResource(resource.Name))
		}
	}
	return all
}

// follower is a client that has informers over every kind.
type follower struct {
	name      string
	streamed  bool
	observer  *observer
	informers []cache.SharedIndexInformer
	changed   chan struct{} // has a value after an informer was told of a change
}

// follow starts informers over every kind, which reach the server by a line.
func follow(t *testing.T, name, address string, line *line, streamed bool) *follower {
	t.Helper()
	featurestesting.SetFeatureDuringTest(t, features.WatchListClient, streamed) // read when an informer starts
	config := &rest.Config{Host: address, QPS: -1, Dial: line.dial}
	f := &follower{name: name, streamed: streamed, observer: observe(dynamicClient(t, config)), changed: make(chan struct{}, 1)}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(f.observer, 0)
	notice := func(any) {
		select {
		case f.changed <- struct{}{}:
		default:
		}
	}
	for _, resource := range watchable(t, config) {
		informer := factory.ForResource(resource).Informer()
		handlers := cache.ResourceEventHandlerFuncs{AddFunc: notice, UpdateFunc: func(_, now any) { notice(now) }, DeleteFunc: notice}
		if _, err := informer.AddEventHandler(handlers); err != nil {
			t.Fatal(err)
		}
		f.informers = append(f.informers, informer)
	}
	stop := make(chan struct{})
	t.Cleanup(func() {
		close(stop)
		factory.Shutdown()
	})
	factory.Start(stop)
	for resource, synced := range factory.WaitForCacheSync(t.Context().Done()) {
		if !synced {
			t.Fatalf("the informer over %v has not begun", resource)
		}
	}
	return f
}

// TestInformers: the informers of client-go over every kind, with streaming lists and without, hold what the store holds, after random
// writes, restarts of the server, and an absence that is longer than the history, and were told nothing that contradicts itself.
func TestInformers(t *testing.T) {
	const history = 100
	server := newServer(t, "--history", fmt.Sprint(history))
	line := &line{open: make(map[net.Conn]bool)}
	followers := []*follower{follow(t, "with lists", server.address, line, false), follow(t, "with streaming lists", server.address, line, true)}
	pool := site(rand.New(rand.NewPCG(1, 0)), extent{2, 2, 2, 2, 2})
	var writers []*writer
	for n := range 4 {
		client := dynamicClient(t, &rest.Config{Host: server.address, QPS: -1})
		writers = append(writers, &writer{client, rand.New(rand.NewPCG(1, uint64(n+1))), pool})
	}
	const absence = history + 20
	writes := (rounds(1500, 10_000)-absence)/3 + 1
	write(t, writers, writes, func() { server.restart(t) })
	held(t, server.address, followers)
	lists := make(map[*follower]int)
	for _, f := range followers {
		lists[f] = f.observer.counts().lists
	}
	write(t, writers, writes, func() { server.restart(t) })
	line.cut() // at once: after each time client-go waits longer before it tries again
	write(t, writers, absence, func() {})
	line.restore()
	held(t, server.address, followers)
	for _, f := range followers {
		if f.observer.counts().lists == lists[f] {
			t.Errorf("%s: no informer listed again after the absence", f.name)
		}
	}
	write(t, writers, writes, func() {})
	held(t, server.address, followers)

	for _, f := range followers {
		told, kinds := f.observer.counts(), f.observer.kindsTold()
		t.Logf("%s: %d informers: %+v of %v", f.name, len(f.informers), told, kinds)
		if streamed := told.streams > 0; streamed != f.streamed {
			t.Errorf("%s: %d lists were streamed", f.name, told.streams)
		}
		if told.expired == 0 || told.events < writes || len(kinds) < 7 {
			t.Errorf("%s: too little was told: %+v of %v", f.name, told, kinds)
		}
		for _, fault := range f.observer.found() {
			t.Errorf("%s: %s", f.name, fault)
		}
	}
}

// held waits until informers hold what REST answers, and fails with what differs if they never do.
func held(t *testing.T, address string, followers []*follower) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	stored := documents(t, address)
	if len(stored) == 0 {
		t.Fatal("no document is left to compare")
	}
	for _, f := range followers {
		for differs := f.differences(stored); len(differs) > 0; differs = f.differences(stored) {
			select {
			case <-f.changed:
			case <-deadline:
				t.Fatal(strings.Join(differs, "\n"))
			}
		}
	}
}

// differences are those between what the informers hold and what is stored.
func (f *follower) differences(stored map[types.UID]content) (differs []string) {
	missing := maps.Clone(stored)
	for _, informer := range f.informers {
		for _, item := range informer.GetStore().List() {
			o := item.(*unstructured.Unstructured)
			doc, found := missing[o.GetUID()]
			delete(missing, o.GetUID())
			if got := contentOf(o); !found {
				differs = append(differs, fmt.Sprintf("%s: %s %s is held, but not stored", f.name, o.GetKind(), keyOf(o)))
			} else if !reflect.DeepEqual(got, doc) {
				differs = append(differs, fmt.Sprintf("%s: %s %s is held as %v, but stored as %v", f.name, o.GetKind(), keyOf(o), got, doc))
			}
		}
	}
	for uid, doc := range missing {
		differs = append(differs, fmt.Sprintf("%s: %s is stored as %v, but not held", f.name, uid, doc))
	}
	return differs
}

// content is what must be the same of an object and a document.
type content struct {
	version      string
	data, status map[string]any
	managers     any
}

func contentOf(o *unstructured.Unstructured) content {
	data := o.DeepCopy().Object
	status, _ := data["status"].(map[string]any)
	metadata, _ := data["metadata"].(map[string]any)
	c := content{version: o.GetResourceVersion(), data: data, status: status, managers: metadata["managedFields"]}
	for _, member := range []string{"apiVersion", "kind", "status"} {
		delete(data, member)
	}
	for _, member := range []string{"namespace", "uid", "resourceVersion", "creationTimestamp", "managedFields"} {
		delete(metadata, member)
	}
	return c
}

// documents reads all of them through REST, by uid.
func documents(t *testing.T, address string) map[types.UID]content {
	t.Helper()
	stored := make(map[types.UID]content)
	for more := ""; ; {
		answer, err := http.Get(address + "/v2/documents?limit=100" + more)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close() // it is read
		var page struct {
			Continue string `json:"continue"`
			Items    []struct {
				UID          types.UID       `json:"uid"`
				Revision     uint64          `json:"revision"`
				Data, Status json.RawMessage // decoded as client-go does, with whole numbers
			} `json:"items"`
		}
		if err == nil {
			err = json.Unmarshal(text, &page)
		}
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v: %s", answer.Status, err, text)
		}
		for _, item := range page.Items {
			c := content{version: fmt.Sprintf("%s-%d", item.UID, item.Revision)}
			if err := utiljson.Unmarshal(item.Data, &c.data); err != nil {
				t.Fatal(err)
			}
			if len(item.Status) > 0 {
				if err := utiljson.Unmarshal(item.Status, &c.status); err != nil {
					t.Fatal(err)
				}
				c.managers = c.status["managedFields"]
				if delete(c.status, "managedFields"); len(c.status) == 0 {
					c.status = nil
				}
			}
			stored[item.UID] = c
		}
		if more = "&continue=" + url.QueryEscape(page.Continue); page.Continue == "" {
			return stored
		}
	}
}
