package httpapi

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/finder"
	"github.com/dovetail-store/dovetail/src/internal/server/flowcontrol"
	"github.com/dovetail-store/dovetail/src/internal/server/forwarded"
	"github.com/dovetail-store/dovetail/src/internal/server/ratelimit"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// Store is what the API serves. *store.Store is one; its methods are described there.
type Store interface {
	reader
	Model() *schema.Model
	Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error)
	Replay(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error)
	ResultByIdempotencyKey(ctx context.Context, key string) (*store.Result, error)
	Abort(ctx context.Context, key string) (*store.Result, error)
	MayRepair(ctx context.Context) error
	Watch(ctx context.Context, after store.Cursor, q store.WatchQuery) iter.Seq2[store.Event, error]
	Head(ctx context.Context) (store.Cursor, error)
	CheckCursor(ctx context.Context, after store.Cursor) error
	Revert(ctx context.Context, position store.Cursor, options store.Options) (*store.Result, error)
	Rollback(ctx context.Context, id dovetail.ID, version string, options store.Options) (*store.Result, error)
	Rename(ctx context.Context, id, to dovetail.ID, options store.Options) (*store.Result, error)
	Migrate(ctx context.Context, m *store.Migration, options store.MigrateOptions) (*store.Migrated, error)
	Import(ctx context.Context, documents []*dovetail.Document, options store.Options) (*store.Result, error)
	Impact(ctx context.Context, next *schema.Model, limit int) ([]store.Finding, int, error)
	SchemaVersions(ctx context.Context) ([]store.SchemaVersion, error)
	SchemaVersion(ctx context.Context, number int, at string) (*store.SchemaVersion, error)
	Rotate(ctx context.Context, key string) (*store.Rotation, error)
	OpenWork(ctx context.Context, kinds ...string) ([]*store.Work, error)
	ClaimWork(ctx context.Context, id dovetail.ID, worker string, during time.Duration, options store.Options) (*store.Work, error)
	ClaimAnyWork(ctx context.Context, kinds []string, worker string, during time.Duration, options store.Options) (*store.Work, error)
	RenewWork(ctx context.Context, id dovetail.ID, token string, during time.Duration, options store.Options) (*store.Work, error)
	FinishWork(ctx context.Context, id dovetail.ID, token string, result store.WorkResult, options store.Options) (*dovetail.Document, error)
	Ping(ctx context.Context) error
	Records(ctx context.Context, q store.AuditQuery) iter.Seq2[store.AuditRecord, error]
	VerifyRecords(ctx context.Context, expect map[uint64]string) (*store.AuditVerification, error)
	Allowed(ctx context.Context, right dovetail.Right, id dovetail.ID) (bool, error)
	MayWithin(ctx context.Context, scope store.Scope) bool
	MaySee(ctx context.Context, kind, what string) error
	Admit(ctx context.Context, scopes ...store.Scope) error
	// HasRights reports whether the principal of the context has any right on any document that there is or may come to be.
	HasRights(ctx context.Context) bool
	Readable(ctx context.Context) func(kind string, id dovetail.ID) bool
	Standing(ctx context.Context) (*store.Standing, error)
	KindsWith(ctx context.Context, right dovetail.Right) []string
	Backend() store.Backend
}

// Options configure an API. The zero value is ready to use.
type Options struct {
	Log     *slog.Logger         // one record a request; default none
	Metrics *prometheus.Registry // where the API's own metrics go, and what /metrics shows; default a new one
	Limits  Limits
	Checks  []Check // what /readyz shows beside the store
	// Services are served beside the documents.
	Services []Service
	// OnlyServices leaves the documents out, and all else below /v2.
	OnlyServices bool
	// Hard is the level of requests that take long; default one of its own. An application gives it to services, too,
	// for work outside of requests.
	Hard *flowcontrol.Level
	// Authenticate returns the principal of a request; nil disables authentication.
	Authenticate Authenticate
	// Proxies are believed about the address that a request comes from; the zero value believes none.
	Proxies forwarded.Proxies
	// LoginRefused is called with the address and the reason when Authenticate refuses a request; nil for not at all. Its
	// error is answered in place of the refusal.
	LoginRefused func(ctx context.Context, address string, reason error) error
	// Access answers about the access policy and the sessions; nil if there are none.
	Access Access
	// Login is where people sign in, for the index; nil where they cannot.
	Login *Login
	// Commits says where the commits of the attached repository are shown; nil where that is not known.
	Commits *Commits
	// Webhooks are those of the server; nil if there is none.
	Webhooks Webhooks
	// GitWebhook takes what Git hosts send after a push; nil for a server that does not.
	GitWebhook GitWebhook
	// System reads what operators ask for; nil if there are no other processes.
	System ReadSystem
	// ChangeSet returns the view of a change set, for ?changeSet=, with write one that stages what is written to it; nil where
	// there are no change sets. Its error has ReasonEdited where what is staged in a view is refused because the change set
	// was edited since the view was made: the request is repeated in a new one.
	ChangeSet func(ctx context.Context, name string, write bool) (*View, error)
	// Trace is notified of every request before it is served, which continues with the context that it returns, and by
	// the function that it returns how it was answered; nil if there is none.
	Trace func(ctx context.Context, r *http.Request) (context.Context, func(route string, status int, err error))
	// Encryption says what is encrypted at rest, for the index; nil to leave that out.
	Encryption func() store.Encryption
	// Profile is whose clients the answers are for.
	Profile Profile
	Version string           // of the program, for /openapi.json and the index
	Now     func() time.Time // default time.Now
}

