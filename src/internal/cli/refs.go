package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

type refsOptions struct {
	target
	moment
	to   bool
	from bool
}

func newRefsCommand(s *session) *cobra.Command {
	var o refsOptions
	cmd := &cobra.Command{
		Use:   "refs ID",
		Short: "Show what a document refers to and what refers to it",
		Long: `Show the references from a document to others (--from) and from others to it (--to); without either
flag both.`,
		Example: `  dovetail refs project/p1/logicalCloud/lc1 --to
  dovetail refs project/p1/logicalCloud/lc1 --to -o name`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeIDs(s, &o.target),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.target.flags(cmd)
	o.documentFlags(cmd, s, &o.target)
	o.changeSetFlag(cmd, s)
	cmd.Flags().BoolVar(&o.to, "to", false, "only the documents that refer to it")
	cmd.Flags().BoolVar(&o.from, "from", false, "only the documents that it refers to")
	return cmd
}

// refReport is a reference as yaml and json show it.
type refReport struct {
	Direction string       `json:"direction"` // "from" the document, or "to" it
	Kind      string       `json:"kind"`      // of the other document
	ID        dovetail.ID  `json:"id"`        // of the other document
	KeyID     string       `json:"keyId"`
	Key       dovetail.Key `json:"key"`
	At        string       `json:"at,omitempty"` // of one from the document: the JSON Pointer of the slot that it stands in
	Weak      bool         `json:"weak,omitempty"`
	Cascade   bool         `json:"cascade,omitempty"`
}

func (o *refsOptions) run(cmd *cobra.Command, s *session, args []string) error {
	ctx := cmd.Context()
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	reports, err := o.collect(ctx, st, args[0])
	if err != nil {
		return err
	}
	result := shown{table: table{header: []string{"DIRECTION", "KIND", "ID", "AT"}}}
	for _, r := range reports {
		note := strength(dovetail.Reference{Weak: r.Weak, Cascade: r.Cascade})
		result.table.add(r.Direction, r.Kind, string(r.ID)+note, orDash(r.At))
		result.names = append(result.names, string(r.ID))
		item, err := valueOf(r)
		if err != nil {
			return err
		}
		result.items = append(result.items, item)
	}
	s.show(result)
	return nil
}

func (o *refsOptions) collect(ctx context.Context, st Store, arg string) ([]refReport, error) {
	model, err := st.Model(ctx)
	if err != nil {
		return nil, err
	}
	id, err := parseID(model, arg)
	if err != nil {
		return nil, err
	}
	if st, err = o.of(ctx, st, id); err != nil {
		return nil, err
	}
	doc, err := st.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	var reports []refReport
	if o.from || !o.to {
		places, err := placesOf(model, doc)
		if err != nil {
			return nil, err
		}
		for _, r := range doc.References {
			key := r.ID.Key()
			reports = append(reports, refReport{"from", r.Kind, r.ID, key.KeyID(), key, places[r.ID], r.Weak, r.Cascade})
		}
	}
	if o.to || !o.from {
		referrers, err := st.Referrers(ctx, id, "", 0)
		if err != nil {
			return nil, err
		}
		for _, r := range referrers {
			kind, err := model.KindOf(r)
			if err != nil {
				return nil, err
			}
			key := r.Key()
			reports = append(reports, refReport{Direction: "to", Kind: kind.Name, ID: r, KeyID: key.KeyID(), Key: key})
		}
	}
	return reports, nil
}

// placesOf returns where the document's references stand, as schema.Kind.Places.
func placesOf(model *schema.Model, doc *dovetail.Document) (map[dovetail.ID]string, error) {
	kind, err := model.KindOf(doc.ID)
	if err != nil {
		return nil, err
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	return kind.Places(doc.ID, data), nil
}
