// Command ferretdb is the MongoDB-compatible server that scripts/documentdb starts to develop and test against: it
// translates the MongoDB protocol for a PostgreSQL with the DocumentDB extension. Nothing that ships depends on it.
//
//	ferretdb -listen 127.0.0.1:27018 -postgres URL -state FOLDER    serves until SIGINT or SIGTERM
//	ferretdb -ping mongodb://127.0.0.1:27018/                       tells by the exit code whether a server answers
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/FerretDB/FerretDB/v2/ferretdb"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "ferretdb:", err)
		os.Exit(1)
	}
}

func run() error {
	listen := flag.String("listen", "", "`address` to serve on")
	postgres := flag.String("postgres", "", "`URL` of the PostgreSQL database that has the extension")
	state := flag.String("state", "", "`folder` for what FerretDB remembers between runs")
	target := flag.String("ping", "", "`URI` of a server to try instead of serving")
	flag.Parse()

	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()

	switch {
	case *target != "":
		return ping(ctx, *target)
	case *listen != "" && *postgres != "" && *state != "":
		return serve(ctx, *listen, *postgres, *state)
	}
	return errors.New("either -ping, or -listen, -postgres and -state are needed")
}

// serve answers on the address until ctx ends. Why it could not begin stands in the log, on standard error.
func serve(ctx context.Context, listen, postgres, state string) error {
	server, err := ferretdb.New(&ferretdb.Config{
		PostgreSQLURL: postgres,
		ListenAddr:    listen,
		StateDir:      state,
		LogLevel:      slog.LevelWarn,
		LogOutput:     os.Stderr,
		Telemetry:     new(bool),
	})
	if err != nil {
		return err
	}
	server.Run(ctx)
	return nil
}

// ping succeeds when the server answers and reaches its database, which FerretDB asks too.
func ping(ctx context.Context, uri string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		return err
	}
	return errors.Join(client.Ping(ctx, nil), client.Disconnect(ctx))
}
