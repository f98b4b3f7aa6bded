package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/schema"
)

type schemaShowOptions struct {
	target
	schemaVersion
}

func newSchemaShowCommand(s *session) *cobra.Command {
	var o schemaShowOptions
	cmd := &cobra.Command{
		Use:   "show [FILE...]",
		Short: "Show the kinds of a ref-schema",
		Long: `Show the kinds that files define, or, without files, those of the server. With -o json or yaml, their full
definitions. --version and --at show a ref-schema that was in force before; ` + "`dovetail schema versions`" + ` lists them.`,
		Example: `  dovetail schema show
  dovetail schema show --at 2026-11-21
  dovetail schema show ref-schemas/ -o json`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.target.flags(cmd)
	o.schemaVersion.flags(cmd)
	return cmd
}

func (o *schemaShowOptions) run(cmd *cobra.Command, s *session, args []string) error {
	model, err := o.model(cmd, s, args)
	if err != nil {
		return err
	}
	result := shown{table: table{header: []string{"KIND", "PARENT", "KEY", "REFERS TO", "CHILDREN", "SERVICE"}, wide: 2}}
	for _, kind := range model.Kinds() {
		item, err := valueOf(kind.Describe())
		if err != nil {
			return err
		}
		result.items = append(result.items, item)
		if kind.Abstract {
			continue
		}
		parent := "-"
		if kind.Parent != nil {
			parent = kind.Parent.Name
		}
		result.table.add(kind.Name, parent, strings.Join(kind.Elements, ","), orDash(referredTo(kind)), orDash(kindList(kind.Children)), orDash(kind.Service))
		result.names = append(result.names, kind.Name)
	}
	s.show(result)
	return nil
}

func (o *schemaShowOptions) model(cmd *cobra.Command, s *session, args []string) (*schema.Model, error) {
	if len(args) > 0 {
		if o.given() {
			return nil, usagef(cmd, "--version and --at are for the ref-schemas of the store, not for files")
		}
		return s.compile(args)
	}
	st, err := o.open(cmd.Context(), s)
	if err != nil {
		return nil, err
	}
	defer release(st)
	return o.schemaVersion.model(cmd.Context(), st)
}

func referredTo(kind *schema.Kind) string {
	var names []string
	for _, r := range kind.References {
		name := r.Name
		if slot := r.Slot(); slot != "" {
			name += "@" + slot
		}
		names = append(names, name)
	}
	return strings.Join(names, ",")
}
