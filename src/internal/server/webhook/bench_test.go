package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	"github.com/dovetail-store/dovetail/src/internal/server/webhook"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

const schemas = `name: test
resources:
  - name: cluster
    schema: {type: object}
  - name: environment
    parent: cluster
    schema: {type: object}
  - name: changeSet
    path: change-sets
    managed: true
    schema: {type: object}
`

const secretText = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// bench is a store with webhooks and a receiver.
type bench struct {
	*testing.T
	store    *store.Store
	backend  *failing
	hooks    *webhook.Webhooks
	receiver *receiver
	stop     func()
}

// failing is a backend whose commits fail when that is asked for.
type failing struct {
	store.Backend
	mu        sync.Mutex
	fail      func(txn store.Txn) error
	committed chan struct{} // has a value after a commit
}

func (b *failing) Commit(ctx context.Context, txn store.Txn) error {
	b.mu.Lock()
	fail := b.fail
	b.mu.Unlock()
	if fail != nil {
		if err := fail(txn); err != nil {
			return err
		}
	}
	err := b.Backend.Commit(ctx, txn)
	select {
	case b.committed <- struct{}{}:
	default:
	}
	return err
}

func (b *failing) failWith(fail func(txn store.Txn) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail = fail
}

// guard makes the decisions of an access policy.
type guard struct{ policy *access.Policy }

func (g guard) Permissions(ctx context.Context) dovetail.Permissions {
	return g.policy.For(dovetail.PrincipalOf(ctx))
}

func (g guard) Protections(context.Context) []dovetail.Protection { return nil }

// received is a request as the receiver saw it.
type received struct {
	id    string
	event webhook.Event
}

func (r received) String() string {
	text := r.event.Type
	for _, c := range r.event.Data.Changes {
		text += " " + string(c.Op) + " " + string(c.ID)
	}
	if r.event.Data.ChangeSet != nil {
		text += " " + r.event.Data.ChangeSet.Name
	}
	return text
}

// receiver verifies and keeps requests. answer gives the status of each.
type receiver struct {
	*httptest.Server
	t      *testing.T
	mu     sync.Mutex
	all    []received
	came   chan struct{}
	answer func(received) int
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t, came: make(chan struct{}, 10000), answer: func(received) int { return http.StatusNoContent }}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) serve(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		r.t.Error(err)
	}
	one := received{id: request.Header.Get("webhook-id")}
	if !verify(secretText, request.Header, body) {
		r.t.Errorf("the signature of %s is wrong: %v", body, request.Header)
	}
	if err := json.Unmarshal(body, &one.event); err != nil {
		r.t.Errorf("%s: %v", body, err)
	}
	r.mu.Lock()
	status := r.answer(one)
	if status/100 == 2 {
		r.all = append(r.all, one)
	}
	r.mu.Unlock()
	w.WriteHeader(status)
	r.came <- struct{}{}
}

// verify checks a signature as a receiver would.
func verify(secret string, h http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", h.Get("webhook-id"), h.Get("webhook-timestamp"), body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return slices.Contains(strings.Fields(h.Get("webhook-signature")), want)
}

func (r *receiver) answerWith(answer func(received) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *receiver) texts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := []string{}
	for _, one := range r.all {
		all = append(all, one.String())
	}
	return all
}

// wait waits until the receiver took so many events.
func (r *receiver) wait(n int) []string {
	r.t.Helper()
	for deadline := time.After(apitest.Patience); len(r.texts()) < n; {
		select {
		case <-r.came:
		case <-deadline:
			r.t.Fatalf("the receiver took %q, not %d events", r.texts(), n)
		}
	}
	return r.texts()
}

