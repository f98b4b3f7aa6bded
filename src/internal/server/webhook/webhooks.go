package webhook

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	"github.com/dovetail-store/dovetail/src/store"
)

// Options configure Webhooks.
type Options struct {
	// Policy is what requests may connect to: the host of each subscription, unless it has a reserved address or does not use TLS
	// and the policy does not list it.
	Policy *outbound.Policy
	// Timeout is that of one request; default 10 seconds.
	Timeout time.Duration
	// Backoff is how long to wait after so many failed attempts; default twice as long each time, up to five minutes.
	Backoff func(attempts int) time.Duration
	// Observe is notified of the result of each attempt; nil if there is none.
	Observe func(webhook string, result Result)
	// Clock is the time of events and of pauses between attempts; default clock.System.
	Clock clock.Clock
	// NewUID returns the uids of documents; default random ones.
	NewUID func() string
	Log    *slog.Logger // nil if there is none
}

// Webhooks sends events of a store to subscriptions. It is safe for concurrent use.
type Webhooks struct {
	store   *store.Store
	options Options

	current atomic.Pointer[[]Subscription]
	mu      sync.Mutex
	changed chan struct{} // closed when current changes
}

// New returns the webhooks of a store, without subscriptions: see Set.
func New(resources *store.Store, options Options) *Webhooks {
	if options.Policy == nil {
		options.Policy = outbound.NewPolicy(outbound.Hosts{}, "--webhook-hosts")
	}
	if options.Timeout == 0 {
		options.Timeout = 10 * time.Second
	}
	if options.Backoff == nil {
		options.Backoff = backoff
	}
	if options.Observe == nil {
		options.Observe = func(string, Result) {}
	}
	if options.Clock == nil {
		options.Clock = clock.System
	}
	if options.NewUID == nil {
		options.NewUID = func() string { return strings.ToLower(rand.Text()) }
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	w := &Webhooks{store: resources, options: options, changed: make(chan struct{})}
	w.current.Store(&[]Subscription{})
	return w
}

// Set puts subscriptions in force. Each begins with what is committed from then on, unless it was in force before, by its name: it goes on
// after the last event that was delivered. Errors are those of the database; then nothing is changed.
func (w *Webhooks) Set(ctx context.Context, subscriptions []Subscription) error {
	for _, sub := range subscriptions {
		if _, err := w.begin(ctx, sub.Name); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.current.Store(&subscriptions)
	close(w.changed)
	w.changed = make(chan struct{})
	return nil
}

// Run delivers events until the context ends. One process of all on the database does it: the one whose lease the fence is of.
func (w *Webhooks) Run(ctx context.Context, fence store.Condition) {
	for ctx.Err() == nil {
		w.mu.Lock()
		changed, subscriptions := w.changed, *w.current.Load()
		w.mu.Unlock()
		running, stop := context.WithCancel(ctx)
		var all sync.WaitGroup
		for _, sub := range subscriptions {
			f := &feed{Webhooks: w, sub: sub, fence: &fence}
			all.Go(func() { f.repeat(running, "events of a webhook are not delivered", f.follow) })
			all.Go(func() { f.repeat(running, "dead letters of a webhook are not delivered again", f.redeliver) })
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
		stop()
		all.Wait()
	}
}

// known returns CodeNotFound unless there is a subscription of the name.
func (w *Webhooks) known(name string) error {
	for _, sub := range *w.current.Load() {
		if sub.Name == name {
			return nil
		}
	}
	return &dovetail.Error{Code: dovetail.CodeNotFound, Message: fmt.Sprintf("there is no webhook %q", name), Remedy: "see `dovetail webhooks list`"}
}

// List returns the subscriptions and where they stand.
func (w *Webhooks) List(ctx context.Context) ([]dovetail.Webhook, error) {
	all := []dovetail.Webhook{}
	for _, sub := range *w.current.Load() {
		one := dovetail.Webhook{Name: sub.Name, URL: withoutQuery(sub.URL), Events: sub.Events, Kinds: sub.Kinds, Under: sub.Under}
		if sub.As != nil {
			one.Principal, one.Groups = sub.As.Name, sub.As.Groups
		}
		p, err := w.load(ctx, sub.Name)
		if err != nil {
			return nil, err
		}
		if p != nil {
			one.Position, one.Delivered, one.Failure, one.Lost = string(p.After), p.Delivered, p.Failure, p.Lost
			if err := w.measure(ctx, sub, p, &one); err != nil {
				return nil, err
			}
		}
		letters, err := w.letters(ctx, sub.Name)
		if err != nil {
			return nil, err
		}
		one.DeadLetters = len(letters)
		all = append(all, one)
	}
	return all, nil
}

// Standing returns how many subscriptions have an event whose delivery fails, so that later events wait, and how many have ever lost events.
func (w *Webhooks) Standing(ctx context.Context) (failing, lost int, err error) {
	for _, sub := range *w.current.Load() {
		p, err := w.load(ctx, sub.Name)
		if err != nil {
			return 0, 0, err
		}
		if p == nil {
			continue
		}
		if p.Failure != nil {
			failing++
		}
		if p.Lost != nil {
			lost++
		}
	}
	return failing, lost, nil
}

// maxMeasured is the number of transactions in which List searches for events that wait.
const maxMeasured = 10 * dovetail.MaxBehind

// measure counts the events that wait to be delivered.
func (w *Webhooks) measure(ctx context.Context, sub Subscription, p *progress, one *dovetail.Webhook) error {
	f, n := &feed{Webhooks: w, sub: sub}, 0
	for set, err := range w.store.Backend().TransactionsAfter(ctx, p.After) {
		if isLost(err) { // which the process that delivers has not found out yet
			head, err := w.store.Head(ctx)
			one.Lost = &dovetail.Lost{After: string(p.After), Position: string(head), Time: w.options.Clock.Now().UTC()}
			return err
		}
		if err != nil {
			return err
		}
		events, err := f.events(ctx, set)
		if err != nil {
			return err
		}
		for _, event := range events {
			if !slices.Contains(p.Sent, event.id) {
				one.Behind++
			}
		}
		if n++; one.Behind >= dovetail.MaxBehind || n >= maxMeasured {
			one.Behind = dovetail.MaxBehind
			break
		}
	}
	return nil
}

// DeadLetters returns the events of a subscription that were given up, the oldest first.
func (w *Webhooks) DeadLetters(ctx context.Context, name string) ([]dovetail.DeadLetter, error) {
	if err := w.known(name); err != nil {
		return nil, err
	}
	letters, err := w.letters(ctx, name)
	all := make([]dovetail.DeadLetter, len(letters))
	for i, one := range letters {
		all[i] = one.DeadLetter
	}
	return all, err
}

// withoutQuery is a URL without what may be a secret.
func withoutQuery(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.RawQuery == "" {
		return text
	}
	u.RawQuery = "..."
	return u.String()
}
