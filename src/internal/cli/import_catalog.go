package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/catalog"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type importCatalogOptions struct {
	target
	priority int64
	dryRun   bool
}

func newImportCatalogCommand(s *session) *cobra.Command {
	var o importCatalogOptions
	cmd := &cobra.Command{
		Use:   "catalog SOURCE FILE|DIRECTORY|-...",
		Short: "Store a file-based catalog of operators as a source",
		Long: `Read a file-based catalog (olm.package, olm.channel, olm.bundle and olm.deprecations) and replace the
stored packages of the source with it, in one transaction: versions that the catalog no longer has are
deleted. A source that exists keeps its priority unless one is given. A directory is read with its
subdirectories (*.yaml, *.yml, *.json). All errors in the catalog are reported at once.

--dry-run also lists the active resolutions whose selections would change, that could no longer be resolved, or that could
now be resolved.`,
		Example: `  dovetail import catalog community-operators ./catalog --priority 10
  dovetail import catalog community-operators ./catalog --dry-run`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0], args[1:]) },
	}
	o.target.flags(cmd)
	s.messageFlag(cmd)
	cmd.Flags().Int64Var(&o.priority, "priority", 0, "priority of the source, higher ones win (default 0 for a new source)")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check everything and show what would happen, but change nothing")
	o.changeSetFlag(cmd, s)
	noFileCompletion(cmd, "priority")
	return cmd
}

func (o *importCatalogOptions) run(cmd *cobra.Command, s *session, name string, files []string) error {
	ctx := cmd.Context()
	if why := dovetail.CheckValue(name); why != "" {
		return usagef(cmd, "the name of the source %s", why)
	}
	source, read, err := s.readCatalog(name, files)
	if err != nil {
		return err
	}
	var priority *value.Value
	if cmd.Flags().Changed("priority") {
		priority = value.NewNumber(o.priority)
	}
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	stored, err := idsOf(ctx, st, sourcedoc.ID(name))
	if err != nil {
		return err
	}
	operations, err := sourcedoc.Refresh(ctx.Err, name, source, priority, stored)
	if err != nil {
		return err
	}
	result, err := s.apply(ctx, st, operations, store.Options{DryRun: o.dryRun})
	if err != nil {
		return err
	}
	if s.output != formatTable {
		return s.showResult(result, o.dryRun)
	}
	var impact *api.SourceImpact
	if o.dryRun {
		if impact, err = o.impact(ctx, st, name, source, priority, read); err != nil {
			return err
		}
	}
	count := make(map[store.Effect]int)
	for _, outcome := range result.Outcomes {
		count[outcome.Effect]++
	}
	fmt.Fprintln(s.Out, summary(count, o.dryRun)+s.stagedIn(o.dryRun))
	s.showImpact(impact)
	return nil
}

// readCatalog reads files and directories as one catalog, and returns the files, too.
func (s *session) readCatalog(name string, files []string) (*value.Value, []catalog.File, error) {
	names, err := expand(files, isManifestFile)
	if err != nil {
		return nil, nil, err
	}
	var read []catalog.File
	for _, file := range names {
		data, err := s.readInput(file)
		if err != nil {
			return nil, nil, err
		}
		read = append(read, catalog.File{Name: positionName(file), Data: data})
	}
	source, warnings, err := catalog.Import(name, read...)
	s.warn(warnings)
	return source, read, err
}

// idsOf returns the ids of a document and of all below it, none if it does not exist.
func idsOf(ctx context.Context, st Store, id dovetail.ID) ([]dovetail.ID, error) {
	if _, err := st.Get(ctx, id); err != nil {
		if dovetail.CodeOf(err) == dovetail.CodeNotFound {
			return nil, nil
		}
		return nil, err
	}
	ids := []dovetail.ID{id}
	for doc, err := range st.Documents(ctx, store.ListQuery{Under: id}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, doc.ID)
	}
	return ids, nil
}
