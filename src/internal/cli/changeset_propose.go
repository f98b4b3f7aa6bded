package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/store"
)

func newChangeSetProposeCommand(s *session) *cobra.Command {
	var v changeSetVerb
	var branch string
	cmd := &cobra.Command{
		Use:   "propose NAME",
		Short: "Push a change set as a branch, for a merge request",
		Long: `Push the changes of a merge to the attached Git repository as a branch with one commit, for a merge request on the Git host.
When the branch is merged there, in whatever way, the change set is merged. Run it again after more edits: the commit is
replaced. A branch with commits of others is left as it is, and the command is refused.

The branch is deleted when the change set is closed or deleted.`,
		Example: `  dovetail changeset propose bigger
  dovetail changeset propose bigger --branch feature/bigger`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeChangeSets(s, &v.target, api.ChangeSetOpen),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.onChangeSet(cmd, s, args, func(ctx context.Context) error { return v.propose(ctx, s, branch) })
		},
	}
	v.serverFlag(cmd)
	s.messageFlag(cmd)
	cmd.Flags().StringVar(&branch, "branch", "", "`name` of the branch (default change-set/NAME, or the one that it was proposed as)")
	noFileCompletion(cmd, "branch")
	return cmd
}

func (v *changeSetVerb) propose(ctx context.Context, s *session, branch string) error {
	var proposed *api.ChangeSet
	err := v.edit(ctx, s, false, func(sets *client.ChangeSets, o store.Options) (err error) {
		proposed, err = sets.Propose(ctx, v.name, branch, o)
		return err
	})
	if err == nil && proposed == nil { // the answer was lost
		proposed, err = v.st.ChangeSets().Get(ctx, v.name)
	}
	if err != nil {
		return v.explain(s, err)
	}
	if err := s.showChangeSet(proposed, "proposed"); err != nil {
		return err
	}
	if p := proposed.Proposal; p != nil && (s.output == formatTable || s.output == formatWide) {
		fmt.Fprintf(s.Out, "branch %s at commit %s: open a merge request into %s\n", p.Branch, p.Commit, p.Into)
	}
	return nil
}

// proposalText says where a change set is proposed.
func proposalText(p *api.ChangeSetProposal) string {
	text := p.Branch
	if p.Into != "" {
		text += " into " + p.Into
	}
	if p.Commit != "" {
		text += " at commit " + p.Commit
	}
	switch {
	case p.Differs != "":
		text += ", merged with a different content by commit " + p.Differs
	case !p.Current:
		text += " (outdated)"
	}
	return text
}
