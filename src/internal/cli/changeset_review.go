package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// newChangeSetReviewCommand is the verb of a decision.
func newChangeSetReviewCommand(s *session, decision api.Decision) *cobra.Command {
	var v changeSetVerb
	var comment string
	about := map[api.Decision]struct{ short, long, done, example string }{
		api.Approve: {"Approve a change set", `Approve the operations of an open change set as they are now. An edit afterwards voids the approval, and
approvals of those who staged something do not count. "dovetail changeset check" shows which approvals are missing.`, "approved", `approve bigger -m "fits the weekend"`},
		api.Reject: {"Reject a change set", `Reject the operations of an open change set as they are now: it cannot be merged until it is edited, or you approve
it.`, "rejected", `reject bigger -m "three copies are enough"`},
		api.Comment: {"Comment on a change set", `Add a comment to the reviews of an open change set.`, "commented on", `comment bigger -m "why now?"`},
	}[decision]
	cmd := &cobra.Command{
		Use:               string(decision) + " NAME",
		Short:             about.short,
		Long:              about.long,
		Example:           "  dovetail changeset " + about.example,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeChangeSets(s, &v.target, api.ChangeSetOpen),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.onChangeSet(cmd, s, args, func(ctx context.Context) error {
				return v.changed(ctx, s, false, about.done, func(sets *client.ChangeSets, o store.Options) (*api.ChangeSet, error) {
					return sets.Review(ctx, v.name, decision, comment, o)
				})
			})
		},
	}
	v.serverFlag(cmd)
	cmd.Flags().StringVarP(&comment, "message", "m", "", "the comment of the review")
	noFileCompletion(cmd, "message")
	if decision == api.Comment {
		check(cmd.MarkFlagRequired("message"))
	}
	return cmd
}

func newChangeSetCheckCommand(s *session) *cobra.Command {
	return newChangeSetReadCommand(s, &cobra.Command{
		Use:   "check NAME",
		Short: "Check whether a change set could be merged now",
		Long: `Check whether a change set could be merged now, and show conflicts with later changes, errors that the store would
report, and missing approvals. If its branch was merged with a different content, it shows what is missing in the store.

The exit code is 0 when it could be merged and 1 otherwise.`,
		Example: `  dovetail changeset check bigger`,
	}, []format{formatJSON, formatYAML}, func(ctx context.Context, v *changeSetVerb) error {
		c, err := v.st.ChangeSets().Check(ctx, v.name)
		if err != nil {
			return err
		}
		if s.output == formatTable {
			v.showCheck(s, c)
			return different(!c.Mergeable)
		}
		item, err := valueOf(c)
		if err != nil {
			return err
		}
		s.show(shown{single: true, items: []*value.Value{item}})
		return different(!c.Mergeable)
	})
}

// showCheck shows a check on a terminal.
func (v *changeSetVerb) showCheck(s *session, c *api.ChangeSetCheck) {
	paint := s.paintOut()
	for _, conflict := range c.Conflicts {
		fmt.Fprintf(s.Out, "%s%s: %s\n", paint(red, "conflict: "), conflict.ID, conflict.Message)
	}
	if len(c.Conflicts) > 0 {
		fmt.Fprintln(s.Out, "  "+v.rebaseRemedy(s))
	}
	for _, e := range c.Errors {
		fmt.Fprint(s.Out, s.partText(paint, red, "error: ", e.AsError()))
	}
	for _, p := range c.Protections {
		shade := green
		if p.Missing > 0 {
			shade = yellow
		}
		fmt.Fprintln(s.Out, paint(shade, "approvals: ")+approvalsText(p))
	}
	for _, name := range c.RejectedBy {
		fmt.Fprintln(s.Out, paint(red, "rejected: ")+"by "+name)
	}
	for _, r := range c.Remaining {
		fmt.Fprintf(s.Out, "%s%s\n%s", paint(yellow, "not merged: "), r.ID, changesText(r.Changes, nil, paint))
	}
	s.unread(c.Unreadable)
	if c.Mergeable {
		fmt.Fprintln(s.Out, v.name+" can be merged")
		return
	}
	fmt.Fprintln(s.Out, v.name+" cannot be merged")
}

// approvalsText says how far a protection is satisfied.
func approvalsText(p api.Approvals) string {
	by := ""
	if len(p.By) > 0 {
		by = " by " + strings.Join(p.By, " or ")
	}
	text := fmt.Sprintf("%s: %d of %s%s", strings.Join(p.On, ", "), p.Approvals-p.Missing, count(p.Approvals, "approval"), by)
	if len(p.ApprovedBy) > 0 {
		text += " (" + strings.Join(p.ApprovedBy, ", ") + ")"
	}
	if p.Missing > 0 && p.Message != "" {
		text += ": " + p.Message
	}
	return text
}
