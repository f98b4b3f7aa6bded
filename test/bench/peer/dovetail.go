package peer

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

// Schema is the ref-schema of the items and of what they refer to.
//
//go:embed schema.yaml
var Schema []byte

// Dovetail is the store of Dovetail on bolt, in this process.
type Dovetail struct{ Store *store.Store }

// OpenDovetail opens a new store in dir.
func OpenDovetail(ctx context.Context, dir string, _ int) (Peer, error) {
	d, err := OpenStore(ctx, filepath.Join(dir, "dovetail.db"))
	if err != nil {
		return nil, err
	}
	if err := d.CreateTargets(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// OpenStore opens the store in a file, which need not exist.
func OpenStore(ctx context.Context, path string) (*Dovetail, error) {
	model, err := schema.Compile([]schema.Source{{Name: "schema.yaml", Data: Schema}})
	if err != nil {
		return nil, err
	}
	backend, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, backend, model, store.Config{})
	if err != nil {
		return nil, errors.Join(err, backend.Close())
	}
	return &Dovetail{s}, nil
}

// CreateTargets creates the parents and the referenced documents.
func (d *Dovetail) CreateTargets(ctx context.Context) error {
	var operations []store.Operation
	for n := range Targets {
		data := value.NewMap(value.Member{Name: "metadata", Value: value.NewMap(
			value.Member{Name: "name", Value: value.NewString(TargetName(n))})})
		for _, kind := range []string{"parent", "left", "right"} {
			operations = append(operations, store.Operation{Verb: store.Create,
				ID: dovetail.ID("").Child(kind, TargetName(n)), Data: data})
		}
	}
	_, err := d.Store.Apply(ctx, operations, store.Options{})
	return err
}

// ID is the item's id in Dovetail.
func (i Item) ID() dovetail.ID {
	return dovetail.ID("").Child("parent", TargetName(i.Parent)).Child("item", i.Name())
}

// Operation creates the item, from its JSON text as it would come over the network.
func (i Item) Operation() (store.Operation, error) {
	data, err := value.ParseJSON(i.Data(), value.Limits{})
	return store.Operation{Verb: store.Create, ID: i.ID(), Data: data}, err
}

// CreateAll creates items from number first on, in transactions of a thousand.
func (d *Dovetail) CreateAll(ctx context.Context, first, count int) error {
	const most = 1000
	for done := 0; done < count; done += most {
		operations := make([]store.Operation, 0, most)
		for n := done; n < min(done+most, count); n++ {
			operation, err := ItemOf(first + n).Operation()
			if err != nil {
				return err
			}
			operations = append(operations, operation)
		}
		if _, err := d.Store.Apply(ctx, operations, store.Options{}); err != nil {
			return fmt.Errorf("items from %d: %w", first+done, err)
		}
	}
	return nil
}

// Create reads the item's JSON, as the other systems do, and stores it.
func (d *Dovetail) Create(ctx context.Context, item Item) error {
	operation, err := item.Operation()
	if err != nil {
		return err
	}
	_, err = d.Store.Create(ctx, operation)
	if dovetail.CodeOf(err) == dovetail.CodeMissing {
		return ErrDangling
	}
	return err
}

// Close closes the store and its file.
func (d *Dovetail) Close() error { return d.Store.Backend().Close() }
