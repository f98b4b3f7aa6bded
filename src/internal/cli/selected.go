package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
)

// selected are the documents that a verb changes: those that are named, those that labels select, or all of a kind.
type selected struct {
	target
	address
	labels string
	all    bool
	dryRun bool
}

func (o *selected) flags(cmd *cobra.Command, s *session) {
	o.target.flags(cmd)
	o.address.flags(cmd)
	s.messageFlag(cmd)
	cmd.Flags().StringVarP(&o.labels, "labels", "l", "", "the documents of the kind whose metadata.labels match, such as tier=web,zone!=a")
	cmd.Flags().BoolVar(&o.all, "all", false, "all documents of the kind, below --in if that is given")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check everything and show what would happen, but change nothing")
	cmd.MarkFlagsMutuallyExclusive("labels", "all")
	o.changeSetFlag(cmd, s)
	noFileCompletion(cmd, "labels")
}

// find reads the documents that the arguments and flags select.
func (o *selected) find(ctx context.Context, cmd *cobra.Command, st Store, model *schema.Model, args []string) ([]*dovetail.Document, error) {
	if len(args) == 0 {
		return nil, usagef(cmd, "name documents, or a kind with --labels or --all")
	}
	sel, err := o.resolve(cmd, model, args)
	if err != nil {
		return nil, err
	}
	several := o.all || o.labels != ""
	switch {
	case len(sel.ids) > 0 && several:
		return nil, usagef(cmd, "--labels and --all are for a kind, and documents are named")
	case len(sel.ids) == 0 && !several:
		return nil, usagef(cmd, "name the %s, or select with --labels or --all", sel.kind.Name)
	}
	var query store.ListQuery
	if query.Labels, err = selector.ParseLabels(o.labels); err != nil {
		return nil, inFlag(err, "--labels")
	}
	get := getOptions{}
	documents, err := get.find(ctx, st, sel, sel.query(query))
	if err == nil && len(documents) == 0 {
		err = &dovetail.Error{Code: dovetail.CodeNotFound, Message: "no " + sel.kind.Name + " is selected, so nothing was changed", Remedy: "see `dovetail get` with the same kind and labels"}
	}
	return documents, err
}

// change does the operations in one transaction and shows what came of it.
func (o *selected) change(ctx context.Context, s *session, st Store, operations []store.Operation) error {
	result, err := s.apply(ctx, st, operations, store.Options{DryRun: o.dryRun})
	if err != nil {
		if len(operations) == 1 {
			err = dovetail.WithoutIndex(err)
		}
		return err
	}
	return s.showResult(result, o.dryRun)
}
