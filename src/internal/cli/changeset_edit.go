package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

func newChangeSetCreateCommand(s *session) *cobra.Command {
	var v changeSetVerb
	var c api.NewChangeSet
	cmd := &cobra.Command{
		Use:               "create NAME",
		Short:             "Create a change set",
		Long:              `Create an open change set without operations, based on what is stored now.`,
		Example:           `  dovetail changeset create bigger --title "More copies for the weekend"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Name = args[0]
			return v.onChangeSet(cmd, s, args, func(ctx context.Context) error {
				return v.changed(ctx, s, false, "created", func(sets *client.ChangeSets, o store.Options) (*api.ChangeSet, error) {
					created, err := sets.Create(ctx, c, o)
					if dovetail.CodeOf(err) == dovetail.CodeExists {
						err = &dovetail.Error{Code: dovetail.CodeExists, Key: changeSetID(c.Name), Message: "there is a change set " + c.Name + " already", Err: err,
							Remedy: "use another name, or stage in it with --change-set " + quoted(c.Name)}
					}
					return created, err
				})
			})
		},
	}
	v.serverFlag(cmd)
	s.messageFlag(cmd)
	titleFlags(cmd, &c.Title, &c.Description)
	return cmd
}

func titleFlags(cmd *cobra.Command, title, description *string) {
	cmd.Flags().StringVar(title, "title", "", "purpose of the change set, in one line")
	cmd.Flags().StringVar(description, "description", "", "what reviewers need to know")
	noFileCompletion(cmd, "title", "description")
}

func newChangeSetEditCommand(s *session) *cobra.Command {
	var v changeSetVerb
	var title, description string
	cmd := &cobra.Command{
		Use:               "edit NAME",
		Short:             "Change the title and description of a change set",
		Long:              `Change the title and the description of an open change set. "dovetail edit --change-set NAME" edits documents in it.`,
		Example:           `  dovetail changeset edit bigger --title "More copies until Monday"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeChangeSets(s, &v.target, api.ChangeSetOpen),
		RunE: func(cmd *cobra.Command, args []string) error {
			var e api.ChangeSetEdit
			if cmd.Flags().Changed("title") {
				e.Title = &title
			}
			if cmd.Flags().Changed("description") {
				e.Description = &description
			}
			return v.onChangeSet(cmd, s, args, func(ctx context.Context) error {
				edited, err := v.st.ChangeSets().Edit(ctx, v.name, e)
				if err != nil {
					return v.repeatable(err)
				}
				return s.showChangeSet(edited, "edited")
			})
		},
	}
	v.serverFlag(cmd)
	titleFlags(cmd, &title, &description)
	cmd.MarkFlagsOneRequired("title", "description")
	return cmd
}

// repeatable says of an edit whose answer was lost, and that has the same outcome when it is repeated, that it may be.
func (v *changeSetVerb) repeatable(err error) error {
	if dovetail.CodeOf(err) != dovetail.CodeUnknown {
		return err
	}
	e := *dovetail.AsError(err)
	e.Remedy = "see `dovetail changeset show " + quoted(v.name) + "`, or run the command again"
	return &e
}

func newChangeSetAddCommand(s *session) *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "add NAME -f FILE|DIRECTORY|-",
		Short: "Stage documents from files in a change set",
		Long: `Stage the documents of files in an open change set, as "dovetail apply --change-set NAME" does: everything is checked
as if it were applied, in the view of the change set, and the store does not change. Earlier staged changes of a document
are replaced. Approvals of the change set are void afterwards.`,
		Example: `  dovetail changeset add bigger -f apps/
  dovetail changeset add bigger -f apps/ --dry-run`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeChangeSets(s, &o.target, api.ChangeSetOpen),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.changeSet = args[0]
			return o.run(cmd, s)
		},
	}
	o.serverFlag(cmd)
	o.fileFlags(cmd, s)
	return cmd
}

