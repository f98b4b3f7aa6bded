package gitops

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// place is where an object of the model is: a cluster, or an environment in the namespace of one.
type place struct{ namespace, name string }

// state is what the model knows of an object.
type state struct {
	uid     types.UID
	version string
	n       int64 // of its spec
}

// model is what the API must answer, in a map. It knows nothing of how that is stored.
type model struct {
	client dynamic.Interface
	random *rand.Rand
	there  map[place]state
	old    []state // which were, or of other objects
	step   string
	told   map[metav1.StatusReason]int
}

func (m *model) at(p place) dynamic.ResourceInterface {
	if p.namespace == "" {
		return m.client.Resource(schema.GroupVersionResource{Group: group, Version: version, Resource: "clusters"})
	}
	return m.client.Resource(schema.GroupVersionResource{Group: group, Version: version, Resource: "environments"}).Namespace(p.namespace)
}

func objectAt(p place, n int64, resourceVersion string) *unstructured.Unstructured {
	kind := "Environment"
	if p.namespace == "" {
		kind = "Cluster"
	}
	o := manifest(kind, p.namespace, p.name, map[string]any{"n": n})
	o.SetResourceVersion(resourceVersion)
	return o
}

func (m *model) below(p place) (inside []place) {
	for other := range m.there {
		if p.namespace == "" && other.namespace == p.name {
			inside = append(inside, other)
		}
	}
	return inside
}

// some is a state to expect of an object: mostly the one that it has, else one that it had, or that of another one.
func (m *model) some(p place) state {
	if now, found := m.there[p]; found && m.random.IntN(3) > 0 || len(m.old) == 0 {
		return now
	}
	return m.old[m.random.IntN(len(m.old))]
}

// expect fails if an answer is not the one that the model gives, "" for success.
func (m *model) expect(t *testing.T, err error, want metav1.StatusReason) {
	t.Helper()
	m.told[want]++
	if err == nil && want == "" {
		return
	}
	if got := apierrors.ReasonForError(err); err == nil || got != want {
		t.Fatalf("%s: %q (%v), want %q", m.step, got, err, want)
	}
}

// written takes over what a write answered, and checks it: a change has another version, and no change has the same.
func (m *model) written(t *testing.T, p place, o *unstructured.Unstructured, n int64) {
	t.Helper()
	before, found := m.there[p]
	now := state{o.GetUID(), o.GetResourceVersion(), n}
	got, _, err := unstructured.NestedInt64(o.Object, "spec", "n")
	switch {
	case err != nil || got != n:
		t.Fatalf("%s: answered %v", m.step, o)
	case found && now.uid != before.uid:
		t.Fatalf("%s: the uid was %s, and is %s", m.step, before.uid, now.uid)
	case found && (now.version == before.version) != (n == before.n):
		t.Fatalf("%s: the version was %s, and is %s", m.step, before.version, now.version)
	}
	if found {
		m.old = append(m.old, before)
	}
	m.there[p] = now
}

func (m *model) create(ctx context.Context, t *testing.T, p place, n int64) {
	_, exists := m.there[p]
	_, inCluster := m.there[place{"", p.namespace}]
	m.step = fmt.Sprintf("create %v with %d", p, n)
	o, err := m.at(p).Create(ctx, objectAt(p, n, ""), metav1.CreateOptions{})
	switch {
	case exists:
		m.expect(t, err, metav1.StatusReasonAlreadyExists)
	case p.namespace != "" && !inCluster:
		m.expect(t, err, metav1.StatusReasonInvalid)
	default:
		m.expect(t, err, "")
		m.written(t, p, o, n)
	}
}

