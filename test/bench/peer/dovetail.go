package peer

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/embedded"
	"github.com/dovetail-store/dovetail/src/store"
)

// Schema is the ref-schema of the items and of what they refer to.
//
//go:embed schema.yaml
var Schema []byte

// Dovetail is the store of Dovetail on bolt, in this process.
type Dovetail struct{ *embedded.Store }

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
	s, err := embedded.Open(ctx, embedded.Options{Path: path, Schema: string(Schema)})
	return &Dovetail{s}, err
}

// CreateTargets creates the parents and the referenced documents.
func (d *Dovetail) CreateTargets(ctx context.Context) error {
	var operations []store.Operation
	for n := range Targets {
		data := map[string]any{"metadata": map[string]string{"name": TargetName(n)}}
		for _, kind := range []string{"parent", "left", "right"} {
			operations = append(operations, embedded.Create(dovetail.ID("").Child(kind, TargetName(n)), data))
		}
	}
	_, err := d.Apply(ctx, operations...)
	return err
}

// ID is the item's id in Dovetail.
func (i Item) ID() dovetail.ID {
	return dovetail.ID("").Child("parent", TargetName(i.Parent)).Child("item", i.Name())
}

// Operation creates the item, from its JSON text as it would come over the network.
func (i Item) Operation() store.Operation { return embedded.Create(i.ID(), json.RawMessage(i.Data())) }

// CreateAll creates items from number first on, in transactions of a thousand.
func (d *Dovetail) CreateAll(ctx context.Context, first, count int) error {
	const most = 1000
	for done := 0; done < count; done += most {
		operations := make([]store.Operation, 0, most)
		for n := done; n < min(done+most, count); n++ {
			operations = append(operations, ItemOf(first+n).Operation())
		}
		if _, err := d.Apply(ctx, operations...); err != nil {
			return fmt.Errorf("items from %d: %w", first+done, err)
		}
	}
	return nil
}

// Create reads the item's JSON, as the other systems do, and stores it.
func (d *Dovetail) Create(ctx context.Context, item Item) error {
	_, err := d.Apply(ctx, item.Operation())
	if dovetail.CodeOf(err) == dovetail.CodeMissing {
		return ErrDangling
	}
	return err
}
