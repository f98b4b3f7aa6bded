package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

func newSDCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sd",
		Short: "Process, merge, compare and check solution descriptors",
		Long: `Work on solution descriptors (SDs), the lists of applications that make up a solution, without a
server. FILE is JSON or YAML, or - for the standard input.

Each violation is shown with the code of the rule, such as "error: SD_UNKNOWN_CHUNK: ...", and the exit
code is then 1. With -o json the same goes to the standard output as {"errors": [...]}.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSDProcessCommand(s), newSDMergeCommand(s), newSDDiffCommand(s), newSDCheckCommand(s))
	return cmd
}

// mergeMode makes a merge mode a flag.
type mergeMode sd.Mode

// String, Set and Type are what a flag needs.
func (m *mergeMode) String() string { return string(*m) }

// Set takes the flag's text.
func (m *mergeMode) Set(text string) error {
	mode, err := sd.ParseMode(text)
	if err != nil {
		return fmt.Errorf("must be one of %s", strings.Join(modeNames(), ", "))
	}
	*m = mergeMode(mode)
	return nil
}

// Type names the flag's value in help.
func (m *mergeMode) Type() string { return "mode" }

func modeNames() []string {
	var names []string
	for _, mode := range sd.Modes() {
		names = append(names, string(mode))
	}
	return names
}

// modeFlag adds --mode to a verb that merges.
func modeFlag(cmd *cobra.Command, into *mergeMode) {
	*into = mergeMode(sd.BasicMerge)
	cmd.Flags().Var(into, "mode", "how SDs are merged: "+strings.Join(modeNames(), ", "))
	check(cmd.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions(modeNames(), cobra.ShellCompDirectiveNoFileComp)))
}

// sdFile is an SD and the text that it was read from.
type sdFile struct {
	*sd.Descriptor
	text []byte
}

// readSDs reads one SD from each file. What is malformed in any of them is reported together.
func (s *session) readSDs(names []string) ([]sdFile, error) {
	var files []sdFile
	var errs []*dovetail.Error
	for _, name := range names {
		text, err := s.readInput(name)
		if err != nil {
			return nil, err
		}
		descr, err := sd.Parse(positionName(name), text)
		if err != nil {
			errs = append(errs, parts(err)...)
		}
		files = append(files, sdFile{descr, text})
	}
	return files, dovetail.Join("the solution descriptors are refused", errs)
}

// refuse shows what is wrong with SDs and returns the verdict. Other errors it passes on.
func (s *session) refuse(err error) error {
	if err == nil || dovetail.AsError(err).Reason == "" {
		return err
	}
	s.tell(red, "error: ", parts(err))
	if s.output == formatJSON {
		s.writeJSON(map[string]any{"errors": api.NewMessages(parts(err))})
	}
	return errDifferent
}

// warnOf shows what was accepted in SDs.
func (s *session) warnOf(warnings []*dovetail.Error) { s.tell(yellow, "warning: ", warnings) }

// tell shows errors or warnings with their codes on Err.
func (s *session) tell(c colour, what string, errs []*dovetail.Error) {
	paint := s.paintErr()
	for _, e := range errs {
		at := place(e.Position)
		if at != "" {
			at += ": "
		}
		fmt.Fprintf(s.Err, "%s%s: %s%s\n", paint(c, what), sdCode(e), at, e.Message)
		if e.Remedy != "" {
			fmt.Fprintln(s.Err, "  "+e.Remedy)
		}
	}
}

func sdCode(e *dovetail.Error) string { return cmp.Or(e.Reason, string(e.Code)) }

// sdResult is a result and its warnings as -o json shows them.
type sdResult struct {
	Result   any           `json:"result"`
	Files    any           `json:"files,omitempty"`
	Warnings []api.Message `json:"warnings"`
}

// writeJSON writes what is not a list of items.
func (s *session) writeJSON(v any) { fmt.Fprintf(s.Out, "%s\n", indentJSON(mustJSON(v))) }

// valueOrNull is the value of an SD, null when there is none.
func valueOrNull(descr *sd.Descriptor) *value.Value {
	if descr == nil {
		return value.NullValue()
	}
	return descr.Value()
}
