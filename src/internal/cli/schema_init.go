package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/draft"
	"github.com/dovetail-store/dovetail/src/internal/data/lint"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
)

type schemaInitOptions struct {
	from []string
}

func newSchemaInitCommand(s *session) *cobra.Command {
	var o schemaInitOptions
	cmd := &cobra.Command{
		Use:   "init [--from DIRECTORY]",
		Short: "Write a first ref-schema",
		Long: `Write a first ref-schema to the standard output: an example with comments, or with --from one that is derived from the kinds,
members and references of samples. Samples are manifests, as "dovetail apply" reads them: the members of their keys define the
parents of kinds. A reference is written only if it fits all samples. Decisions that are left to you are listed on standard error.

All kinds are strict: members that no sample has are refused until you describe them.`,
		Example: `  dovetail schema init > ref-schema.yaml
  dovetail schema init --from samples/ > ref-schema.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	cmd.Flags().StringArrayVar(&o.from, "from", nil, "a file of manifests or a `DIRECTORY` of such; may be repeated")
	return cmd
}

func (o *schemaInitOptions) run(cmd *cobra.Command, s *session) error {
	if err := s.only(cmd, formatYAML); err != nil {
		return err
	}
	if len(o.from) == 0 {
		fmt.Fprint(s.Out, string(draft.Starter))
		return nil
	}
	manifests, err := s.parseManifests(o.from)
	if err != nil {
		return err
	}
	d, err := draft.Kinds(manifests)
	if err != nil {
		return err
	}
	model, err := d.Model()
	if err != nil {
		return err
	}
	samples, err := s.readSamples(model, o.from)
	if err != nil {
		return err
	}
	if err := d.Add(samples); err != nil {
		return err
	}
	if model, err = d.Model(); err != nil {
		return err
	}
	report := lint.Lint(model)
	report.Examine(model, samples)
	fmt.Fprint(s.Out, string(d.YAML()))
	paint := s.paintErr()
	for _, note := range d.Notes() {
		fmt.Fprintf(s.Err, "%s: %s\n  %s\n", place(note.Position), paint(yellow, note.Message), note.Remedy)
	}
	for _, f := range report.Findings {
		if f.Problem == lint.NothingSampled { // a note says so
			continue
		}
		fmt.Fprintf(s.Err, "%s: %s\n", f.At, paint(yellow, f.Message))
	}
	return nil
}

// parseManifests reads manifests whose kinds are not known yet.
func (s *session) parseManifests(files []string) ([]draft.Manifest, error) {
	names, err := expand(files, isManifestFile)
	if err != nil {
		return nil, err
	}
	var all []draft.Manifest
	var errs dovetail.Errors
	for _, name := range names {
		data, err := s.readInput(name)
		if err != nil {
			return nil, err
		}
		values, err := parseFile(name, data)
		if err != nil {
			errs.Add(parts(err)...)
		}
		for _, v := range manifest.Flatten(values) {
			all = append(all, draft.Manifest{File: positionName(name), Value: v})
		}
	}
	return all, errs.Err("the samples cannot be read")
}
