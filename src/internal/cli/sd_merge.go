package cli

import (
	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
)

type sdMergeOptions struct {
	mode mergeMode
}

func newSDMergeCommand(s *session) *cobra.Command {
	var o sdMergeOptions
	cmd := &cobra.Command{
		Use:   "merge FULL DELTA...",
		Short: "Merge solution descriptors",
		Long: `Merge delta SDs into a full one, one after the other, and write the result to the standard output, as
YAML with the comments of FULL, or with -o json together with the warnings. No file is changed.`,
		Example: `  dovetail sd merge sd.yml delta.yml
  dovetail sd merge --mode extended-merge sd.yml delta.json -o json`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	modeFlag(cmd, &o.mode)
	return cmd
}

func (o *sdMergeOptions) run(cmd *cobra.Command, s *session, args []string) error {
	if err := s.only(cmd, formatYAML, formatJSON); err != nil {
		return err
	}
	files, err := s.readSDs(args)
	if err != nil {
		return s.refuse(err)
	}
	sds := make([]*sd.Descriptor, len(files))
	for i, file := range files {
		sds[i] = file.Descriptor
	}
	m, err := sd.Fold(sd.Mode(o.mode), sds...)
	if err != nil {
		return s.refuse(err)
	}
	s.warnOf(m.Warnings)
	if s.output == formatJSON {
		s.writeJSON(sdResult{Result: m.Descriptor.Value(), Warnings: api.NewMessages(m.Warnings)})
		return nil
	}
	_, err = s.Out.Write(yaml.Edit(files[0].text, files[0].Value(), m.Descriptor.Value()))
	return err
}
