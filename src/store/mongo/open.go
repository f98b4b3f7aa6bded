package mongo

import (
	"context"
	"log/slog"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Options configure a backend. The zero value is ready to use.
type Options struct {
	// Protocol has the settings of the commit protocol; zero fields have its defaults.
	Protocol protocol.Settings
	// ExternalMaintenance means that Open does not start Maintain: the caller must run it in one of the processes.
	ExternalMaintenance bool
	// Command is called after every command of the driver, for traces; nil if there is none.
	Command func(ctx context.Context, name string, took time.Duration, err error)
	// Name and Version identify this process to other processes and to operators.
	Name, Version string
	// Logger receives errors of background tasks; nil if there is none.
	Logger *slog.Logger

	// For tests: replicated treats the server as a replica set, knows is the newest supported level, and watch replaces
	// watchEarlier.
	replicated bool
	knows      protocol.Level
	watch      time.Duration
}

// Defaults that the connection string can override.
const (
	defaultDatabase  = "dovetail"
	defaultTimeout   = 9 * time.Second // timeoutMS: the time limit of one command; with moreThanCommand less than the 10 s in which requests are answered
	defaultSelection = 3 * time.Second // serverSelectionTimeoutMS: the time limit to find a server
	maxCommitTime    = 4 * time.Second // of a command with a commit deadline; less than store.Agreement.Margin
)

// The collections.
const (
	recordsName  = "documents"
	logName      = "commits"
	versionsName = "versions"
)

// Open connects to the database of the connection string, "dovetail" if it names none, and creates missing indexes. Any number of
// processes may open one database.
//
// The options of the connection string apply, except the read preference, which is always primary. The default write concern is
// majority. So is, on a replicated server, the default read concern of reads outside of transactions; transactions always read with
// majority.
//
// Errors: CodeInvalid for the connection string and for a store at a protocol level that this version does not know, CodeUnavailable,
// CodeCorrupt, and the codes of an ended context.
func Open(ctx context.Context, uri string, opts Options) (*Backend, error) {
	clientOptions, database, err := ClientOptions(uri)
	if err != nil {
		return nil, err
	}
	return open(ctx, clientOptions, database, opts)
}

// ClientOptions returns the options of a connection string, including the defaults, and its database, "dovetail" if it names none.
// Errors: CodeInvalid.
func ClientOptions(uri string) (*options.ClientOptions, string, error) {
	parsed, err := connstring.ParseAndValidate(uri)
	if err != nil {
		return nil, "", invalidURI(err)
	}
	o := options.Client().ApplyURI(uri).SetReadPreference(readpref.Primary())
	if o.Timeout == nil {
		o.SetTimeout(defaultTimeout)
	}
	if o.ServerSelectionTimeout == nil {
		o.SetServerSelectionTimeout(defaultSelection)
	}
	if o.WriteConcern == nil {
		o.SetWriteConcern(writeconcern.Majority())
	}
	if o.AppName == nil {
		o.SetAppName("dovetail")
	}
	if parsed.Database == "" {
		return o, defaultDatabase, nil
	}
	return o, parsed.Database, nil
}

func open(ctx context.Context, clientOptions *options.ClientOptions, database string, opts Options) (*Backend, error) {
	if opts.Command != nil {
		clientOptions.SetMonitor(monitor(opts.Command))
	}
	local := opts.Protocol.WithDefaults().Clock
	limit := time.Duration(0)
	if clientOptions.Timeout != nil {
		limit = *clientOptions.Timeout
	}
	silent := newSilence(limit, local)
	clientOptions.SetMonitor(silent.monitor(clientOptions.Monitor))
	client, err := mongo.Connect(clientOptions)
	if err != nil {
		return nil, invalidURI(err)
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	b := &Backend{client: client, database: client.Database(database), options: opts,
		clock:       local,
		silence:     silent,
		readConcern: clientOptions.ReadConcern,
		active:      make(chan struct{}, 1)}
	commitTime := maxCommitTime
	if limit > 0 {
		commitTime = min(commitTime, limit)
	}
	if err := b.start(ctx, commitTime); err != nil {
		_ = client.Disconnect(context.WithoutCancel(ctx))
		return nil, err
	}
	return b, nil
}

// monitor reports completed commands; no other driver event is needed.
func monitor(report func(ctx context.Context, name string, took time.Duration, err error)) *event.CommandMonitor {
	return &event.CommandMonitor{
		Succeeded: func(ctx context.Context, e *event.CommandSucceededEvent) { report(ctx, e.CommandName, e.Duration, nil) },
		Failed: func(ctx context.Context, e *event.CommandFailedEvent) {
			report(ctx, e.CommandName, e.Duration, e.Failure)
		},
	}
}

func invalidURI(err error) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the connection string of the database is not valid",
		Remedy: "write it as mongodb://user:password@host:27017/database?option=value", Err: err}
}

// start examines the server, prepares the collections, and starts the background tasks.
func (b *Backend) start(ctx context.Context, commitTime time.Duration) error {
	if err := b.hello(ctx); err != nil {
		return err
	}
	both := func(name string) collection {
		majority := b.database.Collection(name, options.Collection().SetReadConcern(readconcern.Majority()))
		if b.replicated && b.readConcern == nil {
			return collection{majority, majority}
		}
		return collection{b.database.Collection(name), majority}
	}
	b.server = &server{records: both(recordsName), log: both(logName), versions: both(versionsName), commitTime: commitTime,
		effort: pageEffort, local: b.clock}
	if err := b.join(ctx); err != nil {
		return err
	}
	missing, err := b.server.missing(ctx)
	if err != nil {
		return err
	}
	for _, i := range missing {
		if err := i.create(ctx, b.clock); err != nil {
			return err
		}
	}
	if b.server.sorts, err = b.server.sortsFound(ctx); err != nil {
		return err
	}
	if err := b.server.beginVersions(ctx); err != nil {
		return err
	}
	settings := b.options.Protocol
	if b.replicated {
		settings.Context = b.consistent
		settings.InSession = func(ctx context.Context) bool { return mongo.SessionFromContext(ctx) != nil }
	}
	b.runtime = protocol.NewRuntime(settings)
	b.runtime.SetLevel(b.registered.Load().Level)
	b.Engine = protocol.New(b.server, b.runtime.Env(), b.name)
	var background context.Context
	background, b.stop = context.WithCancel(context.WithoutCancel(ctx))
	b.running.Go(func() { b.keepAnnouncing(background) })
	if !b.options.ExternalMaintenance {
		b.running.Go(func() { b.Maintain(background) })
	}
	if b.replicated {
		b.running.Go(func() { b.listen(background) })
	}
	return nil
}

// hello reads the type of the server.
func (b *Backend) hello(ctx context.Context) error {
	raw, err := b.database.RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Raw()
	if err != nil {
		return readError(ctx, err)
	}
	_, inSet := raw.Lookup("setName").StringValueOK()
	message, _ := raw.Lookup("msg").StringValueOK()
	b.replicated = inSet || message == "isdbgrid" || b.options.replicated
	return nil
}
