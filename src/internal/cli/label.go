package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// labelOptions change one of the maps of metadata: labels or annotations.
type labelOptions struct {
	selected
	member    string // of metadata
	overwrite bool
}

func newLabelCommand(s *session) *cobra.Command {
	return newMetadataCommand(s, "label", "labels", `  dovetail label app p1/shop/v3/nginx tier=web zone-
  dovetail label apps --all -l tier=web team=shop --overwrite`)
}

func newAnnotateCommand(s *session) *cobra.Command {
	return newMetadataCommand(s, "annotate", "annotations", `  dovetail annotate project/p1 owner=jane@example.com
  dovetail annotate projects --all reviewed-`)
}

func newMetadataCommand(s *session, verb, member, example string) *cobra.Command {
	o := labelOptions{member: member}
	cmd := &cobra.Command{
		Use:   verb + " KIND NAME... NAME=VALUE|NAME-... | " + verb + " ID... NAME=VALUE|NAME-...",
		Short: "Change metadata." + member + " of documents",
		Long: `Set ` + member + ` of documents, NAME=VALUE, or remove them, NAME-, in one transaction. Everything else stays as it is.
An existing value is only replaced with --overwrite. If another user changes one of the documents in the meantime, nothing is stored.`,
		Example:           strings.Replace(example, "--all -l", "-l", 1),
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: completeDocuments(s, &o.target, &o.address),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.flags(cmd, s)
	cmd.Flags().BoolVar(&o.overwrite, "overwrite", false, "replace existing values")
	return acceptsTemplates(cmd)
}

// setting is one change of a map: a value for a name, nil to remove it.
type setting struct {
	name  string
	value *value.Value
}

func (o *labelOptions) run(cmd *cobra.Command, s *session, args []string) error {
	names, settings, err := o.settings(cmd, args)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	documents, err := o.find(ctx, cmd, st, model, names)
	if err != nil {
		return err
	}
	var operations []store.Operation
	var errs dovetail.Errors
	for _, doc := range documents {
		op, err := o.operation(doc, settings)
		errs.Join(err)
		operations = append(operations, op)
	}
	if err := errs.Err("nothing was changed"); err != nil {
		return err
	}
	return o.change(ctx, s, st, operations)
}

// settings divides the arguments into those that name documents and those that say what to change.
func (o *labelOptions) settings(cmd *cobra.Command, args []string) (names []string, settings []setting, err error) {
	first := slices.IndexFunc(args, isSetting)
	if first < 0 {
		return nil, nil, usagef(cmd, "say what to change: NAME=VALUE, or NAME- to remove it")
	}
	for _, arg := range args[first:] {
		name, text, sets := strings.Cut(arg, "=")
		removed, removes := strings.CutSuffix(arg, "-")
		switch {
		case sets && name != "":
			settings = append(settings, setting{name, value.NewString(text)})
		case removes && removed != "" && !sets:
			settings = append(settings, setting{name: removed})
		default:
			return nil, nil, usagef(cmd, "%q is neither NAME=VALUE nor NAME-; documents are named before", arg)
		}
		last := settings[len(settings)-1].name
		if slices.ContainsFunc(settings[:len(settings)-1], func(s setting) bool { return s.name == last }) {
			return nil, nil, usagef(cmd, "%q is given twice", last)
		}
	}
	return args[:first], settings, nil
}

// isSetting reports whether an argument changes something. A name of a document may end with "-" only where it has a "/".
func isSetting(arg string) bool {
	return strings.Contains(arg, "=") || strings.HasSuffix(arg, "-") && !strings.Contains(arg, "/")
}

// operation is the patch of a document, for the version that was read.
func (o *labelOptions) operation(doc *dovetail.Document, settings []setting) (store.Operation, error) {
	op := store.Operation{Verb: store.Patch, ID: doc.ID, FieldManager: labelManager, IfMatch: []dovetail.ETag{doc.ETag()}}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return op, err
	}
	have := data.At("metadata", o.member)
	changes := value.NewMap()
	var errs dovetail.Errors
	for _, change := range settings {
		was := have.Get(change.name)
		switch {
		case change.value == nil:
			changes.Set(change.name, &value.Value{Kind: value.Null})
		case was != nil && !o.overwrite && scalarText(was) != change.value.Text:
			errs.Add(&dovetail.Error{Code: dovetail.CodeExists, Key: doc.ID, Message: string(doc.ID) + " has " + change.name + "=" + scalarText(was) + " already",
				Remedy: "replace it with --overwrite"})
		default:
			changes.Set(change.name, change.value)
		}
	}
	op.Data = value.NewMap(value.Member{Name: "metadata", Value: value.NewMap(value.Member{Name: o.member, Value: changes})})
	return op, errs.Err("nothing was changed")
}
