package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type patchOptions struct {
	selected
	text, file string
	kind       string
}

func newPatchCommand(s *session) *cobra.Command {
	var o patchOptions
	cmd := &cobra.Command{
		Use:   "patch KIND NAME... --patch PATCH | patch ID... --patch PATCH",
		Short: "Change parts of documents",
		Long: `Apply a JSON Merge Patch (RFC 7396), in JSON or YAML, to the data of documents, in one transaction: members of the
patch replace existing ones, null removes them, and everything else stays as it is. Lists are replaced as a whole.

If another user changes one of the documents in the meantime, nothing is stored.`,
		Example: `  dovetail patch app p1/shop/v3/nginx --patch '{"spec": {"replicas": 3}}'
  dovetail patch apps -l tier=web --patch 'spec: {replicas: 3}'
  dovetail patch project/p1 --patch-file change.yaml --dry-run`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeDocuments(s, &o.target, &o.address),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.flags(cmd, s)
	cmd.Flags().StringVar(&o.text, "patch", "", "the patch, as JSON or YAML")
	cmd.Flags().StringVar(&o.file, "patch-file", "", "a `FILE` with the patch, or - for the standard input")
	cmd.Flags().StringVar(&o.kind, "type", "merge", "type of the patch; only merge is supported")
	cmd.MarkFlagsMutuallyExclusive("patch", "patch-file")
	cmd.MarkFlagsOneRequired("patch", "patch-file")
	noFileCompletion(cmd, "patch")
	check(cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions([]string{"merge"}, cobra.ShellCompDirectiveNoFileComp)))
	return acceptsTemplates(cmd)
}

func (o *patchOptions) run(cmd *cobra.Command, s *session, args []string) error {
	if o.kind != "merge" {
		return usagef(cmd, "--type %s is not known, only merge: a list is replaced as a whole", o.kind)
	}
	patch, err := o.patch(s)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	documents, err := o.find(ctx, cmd, st, model, args)
	if err != nil {
		return err
	}
	operations := make([]store.Operation, len(documents))
	for i, doc := range documents {
		operations[i] = store.Operation{Verb: store.Patch, ID: doc.ID, Data: patch, FieldManager: patchManager, IfMatch: []dovetail.ETag{doc.ETag()}, Position: patch.Position()}
	}
	return o.change(ctx, s, st, operations)
}

// patch reads what is laid over the documents.
func (o *patchOptions) patch(s *session) (*value.Value, error) {
	name, text := "--patch", []byte(o.text)
	if o.file != "" {
		var err error
		if text, err = s.readInput(o.file); err != nil {
			return nil, err
		}
		name = o.file
	}
	values, err := parseFile(name, text)
	if err != nil {
		return nil, err
	}
	if len(values) != 1 || values[0].Kind != value.Map {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Message: fmt.Sprintf("a patch is one object, and it has %s", describeValues(values)),
			Remedy: `write it as {"spec": {"replicas": 3}}`}
	}
	return values[0], nil
}

// describeValues says what a text has that should be one object.
func describeValues(values []*value.Value) string {
	if len(values) == 1 {
		return "a " + values[0].Kind.String()
	}
	return count(len(values), "document")
}
