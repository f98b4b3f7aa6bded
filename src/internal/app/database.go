package app

import (
	"context"
	"log/slog"
	"net/url"
	"strings"

	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/secret/sealing"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/resolution"
	_ "github.com/dovetail-store/dovetail/src/schema/cel" // compiles rules
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/store/mongo"
)

// openBackend opens the database at a location: "bolt:PATH", or a connection string of MongoDB.
func openBackend(ctx context.Context, location string, config Config, log *slog.Logger) (store.Backend, error) {
	path, embedded := boltPath(location)
	switch {
	case embedded:
		return bolt.Open(path, bolt.Options{History: config.History, HistoryBytes: int(config.HistorySize), Logger: log})
	case isMongo(location):
		return mongo.Open(ctx, location, mongo.Options{Name: processName(""), Version: cli.ReadBuild().Version, Logger: log})
	default:
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "unknown store " + withoutPassword(location),
			Remedy: "name a file of the embedded store, as bolt:./data/dovetail.db, or a MongoDB database, as mongodb://host:27017/dovetail"}
	}
}

// boltPath returns the path of the embedded store at a location, and whether there is one.
func boltPath(location string) (path string, embedded bool) {
	rest, embedded := strings.CutPrefix(location, "bolt:")
	return strings.TrimPrefix(rest, "//"), embedded && rest != ""
}

// isMongo reports whether a location is a connection string of MongoDB.
func isMongo(location string) bool {
	scheme, _, _ := strings.Cut(location, ":")
	return scheme == "mongodb" || scheme == "mongodb+srv"
}

// withoutPassword is a location as it may be shown.
func withoutPassword(location string) string {
	u, err := url.Parse(location)
	switch {
	case err == nil && u.Host != "":
		return u.Redacted()
	case strings.Contains(location, "@"): // several hosts, or worse
		scheme, _, _ := strings.Cut(location, ":")
		return scheme + "://..." + location[strings.LastIndexByte(location, '@'):]
	}
	return location
}

// Database is a store opened without a server. Close it.
type Database struct{ *store.Store }

// OpenDatabase opens the database at a location, as Config.Store has it, under the ref-schemas of a directory, or, without
// one, under those that it was last written under, or, when it is new, those built into the program.
func OpenDatabase(ctx context.Context, location, refSchemas string, config store.Config) (*Database, error) {
	return openDatabase(ctx, location, refSchemas, "", config)
}

// openDatabase is OpenDatabase with a key file for sensitive kinds, "" if there is none.
func openDatabase(ctx context.Context, location, refSchemas, keyFile string, config store.Config) (*Database, error) {
	backend, err := openSealed(ctx, location, keyFile)
	if err != nil {
		return nil, err
	}
	s, err := openUnder(ctx, backend, refSchemas, keyFile, config)
	if err != nil {
		return nil, closeAfter(backend, err)
	}
	return &Database{s}, nil
}

// openSealed opens a database with a key file for sensitive kinds, "" if there is none.
func openSealed(ctx context.Context, location, keyFile string) (*sealing.Backend, error) {
	if keyFile != "" {
		if _, err := envelope.ReadKeyFile(keyFile); err != nil {
			return nil, err
		}
	}
	inner, err := openBackend(ctx, location, Config{}, nil)
	if err != nil {
		return nil, err
	}
	return sealing.New(inner, sealingOptions(keyFile)), nil
}

// Services returns what all services know of their documents.
func Services() store.Config { return withServices(store.Config{}, "") }

// withServices returns a configuration with what all services know of their documents, whichever of the services a process has. keyFile, which may be
// "", opens what they encrypt.
func withServices(config store.Config, keyFile string) store.Config {
	var keys envelope.Wrapper
	if keyFile != "" {
		keys = envelope.At(keyFile)
	}
	return config.With(inventory.Rules(), descriptor.Rules(), override.Rules(), layering.Rules(keys), changeset.Rules(),
		resolution.Rules())
}

func openUnder(ctx context.Context, backend store.Backend, refSchemas, keyFile string, config store.Config) (*store.Store, error) {
	config = withServices(config, keyFile)
	inForce, err := store.StoredModel(ctx, backend)
	if err != nil {
		return nil, err
	}
	if refSchemas == "" && inForce != nil {
		return store.Open(ctx, backend, nil, config)
	}
	model, err := refSchemaFiles{path: refSchemas}.compile(inForce)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, backend, model, config)
}

// Close frees the database for other processes.
func (d *Database) Close() error { return d.Backend().Close() }

// closeAfter closes the backend and returns the error for which it is given up.
func closeAfter(backend store.Backend, err error) error {
	_ = backend.Close() // err tells why; a failure to close adds nothing
	return err
}
