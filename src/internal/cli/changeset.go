package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Proposer is a Store with change sets: a server.
type Proposer interface {
	Store
	ChangeSets() *client.ChangeSets
	// InChangeSet returns the store as it would be with a change set, in which it stages what is written. The store itself stays
	// open, and is the one to be closed.
	InChangeSet(name string) Store
}

func newChangeSetCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "changeset",
		Short: "Prepare, review and merge changes of many documents",
		Long: `A change set is a set of proposed changes of documents. It has a position of the store as its base, and a view of the
whole store as it would be: commands with --change-set NAME read that view, and stage their writes in it. Other users review
it. A merge applies all changes to the current store, as one transaction, or is refused with the reasons.

Access policies can protect documents, so that they only change through approved change sets.`,
		Example: `  dovetail changeset create bigger --title "More copies for the weekend"
  dovetail changeset add bigger -f apps/
  dovetail get apps --change-set bigger
  dovetail changeset diff bigger
  dovetail changeset merge bigger`,
		Aliases: []string{"change-set"},
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newChangeSetCreateCommand(s), newChangeSetAddCommand(s), newChangeSetDropCommand(s), newChangeSetEditCommand(s),
		newChangeSetListCommand(s), newChangeSetShowCommand(s), newChangeSetDiffCommand(s),
		newChangeSetCheckCommand(s), newChangeSetImpactCommand(s),
		newChangeSetReviewCommand(s, api.Approve), newChangeSetReviewCommand(s, api.Reject), newChangeSetReviewCommand(s, api.Comment),
		newChangeSetMergeCommand(s), newChangeSetProposeCommand(s), newChangeSetRebaseCommand(s), newChangeSetRevertCommand(s),
		newChangeSetCloseCommand(s), newChangeSetReopenCommand(s), newChangeSetDeleteCommand(s))
	return cmd
}

// changeSetFlag adds --change-set to a verb that reads or writes documents. It comes after the other flags.
func (t *target) changeSetFlag(cmd *cobra.Command, s *session) {
	cmd.Flags().StringVar(&t.changeSet, "change-set", "", "read the store as it would be after a merge of the change set `NAME`, and stage all writes in it")
	for _, other := range []string{"store", "at", "watch"} {
		if cmd.Flags().Lookup(other) != nil {
			cmd.MarkFlagsMutuallyExclusive("change-set", other)
		}
	}
	names := completeChangeSets(s, t, api.ChangeSetOpen)
	check(cmd.RegisterFlagCompletionFunc("change-set", func(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return names(cmd, nil, prefix)
	}))
}

// inChangeSet returns the store as it would be with a change set, which must exist.
func (s *session) inChangeSet(ctx context.Context, st Store, name string) (Store, error) {
	p, err := proposer(st)
	if err != nil {
		return nil, err
	}
	if _, err := p.ChangeSets().Get(ctx, name); err != nil {
		return nil, s.unknownChangeSet(ctx, p, name, err, "create it with `dovetail changeset create "+quoted(name)+s.targetFlags+"`")
	}
	s.changeSet, s.outside = name, st
	s.targetFlags += " --change-set " + quoted(name)
	return p.InChangeSet(name), nil
}

func proposer(st Store) (Proposer, error) {
	if p, ok := st.(Proposer); ok {
		return p, nil
	}
	return nil, onlyServer("has change sets")
}

// unknownChangeSet adds to the error of a change set that does not exist what may be meant. Other errors it passes on.
func (s *session) unknownChangeSet(ctx context.Context, p Proposer, name string, err error, remedy string) error {
	e := dovetail.AsError(err)
	if e == nil || e.Code != dovetail.CodeNotFound || e.Key != changeSetID(name) {
		return err
	}
	var names []string
	for c, err := range p.ChangeSets().List(ctx, client.ChangeSetQuery{}) {
		if err != nil {
			break
		}
		if names = append(names, c.Name); len(names) == completionNames {
			break
		}
	}
	if near := suggest.Nearest(name, names); near != "" {
		remedy = "did you mean " + near + "? Otherwise " + remedy
	}
	return &dovetail.Error{Code: dovetail.CodeNotFound, Key: e.Key, Message: "there is no change set " + name, Remedy: remedy, Err: err}
}

// changeSetID is the id of the document of a change set.
func changeSetID(name string) dovetail.ID {
	return dovetail.Key{{Name: "changeSet", Value: name}}.ID()
}

