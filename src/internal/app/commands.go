package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/emco/postgres"
	"github.com/dovetail-store/dovetail/src/internal/operate/backup"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/store/mongo"
	"github.com/dovetail-store/dovetail/src/store/mongo/doctor"
	"github.com/dovetail-store/dovetail/src/value"
)

// Connect returns a server for the command line.
func Connect(to cli.Server) (cli.Store, error) {
	options := client.Options{UserAgent: "dovetail/" + cli.ReadBuild().Version, Token: to.Token, TokenSource: to.TokenSource, HTTP: to.HTTP}
	if to.Authority != nil {
		trusted := x509.NewCertPool()
		if !trusted.AppendCertsFromPEM(to.Authority) {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the certificates for " + to.URL + " cannot be read",
				Remedy: "give a PEM file with the certificates that the server's is signed with"}
		}
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
		options.HTTP = &http.Client{Transport: transport}
	}
	c, err := client.New(to.URL, options)
	if err != nil {
		return nil, err
	}
	return Online(c), nil
}

// Online returns a server for the command line.
func Online(c *client.Client) cli.Store { return online{c} }

type online struct{ *client.Client }

// At returns the server as of what a text means.
func (o online) At(ctx context.Context, text string, id dovetail.ID) (cli.Store, error) {
	position, err := o.PositionOf(ctx, text, id)
	if err != nil {
		return nil, err
	}
	return online{o.Client.At(position)}, nil
}

// InChangeSet returns the server as it would be with a change set.
func (o online) InChangeSet(name string) cli.Store { return online{o.Client.InChangeSet(name)} }

// Open opens a database for the command line; see OpenDatabase.
func Open(ctx context.Context, location string, o cli.OpenOptions) (cli.Database, error) {
	db, err := openDatabase(ctx, location, o.RefSchemas, o.KeyFile, store.Config{DanglingImports: o.DanglingImports})
	if err != nil {
		return nil, err
	}
	return Offline(db), nil
}

// Offline returns a database as the command line sees servers.
func Offline(db *Database) cli.Database { return offline{db} }

// OpenBackend opens a database for the restore of a backup.
func OpenBackend(ctx context.Context, location, keyFile string) (store.Backend, error) {
	return openSealed(ctx, location, keyFile)
}

// Salvage saves what is intact of an embedded database, whose log is damaged, in a new file.
func Salvage(location, to string) ([]store.Finding, error) {
	path, embedded := boltPath(location)
	if !embedded {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: withoutPassword(location) + " has no log that could be damaged",
			Remedy: "name a file of the embedded store, as bolt:./data/dovetail.db"}
	}
	return bolt.Salvage(path, to)
}

// ReadForeign reads what another system stored in MongoDB, for the command line: the database itself, or a dump of it.
func ReadForeign(ctx context.Context, from, collection string) iter.Seq2[*value.Value, error] {
	if strings.HasPrefix(from, "mongodb:") || strings.HasPrefix(from, "mongodb+srv:") {
		return mongo.ReadForeign(ctx, from, collection)
	}
	return mongo.ReadDump(ctx, from, collection)
}

// ReadTables reads tables that another system stored in PostgreSQL, for the command line.
func ReadTables(ctx context.Context, uri string, tables []string, read func(table string, text io.Reader) error) error {
	return postgres.Dump(ctx, uri, tables, read)
}

// Examine checks the database server at a location, for the command line.
func Examine(ctx context.Context, location string, quick bool) ([]cli.ServerCheck, error) {
	if !isMongo(location) {
		return nil, noMongo(location)
	}
	results, err := doctor.Examine(ctx, location, doctor.Options{Quick: quick})
	if err != nil {
		return nil, err
	}
	checks := make([]cli.ServerCheck, len(results))
	for i, r := range results {
		checks[i] = cli.ServerCheck(r)
	}
	level, err := examineLevel(ctx, location)
	return append(checks, level), err
}

func noMongo(location string) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: withoutPassword(location) + " is no MongoDB server",
		Remedy: "name one, as mongodb://host:27017/dovetail; an embedded database is checked by `dovetail fsck`"}
}

// offline is a database as the command line sees servers, whose ref-schema may be out of reach.
type offline struct{ *Database }

// At returns the database as of what a text means.
func (o offline) At(ctx context.Context, text string, id dovetail.ID) (cli.Store, error) {
	position, err := o.PositionOf(ctx, text, id)
	if err != nil {
		return nil, err
	}
	then, err := o.Store.At(ctx, position)
	if err != nil {
		return nil, err
	}
	return Offline(&Database{then}), nil
}

// History yields the versions of a document.
func (o offline) History(ctx context.Context, id dovetail.ID) iter.Seq2[store.VersionSummary, error] {
	return store.Summarize(o.Store.History(ctx, id))
}

// Model returns the ref-schema in force.
func (o offline) Model(context.Context) (*schema.Model, error) { return o.Store.Model(), nil }

// VerifyCheckpoint verifies a copy of the embedded store's file, for the command line.
func VerifyCheckpoint(from io.Reader) (*store.Checkpoint, error) { return bolt.VerifyCheckpoint(from) }

// WriteCheckpoint writes a copy of the database.
func (o offline) WriteCheckpoint(ctx context.Context, to io.Writer) error {
	return o.Checkpoint(ctx, func(store.Checkpoint) (io.Writer, error) { return to, nil })
}

// WriteBackup writes a backup of the database.
func (o offline) WriteBackup(ctx context.Context, to io.Writer, options store.BackupOptions) error {
	b, err := o.Backup(ctx, options)
	if err != nil {
		return err
	}
	_, err = backup.Write(ctx, to, b, backup.Options{Now: time.Now()})
	return err
}
