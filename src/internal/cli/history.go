package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type historyOptions struct {
	target
	under, kind, by string
	limit           int
}

const defaultHistory = 50

func newHistoryCommand(s *session) *cobra.Command {
	var o historyOptions
	cmd := &cobra.Command{
		Use:   "history [ID | POSITION]",
		Short: "Show who changed what, when and why",
		Long: `Show the versions of a document, newest first: who made each, when, what it changed, and the message that came
with it. A document that was deleted still has its history.

Without an id, show the transactions of the whole store, or of a part of it, newest first: those that changed a
document below another one (--under) or of a kind (--kind). --by, --since and --until narrow both.

With the position of a transaction, show it with all that it changed.

Other commands take every VERSION and POSITION: "get --at" shows an earlier state, "diff --at" later
changes, "rollback" restores a version of a document, and "revert" undoes a transaction. The length of the history is a
setting of the server.`,
		Example: `  dovetail history project/p1
  dovetail history project/p1 --since 2026-11-20 -o yaml
  dovetail history --under project/p1 --by alice
  dovetail history --kind app --limit 10`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeIDs(s, &o.target),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.under, "under", "", "only transactions that changed a document below the one with this id")
	cmd.Flags().StringVar(&o.kind, "kind", "", "only transactions that changed a document of this kind")
	cmd.Flags().StringVar(&o.by, "by", "", "only changes by this principal")
	cmd.Flags().String("since", "", "not before this time, such as 2026-11-21 or 2026-11-21T12:00:00Z")
	cmd.Flags().String("until", "", "before this time")
	cmd.Flags().IntVar(&o.limit, "limit", defaultHistory, "maximum number to show; 0 means all")
	noFileCompletion(cmd, "under", "by", "since", "until", "limit")
	check(cmd.RegisterFlagCompletionFunc("kind", completeKinds(s, &o.target)))
	return cmd
}

func (o *historyOptions) run(cmd *cobra.Command, s *session, args []string) error {
	q := store.TransactionQuery{Under: dovetail.ID(o.under), Principal: o.by}
	var err error
	if q.From, err = timeFlag(cmd, "since"); err != nil {
		return err
	}
	if q.To, err = timeFlag(cmd, "until"); err != nil {
		return err
	}
	if len(args) > 0 && (o.under != "" || o.kind != "") {
		return usagef(cmd, "--under and --kind are for the history of the store, not of %s", args[0])
	}
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	switch {
	case len(args) == 0:
		return o.transactions(ctx, s, st, model, q)
	case strings.Contains(args[0], "/"): // which positions do not have
		id, err := parseID(model, args[0])
		if err != nil {
			return err
		}
		return o.versions(ctx, s, st, id, q)
	}
	set, err := transactionAt(ctx, st, store.Cursor(args[0]))
	if err != nil {
		return err
	}
	return s.showTransaction(set)
}

// more says that not all was shown.
func (o *historyOptions) more(s *session, noun string) {
	fmt.Fprintf(s.Err, "There are more %s; --limit is %d.\n", noun, o.limit)
}

// versions shows those of a document.
func (o *historyOptions) versions(ctx context.Context, s *session, st Store, id dovetail.ID, q store.TransactionQuery) error {
	result := shown{table: table{header: []string{"VERSION", "TIME", "BY", "CHANGE", "MESSAGE", "POSITION", "ORIGIN"}, wide: 2}}
	for v, err := range st.History(ctx, id) {
		switch {
		case err != nil:
			return err
		case q.Principal != "" && v.Principal != q.Principal, !q.To.IsZero() && !v.Time.Before(q.To), !q.From.IsZero() && v.Time.Before(q.From):
			continue
		}
		if o.limit > 0 && len(result.items) == o.limit {
			o.more(s, "versions")
			break
		}
		item, err := valueOf(v)
		if err != nil {
			return err
		}
		result.items, result.names = append(result.items, item), append(result.names, v.Version)
		result.table.add(v.Version, timeText(v.Time), orDash(v.Principal), changeOf(v), orDash(subject(v.Message)), orDash(string(v.Position)), orDash(v.Origin))
	}
	s.show(result)
	if len(result.items) == 0 && s.output != formatJSON {
		fmt.Fprintln(s.Err, "no versions found")
	}
	return nil
}