// changeSetVerb is what the verbs of changeset share.
type changeSetVerb struct {
	target
	name string
	st   Proposer
}

// onChangeSet makes a verb about the change set of its first argument work on the server.
func (v *changeSetVerb) onChangeSet(cmd *cobra.Command, s *session, args []string, do func(ctx context.Context) error) error {
	ctx := cmd.Context()
	st, err := v.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	if v.st, err = proposer(st); err != nil {
		return err
	}
	if len(args) > 0 {
		v.name = args[0]
	}
	return s.unknownChangeSet(ctx, v.st, v.name, do(ctx), "see `dovetail changeset list"+s.targetFlags+"`")
}

// edit writes a change set, and finds out what became of it where the answer was lost.
func (v *changeSetVerb) edit(ctx context.Context, s *session, dryRun bool, write func(sets *client.ChangeSets, o store.Options) error) error {
	sets, options := v.st.ChangeSets(), store.Options{DryRun: dryRun, Message: s.message}
	if dryRun {
		return write(sets, options)
	}
	_, err := s.transact(ctx, v.st, func(key string) (*store.Result, error) {
		options.Key = key
		return nil, write(sets, options)
	})
	return err
}

// changed edits a change set and shows it: in a table, that it is what the word says.
func (v *changeSetVerb) changed(ctx context.Context, s *session, dryRun bool, word string,
	write func(sets *client.ChangeSets, o store.Options) (*api.ChangeSet, error)) error {
	var edited *api.ChangeSet
	err := v.edit(ctx, s, dryRun, func(sets *client.ChangeSets, o store.Options) (err error) {
		edited, err = write(sets, o)
		return err
	})
	if err == nil && edited == nil { // the answer was lost
		edited, err = v.st.ChangeSets().Get(ctx, v.name)
	}
	if err != nil {
		return err
	}
	return s.showChangeSet(edited, word)
}

func (s *session) showChangeSet(c *api.ChangeSet, word string) error {
	item, err := valueOf(c)
	if err != nil {
		return err
	}
	result := shown{single: true, items: []*value.Value{item}, names: []string{c.Name}}
	result.table.add(word + " " + c.Name)
	s.show(result)
	return nil
}

// completeChangeSets suggests the names of change sets, where a state is given of those in it.
func completeChangeSets(s *session, t *target, state api.ChangeSetState) completion {
	return completing(s, t, func(ctx context.Context, st Store, args []string, prefix string) ([]cobra.Completion, error) {
		p, err := proposer(st)
		if err != nil || len(args) > 0 {
			return nil, err
		}
		var found []cobra.Completion
		for c, err := range p.ChangeSets().List(ctx, client.ChangeSetQuery{State: state}) {
			if err != nil {
				return nil, err
			}
			if !strings.HasPrefix(c.Name, prefix) {
				continue
			}
			if found = append(found, cobra.CompletionWithDesc(c.Name, c.Title)); len(found) == completionNames {
				break
			}
		}
		return found, nil
	})
}

// stagedIn ends the summary of what is not stored, but staged.
func (s *session) stagedIn(dryRun bool) string {
	if s.changeSet == "" || dryRun {
		return ""
	}
	return " (staged in " + s.changeSet + ")"
}

// withChangeSet adds, to a refusal of protected documents, the commands that change them through a change set.
func withChangeSet(cmd *cobra.Command, args []string, err error) error {
	var e *dovetail.Error
	isProtected := func(part *dovetail.Error) bool { return part.Reason == api.ReasonProtected }
	if !errors.As(err, &e) || cmd.Flags().Lookup("change-set") == nil || !slices.ContainsFunc(parts(e), isProtected) {
		return err
	}
	again := "dovetail"
	for _, arg := range args {
		again += " " + quoted(arg)
	}
	proposed := *e
	proposed.Errors = slices.Clone(e.Errors)
	for i, part := range proposed.Errors {
		if isProtected(part) { // the remedy of the whole says more
			shown := *part
			shown.Remedy = ""
			proposed.Errors[i] = &shown
		}
	}
	proposed.Remedy = fmt.Sprintf("stage it: `dovetail changeset create NAME`, then `%s --change-set NAME`", again)
	return &proposed
}

// quoted writes an argument for a shell.
func quoted(arg string) string {
	if arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-") == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