// API is the HTTP handler of a store. It is safe for concurrent use.
type API struct {
	store     Store
	options   Options
	limits    Limits
	metrics   *metrics
	log       *slog.Logger
	ids       requestIDs
	limiter   *ratelimit.Limiter
	watches   *ratelimit.Limiter // those of principals
	refusals  *ratelimit.Limiter // of principals and addresses
	ordinary  *flowcontrol.Level // where requests get their seats
	hard      *flowcontrol.Level // those that take long
	held      atomic.Int64       // bytes of bodies
	memory    *memory
	reads     *memory
	finder    *finder.Finder
	fixed     *mux.Router
	endpoints map[*mux.Route]*route

	building sync.Mutex
	routing  atomic.Pointer[routing]

	closing sync.Once
	done    chan struct{} // closed by Close: watches end
}

// New returns an API that serves the store. It registers its metrics, so one registry is for one API.
func New(s Store, options Options) *API {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Metrics == nil {
		options.Metrics = prometheus.NewRegistry()
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	a := &API{
		store: s, options: options, limits: options.Limits.withDefaults(), log: options.Log,
		metrics: newMetrics(options.Metrics), ids: newRequestIDs(), finder: finder.New(s.Backend()), done: make(chan struct{}),
	}
	a.memory, a.reads = newMemory(a.limits.Bodies), newReadMemory(a.limits.Bodies)
	a.limiter = ratelimit.New(ratelimit.Options{PerSecond: a.limits.PerSecond, Burst: a.limits.Burst, AtOnce: a.limits.AtOnce})
	a.refusals = ratelimit.New(ratelimit.Options{PerSecond: a.limits.Refusals, Burst: refusalsAtOnce * int(a.limits.Refusals)})
	a.watches = ratelimit.New(ratelimit.Options{AtOnce: a.limits.Watches})
	a.ordinary, a.hard = a.limits.levels(options.Hard)
	observeLevels(options.Metrics, map[string]*flowcontrol.Level{"requests": a.ordinary, "hard": a.hard})
	a.fixedRoutes()
	return a
}

// Server returns an HTTP server of the API with the timeouts of its Limits. Its Shutdown ends
// watches too.
func (a *API) Server() *http.Server {
	l := a.limits
	server := &http.Server{
		Handler:           a,
		ReadHeaderTimeout: l.ReadHeader,
		ReadTimeout:       l.Read,
		WriteTimeout:      l.Read + l.Request + l.Write,
		IdleTimeout:       l.Idle,
		MaxHeaderBytes:    l.Header,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
	server.RegisterOnShutdown(a.Close)
	return server
}

// Close ends the watches, which otherwise last as long as their clients like, and the index of the search. It may be called more
// than once; requests after it are served, except watches and searches.
func (a *API) Close() {
	a.closing.Do(func() {
		close(a.done)
		a.finder.Close()
	})
}

// current returns what follows from the store's model, made again when the model has changed.
func (a *API) current() *routing {
	model := a.store.Model()
	if have := a.routing.Load(); have != nil && have.model == model {
		return have
	}
	a.building.Lock()
	defer a.building.Unlock()
	if have := a.routing.Load(); have != nil && have.model == model {
		return have
	}
	made := newRouting(model, a)
	a.routing.Store(made)
	return made
}
