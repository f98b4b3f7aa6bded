package embedded

import (
	"cmp"
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	refschemas "github.com/dovetail-store/dovetail/ref-schemas"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	_ "github.com/dovetail-store/dovetail/src/schema/cel" // compiles rules
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// Options say where a store keeps its documents and which kinds of documents it has. The zero value is an empty store in a
// temporary directory, with the kinds that Dovetail ships.
type Options struct {
	// Path is the database file. Open creates it, with its directories, if it does not exist. One process at a time has it
	// open. With "" the documents are in a temporary directory, which Close removes.
	Path string
	// Backend, where not nil, keeps the documents in place of a file. Close closes it, and so does Open where it fails.
	Backend store.Backend

	// Schema is a ref-schema in YAML or JSON.
	Schema string
	// SchemaFS has the ref-schema in files *.yaml, *.yml and *.json at its root: an embed.FS, or os.DirFS of a directory. It
	// excludes Schema. Without either, a database keeps the schema that it was last written under, and a new one has the
	// kinds that Dovetail ships.
	SchemaFS fs.FS

	// Clock returns the time of writes; nil means time.Now.
	Clock func() time.Time
	// Logger receives what an operator should know of the database file; nil means that nothing is logged.
	Logger *slog.Logger
}

// Store is a store in this process. Open makes it. It is safe for concurrent use, except for Close.
type Store struct {
	engine    *store.Store
	temporary string // directory that Close removes; "" if there is none
}

// Open opens a store, and creates it if it does not exist. Close must be called in the end.
//
// A schema other than the one that the database was last written under is put in force, if the stored documents fit it.
//
// Errors: CodeSchema for a schema that is invalid or does not fit the stored documents, CodeUnavailable for a file that another
// process has open or that cannot be read or written, CodeCorrupt for one that is damaged, CodeInvalid for one of another
// program and for options that exclude each other.
func Open(ctx context.Context, options Options) (*Store, error) {
	model, err := options.model()
	if err != nil {
		return nil, err
	}
	s := &Store{}
	backend, err := s.backend(options)
	if err != nil {
		return nil, err
	}
	if s.engine, err = openEngine(ctx, backend, model, options.Clock); err != nil {
		_ = cmp.Or(backend.Close(), s.clean()) // err tells why; a failure to close adds nothing
		return nil, err
	}
	return s, nil
}

// model compiles the ref-schema that the options give; nil if there is none.
func (o Options) model() (*schema.Model, error) {
	switch {
	case o.Backend != nil && o.Path != "":
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the options have both a Path and a Backend", Remedy: "give one of them"}
	case o.Schema != "" && o.SchemaFS != nil:
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the options have both a Schema and a SchemaFS", Remedy: "give one of them"}
	case o.Schema != "":
		return schema.Compile([]schema.Source{{Name: "schema.yaml", Data: []byte(o.Schema)}})
	case o.SchemaFS != nil:
		return compileFS(o.SchemaFS)
	}
	return nil, nil
}

func compileFS(files fs.FS) (*schema.Model, error) {
	sources, err := schema.ReadFS(files)
	if err != nil {
		return nil, err
	}
	return schema.Compile(sources)
}

// backend opens what keeps the documents.
func (s *Store) backend(o Options) (store.Backend, error) {
	if o.Backend != nil {
		return o.Backend, nil
	}
	if o.Path == "" {
		dir, err := os.MkdirTemp("", "dovetail")
		if err != nil {
			return nil, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "no temporary directory can be created: " + err.Error(), Err: err}
		}
		s.temporary, o.Path = dir, filepath.Join(dir, "dovetail.db")
	}
	backend, err := bolt.Open(o.Path, bolt.Options{Clock: o.Clock, Logger: o.Logger})
	if err != nil {
		_ = s.clean() // err tells why
		return nil, err
	}
	return backend, nil
}

// openEngine opens the engine under the model; without one under that of the database, or the shipped one.
func openEngine(ctx context.Context, backend store.Backend, model *schema.Model, clock func() time.Time) (*store.Store, error) {
	var err error
	if model == nil {
		if model, err = store.StoredModel(ctx, backend); err != nil {
			return nil, err
		}
	}
	if model == nil {
		if model, err = compileFS(refschemas.FS); err != nil {
			return nil, err
		}
	}
	return store.Open(ctx, backend, model, store.Config{Clock: clock})
}

// Close waits for the writes under way, closes the database, and removes it if it was temporary.
func (s *Store) Close() error { return cmp.Or(s.engine.Backend().Close(), s.clean()) }

// clean removes the temporary directory.
func (s *Store) clean() error {
	if s.temporary == "" {
		return nil
	}
	return os.RemoveAll(s.temporary)
}

// Engine returns the integrity engine, for what this package does not show: trees, export and import, checks, permissions,
// audit records and changes of the schema.
func (s *Store) Engine() *store.Store { return s.engine }
