package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func newKubectlPluginCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kubectl-plugin",
		Short: "Install the kubectl plugin",
		Long: `kubectl finds programs in PATH whose names begin with "kubectl-", and starts them as its commands. Started as
"kubectl-dovetail", this program is the command "kubectl dovetail": it shows references, hierarchies and histories, for which kubectl has no verbs.`,
		Example: `  dovetail kubectl-plugin install`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var dir string
	install := &cobra.Command{
		Use:   "install",
		Short: "Install links for kubectl",
		Long: `Create two links to this program, under the names by which kubectl finds the plugin (kubectl-dovetail) and its completions
(kubectl_complete-dovetail). Existing links stay; nothing else is replaced.`,
		Example: `  dovetail kubectl-plugin install
  dovetail kubectl-plugin install --dir ~/bin
  kubectl dovetail tree`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.installPlugin(cmd, dir) },
	}
	install.Flags().StringVar(&dir, "dir", "", "a `FOLDER` in PATH (default that of this program)")
	check(install.MarkFlagDirname("dir"))
	cmd.AddCommand(install)
	return cmd
}

func (s *session) installPlugin(cmd *cobra.Command, dir string) error {
	if err := s.only(cmd); err != nil {
		return err
	}
	program, err := s.Executable()
	if err != nil {
		return &dovetail.Error{Code: dovetail.CodeInternal, Message: "the path of this program is not known: " + err.Error(), Err: err, Remedy: "copy it to " + pluginName + " in a folder of PATH"}
	}
	if dir == "" {
		dir = filepath.Dir(program)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // of programs, which all may run
		return uninstalled(dir, err)
	}
	extension := ""
	if filepath.Ext(program) == ".exe" {
		extension = ".exe"
	}
	for _, name := range []string{pluginName, completerName} {
		link := filepath.Join(dir, name+extension)
		did, err := linkTo(program, link)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.Out, "%s %s\n", did, link)
	}
	if path, err := filepath.Abs(dir); err == nil && !slices.Contains(filepath.SplitList(s.env("PATH")), path) {
		s.warn([]*dovetail.Error{{Message: dir + " is not in PATH, where kubectl looks for plug-ins"}})
	}
	return nil
}

// linkTo makes a link to the program, where it is not there yet, and says which.
func linkTo(program, link string) (did string, err error) {
	switch err := os.Symlink(program, link); {
	case err == nil:
		return "installed", nil
	case !errors.Is(err, os.ErrExist):
		return "", uninstalled(link, err)
	}
	want, err := os.Stat(program)
	if err != nil {
		return "", uninstalled(program, err)
	}
	if have, err := os.Stat(link); err == nil && os.SameFile(have, want) {
		return "unchanged", nil
	}
	return "", &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: link}, Message: "there is something else already", Remedy: "remove it, or choose another folder with --dir"}
}

func uninstalled(name string, err error) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Err: err, Message: "the plug-in cannot be installed: " + err.Error(),
		Remedy: "choose another folder with --dir, or copy this program to " + pluginName + " in a folder of PATH"}
}
