package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

type sdCheckOptions struct {
	mode mergeMode
}

func newSDCheckCommand(s *session) *cobra.Command {
	var o sdCheckOptions
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check solution descriptors",
		Long: `Check that each SD can be merged in a mode, as far as that depends on it alone. All errors
are shown at once, with file, line and column.`,
		Example: `  dovetail sd check --mode extended-merge sd.yml`,
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return o.run(s, args) },
	}
	modeFlag(cmd, &o.mode)
	return cmd
}

// sdSummary is what there is to say about a good SD.
type sdSummary struct {
	File         string `json:"file"`
	Applications int    `json:"applications"`
}

func (o *sdCheckOptions) run(s *session, args []string) error {
	files, err := s.readSDs(args)
	if err != nil {
		return s.refuse(err)
	}
	var result shown
	var errs []*dovetail.Error
	for _, file := range files {
		if err := file.Check(sd.Mode(o.mode)); err != nil {
			errs = append(errs, parts(err)...)
			continue
		}
		sum := sdSummary{File: file.Source()}
		for range file.Applications() {
			sum.Applications++
		}
		item, err := valueOf(sum)
		if err != nil {
			return err
		}
		result.items = append(result.items, item)
		result.names = append(result.names, sum.File)
		result.table.add(fmt.Sprintf("%s: valid for %s, %s", sum.File, string(o.mode), count(sum.Applications, "application")))
	}
	if len(errs) > 0 {
		return s.refuse(dovetail.Join("the solution descriptors are refused", errs))
	}
	s.show(result)
	return nil
}
