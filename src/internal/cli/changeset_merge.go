package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

func newChangeSetMergeCommand(s *session) *cobra.Command {
	var v changeSetVerb
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "merge NAME",
		Short: "Apply a change set as one transaction",
		Long: `Apply an open change set to the current store, as one transaction. Changes since its base are kept where the
change set does not change the same value. A merge is refused if it does, if it would leave a missing parent or a dangling
reference, or if approvals are missing: nothing is stored then.`,
		Example: `  dovetail changeset merge bigger --dry-run
  dovetail changeset merge bigger -m "as agreed"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeChangeSets(s, &v.target, api.ChangeSetOpen),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.onChangeSet(cmd, s, args, func(ctx context.Context) error { return v.merge(ctx, s, v.name, dryRun) })
		},
	}
	v.serverFlag(cmd)
	s.messageFlag(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "check everything and show what would happen, but change nothing")
	return cmd
}

// merge merges a change set and shows what that did.
func (v *changeSetVerb) merge(ctx context.Context, s *session, name string, dryRun bool) error {
	var merged *api.ChangeSetMerge
	err := v.edit(ctx, s, dryRun, func(sets *client.ChangeSets, o store.Options) (err error) {
		merged, err = sets.Merge(ctx, name, o)
		return err
	})
	switch {
	case err != nil:
		return v.explain(s, err)
	case merged == nil: // the answer was lost
		c, err := v.st.ChangeSets().Get(ctx, name)
		if err != nil {
			return err
		}
		return s.showChangeSet(c, "merged")
	}
	item, err := valueOf(merged)
	if err != nil {
		return err
	}
	result := shown{single: true, items: []*value.Value{item}}
	count := make(map[store.Effect]int)
	for _, op := range merged.Operations {
		count[op.Effect]++
		result.names = append(result.names, string(op.ID))
		result.table.rows = append(result.table.rows, row{cells: []string{string(op.Effect), string(op.ID)}, colour: effectColour(string(op.Effect))})
	}
	s.show(result)
	if s.output == formatTable || s.output == formatWide {
		text := cmp.Or(summary(count, false), "nothing to do")
		if dryRun {
			text = strings.TrimSpace(summary(count, true))
		} else if merged.Position != "" {
			text += " at " + string(merged.Position)
		}
		fmt.Fprintln(s.Out, text)
	}
	return nil
}

// mergeConflict makes a conflict the cause of an error.
type mergeConflict api.MergeConflict

// Error makes it a cause.
func (c *mergeConflict) Error() string { return c.Message }

// rebaseRemedy says how conflicts are resolved.
func (v *changeSetVerb) rebaseRemedy(s *session) string {
	return fmt.Sprintf("resolve all with `dovetail changeset rebase %s%s --take staged` or `--take now`, or each with --resolve 'ID#PATH=staged'", quoted(v.name), s.targetFlags)
}

// explain adds to the error of conflicts their values, and how they are resolved.
func (v *changeSetVerb) explain(s *session, err error) error {
	conflicts := api.ConflictsOf(err)
	if conflicts == nil {
		return err
	}
	var errs dovetail.Errors
	for i := range conflicts {
		errs.Add(&dovetail.Error{Code: dovetail.CodeConflict, Reason: api.ReasonChangeSetConflict, Key: conflicts[i].ID, Message: conflicts[i].Message,
			Err: (*mergeConflict)(&conflicts[i])})
	}
	e := *dovetail.AsError(err)
	e.Errors, e.Total, e.Remedy = errs.Kept(), 0, v.rebaseRemedy(s)
	if errs.Omitted() > 0 {
		e.Total = errs.Total()
	}
	return &e
}

// conflictOf is that of a part of an error, nil if there is none.
func conflictOf(e *dovetail.Error) *api.MergeConflict {
	var c *mergeConflict
	if len(e.Errors) > 0 || !errors.As(e.Err, &c) {
		return nil
	}
	return (*api.MergeConflict)(c)
}

type rebaseOptions struct {
	changeSetVerb
	take    string
	resolve []string
	dryRun  bool
}

func newChangeSetRebaseCommand(s *session) *cobra.Command {
	var o rebaseOptions
	cmd := &cobra.Command{
		Use:   "rebase NAME",
		Short: "Bring a change set up to date",
		Long: `Move the base of an open change set to the current position of the store. Later changes are merged in. A value that
both sides changed is a conflict: nothing happens unless --take decides for all, or --resolve for one,
between the staged value and the current one. Approvals are kept if the operations stay the same.`,
		Example: `  dovetail changeset rebase bigger
  dovetail changeset rebase bigger --take now
  dovetail changeset rebase bigger --resolve project/p1/cloud/c1#/spec/size=staged`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeChangeSets(s, &o.target, api.ChangeSetOpen),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.serverFlag(cmd)
	s.messageFlag(cmd)
	cmd.Flags().StringVar(&o.take, "take", "", "which value to take if both sides changed it: `staged|now`")
	cmd.Flags().StringArrayVar(&o.resolve, "resolve", nil, "which value to take for one conflict, as `ID#PATH=staged|now`; without #PATH for the whole document; may be repeated")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check everything, but change nothing")
	noFileCompletion(cmd, "resolve")
	check(cmd.RegisterFlagCompletionFunc("take", cobra.FixedCompletions(sides, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

var sides = []string{string(api.TakeStaged), string(api.TakeNow)}

func (o *rebaseOptions) run(cmd *cobra.Command, s *session, args []string) error {
	if o.take != "" && !slices.Contains(sides, o.take) {
		return usagef(cmd, "--take is %q, but must be staged or now", o.take)
	}
	var resolve []api.Resolution
	for _, text := range o.resolve {
		r, ok := parseResolution(text)
		if !ok {
			return usagef(cmd, "--resolve is %q, but must be ID#PATH=staged or ID#PATH=now", text)
		}
		resolve = append(resolve, r)
	}
	word := "rebased"
	if o.dryRun {
		word = "can rebase"
	}
	return o.onChangeSet(cmd, s, args, func(ctx context.Context) error {
		err := o.changed(ctx, s, o.dryRun, word, func(sets *client.ChangeSets, options store.Options) (*api.ChangeSet, error) {
			return o.rebase(ctx, sets, resolve, options)
		})
		return o.explain(s, err)
	})
}

// parseResolution reads ID#PATH=TAKE, where #PATH may be absent.
func parseResolution(text string) (api.Resolution, bool) {
	at := strings.LastIndexByte(text, '=')
	if at < 0 || !slices.Contains(sides, text[at+1:]) {
		return api.Resolution{}, false
	}
	id, path, _ := strings.Cut(text[:at], "#")
	if _, err := dovetail.ParseID(id); err != nil || path != "" && !strings.HasPrefix(path, "/") {
		return api.Resolution{}, false
	}
	return api.Resolution{ID: dovetail.ID(id), Path: path, Take: api.Take(text[at+1:])}, true
}

// maxRebases bounds how often a rebase takes into account what changed in the meantime.
const maxRebases = 10

// rebase rebases; with --take it resolves the conflicts that it finds.
func (o *rebaseOptions) rebase(ctx context.Context, sets *client.ChangeSets, resolve []api.Resolution, options store.Options) (*api.ChangeSet, error) {
	for round := 1; ; round++ {
		checked := options
		if o.take != "" && round < maxRebases {
			checked.DryRun, checked.Key = true, "" // a key is for one request
		}
		c, err := sets.Rebase(ctx, o.name, resolve, checked)
		conflicts := api.ConflictsOf(err)
		switch {
		case o.take == "" || round == maxRebases || err != nil && conflicts == nil:
			return c, err
		case err == nil && options.DryRun:
			return c, nil
		case err == nil:
			c, err = sets.Rebase(ctx, o.name, resolve, options)
			if api.ConflictsOf(err) == nil {
				return c, err
			}
			conflicts = api.ConflictsOf(err)
		}
		before := len(resolve)
		for _, conflict := range conflicts {
			r := api.Resolution{ID: conflict.ID, Path: conflict.Path, Take: api.Take(o.take)}
			if !slices.ContainsFunc(resolve, func(have api.Resolution) bool { return have.ID == r.ID && have.Path == r.Path }) {
				resolve = append(resolve, r)
			}
		}
		if len(resolve) == before {
			return nil, err
		}
	}
}

func newChangeSetRevertCommand(s *session) *cobra.Command {
	var v changeSetVerb
	var c api.NewChangeSet
	var merge bool
	cmd := &cobra.Command{
		Use:   "revert NAME",
		Short: "Undo a merged change set by another one",
		Long: `Create a change set that undoes a merged one: what it created is deleted, what it deleted is created again, and what
it updated gets its earlier values, merged with later changes. It is reviewed and merged like any other; --merge merges it
immediately.`,
		Example: `  dovetail changeset revert bigger
  dovetail changeset revert bigger --merge`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeChangeSets(s, &v.target, api.ChangeSetMerged),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.onChangeSet(cmd, s, args, func(ctx context.Context) error { return v.revert(ctx, s, c, merge) })
		},
	}
	v.serverFlag(cmd)
	s.messageFlag(cmd)
	cmd.Flags().StringVar(&c.Name, "name", "", "name of the new change set (default revert-NAME)")
	cmd.Flags().StringVar(&c.Title, "title", "", "title of the new change set (default that of the other one)")
	cmd.Flags().BoolVar(&merge, "merge", false, "merge the new change set immediately")
	noFileCompletion(cmd, "name", "title")
	return cmd
}

func (v *changeSetVerb) revert(ctx context.Context, s *session, c api.NewChangeSet, merge bool) error {
	c.Name = cmp.Or(c.Name, "revert-"+v.name)
	var made *api.ChangeSet
	err := v.edit(ctx, s, false, func(sets *client.ChangeSets, o store.Options) (err error) {
		made, err = sets.Revert(ctx, v.name, c, o)
		return err
	})
	if err == nil && made == nil { // the answer was lost
		made, err = v.st.ChangeSets().Get(ctx, c.Name)
	}
	if err != nil {
		return err
	}
	if !merge {
		return s.showChangeSet(made, "created")
	}
	fmt.Fprintln(s.Err, "created "+made.Name)
	v.name = made.Name
	return v.merge(ctx, s, made.Name, false)
}