// transactions shows those of the store.
func (o *historyOptions) transactions(ctx context.Context, s *session, st Store, model *schema.Model, q store.TransactionQuery) error {
	if o.kind != "" {
		kind, err := manifest.NewKinds(model).Find(o.kind)
		if err != nil {
			return err
		}
		q.Kind = kind.Name
	}
	if o.under != "" {
		if _, err := parseID(model, o.under); err != nil {
			return err
		}
	}
	result := shown{table: table{header: []string{"POSITION", "TIME", "BY", "MESSAGE", "CHANGES", "ORIGIN"}, wide: 1}}
	for {
		const page = 200
		if q.Limit = page; o.limit > 0 {
			q.Limit = min(page, o.limit-len(result.items))
		}
		found, err := st.Transactions(ctx, q)
		if err != nil {
			return err
		}
		for _, set := range found.Transactions {
			item, err := valueOf(toTransactionReport(set))
			if err != nil {
				return err
			}
			result.items, result.names = append(result.items, item), append(result.names, string(set.Cursor))
			result.table.add(string(set.Cursor), timeText(set.Time), orDash(set.Principal), orDash(subject(set.Message)), changesOf(set), orDash(set.Origin))
		}
		if q.Before = found.Next; q.Before == "" {
			break
		}
		if o.limit > 0 && len(result.items) >= o.limit {
			o.more(s, "transactions")
			break
		}
	}
	s.show(result)
	if len(result.items) == 0 && s.output != formatJSON {
		fmt.Fprintln(s.Err, "no transactions found")
	}
	return nil
}

// transactionReport is a transaction as yaml and json show it.
type transactionReport struct {
	Position store.Cursor `json:"position"`
	Time     time.Time    `json:"time"`
	store.Provenance
	Changes []changeReport `json:"changes"`
}

type changeReport struct {
	Op      store.Op    `json:"op"`
	ID      dovetail.ID `json:"id"`
	Kind    string      `json:"kind"`
	Version string      `json:"version"`
}

func toTransactionReport(set store.Transaction) transactionReport {
	r := transactionReport{Position: set.Cursor, Time: set.Time, Provenance: set.Provenance}
	for _, c := range set.Changes {
		r.Changes = append(r.Changes, changeReport{c.Op, c.ID, c.Kind, dovetail.ETag{UID: c.UID, Revision: c.Revision}.Version()})
	}
	return r
}

// showTransaction shows one transaction with all that it changed.
func (s *session) showTransaction(set store.Transaction) error {
	report := toTransactionReport(set)
	item, err := valueOf(report)
	if err != nil {
		return err
	}
	if s.output != formatTable && s.output != formatWide {
		s.show(shown{single: true, items: []*value.Value{item}, names: []string{string(set.Cursor)}})
		return nil
	}
	d := description{paint: s.paintOut()}
	d.line("Position", string(set.Cursor))
	d.line("Time", timeText(set.Time))
	for _, l := range []struct{ label, text string }{{"By", set.Principal}, {"Message", set.Message}, {"Origin", set.Origin}} {
		if l.text != "" {
			d.line(l.label, l.text)
		}
	}
	var changes table
	for _, c := range report.Changes {
		changes.add(string(c.Op), string(c.ID), c.Version)
	}
	d.rows("Changes", changes, "")
	fmt.Fprint(s.Out, d.text.String())
	return nil
}

// maxNamed is how many changes a line of a table names, and maxSubject how much of a message it shows.
const maxNamed, maxSubject = 3, 60

// changeOf says in a line what a version changed.
func changeOf(v store.VersionSummary) string {
	var what []string
	for _, path := range v.Paths[:min(maxNamed, len(v.Paths))] {
		if path == "" {
			path = "everything"
		}
		what = append(what, path)
	}
	if more := len(v.Paths) - len(what) + v.MorePaths; more > 0 {
		what = append(what, fmt.Sprintf("%d more", more))
	}
	if v.Files {
		what = append(what, "files")
	}
	if v.Status {
		what = append(what, "status")
	}
	text := strings.TrimSpace(string(v.Op) + " " + strings.Join(what, ", "))
	if v.Renamed != "" {
		preposition := " from "
		if v.Op == store.Deleted {
			preposition = " to "
		}
		text += ", renamed" + preposition + string(v.Renamed)
	}
	if v.Erased {
		text += " (erased)"
	}
	return text
}

// changesOf says in a line what a transaction changed.
func changesOf(set store.Transaction) string {
	var what []string
	for _, c := range set.Changes[:min(maxNamed, len(set.Changes))] {
		what = append(what, string(c.Op)+" "+string(c.ID))
	}
	if more := len(set.Changes) - len(what); more > 0 {
		what = append(what, fmt.Sprintf("%d more", more))
	}
	return strings.Join(what, ", ")
}

// subject is what a table shows of a message.
func subject(text string) string {
	line, rest, more := strings.Cut(text, "\n")
	if more && strings.TrimSpace(rest) != "" {
		line += " ..."
	}
	return cut(line, maxSubject)
}
