package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/manifest"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type getOptions struct {
	target
	address
	moment
	labels string
	fields string
	limit  int
	full   bool
	bare   bool // without version
	watch  bool
}

func newGetCommand(s *session) *cobra.Command {
	var o getOptions
	cmd := &cobra.Command{
		Use:   "get KIND [NAME...] | get ID...",
		Short: "Show documents",
		Long: `Show documents of a kind, or those named. What is shown as yaml or json can be applied again.
It carries the version of the document (ifMatch), so that "dovetail apply" detects changes that other users make
in the meantime. --without-version leaves it out, for files that are to create documents elsewhere or to replace
whatever is stored.

With --watch, existing documents come first, marked "listed", then every change. A deletion is shown even
when --labels or --fields select documents: the data of a deleted document cannot be matched.

With --at, they are shown as they were then.

Where the ref-schema gives the kind columns, they are shown instead of the usual ones, which -o wide adds.

"dovetail help names" explains how to name kinds and documents.`,
		Example: `  dovetail get projects
  dovetail get apps --in project/p1
  dovetail get app p1/shop/v3/nginx -o yaml
  dovetail get apps -l tier=web --watch
  dovetail get apps --at 2026-11-21`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeDocuments(s, &o.target, &o.address),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, s, args)
		},
	}
	o.target.flags(cmd)
	o.address.flags(cmd)
	o.documentFlags(cmd, s, &o.target)
	cmd.Flags().StringVarP(&o.labels, "labels", "l", "", "only documents whose metadata.labels match, such as tier=web,zone!=a")
	cmd.Flags().StringVar(&o.fields, "fields", "", "only documents whose data matches, such as spec.version=v1")
	cmd.Flags().IntVar(&o.limit, "limit", 0, "maximum number to show; 0 means all")
	cmd.Flags().BoolVar(&o.full, "full", false, "with -o yaml or json, show uid, revision, times and references too")
	cmd.Flags().BoolVar(&o.bare, "without-version", false, "with -o yaml or json, leave out the version that apply compares")
	cmd.Flags().BoolVarP(&o.watch, "watch", "w", false, "show what there is, then every change as it happens")
	cmd.MarkFlagsMutuallyExclusive("at", "watch")
	o.changeSetFlag(cmd, s)
	noFileCompletion(cmd, "labels", "fields", "limit")
	return cmd
}

func (o *getOptions) run(cmd *cobra.Command, s *session, args []string) error {
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
	query := store.ListQuery{Under: sel.under}
	if sel.kind != nil {
		query.Kind = sel.kind.Name
	}
	if query.Labels, err = selector.ParseLabels(o.labels); err != nil {
		return inFlag(err, "--labels")
	}
	if query.Fields, err = selector.ParseFields(o.fields); err != nil {
		return inFlag(err, "--fields")
	}
	if o.watch {
		w := watcher{session: s, options: o, selection: sel, query: query}
		return w.run(ctx, cmd, st)
	}
	then, err := o.of(ctx, st, sel.ids...)
	if err != nil {
		return err
	}
	documents, err := o.find(ctx, then, sel, query)
	if err != nil {
		return err
	}
	result, err := o.shown(documents, sel, s.Now())
	if err != nil {
		return err
	}
	s.show(result)
	if len(documents) == 0 && s.output != formatJSON {
		fmt.Fprintf(s.Err, "no %s found\n", sel.kind.Name)
	}
	return nil
}

// inFlag gives an error in the text of a flag its place there.
func inFlag(err error, flag string) error {
	e := *dovetail.AsError(err)
	e.Position.File = flag
	return &e
}

// find reads the named documents, or those that the query selects.
func (o *getOptions) find(ctx context.Context, st Store, sel *selection, query store.ListQuery) ([]*dovetail.Document, error) {
	var documents []*dovetail.Document
	if len(sel.ids) > 0 {
		var errs []*dovetail.Error
		for _, id := range sel.ids {
			doc, err := st.Get(ctx, id)
			if err != nil {
				errs = append(errs, parts(err)...)
				continue
			}
			documents = append(documents, doc)
		}
		return documents, dovetail.Join("not all can be shown", errs)
	}
	for doc, err := range st.Documents(ctx, query) {
		if err != nil {
			return nil, err
		}
		if !sel.fits(doc.ID) {
			continue
		}
		documents = append(documents, doc)
		if o.limit > 0 && len(documents) == o.limit {
			break
		}
	}
	return documents, nil
}

func (o *getOptions) shown(documents []*dovetail.Document, sel *selection, now time.Time) (shown, error) {
	lines := newListing(sel, now)
	result := shown{single: len(sel.ids) == 1, table: lines.table()}
	for _, doc := range documents {
		cells, err := lines.cells(doc)
		if err != nil {
			return result, err
		}
		result.table.add(cells...)
		result.names = append(result.names, string(doc.ID))
		item, err := o.item(doc)
		if err != nil {
			return result, err
		}
		result.items = append(result.items, item)
	}
	return result, nil
}

// item is a document as yaml and json show it: the manifest that makes it, or all that is known.
func (o *getOptions) item(doc *dovetail.Document) (*value.Value, error) {
	if !o.full {
		item, err := manifest.Of(doc)
		if err == nil && o.bare {
			item.Delete(manifest.IfMatch)
		}
		return item, err
	}
	item, err := valueOf(doc)
	if err == nil && !o.bare {
		item.Set(manifest.IfMatch, value.NewString(doc.ETag().Version()))
	}
	return item, err
}
