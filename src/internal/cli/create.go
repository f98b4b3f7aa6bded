package cli

import (
	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

type createOptions struct {
	target
	files  []string
	dryRun bool
}

func newCreateCommand(s *session) *cobra.Command {
	var o createOptions
	cmd := &cobra.Command{
		Use:   "create -f FILE|DIRECTORY|-",
		Short: "Create documents from files in one transaction",
		Long: `Create the documents that files describe, in one transaction: either all are created, or none. A document that already
exists is refused; "dovetail apply" updates it instead. Files are read as by "dovetail apply"; the versions in them do not matter.`,
		Example: `  dovetail create -f apps/
  dovetail get app p1/shop/v3/nginx -o yaml | sed s/v3/v4/ | dovetail create -f -`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	o.target.flags(cmd)
	fileFlag(cmd, &o.files)
	s.messageFlag(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check everything and show what would happen, but change nothing")
	check(cmd.MarkFlagRequired("file"))
	o.changeSetFlag(cmd, s)
	return acceptsTemplates(cmd)
}

func (o *createOptions) run(cmd *cobra.Command, s *session) error {
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	operations, err := s.readManifests(model, o.files)
	if err != nil {
		return err
	}
	for i := range operations {
		op := &operations[i]
		switch op.Verb {
		case store.Put:
			op.Verb, op.IfMatch, op.IfExists = store.Create, nil, false
		case store.Create, "":
		default:
			op.Faults = append(op.Faults, &dovetail.Error{Code: dovetail.CodeInvalid, Position: op.Position, Key: op.ID, Message: "the manifest says op: " + string(op.Verb) + ", and create only creates",
				Remedy: "leave op out, or use `dovetail apply`"})
		}
	}
	result, err := s.apply(ctx, st, operations, store.Options{DryRun: o.dryRun})
	if err != nil {
		for _, part := range parts(err) {
			if part.Code == dovetail.CodeExists {
				part.Remedy = "`dovetail apply` with the same file updates it"
			}
		}
		return err
	}
	return s.showResult(result, o.dryRun)
}
