package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/krm"
	"github.com/dovetail-store/dovetail/src/value"
)

func newLayeringFnCommand(s *session) *cobra.Command {
	var o layeringOptions
	var files []string
	cmd := &cobra.Command{
		Use:   "fn [-f FILE|DIRECTORY...]",
		Short: "Render as a function of kustomize or kpt",
		Long: `Read a ResourceList on the standard input, render its layered items, and write it to the standard output,
as a function of kustomize or kpt. Items are layered if they are layered documents, or Kubernetes objects
with an annotation layering.dovetail.dev/layer. Abstract and replaced ones are left out, and other items stay as they are.
Errors and warnings are its results.

Files are documents that items inherit or substitute from, and that do not become items.

The exit code is 1 if items are refused; they are then written as they were.`,
		Example: `  kustomize build --enable-alpha-plugins --enable-exec .`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.only(cmd, formatYAML); err != nil {
				return err
			}
			return o.runFunction(cmd, s, files)
		},
	}
	o.flags(cmd, s)
	cmd.Flags().StringArrayVarP(&files, "file", "f", nil, "a file or directory of documents to inherit and substitute from; may be repeated")
	return cmd
}

func (o *layeringOptions) runFunction(cmd *cobra.Command, s *session, files []string) error {
	options, err := o.options(cmd)
	if err != nil {
		return err
	}
	if slices.Contains(files, "-") {
		return usagef(cmd, "the standard input has the ResourceList: -f must name files")
	}
	others, err := s.readLayered(cmd.Context(), files)
	if err != nil {
		return s.refuseLayered(err)
	}
	text, err := s.readInput("-")
	if err != nil {
		return err
	}
	lists, err := yaml.ParseClassic(stdinName, text, value.Limits{Bytes: maxManifests, Values: maxManifests})
	if err != nil {
		return err
	}
	if len(lists) != 1 {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("the input has %d documents, not one ResourceList", len(lists)),
			Remedy: "call this from kustomize or kpt; to render files, use dovetail layering render"}
	}
	out, err := krm.Run(lists[0], others, options)
	if err != nil {
		return err
	}
	s.tell(yellow, "warning: ", withDocuments(out.Warnings))
	s.tell(red, "error: ", withDocuments(out.Errors))
	if _, err := s.Out.Write(yaml.Marshal(out.List)); err != nil {
		return err
	}
	return different(len(out.Errors) > 0)
}
