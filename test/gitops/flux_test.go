package gitops

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/cli-utils/pkg/object"
	"github.com/fluxcd/pkg/ssa"
	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

// engine returns that of Flux, connected as its controllers are.
func engine(t *testing.T, address string) *ssa.ResourceManager {
	t.Helper()
	ctrllog.SetLogger(logr.Discard())
	config := &rest.Config{Host: address, QPS: -1}
	transport, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	mapper, err := apiutil.NewDynamicRESTMapper(config, transport)
	if err != nil {
		t.Fatal(err)
	}
	client, err := ctrl.New(config, ctrl.Options{HTTPClient: transport, Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	manager := ssa.NewResourceManager(client, polling.NewStatusPoller(client, mapper, polling.Options{}), ssa.Owner{Field: "kustomize-controller", Group: "kustomize.toolkit.fluxcd.io"})
	manager.SetConcurrency(4)
	return manager
}

// counts are how often the engine did what.
func counts(changes *ssa.ChangeSet) map[ssa.Action]int {
	n := make(map[ssa.Action]int)
	for _, entry := range changes.Entries {
		n[entry.Action]++
	}
	return n
}

// expect fails if the engine did anything else.
func expect(t *testing.T, changes *ssa.ChangeSet, want map[ssa.Action]int) {
	t.Helper()
	if got := counts(changes); !maps.Equal(got, want) {
		t.Fatalf("the engine did %v, want %v", got, want)
	}
}

// lacks reports whether an error only says that documents are missing which are still to be applied.
func lacks(err error) bool {
	var status apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &status) {
		return false
	}
	return slices.ContainsFunc(status.Status().Details.Causes, func(c metav1.StatusCause) bool { return c.Type == metav1.CauseTypeFieldValueNotFound })
}

// applyInOrderGiven applies manifests one by one, and those that lack others again in the next round, as an engine that reconciles does.
func applyInOrderGiven(ctx context.Context, t *testing.T, manager *ssa.ResourceManager, manifests []*unstructured.Unstructured) (changes *ssa.ChangeSet, rounds int) {
	t.Helper()
	changes = ssa.NewChangeSet()
	for waiting := manifests; len(waiting) > 0; rounds++ {
		var refused []*unstructured.Unstructured
		for _, m := range waiting {
			entry, err := manager.Apply(ctx, m, ssa.DefaultApplyOptions())
			switch {
			case err == nil:
				changes.Add(*entry)
			case lacks(err):
				refused = append(refused, m)
			default:
				t.Fatal(err)
			}
		}
		if len(refused) == len(waiting) {
			t.Fatalf("nothing of %d manifests can be applied", len(refused))
		}
		waiting = refused
	}
	return changes, rounds
}

// kept are the identifiers of changes as Flux keeps them between its runs.
func kept(t *testing.T, changes *ssa.ChangeSet) object.ObjMetadataSet {
	t.Helper()
	var set object.ObjMetadataSet
	for _, id := range changes.ToObjMetadataSet() {
		read, err := object.ParseObjMetadata(id.String())
		if err != nil {
			t.Fatal(err)
		}
		set = append(set, read)
	}
	return set
}

// prune deletes what was applied and is not any more, until that is gone or nothing more of it can go.
func prune(ctx context.Context, manager *ssa.ResourceManager, before, after object.ObjMetadataSet) (deleted int, err error) {
	var gone []*unstructured.Unstructured
	for _, id := range before.Diff(after) {
		o := &unstructured.Unstructured{}
		o.SetGroupVersionKind(id.GroupKind.WithVersion(version))
		o.SetNamespace(id.Namespace)
		o.SetName(id.Name)
		gone = append(gone, o)
	}
	options := ssa.DefaultDeleteOptions()
	options.Inclusions = manager.GetOwnerLabels("site", "flux-system")
	for last := -1; ; {
		changes, err := manager.DeleteAll(ctx, gone, options)
		deleted = counts(changes)[ssa.DeletedAction] // with those that are not there any more
		if err == nil || deleted == last {
			return deleted, err
		}
		last = deleted
	}
}

func list(ctx context.Context, t *testing.T, manager *ssa.ResourceManager, kind string) []unstructured.Unstructured {
	t.Helper()
	found := &unstructured.UnstructuredList{}
	found.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind + "List"})
	if err := manager.Client().List(ctx, found); err != nil {
		t.Fatal(err)
	}
	return found.Items
}

