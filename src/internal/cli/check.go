package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
)

func newCheckCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check files without a server or a database",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCheckRepoCommand(s))
	return cmd
}

// reportFormat is what -o may be in a check: formats for continuous integration beside those of people and programs.
type reportFormat string

// The formats.
const (
	reportText  reportFormat = "text"
	reportJSON  reportFormat = "json"
	reportSARIF reportFormat = "sarif"
	reportJUnit reportFormat = "junit"
)

var reportFormats = []string{string(reportText), string(reportJSON), string(reportSARIF), string(reportJUnit)}

// String, Set and Type are what a flag needs.
func (f *reportFormat) String() string { return string(*f) }

// Set takes the flag's text.
func (f *reportFormat) Set(text string) error {
	if !slices.Contains(reportFormats, text) {
		return fmt.Errorf("must be one of %s", strings.Join(reportFormats, ", "))
	}
	*f = reportFormat(text)
	return nil
}

// Type names the flag's value in help.
func (f *reportFormat) Type() string { return "format" }

type checkRepoOptions struct {
	branch string
	before string
	keys   string
	schema string
	failOn severityFlag
	output reportFormat
}

func newCheckRepoCommand(s *session) *cobra.Command {
	o := checkRepoOptions{output: reportText}
	cmd := &cobra.Command{
		Use:   "instance-repo DIRECTORY|URL",
		Short: "Check an instance repository",
		Long: `Read an instance repository as "dovetail import instance-repo" does, and report every finding with its severity, file and
line, among them the documents that a server would refuse. No server and no database are needed.

  error    the pipelines fail, or something is lost
  warning  it works, but probably not as intended
  info     nothing is wrong, such as a file that is not stored

Expired environments get a warning. With --before, ui-override ParamSets that differ from those of another folder are errors: the generation of inventories must
not touch them. With --credential-keys, encrypted credentials that no key opens are errors.

The exit code is 1 when there is a finding as severe as --fail-on or more, and otherwise 0. -o sarif is for code scanning, -o junit for
the test reports of CI servers: there, findings below --fail-on fail no test.`,
		Example: `  dovetail check instance-repo .
  dovetail check instance-repo . --fail-on warning -o sarif > findings.sarif
  dovetail check instance-repo . --before ../before -o junit > findings.xml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	flags := cmd.Flags()
	flags.VarP(&o.output, "output", "o", "output format: "+strings.Join(reportFormats, ", "))
	check(cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(reportFormats, cobra.ShellCompDirectiveNoFileComp)))
	flags.StringVar(&o.branch, "branch", "", "the branch of a repository in Git (default main); with it DIRECTORY is read as a Git repository, too")
	flags.StringVar(&o.before, "before", "", "folder with the repository as it was before a generation of inventories")
	check(cmd.MarkFlagDirname("before"))
	flags.StringVar(&o.schema, "ref-schemas", "", "a directory with the ref-schemas to check documents against (default the built-in ones)")
	check(cmd.MarkFlagDirname("ref-schemas"))
	credentialKeysFlag(cmd, &o.keys)
	o.failOn.flag(cmd, instancerepo.Error)
	noFileCompletion(cmd, "branch")
	return cmd
}

func (o *checkRepoOptions) run(cmd *cobra.Command, s *session, from string) error {
	contents, err := s.surveyRepository(cmd.Context(), from, o.branch)
	if err != nil {
		return err
	}
	findings := slices.Concat(contents.Defects, contents.Missing(), contents.Expired(s.Now()))
	refused, err := o.refused(cmd.Context(), s, contents)
	if err != nil {
		return err
	}
	findings = append(findings, refused...)
	if o.before != "" {
		before, err := s.readRepository(cmd.Context(), o.before, "")
		if err != nil {
			return err
		}
		findings = append(findings, instancerepo.OverrideChanges(before, contents)...)
	}
	if o.keys != "" {
		keys, err := ciphertext.ReadKeys(o.keys)
		if err != nil {
			return err
		}
		findings = append(findings, contents.Unopened(keys)...)
	}
	switch o.output {
	case reportJSON:
		s.writeJSON(map[string]any{"findings": repoFindings(findings)})
	case reportSARIF:
		s.writeJSON(sarifOf(findings))
	case reportJUnit:
		if err := s.writeJUnit(contents.FileNames(), findings, o.failOn); err != nil {
			return err
		}
	case reportText:
		s.tellFindings(findings)
		counts := make(map[instancerepo.Severity]int)
		for _, e := range findings {
			counts[instancerepo.SeverityOf(e)]++
		}
		fmt.Fprintf(s.Out, "%s: %s, %s, %d info\n", count(len(contents.FileNames()), "file"), count(counts[instancerepo.Error], "error"),
			count(counts[instancerepo.Warning], "warning"), counts[instancerepo.Info])
	}
	return different(o.failOn.fails(findings))
}
