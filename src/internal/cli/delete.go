package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

type deleteOptions struct {
	target
	address
	files   []string
	cascade string
	dryRun  bool
}

// The values of --cascade.
const (
	cascadeNo   = "false"
	cascadeYes  = "true"
	cascadePlan = "plan"
)

func newDeleteCommand(s *session) *cobra.Command {
	o := deleteOptions{cascade: cascadeNo}
	cmd := &cobra.Command{
		Use:   "delete KIND NAME... | delete ID... | delete -f FILE|DIRECTORY|-",
		Short: "Delete documents in one transaction",
		Long: `Delete the named documents, or those that files describe, in one transaction. A document with
children or referrers is not deleted; the error names them. With --cascade they are deleted too, recursively;
--cascade=plan shows which documents those are, and why, and changes nothing.`,
		Example: `  dovetail delete app p1/shop/v3/nginx
  dovetail delete project/p1 --cascade=plan
  dovetail delete -f apps/`,
		ValidArgsFunction: completeDocuments(s, &o.target, &o.address),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.target.flags(cmd)
	o.address.flags(cmd)
	fileFlag(cmd, &o.files)
	s.messageFlag(cmd)
	optionalFlag(cmd, &o.cascade, "cascade", cascadeYes, "delete children and referrers too; --cascade=plan only shows them", cascadeYes, cascadeNo, cascadePlan)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check everything and show what would happen, but change nothing")
	o.changeSetFlag(cmd, s)
	return acceptsTemplates(cmd)
}

func (o *deleteOptions) run(cmd *cobra.Command, s *session, args []string) error {
	switch o.cascade {
	case cascadeNo, cascadeYes:
	case cascadePlan:
		o.dryRun = true
	default:
		return usagef(cmd, "--cascade must be true, false or plan, not %s", o.cascade)
	}
	if (len(args) == 0) == (len(o.files) == 0) {
		return usagef(cmd, "name documents, or files with -f")
	}
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	operations, err := o.operations(cmd, s, model, args)
	if err != nil {
		return err
	}
	result, err := s.apply(ctx, st, operations, store.Options{DryRun: o.dryRun})
	if err != nil {
		return o.explain(ctx, st, operations, err)
	}
	return s.showResult(result, o.dryRun)
}

// operations are the deletions that arguments or files ask for.
func (o *deleteOptions) operations(cmd *cobra.Command, s *session, model *schema.Model, args []string) ([]store.Operation, error) {
	cascade := o.cascade != cascadeNo
	if len(o.files) > 0 {
		read, err := s.readManifests(model, o.files)
		if err != nil {
			return nil, err
		}
		operations := make([]store.Operation, len(read))
		for i, op := range read {
			operations[i] = store.Operation{Verb: store.Delete, ID: op.ID, Cascade: cascade, Position: op.Position, Faults: op.Faults}
		}
		return operations, nil
	}
	sel, err := o.resolve(cmd, model, args)
	if err != nil {
		return nil, err
	}
	if len(sel.ids) == 0 {
		return nil, usagef(cmd, "name the %s to delete", sel.kind.Name)
	}
	var operations []store.Operation
	for _, id := range sel.ids {
		operations = append(operations, store.Operation{Verb: store.Delete, ID: id, Cascade: cascade})
	}
	return operations, nil
}

// explain says of documents that are in use what all holds them, and how to continue with this program.
func (o *deleteOptions) explain(ctx context.Context, st Store, operations []store.Operation, err error) error {
	if o.cascade != cascadeNo {
		return err
	}
	for _, part := range parts(err) {
		if part.Code != dovetail.CodeInUse {
			continue
		}
		part.Remedy = fmt.Sprintf("delete those first, or see `dovetail delete --cascade=plan %s`", part.Key)
		if b := part.BlockedBy; b != nil && b.Total > len(b.IDs) {
			part.BlockedBy = allBlockers(ctx, st, operations, part.Key, b)
		}
	}
	return err
}

// allBlockers asks for the plan of a cascade, which has what holds the document in full. Without an
// answer what is known has to do.
func allBlockers(ctx context.Context, st Store, operations []store.Operation, id dovetail.ID, known *dovetail.Blockers) *dovetail.Blockers {
	cascading := slices.Clone(operations)
	for i := range cascading {
		cascading[i].Cascade = true
	}
	plan, err := st.Apply(ctx, cascading, store.Options{DryRun: true})
	if err != nil {
		return known
	}
	all := &dovetail.Blockers{Unreadable: known.Unreadable}
	for _, outcome := range plan.Cascaded {
		if outcome.Cause != nil && outcome.Cause.ID == id {
			all.IDs = append(all.IDs, outcome.Document.ID)
		}
	}
	all.Total = len(all.IDs)
	return all
}
