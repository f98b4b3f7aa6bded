package app

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/schema"
)

// modelHolder is what takes a new ref-schema: *store.Store.
type modelHolder interface {
	Model() *schema.Model
	SetModel(ctx context.Context, next *schema.Model) error
}

// reloader keeps the ref-schema in force equal to the files of a directory, or to one file. A schema that is invalid,
// or that stored documents forbid, is refused, and the last good one stays.
type reloader struct {
	dir    string
	from   refSchemaFiles // of dir
	holder modelHolder
	log    *slog.Logger

	// settle is how long the directory must be quiet before it is read: a ConfigMap mount and an
	// editor change several files one after the other.
	settle time.Duration
	// poll is how often the directory is read without a notification, for file systems that do not
	// notify of changes.
	poll time.Duration

	mu      sync.Mutex
	refusal error  // of the files as they are; nil when they are in force
	refused string // its text, so that it is logged once
	// applied is the hash of the files that took effect last. A migration or another process may have put another ref-schema in
	// force since: as long as the files stay as they are, this process leaves it at that.
	applied string

	reloads *prometheus.CounterVec
}

func newReloader(from refSchemaFiles, holder modelHolder, log *slog.Logger, registry prometheus.Registerer) *reloader {
	r := &reloader{dir: from.path, from: from, holder: holder, log: log, settle: 200 * time.Millisecond, poll: 30 * time.Second,
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "dovetail_schema_reloads_total",
			Help: "Changes of the ref-schema directory, by result: accepted or refused."}, []string{"result"})}
	registry.MustRegister(r.reloads, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "dovetail_schema_current",
		Help: "1 while the ref-schema in force is that of the directory, 0 while a newer one is refused, or a migration or another process has put another one in force."}, r.current))
	for _, result := range []string{"accepted", "refused"} {
		r.reloads.WithLabelValues(result)
	}
	return r
}

// started reports whether the server began under the files, nil, or under the last good ref-schema because they are refused.
func (r *reloader) started(refusal error) {
	if refusal == nil {
		r.apply(r.holder.Model().Hash())
		return
	}
	r.settled(refusal)
	r.reloads.WithLabelValues("refused").Inc()
	r.log.Error("the ref-schema is refused, the last good one that the database holds is in force", "dir", r.files(), "error", refusal)
}

// files names where the ref-schema is read from.
func (r *reloader) files() string { return cmp.Or(r.dir, "the program") }

// run watches the directory until the context ends.
func (r *reloader) run(ctx context.Context) {
	dir := r.dir
	if isFile(dir) {
		dir = filepath.Dir(dir) // where editors put another file in its place
	}
	watchDirectory(ctx, dir, r.settle, r.poll, r.log, r.reload)
}

// watchDirectory calls changed when the files of a directory have changed, and every poll besides, until the
// context ends. The directory must be quiet for as long as settle first, or busy for three times as long.
func watchDirectory(ctx context.Context, dir string, settle, every time.Duration, log *slog.Logger, changed func(context.Context)) {
	// The directory itself is watched: renaming the link ..data, as ConfigMap mounts do, is an event
	// in it, and so is every change of a file.
	var events chan fsnotify.Event
	var errs chan error
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		defer func() { _ = watcher.Close() }() // nothing is lost with it
		err = watcher.Add(dir)
		events, errs = watcher.Events, watcher.Errors
	}
	if err != nil {
		log.Warn("a directory cannot be watched and is read now and then instead", "dir", dir, "every", every, "error", err)
	}
	awaitQuiet(ctx, events, settle, every, changed, errs, func(err error) { log.Warn("watching a directory", "dir", dir, "error", err) })
}

// awaitQuiet calls changed after events, as watchDirectory does. An error counts as an event: events may be lost with it.
func awaitQuiet(ctx context.Context, events <-chan fsnotify.Event, settle, every time.Duration, changed func(context.Context), errs <-chan error, failed func(error)) {
	poll := time.NewTicker(every)
	defer poll.Stop()
	quiet := time.NewTimer(settle) // looks once at the beginning: for what changed before the directory was watched
	var busy time.Time             // since when; zero while the directory is quiet
	news := func() {
		if busy.IsZero() {
			busy = time.Now()
		}
		quiet.Reset(min(settle, max(0, time.Until(busy.Add(3*settle)))))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
			news()
		case err := <-errs:
			failed(err)
			news()
		case <-quiet.C:
			busy = time.Time{}
			changed(ctx)
		case <-poll.C:
			changed(ctx)
		}
	}
}

// reload reads the directory and puts its schema in force, if it differs and fits.
func (r *reloader) reload(ctx context.Context) {
	model, err := r.from.compile(r.holder.Model())
	if err == nil {
		if hash := model.Hash(); hash == r.appliedHash() || hash == r.holder.Model().Hash() {
			r.apply(hash)
			r.settled(nil)
			return
		}
		if err = r.holder.SetModel(ctx, model); err == nil {
			r.apply(model.Hash())
		}
	}
	if ctx.Err() != nil {
		return
	}
	if !r.settled(err) {
		return
	}
	if err != nil {
		r.reloads.WithLabelValues("refused").Inc()
		r.log.Error("the changed ref-schema is refused, the last good one stays in force", "dir", r.dir, "error", err)
		return
	}
	r.reloads.WithLabelValues("accepted").Inc()
	r.log.Info("a changed ref-schema is in force", "dir", r.dir, "hash", model.Hash())
}

// settled records the outcome of loading the files, and reports whether it is a new one.
func (r *reloader) settled(err error) (news bool) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	news = text == "" || text != r.refused
	r.refusal, r.refused = err, text
	return news
}

// apply notes that the files are those of a hash, and took effect.
func (r *reloader) apply(hash string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.applied = hash
}

func (r *reloader) appliedHash() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.applied
}

// replaced reports whether a migration or another process has put another ref-schema in force since the files took effect.
func (r *reloader) replaced() bool {
	hash := r.appliedHash()
	return hash != "" && hash != r.holder.Model().Hash()
}

// current is the metric: whether the ref-schema in force is that of the files.
func (r *reloader) current() float64 {
	replaced := r.replaced()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refusal != nil || replaced {
		return 0
	}
	return 1
}

// check is the detail for /readyz. A refused schema does not make the server unready: it serves on
// under the last good one. The refusal names documents and files, so that only the log has it.
func (r *reloader) check(context.Context) (detail string, err error) {
	replaced := r.replaced()
	r.mu.Lock()
	defer r.mu.Unlock()
	detail = "in force: " + r.holder.Model().Hash()
	switch {
	case r.refusal != nil:
		return detail + ", the last good one; the files as they are now are refused, see the log", httpapi.Degraded(r.refusal)
	case replaced:
		detail += "; the files have another one, " + r.applied + ": a migration or another process has replaced it"
	}
	return detail, nil
}

// refusedFile is the error of a check whose file, or what takes its place, was changed to what is refused. The log says why.
func refusedFile() error {
	return httpapi.Degraded(dovetail.Errorf(dovetail.CodeInvalid, "what is in force is not what is configured now"))
}
