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

// Options say how to work with the database. The zero value is ready to use.
type Options struct {
	// Protocol has the times and numbers of the commit protocol; zero fields have its defaults.
	Protocol protocol.Settings
	// ExternalMaintenance says that this backend need not start Maintain: the caller runs it in one of all processes.
	ExternalMaintenance bool
	// Command is notified of every command of the driver when it ends, for traces; nil for none.
	Command func(ctx context.Context, name string, took time.Duration, err error)
	// Name and Version are how other processes, and operators, see this one.
	Name, Version string
	// Logger gets what goes wrong in the background; nil means nowhere.
	Logger *slog.Logger

	// replicated takes the server for a replica set, for tests; knows is the newest level, announce is how often the process announces itself,
	// and watch is watchEarlier.
	replicated      bool
	knows           protocol.Level
	announce, watch time.Duration
}

// What holds where the connection string says nothing else.
const (
	defaultDatabase  = "dovetail"
	defaultTimeout   = 10 * time.Second // of one operation; timeoutMS
	defaultSelection = 3 * time.Second  // to find a server; serverSelectionTimeoutMS
	maxCommitTime    = 4 * time.Second  // of a command that must not commit from a moment on; less than store.Agreement.Margin
)

// The collections.
const (
	recordsName  = "documents"
	logName      = "commits"
	versionsName = "versions"
)

// Open connects to the database that the connection string names, "dovetail" if it names none, and
// creates the indexes that are missing. Any number of processes may open one database.
//
// The options of the connection string hold, except the read preference, which is always primary.
// The write concern is majority unless it says another, and so is, where the server is replicated, the read concern of reads that
// decide nothing; those of transactions are always of what a majority has.
//
// Errors: CodeInvalid for the connection string, CodeUnavailable, and the codes of an ended context.
func Open(ctx context.Context, uri string, opts Options) (*Backend, error) {
	clientOptions, database, err := ClientOptions(uri)
	if err != nil {
		return nil, err
	}
	return open(ctx, clientOptions, database, opts)
}

// ClientOptions returns what a connection string says, with what holds where it says nothing, and the database that it names, "dovetail"
// if it names none. Errors: CodeInvalid.
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
	client, err := mongo.Connect(clientOptions)
	if err != nil {
		return nil, invalidURI(err)
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	b := &Backend{client: client, database: client.Database(database), options: opts, readConcern: clientOptions.ReadConcern,
		active: make(chan struct{}, 1)}
	commitTime := maxCommitTime
	if limit := clientOptions.Timeout; limit != nil && *limit > 0 {
		commitTime = min(commitTime, *limit)
	}
	if err := b.start(ctx, commitTime); err != nil {
		_ = client.Disconnect(context.WithoutCancel(ctx))
		return nil, err
	}
	return b, nil
}

// monitor reports commands that have ended; no other event of the driver is needed.
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

// start looks at the server, prepares the collections, and begins the work in the background.
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
	b.server = &server{records: both(recordsName), log: both(logName), versions: both(versionsName), commitTime: commitTime, effort: pageEffort}
	if err := b.join(ctx); err != nil {
		return err
	}
	missing, err := b.server.missing(ctx)
	if err != nil {
		return err
	}
	for _, i := range missing {
		if err := i.create(ctx); err != nil {
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

// hello asks the server what it is.
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
