package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

// diffStatus is the value of --diff without a file.
const diffStatus = "status"

// errUnsatisfiable ends `resolve` when there is no solution. Why was shown.
var errUnsatisfiable = errors.New("unsatisfiable")

type resolveOptions struct {
	files   []string
	explain bool
	diff    string
	timeout time.Duration
}

func newResolveCommand(s *session) *cobra.Command {
	var o resolveOptions
	cmd := &cobra.Command{
		Use:   "resolve -f FILE...",
		Short: "Choose versions of packages for the constraints of a file",
		Long: `Resolve constraints over sources, without a server, and write the selections, one a line, as
source:name:version:channel, in the order of choice.

Together, the files contain one spec and the sources; a document may contain both:

  sources: [{name: ..., packages: [...]}]     or each source as a separate document
  spec: {sources: [...], constraints: [...]}

An ActiveResolution is such a document. Sources may also be given as the documents that are stored of them, of
the kinds source, package and packageVersion. The exit code is 0 if the constraints are resolved, 2 if they
cannot be satisfied, 1 if the input is invalid. With -o json the standard output is one of

  {"selections": [...]}
  {"unsat": {"core": [...], "noMatch": [...], "message": ...}}
  {"error": {"reason": ..., "index": ...}}

--explain adds for each selection why it was chosen and what ruled out the versions before it, and
for a conflict the facts and the possible fixes. --diff compares with the selections in a file, one per line or
as a YAML list, or, without a file, with those in the status next to the spec.`,
		Example: `  dovetail resolve -f catalog.yaml -f resolution.yaml
  dovetail resolve -f resolution.yaml --diff --explain
  dovetail get activeResolution foo -o yaml | dovetail resolve -f catalog.yaml -f - --diff`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	fileFlag(cmd, &o.files)
	flags := cmd.Flags()
	flags.BoolVar(&o.explain, "explain", false, "show why")
	optionalFlag(cmd, &o.diff, "diff", diffStatus, "compare with selections of the status; --diff=FILE compares with those of a file")
	flags.DurationVar(&o.timeout, "timeout", 0, "time limit, instead of that of the spec")
	check(cmd.MarkFlagRequired("file"))
	cmd.AddCommand(newResolvePlanCommand(s), newResolveApproveCommand(s))
	return cmd
}

func (o *resolveOptions) run(cmd *cobra.Command, s *session) error {
	if err := s.only(cmd, formatJSON); err != nil {
		return err
	}
	input, err := s.readResolution(o.files)
	if err != nil {
		return s.refuseResolution(err)
	}
	var stored []string
	if o.diff != "" {
		if stored, err = s.storedSelections(o.diff, input); err != nil {
			return s.refuseResolution(err)
		}
	}
	problem, err := solver.NewProblem(input.spec, input.sources)
	if err != nil {
		return s.refuseResolution(input.place(err))
	}
	out, err := o.solve(cmd, s, problem)
	if err != nil {
		return err
	}
	s.showSelections(out, problem, o, stored)
	return nil
}

// solve solves a problem. Where there is no solution it shows why, and returns errUnsatisfiable.
func (o *resolveOptions) solve(cmd *cobra.Command, s *session, problem *solver.Problem) (*solver.Outcome, error) {
	out, err := solver.Resolve(cmd.Context(), problem, solver.Options{Timeout: o.timeout, Explain: o.explain})
	switch {
	case err != nil:
		return nil, err
	case out.TimedOut:
		return nil, &dovetail.Error{Code: dovetail.CodeTimeout, Message: out.Message, Remedy: "give more time with --timeout, or fewer constraints"}
	case out.Unsat != nil:
		s.showUnsat(out.Unsat, o.explain)
		return nil, errUnsatisfiable
	}
	return out, nil
}

// refuseResolution shows what is wrong with the input of `resolve` and returns the verdict. Other errors it passes on.
func (s *session) refuseResolution(err error) error {
	reason, index, ok := solver.FaultOf(err)
	if !ok {
		return err
	}
	paint := s.paintErr()
	for _, e := range parts(err) {
		s.reportPart(paint, red, "error: ", e)
	}
	if s.output == formatJSON {
		type fault struct {
			Reason string `json:"reason"`
			Index  int    `json:"index"`
		}
		s.writeJSON(map[string]fault{"error": {reason, index}})
	}
	return errDifferent
}

// showUnsat shows why there is no solution.
func (s *session) showUnsat(u *solver.Unsat, explain bool) {
	if s.output == formatJSON {
		if explain {
			s.writeJSON(map[string]*solver.Unsat{"unsat": u})
			return
		}
		type brief struct {
			Core    []int            `json:"core"`
			NoMatch []solver.NoMatch `json:"noMatch"`
			Message string           `json:"message"`
		}
		s.writeJSON(map[string]brief{"unsat": {u.Core, u.NoMatch, u.Message}})
		return
	}
	fmt.Fprintln(s.Err, s.paintErr()(red, "unsatisfiable: ")+u.Message)
	if !explain {
		return
	}
	for _, d := range u.Derivation {
		fmt.Fprintln(s.Out, d.Text)
	}
	if len(u.Derivation) == 0 { // it would be too long to read
		for _, f := range u.Facts {
			fmt.Fprintln(s.Out, "because "+f.Text)
		}
	}
	for _, f := range u.Fixes {
		fmt.Fprintf(s.Out, "without %v:\n", f.Without)
		for _, selection := range f.Selections {
			fmt.Fprintln(s.Out, "  "+selection)
		}
		if len(f.Selections) == 0 {
			fmt.Fprintln(s.Out, "  nothing is selected")
		}
	}
}
