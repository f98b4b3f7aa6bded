package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

type layeringWhyNotOptions struct {
	layeringOptions
	files    []string
	document string
	redact   bool
}

func newLayeringWhyNotCommand(s *session) *cobra.Command {
	var o layeringWhyNotOptions
	cmd := &cobra.Command{
		Use:   "why-not PATH -f FILE|DIRECTORY|-...",
		Short: "Explain why a value is missing or unexpected",
		Long: `Explain why a document has no value, or an unexpected one, at or below a path: which values were
overridden or deleted, by which action or substitution of which document; which are in the data of a
document but used by none of its actions; which parents were not selected, with the differences of the nearest
candidates; which patterns matched nothing; and whether the document is abstract, replaced or refused.

The documents may have errors. Without --document, all rendered documents are shown that have a value there,
lost one, or could have inherited one.

Secrets are shown as they are in the files; --redact hides them.`,
		Example: `  dovetail layering why-not .network.vlan -f site/ --document site-00001`,
		Args:    cobra.MinimumNArgs(1), // the path, then more files
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0], args[1:]) },
	}
	layeringFiles(cmd, &o.files)
	o.layeringOptions.flags(cmd, s)
	flags := cmd.Flags()
	flags.StringVar(&o.document, "document", "", "only documents of this name, or schema/name")
	flags.BoolVar(&o.redact, "redact", false, "hide the data of encrypted documents, also where it was substituted or inherited")
	noFileCompletion(cmd, "document")
	return cmd
}

func (o *layeringWhyNotOptions) run(cmd *cobra.Command, s *session, where string, more []string) error {
	if err := s.only(cmd, formatYAML, formatJSON); err != nil {
		return err
	}
	options, err := o.options(cmd)
	if err != nil {
		return err
	}
	documents, err := s.readLayered(cmd.Context(), append(o.files, more...))
	if err != nil {
		return s.refuseLayered(err)
	}
	site := rendering.Resolve(documents, options)
	all, err := o.ask(site, documents, where)
	if err != nil {
		return err
	}
	if s.output == formatTable {
		s.writeAbsences(all)
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

// ask asks the documents that --document names, or all that have something to say.
func (o *layeringWhyNotOptions) ask(site *rendering.Site, documents []*rendering.Document, where string) ([]*rendering.Absence, error) {
	var all []*rendering.Absence
	var names []string
	for _, d := range documents {
		names = append(names, d.Name)
		if o.document != "" && d.Name != o.document && d.Schema+"/"+d.Name != o.document || o.document == "" && d.Abstract {
			continue
		}
		absence, err := site.WhyNot(d.ID, where, !o.redact)
		if err != nil {
			return nil, err
		}
		if o.document != "" || absence.Sets() {
			all = append(all, absence)
		}
	}
	switch {
	case len(all) > 0:
		return all, nil
	case o.document == "":
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "no document sets a value at " + where, Remedy: "correct the path, or name a --document to see what it has"}
	}
	missing := &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no document " + o.document, Remedy: "name it by its name, or schema/name"}
	if near := suggest.Nearest(o.document, names); near != "" {
		missing.Remedy = "did you mean " + near + "?"
	}
	return nil, missing
}

// writeAbsences shows to people what documents have at the path, and what kept other values from arriving.
func (s *session) writeAbsences(all []*rendering.Absence) {
	paint := s.paintOut()
	var b strings.Builder
	for _, a := range all {
		b.WriteString(paint(cyan, a.Document.String()))
		switch {
		case a.Value != nil:
			fmt.Fprintf(&b, " has %s at %s\n", a.Value.JSON(), a.Path)
		case a.Found == "":
			fmt.Fprintf(&b, " is not rendered\n")
		default:
			fmt.Fprintf(&b, " has nothing at %s%s\n", a.Path, membersOf(a))
		}
		for i := range a.Reasons {
			writeReason(&b, &a.Reasons[i])
		}
	}
	fmt.Fprint(s.Out, b.String())
}

// maxMembers is how many names a message lists.
const maxMembers = 10

// membersOf tells which names there are where the path ends.
func membersOf(a *rendering.Absence) string {
	if len(a.Members) == 0 || a.Missing == "" {
		return ", only up to " + a.Found
	}
	if near := suggest.Nearest(a.Missing, a.Members); near != "" {
		return fmt.Sprintf("; did you mean %s.%s?", strings.TrimSuffix(a.Found, "."), near)
	}
	listed := strings.Join(a.Members[:min(len(a.Members), maxMembers)], ", ")
	if rest := len(a.Members) - maxMembers; rest > 0 {
		listed += fmt.Sprintf(" and %d more", rest)
	}
	return fmt.Sprintf("; at %s there are %s", a.Found, listed)
}

func writeReason(b *strings.Builder, r *rendering.Reason) {
	b.WriteString("  ")
	if r.Value != nil {
		fmt.Fprintf(b, "%s: %s, ", r.Path, r.Value.JSON())
	}
	b.WriteString(r.Message)
	if at := (dovetail.Position{File: r.File, Line: r.Line, Column: r.Column}).String(); at != "" {
		b.WriteString(" (" + at + ")")
	}
	b.WriteByte('\n')
	if r.From != nil {
		writeOrigin(b, "    from ", *r.From)
	}
	if r.By != nil {
		writeOrigin(b, "    by ", *r.By)
	}
	for _, c := range r.Candidates {
		fmt.Fprintf(b, "    not %s", c.Document)
		if c.HasValue {
			b.WriteString(", which has a value there")
		}
		if len(c.Differs) > 0 {
			b.WriteString(": " + strings.Join(c.Differs, "; "))
		}
		b.WriteByte('\n')
	}
	if r.Remedy != "" {
		b.WriteString("    " + r.Remedy + "\n")
	}
}
