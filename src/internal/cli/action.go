package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type actionOptions struct {
	target
	file   string
	dryRun bool
}

func newActionCommand(s *session) *cobra.Command {
	var o actionOptions
	cmd := &cobra.Command{
		Use:   "action ID ACTION",
		Short: "Execute an action on a document",
		Long: `Execute an action of the document's kind, such as approve, on a document. The status of the document records it for
the program that executes it. If the kind has a lifecycle, the action changes the state of the document; an action that the
current state does not allow is refused, with the allowed ones. "dovetail explain KIND" shows actions and states.`,
		Example: `  dovetail action project/p1/job/j1 approve
  dovetail action project/p1/job/j1 migrate -f target.yaml --dry-run`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: completeActions(s, &o.target),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0], args[1]) },
	}
	o.flags(cmd)
	s.messageFlag(cmd)
	o.changeSetFlag(cmd, s)
	cmd.Flags().StringVarP(&o.file, "file", "f", "", "body of the action: a `FILE` of YAML or JSON, or - for the standard input")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check everything and show what would happen, but change nothing")
	return acceptsTemplates(cmd)
}

func (o *actionOptions) run(cmd *cobra.Command, s *session, arg, action string) error {
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
	op := store.NewAction(id, action, nil)
	if op.Data, err = o.body(s); err != nil {
		return err
	}
	options := store.Options{DryRun: o.dryRun, Message: s.message}
	write := func(key string) (*store.Result, error) {
		options.Key = key
		return st.Apply(ctx, []store.Operation{op}, options)
	}
	var result *store.Result
	if o.dryRun {
		result, err = write("")
	} else {
		result, err = s.transact(ctx, st, write)
	}
	if err != nil {
		return dovetail.WithoutIndex(err)
	}
	if kind, err := model.KindOf(id); err == nil && kind.Lifecycle != nil && !o.dryRun && s.output == formatTable {
		if doc, err := st.Get(ctx, id); err == nil {
			fmt.Fprintf(s.Err, "state: %s\n", store.StateOf(kind, doc))
		}
	}
	return s.showResult(result, o.dryRun)
}

// body reads what the action says; nil if there is nothing.
func (o *actionOptions) body(s *session) (*value.Value, error) {
	if o.file == "" {
		return nil, nil
	}
	text, err := s.readInput(o.file)
	if err != nil {
		return nil, err
	}
	values, err := parseFile(o.file, text)
	switch {
	case err != nil || len(values) == 0:
		return nil, err
	case len(values) > 1:
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: o.file}, Message: fmt.Sprintf("it has %d YAML documents, and an action takes one", len(values)),
			Remedy: "keep what this action says"}
	}
	return values[0], nil
}

// completeActions suggests ids, then the actions that are possible on the document.
func completeActions(s *session, t *target) completion {
	return completing(s, t, func(ctx context.Context, st Store, args []string, prefix string) ([]cobra.Completion, error) {
		if len(args) == 0 {
			return idsBelow(ctx, st, prefix)
		}
		model, err := st.Model(ctx)
		if err != nil || len(args) > 1 {
			return nil, err
		}
		kind, err := model.KindOf(dovetail.ID(args[0]))
		if err != nil {
			return nil, err
		}
		var at schema.Standing
		if kind.Lifecycle != nil {
			doc, err := st.Get(ctx, dovetail.ID(args[0]))
			if err != nil {
				return nil, err
			}
			at = store.StandingOf(kind, doc)
		}
		var found []cobra.Completion
		for _, a := range kind.Actions {
			if !a.Recorded() {
				continue
			}
			if kind.Lifecycle == nil || kind.Lifecycle.Action(a.Path) == nil {
				found = append(found, a.Path)
			} else if kind.Lifecycle.Action(a.Path).Next(at) != nil {
				found = append(found, cobra.CompletionWithDesc(a.Path, kind.Lifecycle.Action(a.Path).String()))
			}
		}
		return found, nil
	})
}
