package kubeapi_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

func resourceOf(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "shop.dovetail.dev", Version: "v1", Resource: plural}
}

// connect returns a client as programs for Kubernetes have it.
func connect(t testing.TB, server *apitest.Server) *dynamic.DynamicClient {
	client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func objectOf(kind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	meta := map[string]any{"name": name}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "shop.dovetail.dev/v1", "kind": kind, "metadata": meta, "spec": spec}}
}

// TestInformers: after random writes informers hold what the store holds, those that began before, those that watched from the beginning
// with what there was, and those that select by labels.
func TestInformers(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		server, _ := serve(t, open(t))
		client, writes := connect(t, server), rounds.Of(200, 10_000)
		ctx := t.Context()
		all := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
		selected := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, metav1.NamespaceAll, func(o *metav1.ListOptions) { o.LabelSelector = "tier=front" })
		informer, front := all.ForResource(resourceOf("apps")).Informer(), selected.ForResource(resourceOf("apps")).Informer()
		stop := make(chan struct{})
		defer all.Shutdown()
		defer selected.Shutdown()
		defer close(stop)
		all.Start(stop)
		selected.Start(stop)
		random := rand.New(rand.NewPCG(1, 2))
		for _, p := range []string{"p0", "p1"} {
			if _, err := client.Resource(resourceOf("projects")).Create(ctx, objectOf("Project", "", p, map[string]any{}), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		for range writes {
			namespace, name := fmt.Sprintf("p%d", random.IntN(2)), fmt.Sprintf("a%d", random.IntN(8))
			apps := client.Resource(resourceOf("apps")).Namespace(namespace)
			o := objectOf("App", namespace, name, map[string]any{"replicas": int64(random.IntN(100))})
			if random.IntN(2) == 0 {
				o.SetLabels(map[string]string{"tier": "front"})
			}
			switch random.IntN(3) {
			case 0:
				_ = apps.Delete(ctx, name, metav1.DeleteOptions{}) // which may not be there
			default:
				if _, err := apps.Update(ctx, o, metav1.UpdateOptions{}); err != nil {
					_, _ = apps.Create(ctx, o, metav1.CreateOptions{})
				}
			}
		}
		list, err := client.Resource(resourceOf("apps")).List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		labelled := list.DeepCopy()
		labelled.Items = nil
		for _, item := range list.Items {
			if item.GetLabels()["tier"] == "front" {
				labelled.Items = append(labelled.Items, item)
			}
		}
		if len(list.Items) == 0 || len(labelled.Items) == 0 {
			t.Fatal("nothing is left to compare")
		}
		converges(t, informer, list)
		converges(t, front, labelled)
	})
}

// converges waits until an informer holds a list.
func converges(t *testing.T, informer cache.SharedIndexInformer, list *unstructured.UnstructuredList) {
	t.Helper()
	want := make(map[string]string)
	for _, item := range list.Items {
		want[item.GetNamespace()+"/"+item.GetName()] = item.GetResourceVersion()
	}
	changed := make(chan struct{}, 1)
	notice := func(any) {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	handlers := cache.ResourceEventHandlerFuncs{AddFunc: notice, UpdateFunc: func(_, now any) { notice(now) }, DeleteFunc: notice}
	if _, err := informer.AddEventHandler(handlers); err != nil {
		t.Fatal(err)
	}
	for deadline := time.After(apitest.Patience); ; {
		got := make(map[string]string)
		for _, item := range informer.GetStore().List() {
			o := item.(*unstructured.Unstructured)
			got[o.GetNamespace()+"/"+o.GetName()] = o.GetResourceVersion()
		}
		if fmt.Sprint(got) == fmt.Sprint(want) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("the informer holds %v, the store %v", got, want)
		}
	}
}

// TestWatch: a watch continues from a list, from an object, and from a bookmark, and tells no event twice.
func TestWatch(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		server, _ := serve(t, open(t))
		projects := connect(t, server).Resource(resourceOf("projects"))
		ctx := t.Context()
		write := func(name string, n int) *unstructured.Unstructured {
			o := objectOf("Project", "", name, map[string]any{"n": int64(n)})
			made, err := projects.Update(ctx, o, metav1.UpdateOptions{})
			if err != nil {
				made, err = projects.Create(ctx, o, metav1.CreateOptions{})
			}
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
		first := write("a", 1)
		list, err := projects.List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		write("b", 1)
		write("a", 2)
		if err := projects.Delete(ctx, "b", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		write("z", 1)
		cases := []struct {
			name    string
			options metav1.ListOptions
			want    []string
		}{
			{"from a list", metav1.ListOptions{ResourceVersion: list.GetResourceVersion(), FieldSelector: "metadata.name=a"}, []string{"MODIFIED a 2"}},
			{"from an object", metav1.ListOptions{ResourceVersion: first.GetResourceVersion(), FieldSelector: "metadata.name=a"}, []string{"MODIFIED a 2"}},
			{"from what there is", metav1.ListOptions{}, []string{"ADDED a 2", "ADDED z 1"}},
			{"everything, without the creation of what went", metav1.ListOptions{ResourceVersion: list.GetResourceVersion()}, []string{"MODIFIED a 2", "ADDED z 1"}},
		}
		for _, tt := range cases {
			t.Run(tt.name, func(t *testing.T) {
				w, err := projects.Watch(ctx, tt.options)
				if err != nil {
					t.Fatal(err)
				}
				defer w.Stop()
				for _, want := range tt.want {
					got := describe(<-w.ResultChan())
					if got == "DELETED b <nil>" { // of which a backend may leave out the creation, as store.Backend says
						got = describe(<-w.ResultChan())
					}
					if got != want {
						t.Fatalf("%s, want %s", got, want)
					}
				}
			})
		}
		t.Run("from a bookmark", func(t *testing.T) {
			yes := true
			w, err := projects.Watch(ctx, metav1.ListOptions{SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"ADDED a 2", "ADDED z 1"} {
				if got := describe(<-w.ResultChan()); got != want {
					t.Fatalf("%s, want %s", got, want)
				}
			}
			end := <-w.ResultChan()
			mark := end.Object.(*unstructured.Unstructured)
			w.Stop()
			if end.Type != watch.Bookmark || mark.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "true" {
				t.Fatal(end)
			}
			write("c", 1)
			if w, err = projects.Watch(ctx, metav1.ListOptions{ResourceVersion: mark.GetResourceVersion()}); err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			if got := describe(<-w.ResultChan()); got != "ADDED c 1" {
				t.Error(got)
			}
		})
		t.Run("from an object among others", func(t *testing.T) {
			if answer := server.Send("GET", group+"/projects?watch=true&resourceVersion="+first.GetResourceVersion(), ""); answer.Status != 410 {
				t.Errorf("%d %s", answer.Status, answer.Text)
			}
		})
	})
}

func describe(e watch.Event) string {
	o, ok := e.Object.(*unstructured.Unstructured)
	if !ok {
		return fmt.Sprint(e)
	}
	n, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "n")
	return fmt.Sprintf("%s %s %v", e.Type, o.GetName(), n)
}
