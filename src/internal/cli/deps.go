package cli

import (
	"context"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/history"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Store is what most verbs work on: a server, or the database itself. All methods do what those of
// store.Store do, with the same errors.
type Store interface {
	// Model returns the ref-schema in force.
	Model(ctx context.Context) (*schema.Model, error)
	Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error)
	Documents(ctx context.Context, q store.ListQuery) iter.Seq2[*dovetail.Document, error]
	Referrers(ctx context.Context, id, after dovetail.ID, limit int) ([]dovetail.ID, error)
	Tree(ctx context.Context, id dovetail.ID, depth, limit int) (*store.Node, error)
	Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error)
	// WriteBackup writes a backup, which need not be complete unless one who reads it finds its end.
	WriteBackup(ctx context.Context, to io.Writer, o store.BackupOptions) error
	// WriteCheckpoint writes a copy of the file of an embedded store, which need not be complete unless VerifyCheckpoint says so.
	WriteCheckpoint(ctx context.Context, to io.Writer) error
	Import(ctx context.Context, documents []*dovetail.Document, options store.Options) (*store.Result, error)
	ResultByIdempotencyKey(ctx context.Context, key string) (*store.Result, error)
	Abort(ctx context.Context, key string) (*store.Result, error)
	Rotate(ctx context.Context, key string) (*store.Rotation, error)
	Impact(ctx context.Context, next *schema.Model, limit int) ([]store.Finding, int, error)
	SchemaVersions(ctx context.Context) ([]store.SchemaVersion, error)
	SchemaVersion(ctx context.Context, number int, at string) (*store.SchemaVersion, error)
	Head(ctx context.Context) (store.Cursor, error)
	Watch(ctx context.Context, after store.Cursor, q store.WatchQuery) iter.Seq2[store.Event, error]
	// At returns the store as of what a text means: a time, a position, or a version of the document of the id, which may
	// be "". The store itself stays open, and is the one to be closed.
	At(ctx context.Context, text string, id dovetail.ID) (Store, error)
	// Position is where a store that At returned reads; "" of one that reads what there is now.
	Position() store.Cursor
	// History yields the versions of a document, newest first.
	History(ctx context.Context, id dovetail.ID) iter.Seq2[store.VersionSummary, error]
	Transactions(ctx context.Context, q store.TransactionQuery) (*store.TransactionPage, error)
	Transaction(ctx context.Context, position store.Cursor) (store.Transaction, error)
	Revert(ctx context.Context, position store.Cursor, options store.Options) (*store.Result, error)
	Rollback(ctx context.Context, id dovetail.ID, version string, options store.Options) (*store.Result, error)
	Rename(ctx context.Context, id, to dovetail.ID, options store.Options) (*store.Result, error)
	Migrate(ctx context.Context, m *store.Migration, options store.MigrateOptions) (*store.Migrated, error)
	// OpenWork lists the actions that wait for workers, the oldest first, of some kinds or of all; the methods of Queue are theirs.
	OpenWork(ctx context.Context, kinds ...string) ([]*store.Work, error)
	client.Queue
	// Records yields the audit records that are kept, and VerifyRecords verifies them.
	Records(ctx context.Context, q store.AuditQuery) iter.Seq2[store.AuditRecord, error]
	VerifyRecords(ctx context.Context, expect map[uint64]string) (*store.AuditVerification, error)
	// Allowed reports whether the caller has a right on a document.
	Allowed(ctx context.Context, right dovetail.Right, id dovetail.ID) (bool, error)
	// Ping returns nil when requests can be served now.
	Ping(ctx context.Context) error
	Close() error
}

// Database is a Store without a server in between.
type Database interface {
	Store
	Check(ctx context.Context, repair bool) iter.Seq2[store.Finding, error]
}

// Setting is one setting of `serve`: a flag of this name, and what else its owner reads it from.
type Setting struct {
	Name    string // "log-format"
	Default string
	Usage   string
}

// Server says how to reach one.
type Server struct {
	URL   string
	Token string // "" to send none
	// TokenSource gives the token of each request in place of Token; nil where that is all.
	TokenSource func(ctx context.Context) (string, error)
	// Authority has the certificates, as PEM, that the server's is signed with; nil for those of the system.
	Authority []byte
	// HTTP does the requests, with credentials of its own, in place of Token and Authority; nil where those are all.
	HTTP *http.Client
}

