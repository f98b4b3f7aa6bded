package cli

import (
	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
)

func newSDDiffCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two solution descriptors",
		Long: `Show what is different between two SDs: attributes, applications, the deployGraph. Applications are the
same when name, deployPostfix and alias are. Comments and the order of attributes do not count.

The exit code is 0 when there is no difference and 1 otherwise.`,
		Example: `  dovetail sd diff sd.yml next.yml`,
		Args:    cobra.ExactArgs(2),
		RunE:    func(_ *cobra.Command, args []string) error { return runSDDiff(s, args) },
	}
}

func runSDDiff(s *session, args []string) error {
	files, err := s.readSDs(args)
	if err != nil {
		return s.refuse(err)
	}
	result := shown{table: table{header: []string{"CHANGE", "WHAT"}}}
	differences := sd.Diff(files[0].Descriptor, files[1].Descriptor)
	for _, d := range differences {
		item, err := valueOf(d)
		if err != nil {
			return err
		}
		result.items = append(result.items, item)
		result.names = append(result.names, d.Path)
		result.table.add(string(d.Change), d.Message)
	}
	s.show(result)
	return different(len(differences) > 0)
}
