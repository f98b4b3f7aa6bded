package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	"github.com/dovetail-store/dovetail/src/internal/server/webhook"
	"github.com/dovetail-store/dovetail/src/store"
)

// webhookWork names the lease of the process that delivers events.
const webhookWork = "webhooks"

// hooks are the webhooks of a server, by a file that may change while it runs. A file that is invalid is refused, and the last
// good one stays.
type hooks struct {
	*webhook.Webhooks

	server  *Server
	store   *store.Store
	log     *slog.Logger
	mu      sync.Mutex
	current []webhook.Subscription
	refused string // of the file as it is; "" when it is in force
}

// webhooks delivers events to the subscriptions of the configuration until the background work ends, in one of all processes on the
// database. It is nil without any.
func (s *Server) webhooks(background context.Context, resources *store.Store) (*hooks, error) {
	if s.config.Webhooks == "" {
		return nil, nil
	}
	h := &hooks{server: s, store: resources, log: s.log, Webhooks: webhook.New(resources, webhook.Options{
		Policy: outbound.NewPolicy(s.config.WebhookHosts, "--webhook-hosts"), Log: s.log,
		Observe: func(name string, result webhook.Result) {
			s.metrics.deliveries.WithLabelValues(name, string(result)).Inc()
		}})}
	subscriptions, err := h.read()
	if err != nil {
		return nil, err
	}
	if err := h.set(background, subscriptions); err != nil {
		return nil, err
	}
	// The files are read now and then besides, for file systems that do not notify of changes, and for secrets in other directories.
	const settle, poll = 100 * time.Millisecond, 5 * time.Second
	s.background.Go(func() {
		watchDirectory(background, filepath.Dir(s.config.Webhooks), settle, poll, s.log, h.reload)
	})
	s.inOne(webhookWork, h.Run)
	return h, nil
}

func (h *hooks) read() ([]webhook.Subscription, error) {
	file := h.server.config.Webhooks
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file}, Err: err,
			Message: "the file of webhooks cannot be read: " + plainCause(err), Remedy: "name a YAML file with --webhooks"}
	}
	readSecret := func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(file), name)
		}
		return os.ReadFile(name)
	}
	subscriptions, err := webhook.Parse(file, text, readSecret, h.server.config.Access != "")
	if err != nil {
		return nil, err
	}
	return subscriptions, webhook.CheckKinds(subscriptions, kindsOf(h.store.Model()).Names)
}

func (h *hooks) set(ctx context.Context, subscriptions []webhook.Subscription) error {
	if err := h.Set(ctx, subscriptions); err != nil {
		return err
	}
	h.current = subscriptions
	for _, sub := range subscriptions {
		for _, result := range webhook.Results() {
			h.server.metrics.deliveries.WithLabelValues(sub.Name, string(result))
		}
	}
	return nil
}

func (h *hooks) reload(ctx context.Context) {
	subscriptions, err := h.read()
	h.mu.Lock()
	defer h.mu.Unlock()
	changed := err == nil && !reflect.DeepEqual(subscriptions, h.current)
	if changed {
		err = h.set(ctx, subscriptions)
	}
	switch {
	case err != nil && err.Error() != h.refused:
		h.refused = err.Error()
		h.log.Error("the changed file of webhooks is refused, the last good one stays in force", "file", h.server.config.Webhooks, "error", err)
	case err == nil:
		h.refused = ""
		if changed {
			h.log.Info("a changed file of webhooks is in force", "file", h.server.config.Webhooks)
		}
	}
}

// check is the detail for /readyz, which has numbers and no names. Webhooks that are behind, or have lost events, keep no one from serving.
func (h *hooks) check(ctx context.Context) (detail string, err error) {
	h.mu.Lock()
	refused := h.refused != ""
	h.mu.Unlock()
	if refused {
		return "the file as it is now is refused; the last good one is in force", refusedFile()
	}
	failing, lost, err := h.Standing(ctx)
	if err != nil {
		return "in force; where the webhooks stand cannot be read", nil //nolint:nilerr // the check of the store says why
	}
	detail = "in force"
	if failing > 0 {
		detail += fmt.Sprintf("; %d behind, since a delivery fails", failing)
	}
	if lost > 0 {
		detail += fmt.Sprintf("; %d lost events", lost)
	}
	return detail, nil
}