// OpenOptions say how a database is opened that no server has open.
type OpenOptions struct {
	RefSchemas string // --ref-schemas; "" means the ref-schema that is stored there
	KeyFile    string // --encryption-key-file; "" if there is none
	// DanglingImports lets documents that are imported refer to what does not exist; see store.Config.
	DanglingImports bool
}

// Deps are what the command line gets from outside. Connect, Open, OpenBackend, VerifyCheckpoint, ReadForeign, ReadTables, TakeOver, Examine, RaiseProtocol and Serve must be set.
type Deps struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	// Env looks up an environment variable; nil means that there are none.
	Env func(name string) (string, bool)
	// OutTerminal and ErrTerminal report whether Out and Err are terminals, which get colours.
	OutTerminal, ErrTerminal bool

	// Random is where tokens come from; default that of the operating system.
	Random io.Reader

	// Edit has the user edit a file, and returns when that is done; default the editor of $VISUAL or $EDITOR.
	Edit func(ctx context.Context, file string) error
	// OpenBrowser shows the user a page; default what the system opens URLs with. It need not wait.
	OpenBrowser func(ctx context.Context, url string) error
	// NewKey returns a new idempotency key; default a random one.
	NewKey func() string
	// Now is the clock by which the age of dates is shown; default that of the machine.
	Now func() time.Time
	// CompletionTimeout is how long a completion may keep a shell waiting; default 2 s.
	CompletionTimeout time.Duration

	// UserConfigDir returns the folder of the user's configuration files; nil when there is none.
	UserConfigDir func() (string, error)

	// Executable returns the path of the program, for the plug-in of kubectl.
	Executable func() (string, error)
	// Kubeconfig reads a context of a kubeconfig. "" means the files, and the context, that clients of Kubernetes use otherwise.
	Kubeconfig func(file, context string) (*Kubeconfig, error)

	// Connect returns a server as a Store. It need not be reachable yet.
	Connect func(to Server) (Store, error)
	// Open opens a database for use without a server. location is what `serve --store` takes.
	Open func(ctx context.Context, location string, o OpenOptions) (Database, error)
	// OpenBackend opens a database below the store, for a restore. keyFile is as for Open.
	OpenBackend func(ctx context.Context, location, keyFile string) (store.Backend, error)
	// Config has what all services know of their documents, for a database that is changed without a server.
	Config store.Config
	// Salvage saves what is intact of an embedded database in a new file, and returns what is not.
	Salvage func(location, to string) ([]store.Finding, error)
	// VerifyCheckpoint reads what Store.WriteCheckpoint wrote to its end.
	VerifyCheckpoint func(from io.Reader) (*store.Checkpoint, error)
	// ReadForeign yields the documents of a collection of a MongoDB database that another system wrote, as
	// Extended JSON. from is the URI of the database, or a file or folder with a dump.
	ReadForeign func(ctx context.Context, from, collection string) iter.Seq2[*value.Value, error]
	// ReadTables reads tables of a PostgreSQL database that another system wrote, as CSV and as of one moment. Those that do not
	// exist are left out.
	ReadTables func(ctx context.Context, uri string, tables []string, read func(table string, text io.Reader) error) error
	// TakeOver returns the documents that hold a history of layered documents in a store, to be imported in one transaction; none
	// where the store holds it already. keyFile has the main key of the store, for secrets; "" if there is none.
	TakeOver func(ctx context.Context, st Store, h *history.History, keyFile string) ([]*dovetail.Document, error)
	// Examine checks that the database server at a location does what Dovetail relies on; quick, only what a server checks at its start.
	Examine func(ctx context.Context, location string, quick bool) ([]ServerCheck, error)
	// RaiseProtocol raises the protocol level of the store at a location to the newest. It is refused while processes run that do not know it.
	RaiseProtocol func(ctx context.Context, location string) (RaisedLevel, error)
	// Serve runs a server until the context ends. given holds, by name, the settings that the user
	// gave as flags.
	Serve func(ctx context.Context, given map[string]string) error
	// Gateway runs a gateway in front of servers until the context ends. given is as for Serve.
	Gateway func(ctx context.Context, given map[string]string, servers []string) error
	// Settings are those that Serve knows, in the order in which help shows them.
	Settings []Setting
}

// env returns an environment variable, "" when it is not set.
func (d *Deps) env(name string) string {
	if d.Env == nil {
		return ""
	}
	text, _ := d.Env(name)
	return text
}
