package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type describeOptions struct {
	target
	address
	moment
}

func newDescribeCommand(s *session) *cobra.Command {
	var o describeOptions
	cmd := &cobra.Command{
		Use:   "describe KIND NAME | describe ID",
		Short: "Show a document in detail, with its references and children",
		Long: `Show a document in detail: its data, files, status and version, what it refers to, what refers to
it, and its children.`,
		Example:           `  dovetail describe app p1/shop/v3/nginx`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: completeDocuments(s, &o.target, &o.address),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.target.flags(cmd)
	o.address.flags(cmd)
	o.documentFlags(cmd, s, &o.target)
	o.changeSetFlag(cmd, s)
	return cmd
}

// around is how many referrers and children a description lists.
const around = 20

// surroundings are a document with what is next to it.
type surroundings struct {
	Document  *dovetail.Document `json:"document"`
	Referrers []dovetail.ID      `json:"referrers,omitempty"`
	Children  []*store.Node      `json:"children,omitempty"`
	More      bool               `json:"more,omitempty"` // referrers or children than are shown

	moreReferrers, moreChildren bool
}

func (o *describeOptions) run(cmd *cobra.Command, s *session, args []string) error {
	if err := s.only(cmd, formatJSON, formatYAML); err != nil {
		return err
	}
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	sel, err := o.resolve(cmd, model, args)
	if err != nil {
		return err
	}
	if len(sel.ids) != 1 {
		return usagef(cmd, "name one document")
	}
	then, err := o.of(ctx, st, sel.ids...)
	if err != nil {
		return err
	}
	around, err := look(ctx, then, sel.ids[0])
	if err != nil {
		return err
	}
	if s.output != formatTable {
		item, err := valueOf(around)
		if err != nil {
			return err
		}
		s.show(shown{single: true, items: []*value.Value{item}})
		return nil
	}
	places, err := placesOf(model, around.Document)
	if err != nil {
		return err
	}
	d := description{paint: s.paintOut(), places: places}
	if err := d.write(around); err != nil {
		return err
	}
	fmt.Fprint(s.Out, d.text.String())
	return nil
}

// look reads a document and what is next to it.
func look(ctx context.Context, st Store, id dovetail.ID) (*surroundings, error) {
	var s surroundings
	var err error
	if s.Document, err = st.Get(ctx, id); err != nil {
		return nil, err
	}
	if s.Referrers, err = st.Referrers(ctx, id, "", around+1); err != nil {
		return nil, err
	}
	if s.moreReferrers = len(s.Referrers) > around; s.moreReferrers {
		s.Referrers = s.Referrers[:around]
	}
	node, err := st.Tree(ctx, id, 1, around)
	if err != nil {
		return nil, err
	}
	s.Children, s.moreChildren = node.Children, node.More
	s.More = s.moreReferrers || s.moreChildren
	return &s, nil
}

// description is the text under construction.
type description struct {
	places map[dovetail.ID]string // where the references stand
	text   strings.Builder
	paint  painter
}

func (d *description) write(s *surroundings) error {
	doc := s.Document
	d.line("Kind", doc.Kind)
	d.line("ID", string(doc.ID))
	for _, e := range doc.Key() {
		d.line("  "+e.Name, e.Value)
	}
	d.line("Version", doc.ETag().Version())
	d.line("Created", timeText(doc.Created))
	d.line("Updated", timeText(doc.Updated))
	d.line("Schema", doc.Schema)
	if err := d.json("Data", doc.Data); err != nil {
		return err
	}
	status, err := statusOf(doc)
	if err != nil {
		return err
	}
	if status != nil {
		if err := d.json("Status", status.JSON()); err != nil {
			return err
		}
	}
	var files, references, referrers, children table
	for _, f := range doc.Content {
		files.add(f.Name, orDash(f.Filename), orDash(f.MediaType), count(len(f.Data), "byte"))
	}
	for _, r := range doc.References {
		text := string(r.ID) + strength(r)
		if place := d.places[r.ID]; place != "" {
			text += " at " + place
		}
		references.add(r.Kind, text)
	}
	for _, id := range s.Referrers {
		referrers.add(string(id))
	}
	for _, child := range s.Children {
		children.add(child.Kind, shortName(child.ID, doc.ID)+moreBelow(child))
	}
	d.rows("Files", files, "")
	d.rows("Refers to", references, "")
	d.rows("Referred to by", referrers, moreText(s.moreReferrers, "refs --to", doc.ID))
	d.rows("Children", children, moreText(s.moreChildren, "tree", doc.ID))
	return nil
}

const labelWidth = 24

func (d *description) line(label, text string) {
	padding := strings.Repeat(" ", max(1, labelWidth-len(label)-1))
	d.text.WriteString(d.paint(cyan, label+":") + padding + visible(text) + "\n")
}

func (d *description) json(label string, text []byte) error {
	v, err := value.ParseStored(text, nil)
	if err != nil {
		return err
	}
	d.text.WriteString(d.paint(cyan, label+":") + "\n")
	for line := range strings.Lines(string(yaml.Marshal(v))) {
		d.text.WriteString("  " + line)
	}
	return nil
}

// rows writes a table below its label, unless it is empty.
func (d *description) rows(label string, t table, more string) {
	if len(t.rows) == 0 {
		return
	}
	d.text.WriteString(d.paint(cyan, label+":") + "\n")
	for line := range strings.Lines(t.text(true, paintNot) + more) {
		d.text.WriteString("  " + line)
	}
}

func moreText(more bool, verb string, id dovetail.ID) string {
	if !more {
		return ""
	}
	return fmt.Sprintf("... (see `dovetail %s %s`)\n", verb, id)
}

func moreBelow(node *store.Node) string {
	if node.More || len(node.Children) > 0 {
		return " ..."
	}
	return ""
}

// strength says how a reference holds its target, where that is not the usual way.
func strength(r dovetail.Reference) string {
	switch {
	case r.Weak:
		return " (weak)"
	case r.Cascade:
		return " (goes along)"
	}
	return ""
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
