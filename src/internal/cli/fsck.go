package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/store"
)

// DefaultStore is where `serve` stores without flags.
const DefaultStore = "bolt:./data/dovetail.db"

type fsckOptions struct {
	target
	repair  bool
	salvage string
}

func newFsckCommand(s *session) *cobra.Command {
	var o fsckOptions
	cmd := &cobra.Command{
		Use:   "fsck",
		Short: "Check a database and repair its indexes",
		Long: `Recompute every parent, reference, unique value and index of a database from its documents and report
every difference. The documents of services are checked with each other: revisions of layered documents
with their indexes, contents and data keys, ParamSets with their associations, change sets with their
operations, solution descriptors. Give the key file, so that encrypted contents are opened, too.

With --repair, indexes, the claims of unique values and documents of services that follow from others are
repaired; all other documents are never changed. No server may have an embedded database open; on MongoDB
servers may keep running.

With --salvage, what is intact of an embedded database that cannot be opened because its log is damaged is saved in a
new file, which is then checked. The damaged files stay as they are.

A rule that a later change of the parent or of a referenced document has broken is shown, and is no problem: such a change
is allowed, and the document itself is refused when it is written next.

The exit code is 0 when no problem is left, and 1 otherwise.`,
		Example: `  dovetail fsck
  dovetail fsck --store bolt:/var/lib/dovetail/dovetail.db --repair
  dovetail fsck --store bolt:/var/lib/dovetail/dovetail.db --salvage intact.db`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	o.storeFlags(cmd)
	cmd.Flags().Lookup("store").Usage = "the database (default $DOVETAIL_STORE, or " + DefaultStore + ")"
	cmd.Flags().BoolVar(&o.repair, "repair", false, "repair indexes and claims")
	cmd.Flags().StringVar(&o.salvage, "salvage", "", "save what is intact in a new `file`, and check that")
	check(cmd.MarkFlagFilename("salvage"))
	return cmd
}

func (o *fsckOptions) run(cmd *cobra.Command, s *session) error {
	ctx := cmd.Context()
	location := o.store
	if location == "" {
		location = s.env(EnvironmentName("store"))
	}
	if location == "" {
		location = DefaultStore
	}
	var findings []store.Finding
	if o.salvage != "" {
		var err error
		if findings, err = s.Salvage(location, o.salvage); err != nil {
			return err
		}
		location = "bolt:" + o.salvage
	}
	left, allowed := len(findings), 0
	db, err := o.openStore(ctx, s, location)
	if err != nil {
		return err
	}
	defer release(db)
	for f, err := range db.Check(ctx, o.repair) {
		if err != nil {
			return err
		}
		findings = append(findings, f)
		switch {
		case f.Allowed:
			allowed++
		case !f.Repaired:
			left++
		}
	}
	if err := s.showFindings(findings); err != nil {
		return err
	}
	if s.output == formatTable || s.output == formatWide {
		fmt.Fprintln(s.Out, verdict(len(findings)-allowed, left, allowed))
	}
	return different(left > 0)
}

func verdict(found, left, allowed int) string {
	text := fmt.Sprintf("%s found, %d not repaired", count(found, "problem"), left)
	switch {
	case found == 0:
		text = "no problems found"
	case left == 0:
		text = fmt.Sprintf("%s found and repaired", count(found, "problem"))
	}
	if allowed > 0 {
		text += fmt.Sprintf("; %s broken by allowed changes of other documents", count(allowed, "rule"))
	}
	return text
}
