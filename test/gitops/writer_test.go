package gitops

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// writer writes at random what is in a site, also what is refused.
type writer struct {
	client dynamic.Interface
	random *rand.Rand
	pool   []*unstructured.Unstructured
}

func (w *writer) write(ctx context.Context) error {
	o := w.pool[w.random.IntN(len(w.pool))].DeepCopy()
	label := fmt.Sprint(w.random.IntN(1_000_000))
	o.SetLabels(map[string]string{"round": label})
	resource, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
	if o.GetKind() == "DeployPostfix" { // which is guessed wrong
		resource.Resource = "deploypostfixes"
	}
	var client dynamic.ResourceInterface = w.client.Resource(resource)
	if o.GetNamespace() != "" {
		client = w.client.Resource(resource).Namespace(o.GetNamespace())
	}
	var err error
	switch w.random.IntN(10) {
	case 0, 1:
		err = client.Delete(ctx, o.GetName(), metav1.DeleteOptions{})
	case 2:
		policy := metav1.DeletePropagationBackground
		if level(o) > 0 { // with all that is below, or refers to it
			policy = metav1.DeletePropagationForeground
		}
		err = client.Delete(ctx, o.GetName(), metav1.DeleteOptions{PropagationPolicy: &policy})
	case 3:
		_, err = client.Patch(ctx, o.GetName(), types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"labels":{"round":%q}}}`, label), metav1.PatchOptions{})
	case 4:
		_, err = client.Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: "writer", Force: true})
	case 5:
		if _, err = client.Create(ctx, o, metav1.CreateOptions{}); err == nil { // and gone at once, which a watch may not see
			err = client.Delete(ctx, o.GetName(), metav1.DeleteOptions{})
		}
	default:
		if _, err = client.Update(ctx, o, metav1.UpdateOptions{}); apierrors.IsNotFound(err) {
			_, err = client.Create(ctx, o, metav1.CreateOptions{})
		}
	}
	return err
}

// write has writers write so many times, and calls a function in the midst of that.
func write(t *testing.T, writers []*writer, writes int, midst func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	var done atomic.Int64
	var running sync.WaitGroup
	half, back := make(chan struct{}), make(chan struct{})
	reach := sync.OnceFunc(func() { close(half) })
	for _, w := range writers {
		running.Go(func() {
			defer reach()
			for done.Load() < int64(writes) && ctx.Err() == nil {
				err := w.write(ctx)
				var status apierrors.APIStatus
				switch {
				case err == nil:
					if done.Add(1) >= int64(writes/2) {
						reach()
					}
				case apierrors.IsNotFound(err), apierrors.IsAlreadyExists(err), apierrors.IsConflict(err), apierrors.IsInvalid(err): // as it should
				case !errors.As(err, &status): // there is no server until midst has returned
					select {
					case <-back:
					case <-ctx.Done():
					}
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	<-half
	midst()
	close(back)
	running.Wait()
	if done.Load() < int64(writes) {
		t.Fatalf("%d of %d writes", done.Load(), writes)
	}
}