// TestFlux keeps documents as a folder says: all of them in any order, again without a change, changed, without some, and tells how they do.
func TestFlux(t *testing.T) {
	t.Parallel()
	ctx, address := t.Context(), serve(t)
	manager := engine(t, address)
	all := site(rand.New(rand.NewPCG(3, 4)), large)
	manager.SetOwnerLabels(all, "site", "flux-system")

	first, rounds := applyInOrderGiven(ctx, t, manager, all)
	expect(t, first, map[ssa.Action]int{ssa.CreatedAction: 200})
	if rounds > 4 {
		t.Errorf("it took %d rounds to apply what is four levels deep", rounds)
	}
	before := kept(t, first)

	applications := list(ctx, t, manager, "Application")
	again, err := manager.ApplyAll(ctx, all, ssa.DefaultApplyOptions())
	if err != nil {
		t.Fatal(err)
	}
	expect(t, again, map[ssa.Action]int{ssa.UnchangedAction: 200})
	if after := list(ctx, t, manager, "Application"); len(after) != 128 || !slices.EqualFunc(after, applications, func(a, b unstructured.Unstructured) bool { return a.GetResourceVersion() == b.GetResourceVersion() }) {
		t.Error("applying what is there already has written")
	}

	// Changes of another user are reverted, and what another user adds stays.
	drifted := manifest("Application", "cluster-1:env-1:ns-1", "app-1", nil)
	patch := ctrl.RawPatch("application/merge-patch+json", []byte(`{"metadata": {"labels": {"team": "web"}}, "spec": {"replicas": 7}}`))
	if err := manager.Client().Patch(ctx, drifted, patch, ctrl.FieldOwner("kubectl-edit")); err != nil {
		t.Fatal(err)
	}
	if again, err = manager.ApplyAll(ctx, all, ssa.DefaultApplyOptions()); err != nil {
		t.Fatal(err)
	}
	expect(t, again, map[ssa.Action]int{ssa.UnchangedAction: 199, ssa.ConfiguredAction: 1})
	if err := manager.Client().Get(ctx, ctrl.ObjectKeyFromObject(drifted), drifted); err != nil {
		t.Fatal(err)
	}
	if replicas, _, _ := unstructured.NestedInt64(drifted.Object, "spec", "replicas"); replicas != 1 || drifted.GetLabels()["team"] != "web" {
		t.Errorf("after the drift is corrected it is %v", drifted.Object)
	}

	// A folder without one of the clusters and all in it, and without the application definitions.
	var rest []*unstructured.Unstructured
	for _, o := range all {
		if o.GetName() != "cluster-3" && !strings.HasPrefix(o.GetNamespace(), "cluster-3") && o.GetKind() != "AppDefinition" {
			rest = append(rest, o)
		}
	}
	if again, err = manager.ApplyAll(ctx, rest, ssa.DefaultApplyOptions()); err != nil {
		t.Fatal(err)
	}
	after := kept(t, again)
	foreign := manifest("Environment", "cluster-3", "of-others", map[string]any{})
	if err := manager.Client().Create(ctx, foreign); err != nil {
		t.Fatal(err)
	}
	if deleted, err := prune(ctx, manager, before, after); err == nil || deleted != 56 || !strings.Contains(err.Error(), "cluster/cluster-3/environment/of-others") {
		t.Fatalf("with a document of others in a cluster %d were pruned: %v", deleted, err)
	}
	if err := manager.Client().Delete(ctx, foreign); err != nil {
		t.Fatal(err)
	}
	if deleted, err := prune(ctx, manager, before, after); err != nil || deleted != 57 {
		t.Fatalf("%d were pruned: %v", deleted, err)
	}
	if n := len(list(ctx, t, manager, "Application")); n != 96 {
		t.Errorf("%d applications are left", n)
	}

	// Health: there is nothing to wait for but where a service says so.
	wait := ssa.WaitOptions{Interval: 50 * time.Millisecond, Timeout: time.Minute, FailFast: true}
	if err := manager.Wait(rest, wait); err != nil {
		t.Error(err)
	}
	status := address + "/v2/clusters/cluster-0/environments/env-0/status"
	put(ctx, t, status, `{"conditions": [{"type": "Stalled", "status": "True", "reason": "NoRoom", "message": "there is no room"}]}`)
	if err := manager.Wait(rest, wait); err == nil || !strings.Contains(err.Error(), "Environment/cluster-0/env-0 status: 'Failed'") {
		t.Errorf("a stalled environment has the status %v", err)
	}
	put(ctx, t, status, `{"conditions": [{"type": "Ready", "status": "False", "reason": "Installing", "message": "it is being installed"}]}`)
	environment := manifest("Environment", "cluster-0", "env-0", nil)
	if err := manager.Client().Get(ctx, ctrl.ObjectKeyFromObject(environment), environment); err != nil {
		t.Fatal(err)
	}
	if health, err := kstatus.Compute(environment); err != nil || health.Status != kstatus.InProgressStatus || health.Message != "it is being installed" {
		t.Errorf("an environment that is not ready has the status %v, %v", health, err)
	}
	put(ctx, t, status, `{"conditions": [{"type": "Ready", "status": "True", "reason": "Installed", "message": "it is installed"}]}`)
	if err := manager.Wait(rest, wait); err != nil {
		t.Error(err)
	}
	if again, err = manager.ApplyAll(ctx, rest, ssa.DefaultApplyOptions()); err != nil {
		t.Fatal(err)
	}
	expect(t, again, map[ssa.Action]int{ssa.UnchangedAction: len(rest)})
}

// TestFluxByLevels applies what is on a level at once, as Flux does with a Kustomization for each that depends on the one before.
func TestFluxByLevels(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	manager := engine(t, serve(t))
	all := site(rand.New(rand.NewPCG(5, 6)), large)
	if _, err := manager.ApplyAllStaged(ctx, all, ssa.DefaultApplyOptions()); !lacks(err) {
		t.Fatalf("all levels at once: %v", err)
	}
	levels := make([][]*unstructured.Unstructured, 4)
	for _, o := range all {
		levels[level(o)] = append(levels[level(o)], o)
	}
	for _, objects := range levels {
		changes, err := manager.ApplyAllStaged(ctx, objects, ssa.DefaultApplyOptions())
		if err != nil {
			t.Fatal(err)
		}
		expect(t, changes, map[ssa.Action]int{ssa.CreatedAction: len(objects)})
	}
}
