package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

type diffOptions struct {
	target
	fields
	files []string
	under []string
	at    []string
}

func newDiffCommand(s *session) *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff -f FILE|DIRECTORY|- | diff ID --at MOMENT [--at MOMENT]",
		Short: "Show what apply would change, or what a document was before",
		Long: `Compare what is stored with what files describe, document by document, as a unified diff of their
YAML with sorted members. Members that apply would remove are shown as removed. With --under, so
are whole documents: those stored below that document, itself included, that no file describes. A document
that was changed since the version that the file was made from (ifMatch), or of which the files say otherwise what another field
manager has set, is reported: apply would refuse it. --field-manager, --force-conflicts and --replace are those of apply.

With an id and --at, compare the document as it was then with what it is now, or, with --at twice, with what it was at
the second moment.

The exit code is 0 when there is no difference and 1 otherwise.`,
		Example: `  dovetail diff -f apps/
  dovetail diff -f apps/ --under project/p1
  dovetail diff project/p1 --at 2026-11-21`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeIDs(s, &o.target),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return o.versions(cmd, s, args[0])
			}
			return o.run(cmd, s)
		},
	}
	o.target.flags(cmd)
	fileFlag(cmd, &o.files)
	o.fields.flags(cmd)
	cmd.Flags().StringArrayVar(&o.under, "under", nil, "id of a document that the files describe completely, with its descendants; may be repeated")
	cmd.Flags().StringArrayVar(&o.at, "at", nil, "with an id, a `MOMENT`: a time (2026-11-21T12:00:00Z), a day, or a version or position of the history; may be given twice")
	o.changeSetFlag(cmd, s)
	noFileCompletion(cmd, "under")
	for _, flag := range []string{"file", "kustomize", "field-manager", "force-conflicts", "replace"} {
		cmd.MarkFlagsMutuallyExclusive(flag, "at")
	}
	cmd.MarkFlagsMutuallyExclusive("under", "at")
	cmd.MarkFlagsOneRequired("file", "kustomize", "at")
	check(cmd.RegisterFlagCompletionFunc("at", completeVersions(s, &o.target)))
	return cmd
}

// difference is a document that is not as the files describe it.
type difference struct {
	ID     dovetail.ID  `json:"id"`
	Effect store.Effect `json:"effect"`
	Diff   string       `json:"diff"`
	// Refused is why apply would refuse it: the document was changed since the version that the file was made from.
	Refused *errorReport `json:"refused,omitempty"`
	refused *dovetail.Error
}

func (o *diffOptions) run(cmd *cobra.Command, s *session) error {
	if len(o.files)+len(o.kustomizations) == 0 {
		return usagef(cmd, "--at needs the id of a document")
	}
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	operations, err := o.fields.read(s, model, o.files)
	if err == nil {
		err = faultsOf(operations, "nothing was changed")
	}
	if err != nil {
		return err
	}
	var result shown
	r := s.newResolver(&o.target, st, model)
	differ := func(d difference) error {
		if d.Diff == "" {
			return nil
		}
		if d.refused != nil && s.output != formatJSON && s.output != formatYAML {
			s.reportPart(s.paintErr(), yellow, "apply would refuse this: ", d.refused)
		}
		item, err := valueOf(d)
		result.items = append(result.items, item)
		result.names = append(result.names, string(d.ID))
		if s.output == formatTable || s.output == formatWide {
			fmt.Fprint(s.Out, colourDiff(d.Diff, s.paintOut()))
		}
		return err
	}
	described := make(map[dovetail.ID]bool, len(operations))
	for _, op := range operations {
		described[op.ID] = true
		d, err := r.compareOperation(ctx, op)
		if err != nil {
			return err
		}
		if err := differ(d); err != nil {
			return err
		}
	}
	for _, under := range o.under {
		if err := o.undescribed(ctx, st, model, under, described, differ); err != nil {
			return err
		}
	}
	s.show(result)
	if len(result.names) > 0 {
		return errDifferent
	}
	return nil
}

// undescribed passes on the documents at and below an id that no file describes, as deletions.
func (o *diffOptions) undescribed(ctx context.Context, st Store, model *schema.Model, under string, described map[dovetail.ID]bool,
	differ func(difference) error) error {
	root, err := parseID(model, under)
	if err != nil {
		return err
	}
	gone := func(doc *dovetail.Document) error {
		if described[doc.ID] {
			return nil
		}
		was, err := stateOf(doc)
		if err != nil {
			return err
		}
		return differ(compare(doc.ID, was, state{}, "not in the files"))
	}
	doc, err := st.Get(ctx, root)
	switch {
	case dovetail.CodeOf(err) == dovetail.CodeNotFound:
		return nil // nothing can be below it
	case err != nil:
		return err
	}
	if err := gone(doc); err != nil {
		return err
	}
	for doc, err := range st.Documents(ctx, store.ListQuery{Under: root}) {
		if err != nil {
			return err
		}
		if err := gone(doc); err != nil {
			return err
		}
	}
	return nil
}