func newBench(t *testing.T, policy string) *bench {
	t.Helper()
	backend, err := bolt.Open(filepath.Join(t.TempDir(), "db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = backend.Close() })
	return newBenchOn(t, backend, newReceiver(t), policy)
}

// newBenchOn returns a bench that is one process of those on a database.
func newBenchOn(t *testing.T, backend store.Backend, r *receiver, policy string) *bench {
	t.Helper()
	model, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte(schemas)}})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, backend: &failing{Backend: backend, committed: make(chan struct{}, 1)}, receiver: r}
	var config store.Config
	if policy != "" {
		file, err := access.Parse("access.yaml", []byte(policy))
		if err != nil {
			t.Fatal(err)
		}
		config.Guard = guard{file.Policy}
	}
	if b.store, err = store.Open(system(t), b.backend, model, config); err != nil {
		t.Fatal(err)
	}
	b.hooks = webhook.New(b.store, webhook.Options{Policy: local(t), Timeout: apitest.Patience, Backoff: func(int) time.Duration { return time.Millisecond }})
	return b
}

func local(t *testing.T) *outbound.Policy {
	hosts, err := outbound.ParseHosts([]string{"http://127.0.0.1:*"})
	if err != nil {
		t.Fatal(err)
	}
	return outbound.NewPolicy(hosts, "--webhook-hosts")
}

func system(t *testing.T) context.Context {
	return dovetail.WithPrincipal(t.Context(), &dovetail.Principal{Name: "system:test"})
}

// subscription is one with the fields of a file; URL and secret are those of the receiver.
func (b *bench) subscription(name, more string) webhook.Subscription {
	b.Helper()
	return b.subscriptionTo(name, b.receiver.URL, more)
}

func (b *bench) subscriptionTo(name, url, more string) webhook.Subscription {
	b.Helper()
	text := fmt.Sprintf("webhooks:\n- {name: %s, url: %q, secretFile: s, %s}\n", name, url, more)
	all, err := webhook.Parse("webhooks.yaml", []byte(text), func(string) ([]byte, error) { return []byte(secretText + "\n"), nil }, false)
	if err != nil {
		b.Fatal(err)
	}
	return all[0]
}

// start delivers events until stop or the end of the test.
func (b *bench) start(subscriptions ...webhook.Subscription) {
	b.Helper()
	if err := b.hooks.Set(system(b.T), subscriptions); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(system(b.T))
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.hooks.Run(ctx, store.Condition{Test: store.Absent, ID: "_none/x"})
	}()
	b.stop = sync.OnceFunc(func() { cancel(); <-done })
	b.Cleanup(b.stop)
}

func (b *bench) list() []dovetail.Webhook {
	b.Helper()
	all, err := b.hooks.List(system(b.T))
	if err != nil {
		b.Fatal(err)
	}
	return all
}

func (b *bench) letters(name string) []dovetail.DeadLetter {
	b.Helper()
	all, err := b.hooks.DeadLetters(system(b.T), name)
	if err != nil {
		b.Fatal(err)
	}
	return all
}

// until waits for commits until holds returns true.
func (b *bench) until(what string, holds func() bool) {
	b.Helper()
	for deadline := time.After(apitest.Patience); !holds(); {
		select {
		case <-b.backend.committed:
		case <-deadline:
			b.Fatalf("not so: %s", what)
		}
	}
}

// put writes documents in one transaction.
func (b *bench) put(who, message string, ids ...dovetail.ID) {
	b.Helper()
	var operations []store.Operation
	for _, id := range ids {
		operations = append(operations, store.Operation{Verb: store.Put, ID: id, Data: b.value(fmt.Sprintf(`{"spec": {"x": %q}}`, message+time.Now().String()))})
	}
	b.apply(who, message, operations...)
}

func (b *bench) apply(who, message string, operations ...store.Operation) {
	b.Helper()
	ctx := dovetail.WithPrincipal(b.Context(), &dovetail.Principal{Name: who})
	if _, err := b.store.Apply(ctx, operations, store.Options{Message: message, Managed: true}); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) value(text string) *value.Value {
	b.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	return v
}
