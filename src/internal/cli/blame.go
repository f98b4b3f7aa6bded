package cli

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type blameOptions struct {
	target
	moment
}

func newBlameCommand(s *session) *cobra.Command {
	var o blameOptions
	cmd := &cobra.Command{
		Use:   "blame ID",
		Short: "Show which version last set each value of a document",
		Long: `Show every value of a document with the version that last set it, who made that version, when, and the message that
came with it. If a value is older than the history, "-" is shown. If a change altered the length of a list, it set all
items of the list.`,
		Example: `  dovetail blame project/p1
  dovetail blame project/p1 --at 2026-11-21`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeIDs(s, &o.target),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.target.flags(cmd)
	o.documentFlags(cmd, s, &o.target)
	return cmd
}

// blamed is a value with the version that last set it, as yaml and json show it.
type blamed struct {
	Path    string       `json:"path"`
	Value   *value.Value `json:"-"`
	Version string       `json:"version,omitempty"`
	Time    time.Time    `json:"time,omitzero"`
	store.Provenance
}

func (o *blameOptions) run(cmd *cobra.Command, s *session, arg string) error {
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	id, err := parseID(model, arg)
	if err != nil {
		return err
	}
	then, err := o.of(ctx, st, id)
	if err != nil {
		return err
	}
	doc, err := then.Get(ctx, id)
	if err != nil {
		return err
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return err
	}
	b := blame{store: st, id: id, open: leavesOf(data)}
	leaves := append([]*blamed(nil), b.open...)
	made, err := b.madeAt(ctx, doc.ETag().Version(), then.Position())
	if err != nil {
		return err
	}
	if err := b.run(ctx, doc.ETag().Version(), made, st.History(ctx, id)); err != nil {
		return err
	}
	result := shown{table: table{header: []string{"PATH", "VALUE", "VERSION", "TIME", "BY", "MESSAGE"}}}
	for _, leaf := range leaves {
		item, err := valueOf(leaf)
		if err != nil {
			return err
		}
		item.Set("value", leaf.Value)
		result.items, result.names = append(result.items, item), append(result.names, leaf.Path)
		result.table.add(leaf.Path, cut(leafText(leaf.Value), maxShown), orDash(leaf.Version), timeText(leaf.Time), orDash(leaf.Principal), orDash(subject(leaf.Message)))
	}
	s.show(result)
	return nil
}

// maxShown is how much of a value a line of a table shows.
const maxShown = 40

// cut makes a text fit into a column.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// leavesOf are the values that have no parts, in their order.
func leavesOf(data *value.Value) []*blamed {
	var leaves []*blamed
	var walk func(path string, v *value.Value)
	walk = func(path string, v *value.Value) {
		for _, m := range v.Members {
			walk(path+value.Pointer(m.Name), m.Value)
		}
		for i, item := range v.Items {
			walk(path+value.Pointer(strconv.Itoa(i)), item)
		}
		if len(v.Members)+len(v.Items) == 0 {
			leaves = append(leaves, &blamed{Path: path, Value: v})
		}
	}
	walk("", data)
	return leaves
}

// blame finds the versions that last set values.
type blame struct {
	store Store
	id    dovetail.ID
	open  []*blamed // those whose version is not known yet
}

// madeAt returns the position of the transaction that made the version that there was at a position. It is "" where that is the
// latest one that is called so: a document that was deleted and imported again may have had one version in both lives.
func (b *blame) madeAt(ctx context.Context, version string, position store.Cursor) (store.Cursor, error) {
	if position == "" {
		return "", nil
	}
	lives := 0
	for v, err := range b.store.History(ctx, b.id) {
		if err != nil {
			return "", err
		}
		if v.Version == version && v.Op != store.Deleted {
			lives++
		}
	}
	if lives < 2 {
		return "", nil
	}
	set, err := b.store.Transaction(ctx, position)
	if err == nil && slices.ContainsFunc(set.Changes, func(c store.Change) bool { return c.ID == b.id }) {
		return set.Cursor, nil
	}
	page, err := b.store.Transactions(ctx, store.TransactionQuery{ID: b.id, Before: position, Limit: 1})
	if err != nil || len(page.Transactions) == 0 {
		return "", err
	}
	return page.Transactions[0].Cursor, nil
}

// run goes back from a version, made at a position where that is not "", until all is known, or the history ends.
func (b *blame) run(ctx context.Context, version string, made store.Cursor, history iter.Seq2[store.VersionSummary, error]) error {
	var last *store.VersionSummary // what it changed is known with the version before
	for v, err := range history {
		switch {
		case err != nil:
			return err
		case last == nil && v.Version != version, last == nil && made != "" && v.Position != made, last == nil && v.Op == store.Deleted:
			continue // later than what is shown
		case last != nil && v.Erased:
			return nil
		case last != nil:
			if err := b.changed(ctx, *last, v.Version); err != nil {
				return err
			}
		}
		if v.Op == store.Created {
			b.set(v, "")
		}
		if len(b.open) == 0 || v.Op == store.Created {
			return nil
		}
		last = &v
	}
	return nil
}

// changed notes what a version changed of the one before.
func (b *blame) changed(ctx context.Context, v store.VersionSummary, before string) error {
	paths := v.Paths
	if v.MorePaths > 0 {
		var read [2]*value.Value
		for i, version := range []string{before, v.Version} {
			then, err := b.store.At(ctx, version, b.id)
			if err != nil {
				return err
			}
			doc, err := then.Get(ctx, b.id)
			if err != nil {
				return err
			}
			if read[i], err = value.DataOf(doc, nil); err != nil {
				return err
			}
		}
		paths = nil
		for _, c := range value.Conflicts(nil, read[0], read[1]) {
			paths = append(paths, c.Path)
		}
	}
	for _, path := range paths {
		b.set(v, path)
	}
	return nil
}

// set notes that a version set the value at a path.
func (b *blame) set(v store.VersionSummary, path string) {
	var open []*blamed
	for _, leaf := range b.open {
		if leaf.Path != path && !strings.HasPrefix(leaf.Path, path+"/") {
			open = append(open, leaf)
			continue
		}
		leaf.Version, leaf.Time, leaf.Provenance = v.Version, v.Time, v.Provenance
	}
	b.open = open
}
