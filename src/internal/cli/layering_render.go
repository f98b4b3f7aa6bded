package cli

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

type layeringRenderOptions struct {
	layeringOptions
	files     []string
	explain   string
	document  string
	outputDir string
	redact    bool
}

func newLayeringRenderCommand(s *session) *cobra.Command {
	var o layeringRenderOptions
	cmd := &cobra.Command{
		Use:   "render -f FILE|DIRECTORY|-...",
		Short: "Render layered documents",
		Long: `Layer, substitute and validate documents, and write those that are concrete and not replaced to the
standard output, control documents included, as YAML documents or with -o json as a list.

With --explain, show instead the origin of each value at or below a path: the document, its
action or substitution, the file and line, the source, and the values that were replaced.

With --output-dir, each document is written to a file of its own, DIR/namespace/Kind/v1/name.yaml, or .json with
-o json. Files that were written so before, and whose documents are no longer rendered, are removed.

Secrets are shown as they are in the files; --redact hides them wherever they are used.`,
		Example: `  dovetail layering render -f site/
  dovetail layering render -f site/ --output-dir rendered/
  dovetail layering render -f site.yaml --explain .network.vlan --document site-00001`,
		Args: cobra.ArbitraryArgs, // more files
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	layeringFiles(cmd, &o.files)
	o.layeringOptions.flags(cmd, s)
	flags := cmd.Flags()
	flags.StringVar(&o.explain, "explain", "", "show the origins of the values at this path; . for all")
	flags.StringVar(&o.document, "document", "", "only documents of this name, or schema/name")
	flags.BoolVar(&o.redact, "redact", false, "hide the data of encrypted documents, also where it was substituted or inherited")
	flags.StringVar(&o.outputDir, "output-dir", "", "write a file for each document below this directory")
	check(cmd.MarkFlagDirname("output-dir"))
	cmd.MarkFlagsMutuallyExclusive("explain", "output-dir")
	cmd.MarkFlagsMutuallyExclusive("document", "output-dir")
	noFileCompletion(cmd, "explain", "document")
	return cmd
}

func (o *layeringRenderOptions) run(cmd *cobra.Command, s *session, more []string) error {
	if err := s.only(cmd, formatYAML, formatJSON); err != nil {
		return err
	}
	o.files = append(o.files, more...)
	rendered, err := s.renderFiles(cmd, o.files, o.layeringOptions)
	if err != nil {
		return s.refuseLayered(err)
	}
	if o.explain != "" {
		return o.explainAll(s, rendered)
	}
	if o.outputDir != "" {
		return o.writeRendered(s, rendered.Documents)
	}
	wanted := o.wanted(rendered)
	if len(wanted) == 0 && o.document != "" {
		return o.notRendered()
	}
	if s.output == formatJSON {
		documents := make([]*value.Value, len(wanted))
		for i, r := range wanted {
			documents[i] = r.Whole(o.data(r))
		}
		s.writeJSON(value.NewList(documents...))
		return nil
	}
	out := bufio.NewWriter(s.Out)
	var text []byte
	for i, r := range wanted {
		if i > 0 {
			fmt.Fprintln(out, "---")
		}
		text = yaml.Append(text[:0], r.Whole(o.data(r)))
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (o *layeringRenderOptions) data(r *rendering.Rendered) *value.Value {
	if o.redact {
		return r.Redacted()
	}
	return r.Data()
}

// wanted are the rendered documents that --document asks for.
func (o *layeringRenderOptions) wanted(rendered *rendering.Rendering) []*rendering.Rendered {
	if o.document == "" {
		return rendered.Documents
	}
	var all []*rendering.Rendered
	for _, r := range rendered.Documents {
		if r.Name == o.document || r.Schema+"/"+r.Name == o.document {
			all = append(all, r)
		}
	}
	return all
}

func (o *layeringRenderOptions) notRendered() error {
	return &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no rendered document " + o.document,
		Remedy: "abstract and replaced documents are not rendered by themselves"}
}

// explainAll explains a path of the documents that have it.
func (o *layeringRenderOptions) explainAll(s *session, rendered *rendering.Rendering) error {
	var all []rendering.Explanation
	missing := o.notRendered()
	for _, r := range o.wanted(rendered) {
		explained, err := rendered.Explain(r.ID, o.explain, !o.redact)
		if err != nil {
			if missing = err; dovetail.CodeOf(err) != dovetail.CodeNotFound {
				return err
			}
			continue
		}
		all = append(all, explained...)
	}
	if len(all) == 0 {
		return missing
	}
	if s.output == formatTable {
		s.writeExplanations(all)
		return nil
	}
	result, err := valueOf(all)
	if err != nil {
		return err
	}
	if s.output == formatJSON {
		s.writeJSON(result)
		return nil
	}
	fmt.Fprint(s.Out, string(yaml.Marshal(result)))
	return nil
}

// writeExplanations shows explanations to people: the value, what set it, what that replaced.
func (s *session) writeExplanations(all []rendering.Explanation) {
	paint := s.paintOut()
	var b strings.Builder
	for i, e := range all {
		if i == 0 || e.Document != all[i-1].Document {
			b.WriteString(paint(cyan, e.Document.String()) + "\n")
		}
		fmt.Fprintf(&b, "  %s: %s\n", e.Path, e.Value.JSON())
		writeOrigin(&b, "    from ", e.Origin)
		for _, r := range e.Replaced {
			fmt.Fprintf(&b, "    instead of %s\n", r.Value.JSON())
			writeOrigin(&b, "      from ", r.Origin)
		}
	}
	fmt.Fprint(s.Out, b.String())
}

func writeOrigin(b *strings.Builder, lead string, o rendering.Origin) {
	what := "the data"
	switch {
	case o.Source != nil:
		what = fmt.Sprintf("substitution %d to %s", o.Number, o.Path)
	case o.Number > 0:
		what = fmt.Sprintf("action %d, %s %s,", o.Number, o.How, o.Path)
	}
	fmt.Fprintf(b, "%s%s of %s", lead, what, o.Document)
	if at := (dovetail.Position{File: o.File, Line: o.Line, Column: o.Column}).String(); at != "" {
		b.WriteString(" (" + at + ")")
	}
	b.WriteByte('\n')
	if o.Source != nil {
		indent := lead[:len(lead)-len(strings.TrimLeft(lead, " "))]
		fmt.Fprintf(b, "%s  with %s of %s\n", indent, o.Source.Path, o.Source.Document)
		writeOrigin(b, indent+"  from ", o.Source.Origin)
	}
}