// change replaces an object, or patches it, as any version or as the one that is expected.
func (m *model) change(ctx context.Context, t *testing.T, p place, n int64) {
	now, exists := m.there[p]
	expected := ""
	if m.random.IntN(2) == 0 {
		expected = m.some(p).version
	}
	how := m.random.IntN(4)
	m.step = fmt.Sprintf("change %v (%d) to %d as %q, at %q", p, how, n, expected, now.version)
	var o *unstructured.Unstructured
	var err error
	want := metav1.StatusReason("")
	switch how {
	case 0, 1:
		o, err = m.at(p).Update(ctx, objectAt(p, n, expected), metav1.UpdateOptions{})
	case 2:
		patch := fmt.Sprintf(`{"spec":{"n":%d}}`, n)
		if expected != "" {
			patch = fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"spec":{"n":%d}}`, expected, n)
		}
		o, err = m.at(p).Patch(ctx, p.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	default:
		expected = ""
		test := m.some(p).n
		if test != now.n {
			want = metav1.StatusReasonInvalid
		}
		patch, encodeErr := json.Marshal([]map[string]any{{"op": "test", "path": "/spec/n", "value": test}, {"op": "replace", "path": "/spec/n", "value": n}})
		if encodeErr != nil {
			t.Fatal(encodeErr)
		}
		o, err = m.at(p).Patch(ctx, p.name, types.JSONPatchType, patch, metav1.PatchOptions{})
	}
	switch {
	case !exists:
		want = metav1.StatusReasonNotFound
	case expected != "" && expected != now.version:
		want = metav1.StatusReasonConflict
	}
	if m.expect(t, err, want); want == "" {
		m.written(t, p, o, n)
	}
}

// delete deletes an object, as any or as the one that is expected, alone or with what is in it.
func (m *model) delete(ctx context.Context, t *testing.T, p place) {
	now, exists := m.there[p]
	expected := m.some(p)
	var options metav1.DeleteOptions
	matches := true
	switch m.random.IntN(3) {
	case 0:
		if expected.uid != "" {
			options.Preconditions = &metav1.Preconditions{UID: &expected.uid}
			matches = expected.uid == now.uid
		}
	case 1:
		if expected.version != "" {
			options.Preconditions = &metav1.Preconditions{ResourceVersion: &expected.version}
			matches = expected.version == now.version
		}
	}
	foreground, inside := m.random.IntN(3) == 0, m.below(p)
	if policy := metav1.DeletePropagationForeground; foreground {
		options.PropagationPolicy = &policy
	}
	m.step = fmt.Sprintf("delete %v, at %v, if %v, with what is in it: %t", p, now, options.Preconditions, foreground)
	err := m.at(p).Delete(ctx, p.name, options)
	switch {
	case !exists:
		m.expect(t, err, metav1.StatusReasonNotFound)
	case !matches, len(inside) > 0 && !foreground:
		m.expect(t, err, metav1.StatusReasonConflict)
	default:
		m.expect(t, err, "")
		for _, gone := range append(inside, p) {
			m.old = append(m.old, m.there[gone])
			delete(m.there, gone)
		}
	}
}

// compare reads everything, and one object, which may not be there.
func (m *model) compare(ctx context.Context, t *testing.T, p place) {
	o, err := m.at(p).Get(ctx, p.name, metav1.GetOptions{})
	if now, exists := m.there[p]; !exists {
		m.step = fmt.Sprintf("get %v after: %s", p, m.step)
		m.expect(t, err, metav1.StatusReasonNotFound)
	} else if err != nil || o.GetResourceVersion() != now.version {
		t.Fatalf("%v is %v, %v after: %s", p, o, err, m.step)
	}
	got := make(map[place]state)
	for _, plural := range []string{"clusters", "environments"} {
		list, err := m.client.Resource(schema.GroupVersionResource{Group: group, Version: version, Resource: plural}).List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			n, _, _ := unstructured.NestedInt64(item.Object, "spec", "n") // 0 differs below
			got[place{item.GetNamespace(), item.GetName()}] = state{item.GetUID(), item.GetResourceVersion(), n}
		}
	}
	if !maps.Equal(got, m.there) {
		t.Fatalf("after %s there is\n%v, want\n%v", m.step, got, m.there)
	}
}

// TestDynamicClient: whatever a dynamic client of client-go does, the answers are those of a model.
func TestDynamicClient(t *testing.T) {
	client := dynamicClient(t, &rest.Config{Host: serve(t), QPS: -1})
	var places []place
	for _, cluster := range []string{"east", "west"} {
		places = append(places, place{"", cluster}, place{cluster, "lab"}, place{cluster, "shop"})
	}
	m := &model{client: client, random: rand.New(rand.NewPCG(1, 26)), there: make(map[place]state), told: make(map[metav1.StatusReason]int)}
	ctx := t.Context()
	for range rounds(600, 10_000) {
		p, n := places[m.random.IntN(len(places))], int64(1+m.random.IntN(3))
		switch m.random.IntN(5) {
		case 0, 1:
			m.create(ctx, t, p, n)
		case 2, 3:
			m.change(ctx, t, p, n)
		default:
			m.delete(ctx, t, p)
		}
		m.compare(ctx, t, places[m.random.IntN(len(places))])
	}
	for _, reason := range []metav1.StatusReason{"", metav1.StatusReasonAlreadyExists, metav1.StatusReasonConflict, metav1.StatusReasonInvalid, metav1.StatusReasonNotFound} {
		if m.told[reason] < 10 {
			t.Errorf("%q was answered %d times", reason, m.told[reason])
		}
	}
	var told []string
	for _, reason := range slices.Sorted(maps.Keys(m.told)) {
		told = append(told, fmt.Sprintf("%q %d", reason, m.told[reason]))
	}
	t.Log(strings.Join(told, ", "))
}
