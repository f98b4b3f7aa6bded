package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
)

// severityFlag makes a severity a flag.
type severityFlag instancerepo.Severity

// String, Set and Type are what a flag needs.
func (f *severityFlag) String() string { return instancerepo.Severity(*f).String() }

// Set takes the flag's text.
func (f *severityFlag) Set(text string) error {
	severity, err := instancerepo.ParseSeverity(text)
	*f = severityFlag(severity)
	return err
}

// Type names the flag's value in help.
func (f *severityFlag) Type() string { return "severity" }

// flag adds --fail-on to a verb that reports findings.
func (f *severityFlag) flag(cmd *cobra.Command, usual instancerepo.Severity) {
	*f = severityFlag(usual)
	cmd.Flags().Var(f, "fail-on", "minimum severity of a finding for exit code 1: info, warning or error")
	check(cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{"info", "warning", "error"}, cobra.ShellCompDirectiveNoFileComp)))
}

// fails reports whether one of the findings is severe enough.
func (f severityFlag) fails(findings []*dovetail.Error) bool {
	return slices.ContainsFunc(findings, func(e *dovetail.Error) bool { return instancerepo.SeverityOf(e) >= instancerepo.Severity(f) })
}

// repoFinding is a finding about an instance repository as -o json shows it.
type repoFinding struct {
	Severity string `json:"severity"`
	api.Message
}

func repoFindings(findings []*dovetail.Error) []repoFinding {
	all := make([]repoFinding, len(findings))
	for i, message := range api.NewMessages(findings) {
		all[i] = repoFinding{Severity: instancerepo.SeverityOf(findings[i]).String(), Message: message}
	}
	return all
}

// tellFindings shows findings with their severities on Err.
func (s *session) tellFindings(findings []*dovetail.Error) {
	colours := map[instancerepo.Severity]colour{instancerepo.Info: cyan, instancerepo.Warning: yellow, instancerepo.Error: red}
	for _, e := range findings {
		severity := instancerepo.SeverityOf(e)
		s.tell(colours[severity], severity.String()+": ", []*dovetail.Error{e})
	}
}
