package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

type layeringImpactOptions struct {
	layeringOptions
	change   []string
	remove   []string
	complete bool
	markdown bool
}

func newLayeringImpactCommand(s *session) *cobra.Command {
	var o layeringImpactOptions
	cmd := &cobra.Command{
		Use:   "impact [SITE...] -f CHANGE",
		Short: "Show the effect of a change on rendered documents",
		Long: `Show which rendered documents and values would change if the documents of CHANGE, files or directories, replaced
those of SITE, files or directories, by default the current directory. A document replaces the
one with its schema, name and layer, and is added if there is none; --remove removes documents,
and --complete removes all that are not in CHANGE. Files of CHANGE are not part of SITE.

Each error is marked as before the change, after it, or both; new warnings are shown, too.
Secrets are compared, but not shown. --markdown writes a text for a merge request.

The exit code is 0 if the documents can be rendered after the change, and 1 otherwise.`,
		Example: `  dovetail layering impact site/ -f change/
  dovetail layering impact site/ -f next/ --complete --markdown`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.layeringOptions.flags(cmd, s)
	flags := cmd.Flags()
	flags.StringArrayVarP(&o.change, "file", "f", nil, "a file or directory of changed documents, or - for the standard input; may be repeated")
	flags.StringArrayVar(&o.remove, "remove", nil, "a document to remove, by its name, or schema/name; may be repeated")
	flags.BoolVar(&o.complete, "complete", false, "CHANGE is the whole site: remove all documents that it does not have")
	flags.BoolVar(&o.markdown, "markdown", false, "write Markdown, for instance for a merge request")
	noFileCompletion(cmd, "remove")
	cmd.MarkFlagsOneRequired("file", "remove")
	return cmd
}

// layeringImpact is what there is to say about a change.
type layeringImpact struct {
	Change []rendering.Edit `json:"change"` // of the documents as they are written
	*rendering.Impact
	Errors   []timedMessage `json:"errors"`
	More     int            `json:"moreErrors,omitempty"`
	Warnings []timedMessage `json:"warnings"` // that the change brings

	unread bool // the documents of a side could not even be read
}

// timedMessage is an error with when it is there: before the change, after it, or both.
type timedMessage struct {
	When string `json:"when"`
	layeringMessage

	err *dovetail.Error
}

func (o *layeringImpactOptions) run(cmd *cobra.Command, s *session, site []string) error {
	if err := s.only(cmd, formatYAML, formatJSON); err != nil {
		return err
	}
	if o.markdown && s.output != formatTable {
		return usagef(cmd, "--markdown and -o %s exclude each other", s.output)
	}
	result, err := o.calculate(cmd, s, site)
	if err != nil {
		return err
	}
	switch {
	case o.markdown:
		fmt.Fprint(s.Out, result.markdown())
	case s.output == formatTable:
		s.writeImpact(result)
	default:
		v, err := valueOf(result)
		if err != nil {
			return err
		}
		if s.output == formatYAML {
			fmt.Fprint(s.Out, string(yaml.Marshal(v)))
		} else {
			s.writeJSON(v)
		}
	}
	return different(result.refused())
}

// refused reports whether the documents cannot be rendered after the change.
func (r *layeringImpact) refused() bool {
	return slices.ContainsFunc(r.Errors, func(m timedMessage) bool { return m.When != onlyBefore })
}

func (o *layeringImpactOptions) calculate(cmd *cobra.Command, s *session, site []string) (*layeringImpact, error) {
	options, err := o.options(cmd)
	if err != nil {
		return nil, err
	}
	if len(site) == 0 {
		site = []string{"."}
	}
	change, unreadAfter := s.readLayered(cmd.Context(), o.change)
	if !isAboutDocuments(unreadAfter) {
		return nil, unreadAfter // no such file
	}
	documents, unreadBefore := s.readSite(cmd.Context(), site, o.change)
	if !isAboutDocuments(unreadBefore) {
		return nil, unreadBefore
	}
	result := &layeringImpact{Change: []rendering.Edit{}, Errors: []timedMessage{}, Warnings: []timedMessage{}}
	if unreadBefore != nil || unreadAfter != nil {
		var after dovetail.Errors
		after.Join(unreadAfter)
		switch {
		case !o.complete:
			after.Join(unreadBefore) // those documents stay
		case unreadAfter == nil:
			_, err := rendering.Render(change, options)
			after.Join(err)
		}
		result.unread = true
		result.compare(unreadBefore, after.Err("the documents are refused"))
		return result, nil
	}
	removed, err := o.removed(documents, change)
	if err != nil {
		return nil, err
	}
	next, edits := rendering.Overlay(documents, change, removed)
	result.Change = append(result.Change, edits...)
	was := rendering.Resolve(documents, options)
	before, errBefore := was.Render()
	after, errAfter := rendering.ResolveAfter(was, next, options).Render()
	if errBefore != nil || errAfter != nil {
		result.compare(errBefore, errAfter)
		return result, nil
	}
	impact := rendering.ImpactOf(before, after, edits)
	result.Impact = &impact
	for _, m := range timed(before.Warnings.Kept(), after.Warnings.Kept()) {
		if m.When == onlyAfter {
			result.Warnings = append(result.Warnings, m)
		}
	}
	return result, nil
}

// isAboutDocuments reports whether an error, if there is one, is about what documents say.
func isAboutDocuments(err error) bool {
	e := dovetail.AsError(err)
	return e == nil || e.Reason != "" || len(e.Errors) > 0
}

// readSite reads the documents of a site without the files of a change, which may be below the same directory.
func (s *session) readSite(ctx context.Context, site, change []string) ([]*rendering.Document, error) {
	changed, err := expand(change, isLayeredFile)
	if err != nil {
		return nil, err
	}
	files, err := expand(site, isLayeredFile)
	if err != nil {
		return nil, err
	}
	skip := make(map[string]bool, len(changed))
	for _, name := range changed {
		skip[wholeName(name)] = true
	}
	return s.readLayered(ctx, slices.DeleteFunc(files, func(name string) bool { return skip[wholeName(name)] }))
}

func wholeName(name string) string {
	whole, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	return whole
}

// removed says which documents the user wants to be removed.
func (o *layeringImpactOptions) removed(documents, change []*rendering.Document) (func(*rendering.Document) bool, error) {
	names := make([]string, len(documents))
	for i, d := range documents {
		names[i] = d.Name
	}
	is := func(d *rendering.Document, name string) bool { return d.Name == name || d.Schema+"/"+d.Name == name }
	for _, name := range o.remove {
		named := func(d *rendering.Document) bool { return is(d, name) }
		if !slices.ContainsFunc(documents, named) {
			missing := &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no document " + name + " to remove", Remedy: "name it by its name, or schema/name"}
			if near := suggest.Nearest(name, names); near != "" {
				missing.Remedy = "did you mean " + near + "?"
			}
			return nil, missing
		}
		if i := slices.IndexFunc(change, named); i >= 0 {
			return nil, &dovetail.Error{Code: dovetail.CodeConflict, Message: "the change has " + change[i].String() + ", which is to be removed",
				Remedy: "take it out of the change, or do not remove it"}
		}
	}
	return func(d *rendering.Document) bool {
		return o.complete || slices.ContainsFunc(o.remove, func(name string) bool { return is(d, name) })
	}, nil
}

// When an error is there.
const (
	onlyBefore = "before"
	onlyAfter  = "after"
	onBoth     = "both"
)

// compare notes the errors of either side.
func (r *layeringImpact) compare(before, after error) {
	r.Errors = append(r.Errors, timed(partsOf(before), partsOf(after))...)
	for _, err := range []error{before, after} {
		if err != nil {
			r.More += omitted(dovetail.AsError(err))
		}
	}
}

// timed joins the errors of both sides.
func timed(before, after []*dovetail.Error) []timedMessage {
	same := func(e *dovetail.Error) string {
		id, _ := rendering.DocumentOf(e)
		return strings.Join([]string{e.Reason, id.String(), e.Position.Path, e.Message}, "\x00")
	}
	later := make(map[string]bool, len(after))
	for _, e := range after {
		later[same(e)] = true
	}
	var all []timedMessage
	earlier := make(map[string]bool, len(before))
	for _, e := range before {
		earlier[same(e)] = true
		if !later[same(e)] {
			all = append(all, timedMessage{onlyBefore, newLayeringMessage(e), e})
		}
	}
	for _, e := range after {
		when := onlyAfter
		if earlier[same(e)] {
			when = onBoth
		}
		all = append(all, timedMessage{when, newLayeringMessage(e), e})
	}
	return all
}
