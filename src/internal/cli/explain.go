package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

type explainOptions struct {
	target
	files []string
}

func newExplainCommand(s *session) *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain KIND[.MEMBER...]",
		Short: "Explain a kind, or a member of its data",
		Long: `Explain a kind as the ref-schema defines it: its key, parent and children, its references
and referrers, its paths, and the members of its data. After a dot, explain a member of the
data, as its JSON Schema describes it; items of lists need no name.`,
		Example: `  dovetail explain app
  dovetail explain app.spec.replicas
  dovetail explain app --schema ref-schemas/`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeMembers(s, &o.target),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.target.flags(cmd)
	schemaFlag(cmd, &o.files)
	return cmd
}

func (o *explainOptions) run(cmd *cobra.Command, s *session, arg string) error {
	if err := s.only(cmd, formatJSON, formatYAML); err != nil {
		return err
	}
	model, err := o.model(cmd, s)
	if err != nil {
		return err
	}
	kind, path, err := findPath(model, arg)
	if err != nil {
		return err
	}
	e := explanation{paint: s.paintOut()}
	var item *value.Value
	if len(path) == 0 {
		e.kind(kind)
		item, err = valueOf(kind.Describe())
	} else {
		item, err = e.member(kind, path)
	}
	if err != nil {
		return err
	}
	if s.output == formatTable {
		fmt.Fprint(s.Out, e.text.String())
		return nil
	}
	s.show(shown{single: true, items: []*value.Value{item}})
	return nil
}

// model is that of the files, if there are any, otherwise that of the server or database.
func (o *explainOptions) model(cmd *cobra.Command, s *session) (*schema.Model, error) {
	if len(o.files) > 0 {
		return s.compile(o.files)
	}
	st, err := o.open(cmd.Context(), s)
	if err != nil {
		return nil, err
	}
	defer release(st)
	return st.Model(cmd.Context())
}

// findPath splits "KIND.member.member". The name of an entry may have a dot itself.
func findPath(model *schema.Model, arg string) (*schema.Kind, []string, error) {
	kinds := manifest.NewKinds(model)
	words := strings.Split(arg, ".")
	for n := min(2, len(words)); n > 1; n-- {
		if kind, err := kinds.Find(strings.Join(words[:n], ".")); err == nil {
			return kind, words[n:], nil
		}
	}
	kind, err := kinds.Find(words[0])
	if err != nil {
		return nil, nil, err
	}
	return kind, words[1:], nil
}

// explanation is the text under construction.
type explanation struct {
	text  strings.Builder
	paint painter
}

const headingWidth = 16

// line writes a heading with its text, unless there is none.
func (e *explanation) line(heading, text string) {
	if text == "" {
		return
	}
	padding := strings.Repeat(" ", max(1, headingWidth-len(heading)-1))
	e.text.WriteString(e.paint(cyan, heading+":") + padding + text + "\n")
}

// rows writes a heading with a table below it, unless that is empty.
func (e *explanation) rows(heading string, t table) {
	if len(t.rows) == 0 {
		return
	}
	e.text.WriteString(e.paint(cyan, heading+":") + "\n")
	for i := range t.rows {
		t.rows[i].cells[0] = "  " + t.rows[i].cells[0]
	}
	for line := range strings.Lines(t.text(true, paintNot)) {
		e.text.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

func (e *explanation) kind(k *schema.Kind) {
	e.line("KIND", k.Name)
	if k.Entry != k.Name {
		e.line("ENTRY", k.Entry)
	}
	e.line("DESCRIPTION", k.Description)
	e.line("SERVICE", k.Service)
	e.line("KEY", strings.Join(k.Elements, ", "))
	e.line("KEY ID", k.KeyID)
	if k.Parent != nil {
		e.line("PARENT", k.Parent.Name)
	}
	if k.Strict {
		e.line("STRICT", "no members except those below and of references")
	}
	if k.Defaults {
		e.line("DEFAULTS", "those of the data are filled in when it is written")
	}
	if k.Sensitive.Any() {
		e.line("SENSITIVE", k.Sensitive.String())
	}
	for _, u := range k.Unique {
		within := ""
		if u.Within != "" {
			within = " within a " + u.Within
		}
		e.line("UNIQUE", u.Names()+within)
	}
	if len(k.Immutable) > 0 {
		e.line("IMMUTABLE", schema.JoinPaths(k.Immutable))
	}
	if index := k.Describe().Index; index != nil {
		e.line("INDEXED BY", schema.JoinPaths(index))
	}
	e.line("CHILDREN", kindList(k.Children))
	e.line("REFERRED TO BY", kindList(k.ReferencedBy))
	var rules, conditions, columns, queries, actions, content table
	for _, r := range k.References {
		rules.add(r.String())
	}
	e.rows("REFERS TO", rules)
	for _, r := range k.Rules {
		conditions.add(r.String())
	}
	e.rows("RULES", conditions)
	e.rows("SERVED AT", servedAt(k))
	for _, a := range k.Actions {
		actions.add(a.Method, a.Path, fmt.Sprintf("answers %d", a.Code))
	}
	e.lifecycle(k.Lifecycle)
	for _, part := range k.Content {
		content.add(part.Name, flagWords(map[string]bool{"required": part.Required, "multiple": part.Multiple}))
	}
	for i := range k.Columns {
		columns.add(k.Columns[i].String())
	}
	e.rows("COLUMNS", columns)
	for i := range k.Queries {
		queries.add(k.Queries[i].String())
	}
	e.rows("QUERIES", queries)
	e.rows("ACTIONS", actions)
	e.rows("FILES", content)
	e.data(k)
}

// lifecycle explains the states of a kind, and the actions between them.
func (e *explanation) lifecycle(l *schema.Lifecycle) {
	if l == nil {
		return
	}
	e.line("STATES", strings.Join(l.States, ", ")+"; at first "+l.Initial)
	e.line("FROZEN", strings.Join(l.Frozen(), "; "))
	var transitions table
	for _, a := range l.Actions {
		transitions.add(a.Name, strings.Join(append([]string{a.String()}, a.Requirements()...), "; "))
	}
	e.rows("TRANSITIONS", transitions)
}

func kindList(kinds []*schema.Kind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

func servedAt(k *schema.Kind) table {
	var t table
	if k.Abstract {
		return t
	}
	for _, route := range k.Routes() {
		fixed := make(dovetail.Key, 0, len(route.Fixed))
		for _, name := range slices.Sorted(maps.Keys(route.Fixed)) {
			fixed = append(fixed, dovetail.Element{Name: name, Value: route.Fixed[name]})
		}
		t.add(api.Root+route.Item, strings.ReplaceAll(string(fixed.ID()), "/", " "))
	}
	return t
}

// flagWords joins the words that apply.
func flagWords(words map[string]bool) string {
	var all []string
	for _, word := range slices.Sorted(maps.Keys(words)) {
		if words[word] {
			all = append(all, word)
		}
	}
	return strings.Join(all, ", ")
}
