package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

func newLayeringCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "layering",
		Short: "Render, check, compare and explain layered documents",
		Long: `Work on layered documents, which inherit from and substitute values of each other, without a server.
FILE is YAML or JSON with any number of documents; a directory is read with its subdirectories. All
files together are one site. Documents are layered documents, Kubernetes objects with annotations
layering.dovetail.dev/..., and a Layering, which is also the configuration of the function, instead of a policy. A Layering
can also list files of Kubernetes objects without annotations, and files of Helm values, and define their layering.

Errors are shown with their class, such as "error: MissingDocumentKey: ...", and the exit code is then
1. With -o json the same goes to the standard output as {"errors": [...]}.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLayeringRenderCommand(s), newLayeringLintCommand(s), newLayeringDiffCommand(s), newLayeringWhyNotCommand(s), newLayeringImpactCommand(s), newLayeringFnCommand(s), newLayeringLockCommand(s), newLayeringPutCommand(s))
	return cmd
}

// layeringOptions are the flags of all verbs that render.
type layeringOptions struct {
	index   string
	strict  bool
	missing bool
}

func (o *layeringOptions) flags(cmd *cobra.Command, s *session) {
	s.ageKeyFlag(cmd)
	ways := []string{string(rendering.AppendEntries), string(rendering.MergeElement)}
	flags := cmd.Flags()
	flags.StringVar(&o.index, "array-index", "", "how to merge at a path that ends with an index: append the list, or merge the element (default: the layering policy's choice)")
	flags.BoolVar(&o.strict, "strict-parents", false, "refuse selectors that match documents of other schemas or layers")
	flags.BoolVar(&o.missing, "allow-missing-sources", false, "skip substitutions without a source, or without the value in it, with a warning")
	check(cmd.RegisterFlagCompletionFunc("array-index", cobra.FixedCompletions(ways, cobra.ShellCompDirectiveNoFileComp)))
}

func (o *layeringOptions) options(cmd *cobra.Command) (rendering.Options, error) {
	switch index := rendering.ArrayIndex(o.index); index {
	case "", rendering.AppendEntries, rendering.MergeElement:
		return rendering.Options{ArrayIndex: index, StrictParents: o.strict, AllowMissingSources: o.missing}, nil
	}
	return rendering.Options{}, usagef(cmd, "--array-index %s: must be %s or %s", o.index, rendering.AppendEntries, rendering.MergeElement)
}

// layeringFiles adds -f to a verb that reads documents.
func layeringFiles(cmd *cobra.Command, into *[]string) {
	cmd.Flags().StringArrayVarP(into, "file", "f", nil, "a file or directory of documents, or - for the standard input; may be repeated")
	check(cmd.MarkFlagRequired("file"))
}

// renderFiles renders the documents of files and directories together, and shows the warnings.
func (s *session) renderFiles(cmd *cobra.Command, names []string, o layeringOptions) (*rendering.Rendering, error) {
	options, err := o.options(cmd)
	if err != nil {
		return nil, err
	}
	documents, err := s.readLayered(cmd.Context(), names)
	if err != nil {
		return nil, err
	}
	return s.renderDocuments(documents, options)
}

func (s *session) renderDocuments(documents []*rendering.Document, options rendering.Options) (*rendering.Rendering, error) {
	rendered, err := rendering.Render(documents, options)
	if err != nil {
		return nil, err
	}
	s.tell(yellow, "warning: ", withDocuments(rendered.Warnings.Kept()))
	if more := rendered.Warnings.Omitted(); more > 0 {
		fmt.Fprintln(s.Err, s.paintErr()(yellow, "warning: ")+"and "+count(more, "more warning"))
	}
	return rendered, nil
}

// asFormat gives errors the class of what is wrong with the input.
func asFormat(errs []*dovetail.Error) []*dovetail.Error {
	all := make([]*dovetail.Error, len(errs))
	for i, e := range errs {
		c := *e
		c.Code, c.Reason = dovetail.CodeInvalid, rendering.ClassInvalidDocumentFormat
		all[i] = &c
	}
	return all
}

// refuseLayered shows what is wrong with documents and returns the verdict. Other errors it passes on.
func (s *session) refuseLayered(err error) error {
	if err == nil || dovetail.AsError(err).Reason == "" {
		return err
	}
	errs := parts(err)
	s.tell(red, "error: ", withDocuments(errs))
	if s.output == formatJSON {
		messages := make([]layeringMessage, len(errs))
		for i, e := range errs {
			messages[i] = newLayeringMessage(e)
		}
		s.writeJSON(map[string]any{"errors": messages})
	}
	return errDifferent
}

// withDocuments puts the document that each error is about in front of its message.
func withDocuments(errs []*dovetail.Error) []*dovetail.Error {
	all := make([]*dovetail.Error, len(errs))
	for i, e := range errs {
		c := *e
		if id, ok := rendering.DocumentOf(e); ok && id != (rendering.ID{}) {
			c.Message = id.String() + ": " + e.Message
		}
		all[i] = &c
	}
	return all
}

// layeringMessage is an error about a document as -o json shows it.
type layeringMessage struct {
	Class    string        `json:"class"`
	Message  string        `json:"message"`
	Document *rendering.ID `json:"document,omitempty"`
	Remedy   string        `json:"remedy,omitempty"`
	File     string        `json:"file,omitempty"`
	Line     int           `json:"line,omitempty"`
	Column   int           `json:"column,omitempty"`
	Path     string        `json:"path,omitempty"`
}

func newLayeringMessage(e *dovetail.Error) layeringMessage {
	m := layeringMessage{Class: cmp.Or(e.Reason, string(e.Code)), Message: e.Message, Remedy: e.Remedy,
		File: e.Position.File, Line: e.Position.Line, Column: e.Position.Column, Path: e.Position.Path}
	if id, ok := rendering.DocumentOf(e); ok && id != (rendering.ID{}) {
		m.Document = &id
	}
	return m
}
