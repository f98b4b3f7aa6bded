package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/schema"
)

// schemaVersion names one of the ref-schemas that are or were in force.
type schemaVersion struct {
	number int
	at     string
}

func (v *schemaVersion) flags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&v.number, "version", 0, "use the ref-schema with this `NUMBER`, which is or was in force")
	cmd.Flags().StringVar(&v.at, "at", "", "the ref-schema that was in force at a `MOMENT`: a time (2026-11-21T12:00:00Z), a day, or a position of the history")
	cmd.MarkFlagsMutuallyExclusive("version", "at")
	noFileCompletion(cmd, "version")
	noFileCompletion(cmd, "at")
}

func (v *schemaVersion) given() bool { return v.number != 0 || v.at != "" }

// model returns the ref-schema that is named, or the one in force.
func (v *schemaVersion) model(ctx context.Context, st Store) (*schema.Model, error) {
	if !v.given() {
		return st.Model(ctx)
	}
	version, err := st.SchemaVersion(ctx, v.number, v.at)
	if err != nil {
		return nil, err
	}
	return schema.Compile(version.Sources)
}

func newSchemaVersionsCommand(s *session) *cobra.Command {
	var o target
	cmd := &cobra.Command{
		Use:   "versions",
		Short: "List the ref-schemas that are or were in force",
		Long: `List the ref-schemas that are or were in force in the store, the one in force first: since when, who put them in
force ("-" for a server, from its files), and what is different from the one before. With -o wide, their hashes; with -o json or yaml, all differences.`,
		Example: `  dovetail schema versions`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return showSchemaVersions(cmd.Context(), s, &o) },
	}
	o.flags(cmd)
	return cmd
}

func showSchemaVersions(ctx context.Context, s *session, t *target) error {
	st, err := t.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	versions, err := st.SchemaVersions(ctx)
	if err != nil {
		return err
	}
	result := shown{table: table{header: []string{"VERSION", "SINCE", "PRINCIPAL", "CHANGES", "HASH"}, wide: 1}}
	for _, v := range versions {
		item, err := valueOf(v)
		if err != nil {
			return err
		}
		result.items = append(result.items, item)
		changes := "-"
		if len(v.Changes) > 0 {
			changes = fmt.Sprintf("%s: %s", v.Changes[0].Change, v.Changes[0].Message)
		}
		if more := len(v.Changes) - 1; more > 0 {
			changes += fmt.Sprintf(" (and %d more)", more)
		}
		number := strconv.Itoa(v.Version)
		result.table.add(number, v.Since.UTC().Format(time.RFC3339), cmp.Or(v.Principal, "-"), changes, v.Hash)
		result.names = append(result.names, number)
	}
	s.show(result)
	return nil
}