func newChangeSetDropCommand(s *session) *cobra.Command {
	var v changeSetVerb
	cmd := &cobra.Command{
		Use:   "drop NAME ID",
		Short: "Remove a document from a change set",
		Long: `Remove the staged changes of a document from an open change set: in its view, the document is as at the base.
Approvals of the change set are void afterwards.`,
		Example:           `  dovetail changeset drop bigger project/p1/cloud/c1`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: completeStaged(s, &v.target),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := dovetail.ParseID(args[1])
			if err != nil {
				return err
			}
			return v.onChangeSet(cmd, s, args, func(ctx context.Context) error {
				edited, err := v.st.ChangeSets().Drop(ctx, v.name, id)
				if err != nil {
					return v.repeatable(err)
				}
				return s.showChangeSet(edited, "dropped "+string(id)+" from")
			})
		},
	}
	v.serverFlag(cmd)
	return cmd
}

// completeStaged suggests change sets, then the documents that are staged in one.
func completeStaged(s *session, t *target) completion {
	names := completeChangeSets(s, t, api.ChangeSetOpen)
	ids := completing(s, t, func(ctx context.Context, st Store, args []string, _ string) ([]cobra.Completion, error) {
		p, err := proposer(st)
		if err != nil || len(args) != 1 {
			return nil, err
		}
		c, err := p.ChangeSets().Get(ctx, args[0])
		if err != nil {
			return nil, err
		}
		var found []cobra.Completion
		for _, op := range c.Operations[:min(len(c.Operations), completionNames)] {
			if op.ID != "" {
				found = append(found, cobra.CompletionWithDesc(string(op.ID), string(op.Verb)))
			}
		}
		return found, nil
	})
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return names(cmd, args, prefix)
		}
		return ids(cmd, args, prefix)
	}
}

func newChangeSetCloseCommand(s *session) *cobra.Command {
	return newChangeSetStateCommand(s, "close", "closed", api.ChangeSetOpen, "Close a change set without merging it",
		`Close an open change set: nothing more is staged in it or merged. It stays readable, and can be reopened.`, (*client.ChangeSets).Close)
}

func newChangeSetReopenCommand(s *session) *cobra.Command {
	return newChangeSetStateCommand(s, "reopen", "reopened", api.ChangeSetClosed, "Open a closed change set again",
		`Open a closed change set again, with all that is staged in it and its reviews.`, (*client.ChangeSets).Reopen)
}

// newChangeSetStateCommand is a verb that brings a change set from one state to another.
func newChangeSetStateCommand(s *session, verb, done string, from api.ChangeSetState, short, long string,
	write func(*client.ChangeSets, context.Context, string, store.Options) (*api.ChangeSet, error)) *cobra.Command {
	var v changeSetVerb
	cmd := &cobra.Command{
		Use:               verb + " NAME",
		Short:             short,
		Long:              long,
		Example:           fmt.Sprintf("  dovetail changeset %s bigger", verb),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeChangeSets(s, &v.target, from),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.onChangeSet(cmd, s, args, func(ctx context.Context) error {
				return v.changed(ctx, s, false, done, func(sets *client.ChangeSets, o store.Options) (*api.ChangeSet, error) {
					return write(sets, ctx, v.name, o)
				})
			})
		},
	}
	v.serverFlag(cmd)
	s.messageFlag(cmd)
	return cmd
}

func newChangeSetDeleteCommand(s *session) *cobra.Command {
	var v changeSetVerb
	cmd := &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a change set",
		Long: `Delete a change set with all that is staged in it. What a merged one did stays, and its transaction is in the history,
but it can no longer be undone with "dovetail changeset revert".`,
		Example:           `  dovetail changeset delete bigger`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeChangeSets(s, &v.target, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.onChangeSet(cmd, s, args, func(ctx context.Context) error {
				if err := v.st.ChangeSets().Delete(ctx, v.name); err != nil {
					return v.repeatable(err)
				}
				item := value.NewMap(value.Member{Name: "name", Value: value.NewString(v.name)})
				s.show(shown{single: true, items: []*value.Value{item}, names: []string{v.name}, table: table{rows: []row{{cells: []string{"deleted " + v.name}}}}})
				return nil
			})
		},
	}
	v.serverFlag(cmd)
	return cmd
}
