package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	resolved "github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
)

// Approver is a server that takes approvals of plans. *client.Client is one.
type Approver interface {
	Store
	ApprovePlan(ctx context.Context, resolution, plan string, options store.Options) (*api.PlanApproval, error)
}

type resolveApproveOptions struct {
	target
	plan string
}

func newResolveApproveCommand(s *session) *cobra.Command {
	var o resolveApproveOptions
	cmd := &cobra.Command{
		Use:   "approve NAME",
		Short: "Approve the plan of an ActiveResolution",
		Long: `Approve the plan of an ActiveResolution whose spec has approval: required, so that the server activates it, at once
or when a window opens. The approver must be another user than the author of the spec.

It shows the steps, and approves them: if the plan changes in between, the approval is refused. --plan approves
a plan by its digest, as reviewed before. A plan that changes later needs an approval of its own.`,
		Example: `  dovetail resolve approve cluster-east -m "backup is done"
  dovetail resolve approve cluster-east --plan sha256:6ff0...`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.serverFlag(cmd)
	cmd.Flags().StringVar(&o.plan, "plan", "", "approve the plan with this `digest` only")
	s.messageFlag(cmd)
	noFileCompletion(cmd, "plan")
	return cmd
}

func (o *resolveApproveOptions) run(cmd *cobra.Command, s *session, name string) error {
	if err := s.only(cmd, formatJSON); err != nil {
		return err
	}
	server, done, err := openServer[Approver](cmd.Context(), s, &o.target, "takes approvals")
	if err != nil {
		return err
	}
	defer done()
	digest := o.plan
	if digest == "" {
		doc, err := server.Get(cmd.Context(), dovetail.ID("").Child(resolved.Kind, name))
		if err != nil {
			return err
		}
		status := resolved.ReadStatus(doc)
		if digest = status.PlanDigest; digest == "" {
			return &dovetail.Error{Code: dovetail.CodeNotFound, Message: name + " has no plan", Remedy: "add a policy to its spec, or read its conditions"}
		}
		if s.output != formatJSON {
			showPlan(s.Out, status.Plan)
		}
	}
	approval, err := server.ApprovePlan(cmd.Context(), name, digest, store.Options{Message: s.message})
	if err != nil {
		return err
	}
	if s.output == formatJSON {
		s.writeJSON(approval)
		return nil
	}
	fmt.Fprintf(s.Out, "approved by %s: %s\n", approval.By, approval.Plan)
	return nil
}
