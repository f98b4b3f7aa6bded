package changeset

import (
	"bytes"
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/impact"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Diff compares what a change set stages with what was there at its base.
func (c *ChangeSets) Diff(ctx context.Context, name string) (*api.ChangeSetDiff, error) {
	cs, err := c.load(ctx, name)
	if err != nil {
		return nil, err
	}
	some, unreadable := c.readable(ctx, cs.operations)
	if err := c.recordRead(ctx, some); err != nil {
		return nil, err
	}
	diff := &api.ChangeSetDiff{Operations: []api.DocumentChange{}, Unreadable: unreadable}
	for _, op := range some {
		d := api.DocumentChange{StagedOperation: op.shown(), Files: []string{}}
		was, err := dataOf(op.Base)
		if err != nil {
			return nil, err
		}
		is, err := dataOf(op.Document)
		if err != nil {
			return nil, err
		}
		d.Changes = impact.Changes(was, is)
		switch err := c.store.Covers(ctx, append(inputsOf(op.Base), inputsOf(op.Document)...)...); dovetail.CodeOf(err) {
		case "":
			d.Files = files(op.Base, op.Document)
		case dovetail.CodeForbidden: // services made them of what may not be read
		default:
			return nil, err
		}
		diff.Operations = append(diff.Operations, d)
	}
	return diff, nil
}

// recordRead has the audit record that the documents of operations are read.
func (c *ChangeSets) recordRead(ctx context.Context, operations []*operation) error {
	view, err := c.store.Overlay(ctx, "", stagedOf(operations), nil)
	if err != nil {
		return err
	}
	ids := make([]dovetail.ID, len(operations))
	for i, op := range operations {
		ids[i] = op.ID
	}
	for _, s := range []*store.Store{view, c.store} { // those that are deleted stand in the latter
		if _, err := s.GetAll(ctx, ids); err != nil {
			return err
		}
	}
	return nil
}

func dataOf(doc *dovetail.Document) (*value.Value, error) {
	if doc == nil {
		return nil, nil
	}
	return value.DataOf(doc, nil)
}

func inputsOf(doc *dovetail.Document) []dovetail.ID {
	if doc == nil {
		return nil
	}
	return doc.Inputs
}

// files returns the names of files that differ.
func files(was, is *dovetail.Document) []string {
	contents := func(doc *dovetail.Document) map[string][]byte {
		all := make(map[string][]byte)
		if doc != nil {
			for _, f := range doc.Content {
				all[f.Name] = append([]byte(f.Filename+"\x00"+f.MediaType+"\x00"), f.Data...)
			}
		}
		return all
	}
	before, after := contents(was), contents(is)
	names := []string{}
	for name, data := range before {
		if other, there := after[name]; !there || !bytes.Equal(data, other) {
			names = append(names, name)
		}
	}
	for name := range after {
		if _, there := before[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
