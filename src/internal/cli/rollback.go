package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

type rollbackOptions struct {
	target
	to     string
	dryRun bool
}

func newRollbackCommand(s *session) *cobra.Command {
	var o rollbackOptions
	cmd := &cobra.Command{
		Use:   "rollback ID",
		Short: "Restore an earlier version of a document",
		Long: `Give a document the data and files of an earlier version, or create it again if it was deleted: by default
those of the version before the last change, with --to those of a version that "dovetail history" shows, or those that
it had at a time. The status stays. It is a new version, made by a transaction like any other: it is refused if it would
leave a missing parent or a dangling reference, and can itself be rolled back.`,
		Example: `  dovetail rollback project/p1 --dry-run
  dovetail rollback project/p1 --to 4k2v7m3q5x8z1c6b9n0d2f4g6h-3 -m "back to three replicas"
  dovetail rollback project/p1 --to 2026-11-21`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeIDs(s, &o.target),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.flags(cmd)
	s.messageFlag(cmd)
	o.changeSetFlag(cmd, s)
	cmd.Flags().StringVar(&o.to, "to", "", "the `VERSION`, or a time such as 2026-11-21T12:00:00Z or a day")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check everything and show what would happen, but change nothing")
	check(cmd.RegisterFlagCompletionFunc("to", completeVersions(s, &o.target)))
	return cmd
}

func (o *rollbackOptions) run(cmd *cobra.Command, s *session, arg string) error {
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	id, err := parseID(model, arg)
	if err != nil {
		return err
	}
	version, err := o.version(ctx, s, st, id)
	if err != nil {
		return err
	}
	return s.restore(ctx, st, o.dryRun, func(options store.Options) (*store.Result, error) {
		return st.Rollback(ctx, id, version, options)
	})
}

// version is the one to go back to, where --to is a time the one that the document had.
func (o *rollbackOptions) version(ctx context.Context, s *session, st Store, id dovetail.ID) (string, error) {
	isTime := false
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		_, err := time.Parse(layout, o.to)
		isTime = isTime || err == nil
	}
	if !isTime {
		return o.to, nil
	}
	if s.outside != nil {
		st = s.outside // a change set has no past
	}
	then, err := st.At(ctx, o.to, id)
	if err != nil {
		return "", err
	}
	doc, err := then.Get(ctx, id)
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return "", &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: fmt.Sprintf("%s did not exist at %s", id, o.to), Err: err,
			Remedy: fmt.Sprintf("see `dovetail history %s` for its versions", id)}
	}
	if err != nil {
		return "", err
	}
	return doc.ETag().Version(), nil
}

type revertOptions struct {
	target
	dryRun bool
}

func newRevertCommand(s *session) *cobra.Command {
	var o revertOptions
	cmd := &cobra.Command{
		Use:   "revert POSITION",
		Short: "Undo a transaction",
		Long: `Undo a transaction, whose position "dovetail history" shows, by another one: what it created is deleted, what it deleted
is created again, and what it updated gets its data and files back. Status stays.

Later changes of other values are kept. If the same value was changed again, the revert is refused, and
every such value is shown; so is a revert that would leave a missing parent or a dangling reference. A revert can itself
be reverted.`,
		Example: `  dovetail history --under project/p1
  dovetail revert 5f0c2ab7e1d94c38-118 --dry-run`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePositions(s, &o.target),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, store.Cursor(args[0])) },
	}
	o.flags(cmd)
	s.messageFlag(cmd)
	o.changeSetFlag(cmd, s)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check everything and show what would happen, but change nothing")
	return cmd
}

func (o *revertOptions) run(cmd *cobra.Command, s *session, position store.Cursor) error {
	ctx := cmd.Context()
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	if _, err := transactionAt(ctx, st, position); err != nil {
		return err
	}
	return s.restore(ctx, st, o.dryRun, func(options store.Options) (*store.Result, error) {
		return st.Revert(ctx, position, options)
	})
}

// restore makes documents what they were, and shows them.
func (s *session) restore(ctx context.Context, st Store, dryRun bool, write func(store.Options) (*store.Result, error)) error {
	options := store.Options{DryRun: dryRun, Message: s.message}
	var result *store.Result
	var err error
	if dryRun {
		result, err = write(options)
	} else {
		result, err = s.transact(ctx, st, func(key string) (*store.Result, error) {
			options.Key = key
			return write(options)
		})
	}
	if err != nil {
		return err
	}
	if len(result.Outcomes)+len(result.Cascaded) == 0 && s.output != formatJSON {
		fmt.Fprintln(s.Err, "nothing to do: everything is as it was already")
		return nil
	}
	if dryRun {
		return s.showPlan(ctx, st, result)
	}
	return s.showResult(result, false)
}

// showPlan shows what a transaction would do, with the differences from what is stored.
func (s *session) showPlan(ctx context.Context, st Store, result *store.Result) error {
	diffs := make(map[dovetail.ID]string)
	for _, outcome := range result.Outcomes {
		was, err := stateAt(ctx, st, outcome.Document.ID, "")
		if err != nil && dovetail.CodeOf(err) != dovetail.CodeNotFound {
			return err
		}
		var next state
		if outcome.Effect != store.WasDeleted {
			if next, err = stateOf(outcome.Document); err != nil {
				return err
			}
		}
		diffs[outcome.Document.ID] = compare(outcome.Document.ID, was, next, "restored").Diff
	}
	return s.showEffects(result, true, diffs)
}
