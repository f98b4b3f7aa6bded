package cli

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

func newAuditCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show and verify audit records",
		Long: `A server that runs with --audit keep stores audit records. These commands show the records, and verify that
none was changed, removed or inserted later.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAuditListCommand(s), newAuditVerifyCommand(s))
	return cmd
}

type auditListOptions struct {
	target
	principal, under, kind, action, from, to string
	limit                                    int
	newest                                   bool
}

func newAuditListCommand(s *session) *cobra.Command {
	var o auditListOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List audit records, oldest first or newest first",
		Example: `  dovetail audit list --under cluster/c1 --from 2026-11-21
  dovetail audit list --principal alice -o json
  dovetail audit list --newest --limit 20`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.principal, "principal", "", "only records of this principal")
	cmd.Flags().StringVar(&o.under, "under", "", "only records about this document or any below it")
	cmd.Flags().StringVar(&o.kind, "kind", "", "only records about documents of this kind")
	cmd.Flags().StringVar(&o.action, "action", "", "only records with this action: created, updated, deleted, read, reveal, login or refused")
	cmd.Flags().StringVar(&o.from, "from", "", "not before this time, such as 2026-11-21 or 2026-11-21T12:00:00Z")
	cmd.Flags().StringVar(&o.to, "to", "", "before this time")
	cmd.Flags().BoolVar(&o.newest, "newest", false, "newest first")
	cmd.Flags().IntVar(&o.limit, "limit", 0, "maximum number of records (default all)")
	noFileCompletion(cmd, "principal", "under", "kind", "action", "from", "to", "limit")
	return cmd
}

func (o *auditListOptions) run(cmd *cobra.Command, s *session) error {
	q := store.AuditQuery{Principal: o.principal, Kind: o.kind, Action: store.AuditAction(o.action), Newest: o.newest}
	if actions := store.AuditActions(); o.action != "" && !slices.Contains(actions, q.Action) {
		return usagef(cmd, "--action is %q, but must be one of %v", o.action, actions)
	}
	var err error
	if o.under != "" {
		if q.Under, err = dovetail.ParseID(o.under); err != nil {
			return err
		}
	}
	for flag, t := range map[string]*time.Time{"from": &q.From, "to": &q.To} {
		if text := cmd.Flag(flag).Value.String(); text != "" {
			if *t, err = readAuditTime(text); err != nil {
				return usagef(cmd, "--%s is %q, but must be a time, such as 2026-11-21 or 2026-11-21T12:00:00Z", flag, text)
			}
		}
	}
	st, err := o.open(cmd.Context(), s)
	if err != nil {
		return err
	}
	defer release(st)
	result := shown{table: table{header: []string{"TIME", "PRINCIPAL", "EVENT", "DOCUMENTS"}}}
	for r, err := range st.Records(cmd.Context(), q) {
		if err != nil {
			return err
		}
		if o.limit > 0 && len(result.items) == o.limit {
			fmt.Fprintf(s.Err, "There are more records; --limit is %d.\n", o.limit)
			break
		}
		item, err := value.FromAny(r)
		if err != nil {
			return dovetail.AsError(err)
		}
		result.items, result.names = append(result.items, item), append(result.names, r.ID)
		result.table.add(r.At.Format(time.RFC3339), principalOf(r), eventOf(r), documentsOf(r))
	}
	s.show(result)
	return nil
}

func readAuditTime(text string) (time.Time, error) {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, nil
	}
	return time.Parse(time.RFC3339, text)
}

func principalOf(r store.AuditRecord) string {
	switch {
	case r.Principal != "":
		return r.Principal
	case r.Address != "":
		return "(" + r.Address + ")"
	}
	return "-"
}

func eventOf(r store.AuditRecord) string {
	event := string(r.Event)
	if event == "" {
		event = "write"
	}
	if r.DryRun {
		event = "dry run"
	}
	if r.Refused != "" {
		event += " refused"
	}
	return event
}

// documentsOf names the documents of a record, the first few of many.
func documentsOf(r store.AuditRecord) string {
	const most = 3
	var names []string
	for _, e := range r.Operations[:min(most, len(r.Operations))] {
		word := string(e.Effect)
		if word == "" {
			word = string(e.Verb)
		}
		names = append(names, strings.TrimSpace(word+" "+string(e.ID)))
	}
	if more := r.Total - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	if r.Refused != "" && len(names) == 0 {
		return r.Refused
	}
	return strings.Join(names, ", ")
}

type auditVerifyOptions struct {
	target
	expect []string
}

func newAuditVerifyCommand(s *session) *cobra.Command {
	var o auditVerifyOptions
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Verify that no audit record was changed, removed or inserted",
		Long: `Recompute the hash chain of the audit records. Records are collected in blocks, each of which has the hash
of the block before it. The number and the hash of the last block are shown: store them where users with write access to
the database cannot write, such as on a log server, and pass them with --expect later to detect a chain that
was recomputed as a whole.

The exit code is 0 when no problem is found, and 1 otherwise.`,
		Example: `  dovetail audit verify
  dovetail audit verify --expect 17:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	o.flags(cmd)
	cmd.Flags().StringSliceVar(&o.expect, "expect", nil, "number and hash of a block, as an earlier verification or the log showed them")
	noFileCompletion(cmd, "expect")
	return cmd
}

func (o *auditVerifyOptions) run(cmd *cobra.Command, s *session) error {
	expect := make(map[uint64]string, len(o.expect))
	for _, text := range o.expect {
		number, hash, _ := strings.Cut(text, ":")
		n, err := strconv.ParseUint(number, 10, 64)
		if digits, wrong := hex.DecodeString(hash); err != nil || wrong != nil || len(digits) != 32 {
			return usagef(cmd, "--expect is %q, but must be the number of a block, a colon and its hash", text)
		}
		expect[n] = hash
	}
	st, err := o.open(cmd.Context(), s)
	if err != nil {
		return err
	}
	defer release(st)
	v, err := st.VerifyRecords(cmd.Context(), expect)
	if err != nil {
		return err
	}
	if s.output != formatTable && s.output != formatWide {
		item, err := value.FromAny(v)
		if err != nil {
			return dovetail.AsError(err)
		}
		s.show(shown{single: true, items: []*value.Value{item}, names: []string{strconv.FormatUint(v.Number, 10)}})
		return different(v.Total > 0)
	}
	for _, f := range v.Findings {
		fmt.Fprintf(s.Out, "%s: %s\n", f.Problem, f.Message)
	}
	if more := v.Total - len(v.Findings); more > 0 {
		fmt.Fprintf(s.Out, "and %d more findings\n", more)
	}
	fmt.Fprintf(s.Out, "%s in %s verified, %d not sealed yet\n", count(v.Records, "record"), count(v.Blocks, "block"), v.Unsealed)
	if v.Number > 0 {
		fmt.Fprintf(s.Out, "last block %d:%s\n", v.Number, v.Hash)
	}
	return different(v.Total > 0)
}
