package resolution

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/internal/server/flowcontrol"
	"github.com/dovetail-store/dovetail/src/store"
)

// ServiceName is what the service is called where services are chosen.
const ServiceName = "resolution"

// Store is where sources and resolutions are kept. *store.Store is one; its methods are described there.
type Store interface {
	Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error)
	Documents(ctx context.Context, q store.ListQuery) iter.Seq2[*dovetail.Document, error]
	Covers(ctx context.Context, ids ...dovetail.ID) error
	Show(ctx context.Context, doc *dovetail.Document) *dovetail.Document
	Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error)
	Head(ctx context.Context) (store.Cursor, error)
	MayAct(ctx context.Context, id dovetail.ID, who *dovetail.Principal, needs []store.Need) error
	Watch(ctx context.Context, after store.Cursor, q store.WatchQuery) iter.Seq2[store.Event, error]
}

// Options configure Resolutions. The zero value is ready to use.
type Options struct {
	// PublicURL is where others reach this API, for the URL in the wrapper of a bundle:
	// "https://store.example.org".
	PublicURL string
	// Workers is how many quick resolutions are worked on at the same time, and half as many hard ones beside them; 0 means 4.
	Workers int
	// Quick is how long it may take to solve a quick resolution, without waiting for others; 0 means 200 ms. One that takes longer is
	// begun again as a hard one, and is one from the start until it takes less.
	Quick time.Duration
	// Retry is when one is tried again whose status could not be written; 0 means a second.
	Retry time.Duration
	// Clock gives the time of transitions; default time.Now.
	Clock func() time.Time
	// Timer measures how long problems take to solve, and waits before something is tried again; nil means clock.System.
	Timer clock.Clock
	// Hard is the level that the controller solves at, among the requests for resolutions; nil for at once.
	Hard *flowcontrol.Level
	// Log receives the failures; nil if there is none.
	Log *slog.Logger
	// Answered is notified of every problem that was solved for the controller, or found to have no answer; nil if there is none.
	Answered func(result Result, took time.Duration)
}

// Result is what solving a problem came to, for metrics.
type Result string

// The results.
const (
	Resolved      Result = "resolved"
	Unsatisfiable Result = "unsatisfiable"
	TimedOut      Result = "timed-out"
	Invalid       Result = "invalid" // the request or its sources cannot be understood
)

// Results lists them.
func Results() []Result { return []Result{Resolved, Unsatisfiable, TimedOut, Invalid} }

// Resolutions are the ActiveResolutions of a store. It is safe for concurrent use.
type Resolutions struct {
	store   Store
	options Options
	cache   *sourceCache
}

// New returns the resolutions in a store.
func New(s Store, options Options) *Resolutions {
	if options.Workers <= 0 {
		options.Workers = 4
	}
	if options.Quick <= 0 {
		options.Quick = 200 * time.Millisecond
	}
	if options.Retry <= 0 {
		options.Retry = time.Second
	}
	if options.Clock == nil {
		options.Clock = time.Now
	}
	if options.Timer == nil {
		options.Timer = clock.System
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Answered == nil {
		options.Answered = func(Result, time.Duration) {}
	}
	return &Resolutions{store: s, options: options, cache: newSourceCache(s)}
}
