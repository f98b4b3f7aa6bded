package cli

import (
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type treeOptions struct {
	target
	moment
	depth int
	limit int
}

// Defaults of tree: enough for a look, little enough for a screen.
const (
	defaultDepth = 10
	defaultWidth = 100
)

func newTreeCommand(s *session) *cobra.Command {
	var o treeOptions
	cmd := &cobra.Command{
		Use:   "tree [ID]",
		Short: "Show documents as the hierarchy they form",
		Long: `Show a document with its descendants, or, without an id, everything. "..." marks where documents
are not shown.`,
		Example: `  dovetail tree
  dovetail tree project/p1 --depth 2
  dovetail tree project/p1 --at 2026-11-21`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeIDs(s, &o.target),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.target.flags(cmd)
	o.moment.documentFlags(cmd, s, &o.target)
	cmd.Flags().IntVar(&o.depth, "depth", defaultDepth, "maximum number of levels below the document")
	cmd.Flags().IntVar(&o.limit, "limit", defaultWidth, "maximum number of children of each document; 0 means all")
	o.changeSetFlag(cmd, s)
	noFileCompletion(cmd, "depth", "limit")
	return cmd
}

func (o *treeOptions) run(cmd *cobra.Command, s *session, args []string) error {
	ctx := cmd.Context()
	if o.depth < 0 || o.limit < 0 {
		return usagef(cmd, "--depth and --limit must not be negative")
	}
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	var id dovetail.ID
	if len(args) == 1 {
		model, err := st.Model(ctx)
		if err != nil {
			return err
		}
		if id, err = parseID(model, args[0]); err != nil {
			return err
		}
	}
	then, err := o.of(ctx, st, id)
	if err != nil {
		return err
	}
	root, err := then.Tree(ctx, id, o.depth, o.limit)
	if err != nil {
		return err
	}
	item, err := valueOf(root)
	if err != nil {
		return err
	}
	result := shown{single: true, items: []*value.Value{item}}
	d := drawing{table: &result.table, wide: s.output == formatWide, names: &result.names}
	d.node(root, "", "", "")
	s.show(result)
	return nil
}

// drawing makes the lines of a tree.
type drawing struct {
	table *table
	names *[]string
	wide  bool
}

// node draws a node after its lead, and its children after theirs.
func (d *drawing) node(n *store.Node, under dovetail.ID, lead, below string) {
	if n.ID != "" {
		*d.names = append(*d.names, string(n.ID))
		d.line(lead, n.Kind+" "+shortName(n.ID, under), n.Version)
	}
	fork, line, last := "├── ", "│   ", "└── "
	if n.ID == "" { // the forest has no trunk
		fork, line, last = "", "", ""
	}
	for i, child := range n.Children {
		if i == len(n.Children)-1 && !n.More {
			fork, line = last, strings.Repeat(" ", utf8.RuneCountInString(last))
		}
		d.node(child, n.ID, below+fork, below+line)
	}
	if n.More {
		d.line(below+last, "...", "")
	}
}

func (d *drawing) line(lead, text, version string) {
	if d.wide {
		d.table.add(lead+text, version)
		return
	}
	d.table.add(lead + text)
}
