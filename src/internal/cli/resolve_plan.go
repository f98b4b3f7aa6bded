package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	resolved "github.com/dovetail-store/dovetail/src/resolution/state"
)

type resolvePlanOptions struct {
	target
	files    []string
	rollback bool
	timeout  time.Duration
}

// storedPlan is the plan of a status as -o json shows it.
type storedPlan struct {
	Selections []string          `json:"selections"`
	Plan       []solver.Step     `json:"plan"`
	Digest     string            `json:"planDigest"`
	Approval   *api.PlanApproval `json:"approval,omitempty"`
}

func newResolvePlanCommand(s *session) *cobra.Command {
	var o resolvePlanOptions
	cmd := &cobra.Command{
		Use:   "plan -f FILE... | plan NAME",
		Short: "Show the steps from the installed to the selected versions",
		Long: `Show the steps from spec.installed to the selections, in order. Each adds, removes or upgrades one package,
and after each, all installed packages have their dependencies.

With --rollback it shows the steps back: from the selections to what is installed, or, after the activation of a stored
plan, to what was installed before.

With files it plans without a server, as ` + "`dovetail resolve`" + ` does, for a spec with a policy: latest, minimal-change or
frozen. With the name of an ActiveResolution it shows the plan of its status, and what it waits for. The exit code is 0 if there is a
plan, which may be empty, 2 if there is none, or no rollback, 1 if the input is invalid.`,
		Example: `  dovetail resolve plan -f catalog.yaml -f cluster.yaml
  dovetail resolve plan cluster-east -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.target.flags(cmd)
	fileFlag(cmd, &o.files)
	cmd.Flags().BoolVar(&o.rollback, "rollback", false, "show the rollback")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "time limit, instead of that of the spec")
	return cmd
}

func (o *resolvePlanOptions) run(cmd *cobra.Command, s *session, args []string) error {
	if err := s.only(cmd, formatJSON); err != nil {
		return err
	}
	switch {
	case len(args) == 1 && o.files != nil:
		return usagef(cmd, "give files or a name, not both")
	case len(args) == 1:
		return o.stored(cmd, s, args[0])
	case o.files == nil:
		return usagef(cmd, "give files with -f, or the name of an ActiveResolution")
	}
	input, err := s.readResolution(o.files)
	if err != nil {
		return s.refuseResolution(err)
	}
	problem, err := solver.NewProblem(input.spec, input.sources)
	if err != nil {
		return s.refuseResolution(input.place(err))
	}
	if !problem.Spec().Planned() {
		return s.refuseResolution(invalidInput(input.file, nil, "add spec.policy: latest, minimal-change or frozen", "the spec asks for no plan"))
	}
	whole := resolveOptions{timeout: o.timeout}
	out, err := whole.solve(cmd, s, problem)
	if err != nil {
		return err
	}
	switch {
	case o.rollback:
		return s.showRollback(out.Rollback)
	case s.output == formatJSON:
		s.showSelections(out, problem, &whole, nil)
	default:
		showPlan(s.Out, out.Plan)
	}
	return nil
}

// stored shows the plan of an ActiveResolution's status.
func (o *resolvePlanOptions) stored(cmd *cobra.Command, s *session, name string) error {
	st, err := o.target.open(cmd.Context(), s)
	if err != nil {
		return err
	}
	defer release(st)
	doc, err := st.Get(cmd.Context(), dovetail.ID("").Child(resolved.Kind, name))
	if err != nil {
		return err
	}
	status := resolved.ReadStatus(doc)
	switch {
	case !resolved.Settled(doc):
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the status of " + name + " is not of its present spec yet",
			Remedy: "wait for it with `dovetail wait activeResolution " + name + " --for condition=Resolved`"}
	case status.Unsat != nil:
		s.showUnsat(status.Unsat, false)
		return errUnsatisfiable
	case status.Plan == nil:
		return &dovetail.Error{Code: dovetail.CodeNotFound, Message: name + " has no plan", Remedy: "add a policy to its spec, or read its conditions"}
	case o.rollback:
		back := status.Rollback
		if back == nil && status.Activation != nil {
			back = status.Activation.Rollback
		}
		return s.showRollback(back)
	case s.output == formatJSON:
		s.writeJSON(storedPlan{status.Selections, status.Plan, status.PlanDigest, status.Approval})
	default:
		showPlan(s.Out, status.Plan)
		for _, c := range status.Conditions {
			if c.Reason == resolved.ReasonApproval || c.Reason == resolved.ReasonWindow {
				fmt.Fprintln(s.Err, s.paintErr()(yellow, "not activated: ")+c.Message)
			}
		}
	}
	return nil
}

// showRollback shows the way back of a plan, nil where it changes nothing.
func (s *session) showRollback(back *solver.Rollback) error {
	if back == nil {
		back = &solver.Rollback{}
	}
	switch {
	case s.output == formatJSON:
		s.writeJSON(map[string]*solver.Rollback{"rollback": back})
	case back.Impossible == "":
		showPlan(s.Out, back.Steps)
	}
	if back.Impossible != "" {
		fmt.Fprintln(s.Err, s.paintErr()(red, "no way back: ")+back.Impossible)
		return errUnsatisfiable
	}
	return nil
}

func showPlan(w io.Writer, plan []solver.Step) {
	if len(plan) == 0 {
		fmt.Fprintln(w, "nothing changes")
	}
	for i, step := range plan {
		fmt.Fprintf(w, "%d. %s\n", i+1, step)
	}
}
