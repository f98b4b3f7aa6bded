package argocd

import (
	"testing"
	"time"

	"github.com/argoproj/gitops-engine/pkg/cache"
	"github.com/argoproj/gitops-engine/pkg/diff"
	"github.com/argoproj/gitops-engine/pkg/sync"
	"github.com/argoproj/gitops-engine/pkg/sync/common"
	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/gitops-engine/pkg/utils/tracing"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

// engine is that of Argo CD, with its cache of a cluster.
type engine struct {
	config *rest.Config
	cache  cache.ClusterCache

	changed chan struct{} // has a value after the cache has changed
}

func connect(t *testing.T, address string) *engine {
	t.Helper()
	e := &engine{config: &rest.Config{Host: address, QPS: 1000, Burst: 1000}, changed: make(chan struct{}, 1)}
	// Like Argo CD it remembers what belongs to an Application, and keeps the manifests of that.
	info := func(o *unstructured.Unstructured, _ bool) (any, bool) {
		name := o.GetLabels()[instance]
		return name, name != ""
	}
	e.cache = cache.NewClusterCache(e.config, cache.SetLogr(logr.Discard()), cache.SetPopulateResourceInfoHandler(info))
	e.cache.OnResourceUpdated(func(*cache.Resource, *cache.Resource, map[kube.ResourceKey]*cache.Resource) {
		select {
		case e.changed <- struct{}{}:
		default:
		}
	})
	if err := e.cache.EnsureSynced(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.cache.Invalidate() })
	return e
}

// compare pairs manifests with what there is, and says how many of the pairs differ.
func (e *engine) compare(t *testing.T, manifests []*unstructured.Unstructured) (pairs sync.ReconciliationResult, differ int) {
	t.Helper()
	managed, err := e.cache.GetManagedLiveObjs(manifests, func(r *cache.Resource) bool { return r.Info == "site" })
	if err != nil {
		t.Fatal(err)
	}
	pairs = sync.Reconcile(manifests, managed, "", e.cache)
	differences, err := diff.DiffArray(pairs.Target, pairs.Live, diff.WithLogr(logr.Discard()))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences.Diffs {
		if d.Modified {
			differ++
		}
	}
	return pairs, differ
}

// sync brings what there is to what the manifests say, wave after wave, as the controller of Argo CD does: with what it knows of the operation so far it looks at
// the cluster again, after a change or after a while, until the operation is complete.
func (e *engine) sync(t *testing.T, manifests []*unstructured.Unstructured) (phase common.OperationPhase, message string, counts map[string]int) {
	t.Helper()
	var results []common.ResourceSyncResult
	began := metav1.Now()
	for deadline := time.Now().Add(5 * time.Minute); ; e.await(100 * time.Millisecond) {
		pairs, _ := e.compare(t, manifests)
		options := []sync.SyncOpt{sync.WithPrune(true), sync.WithLogr(logr.Discard())}
		if phase != "" {
			options = append(options, sync.WithInitialState(phase, message, results, began))
		}
		step, cleanup, err := sync.NewSyncContext("revision", pairs, e.config, e.config, &kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}, "", e.cache.GetOpenAPISchema(), options...)
		if err != nil {
			t.Fatal(err)
		}
		step.Sync()
		phase, message, results = step.GetState()
		cleanup()
		if phase.Completed() {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the operation is %s: %s", phase, message)
		}
	}
	counts = make(map[string]int)
	for _, r := range results {
		counts[string(r.Status)]++
		if r.Status == common.ResultCodeSyncFailed {
			t.Logf("%s: %s", r.ResourceKey, r.Message)
		}
	}
	return phase, message, counts
}

// TestEngine syncs documents with a folder: all of them in any order, again without a change, after another user's change, and without some.
//
// It applies on the client's side: on the server's side this version of the engine names no field manager, which no API server takes.
func TestEngine(t *testing.T) {
	e := connect(t, serve(t))
	all := site()
	if len(all) != 200 {
		t.Fatalf("there are %d manifests", len(all))
	}
	expect := func(manifests []*unstructured.Unstructured, synced, pruned int) {
		t.Helper()
		phase, message, counts := e.sync(t, manifests)
		if phase != common.OperationSucceeded || counts[string(common.ResultCodeSynced)] != synced || counts[string(common.ResultCodePruned)] != pruned {
			t.Fatalf("%s: %s: %v", phase, message, counts)
		}
		e.follows(t, func() bool { _, differ := e.compare(t, manifests); return differ == 0 })
	}
	if _, differ := e.compare(t, all); differ != 200 {
		t.Fatalf("of an empty store %d differ", differ)
	}
	expect(all, 200, 0)
	expect(all, 200, 0)

	// A change of another user is seen and reverted.
	resource, err := (&kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}).PatchResource(t.Context(), e.config, all[0].GroupVersionKind(), all[0].GetName(), all[0].GetNamespace(), "application/merge-patch+json",
		[]byte(`{"metadata": {"labels": {"`+instance+`": "another"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if resource.GetLabels()[instance] != "another" {
		t.Fatal(resource.Object)
	}
	e.follows(t, func() bool { _, differ := e.compare(t, all); return differ == 1 })
	expect(all, 200, 0)

	// Of a cluster that goes, all in it goes with it.
	rest := without(all, "cluster-3")
	expect(rest, len(rest), 13)
	e.follows(t, func() bool {
		left := e.cache.FindResources("")
		return len(left) == len(rest)
	})
}

// follows waits until the cache of the engine, which watches, knows what has changed.
func (e *engine) follows(t *testing.T, known func() bool) {
	t.Helper()
	for !known() {
		if !e.await(time.Minute) {
			t.Fatal("the cache does not follow what is stored")
		}
	}
}

// await returns true once the cache has changed, and false if it has not for the duration.
func (e *engine) await(d time.Duration) bool {
	select {
	case <-e.changed:
		return true
	case <-time.After(d):
		return false
	}
}
