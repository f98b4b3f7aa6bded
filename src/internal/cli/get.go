package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type getOptions struct {
	target
	address
	moment
	lines
	labels   string
	fields   string
	contains string
	limit    int
	full     bool
	bare     bool // without version
	watch    bool
}

func newGetCommand(s *session) *cobra.Command {
	var o getOptions
	cmd := &cobra.Command{
		Use:   "get KIND[,KIND...] [NAME...] | get ID...",
		Short: "Show documents",
		Long: `Show documents of a kind, or those named. The output of -o yaml and -o json can be applied again.
It contains the version of the document (ifMatch), so that "dovetail apply" detects changes that other users make
in the meantime. --without-version omits it, for files that create documents elsewhere or replace
documents unconditionally.

With --watch, existing documents come first, marked "listed", then every change. A deletion is shown even
when --labels or --fields select documents: the data of a deleted document cannot be matched.

With --at, they are shown as they were then.

Columns that the ref-schema defines for the kind replace the usual ones, which -o wide adds.

"dovetail help names" explains how to name kinds and documents, "dovetail help output" the formats of -o.`,
		Example: `  dovetail get projects
  dovetail get apps --in project/p1
  dovetail get app p1/shop/v3/nginx -o yaml
  dovetail get apps -l tier=web --watch
  dovetail get environments --contains postgres.example.com
  dovetail get projects,clouds --show-labels
  dovetail get apps --sort-by .spec.replicas -o custom-columns=NAME:.metadata.name,REPLICAS:.spec.replicas
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
	o.lines.flags(cmd)
	cmd.Flags().StringVarP(&o.labels, "labels", "l", "", "only documents whose metadata.labels match, such as tier=web,zone!=a")
	cmd.Flags().StringVar(&o.fields, "fields", "", "only documents whose data matches, such as spec.version=v1")
	cmd.Flags().StringVar(&o.contains, "contains", "", "only documents whose data contains this in a name or value, in upper or lower case")
	cmd.Flags().IntVar(&o.limit, "limit", 0, "maximum number to show; 0 means all")
	cmd.Flags().BoolVar(&o.full, "full", false, "with -o yaml or json, show uid, revision, times and references too")
	cmd.Flags().BoolVar(&o.bare, "without-version", false, "with -o yaml or json, leave out the version that apply compares")
	cmd.Flags().BoolVarP(&o.watch, "watch", "w", false, "show existing documents, then every change as it happens")
	cmd.MarkFlagsMutuallyExclusive("at", "watch")
	cmd.MarkFlagsMutuallyExclusive("sort-by", "watch")
	cmd.MarkFlagsMutuallyExclusive("contains", "watch")
	o.changeSetFlag(cmd, s)
	noFileCompletion(cmd, "labels", "fields", "contains", "limit")
	return acceptsTemplates(cmd)
}

func (o *getOptions) run(cmd *cobra.Command, s *session, args []string) error {
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	selections, err := o.selections(cmd, model, args)
	if err != nil {
		return err
	}
	var query store.ListQuery
	if query.Labels, err = selector.ParseLabels(o.labels); err != nil {
		return inFlag(err, "--labels")
	}
	if query.Fields, err = selector.ParseFields(o.fields); err != nil {
		return inFlag(err, "--fields")
	}
	if query.Text, err = selector.ParseText(o.contains); err != nil {
		return inFlag(err, "--contains")
	}
	named := slices.ContainsFunc(selections, func(sel *selection) bool { return len(sel.ids) > 0 })
	for _, flag := range []string{"labels", "fields", "contains", "limit"} {
		if named && cmd.Flags().Changed(flag) {
			return usagef(cmd, "--%s is about the documents of a kind, not about those that are named: leave out one of both", flag)
		}
	}
	if o.watch {
		if len(selections) > 1 {
			return usagef(cmd, "--watch takes one document or one kind")
		}
		w := watcher{session: s, options: o, selection: selections[0], query: selections[0].query(query)}
		return w.run(ctx, cmd, st)
	}
	var ids []dovetail.ID
	for _, sel := range selections {
		ids = append(ids, sel.ids...)
	}
	then, err := o.of(ctx, st, ids...)
	if err != nil {
		return err
	}
	results := make([]shown, len(selections))
	for i, sel := range selections {
		documents, err := o.find(ctx, then, sel, sel.query(query))
		if err != nil {
			return err
		}
		if results[i], err = o.shown(documents, sel, s); err != nil {
			return err
		}
	}
	s.showEach(results)
	for i, sel := range selections {
		if len(results[i].items) == 0 && s.output != formatJSON {
			fmt.Fprintf(s.Err, "no %s found\n", sel.kind.Name)
		}
	}
	return nil
}

// selections are what the arguments mean: one of documents, or one of each kind that is named.
func (o *getOptions) selections(cmd *cobra.Command, model *schema.Model, args []string) ([]*selection, error) {
	kinds := strings.Split(args[0], ",")
	if len(kinds) > 1 && len(args) > 1 {
		return nil, usagef(cmd, "names are of one kind, not of %s: name documents by their ids", args[0])
	}
	var all []*selection
	for _, kind := range kinds {
		sel, err := o.resolve(cmd, model, append([]string{kind}, args[1:]...))
		if err != nil {
			return nil, err
		}
		all = append(all, sel)
	}
	return all, nil
}

// query narrows a query to what is selected.
func (sel *selection) query(q store.ListQuery) store.ListQuery {
	q.Under = sel.under
	if sel.kind != nil {
		q.Kind = sel.kind.Name
	}
	return q
}

// showEach shows results: tables one after another, otherwise all as one.
func (s *session) showEach(results []shown) {
	if s.output != formatTable && s.output != formatWide {
		all := results[0]
		for _, r := range results[1:] {
			all.items, all.names = append(all.items, r.items...), append(all.names, r.names...)
		}
		s.show(all)
		return
	}
	before := false
	for _, r := range results {
		if len(r.items) == 0 {
			continue
		}
		if before {
			fmt.Fprintln(s.Out)
		}
		s.show(r)
		before = true
	}
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
		if o.limit > 0 && o.sortBy == "" && len(documents) == o.limit {
			break
		}
	}
	return documents, nil
}

// shown sorts documents and shows them.
func (o *getOptions) shown(documents []*dovetail.Document, sel *selection, s *session) (shown, error) {
	if err := o.sort(documents, o.item); err != nil {
		return shown{}, err
	}
	if o.limit > 0 && len(documents) > o.limit {
		documents = documents[:o.limit]
	}
	list := newListing(sel, s.Now(), s.OutTerminal)
	result := shown{single: len(sel.ids) == 1, table: list.table(), bare: o.noHeaders}
	for _, doc := range documents {
		cells, err := list.cells(doc)
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
	err := o.adjust(&result.table, s.output == formatWide, func(row int) (*value.Value, error) { return manifest.Of(documents[row]) })
	return result, err
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
