package app

import (
	"context"
	"iter"
	"os"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo"
	"github.com/dovetail-store/dovetail/src/value"
)

// TokenVariable is the environment variable with the token that the command line shows to servers.
const TokenVariable = "DOVETAIL_TOKEN"

// Connect returns the server at a URL for the command line.
func Connect(server string) (cli.Store, error) {
	return client.New(server, client.Options{UserAgent: "dovetail/" + cli.ReadBuild().Version, Token: os.Getenv(TokenVariable)})
}

// Open opens a database for the command line; see OpenDatabase.
func Open(ctx context.Context, location, refSchemas, keyFile string) (cli.Database, error) {
	db, err := openDatabase(ctx, location, refSchemas, keyFile, store.Config{})
	if err != nil {
		return nil, err
	}
	return offline{db}, nil
}

// ReadForeign reads what another system stored in MongoDB, for the command line.
func ReadForeign(ctx context.Context, uri, collection string) iter.Seq2[*value.Value, error] {
	return mongo.ReadForeign(ctx, uri, collection)
}

// offline is a database as the command line sees servers, whose ref-schema may be out of reach.
type offline struct{ *Database }

// Model returns the ref-schema in force.
func (o offline) Model(context.Context) (*schema.Model, error) { return o.Store.Model(), nil }
