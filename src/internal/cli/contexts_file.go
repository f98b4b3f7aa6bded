package cli

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/contexts"
)

// contextsFile is the name of the file of contexts, and whether the environment names it; "" where the user has no folder for it.
func (s *session) contextsFile() (name string, given bool) {
	if name := s.env(contextsVariable); name != "" {
		return name, true
	}
	if s.UserConfigDir == nil {
		return "", false
	}
	dir, err := s.UserConfigDir()
	if err != nil {
		return "", false
	}
	return filepath.Join(dir, "dovetail", "contexts.yaml"), false
}

// readContexts reads the file of contexts. One that the environment names must exist.
func (s *session) readContexts() (*contexts.File, error) {
	name, given := s.contextsFile()
	file, err := readContexts(name)
	if given && errors.Is(err, fs.ErrNotExist) {
		e := dovetail.AsError(err)
		e.Message, e.Remedy = contextsVariable+" names a file that does not exist", "correct it, or make the file with `dovetail config set-context NAME --server URL`"
		return nil, e
	}
	if errors.Is(err, fs.ErrNotExist) {
		return contexts.Parse(name, nil)
	}
	return file, err
}

// readContexts reads a file of contexts; "" has none.
func readContexts(name string) (*contexts.File, error) {
	if name == "" {
		return contexts.Parse("the file of contexts", nil)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		e := dovetail.AsError(unreadable(name, err))
		e.Remedy = "name another file of contexts with " + contextsVariable
		return nil, e
	}
	return contexts.Parse(name, text)
}

// editContexts changes the file of contexts, which only its user may read. Of two commands at once one is refused, so that none
// undoes what the other did.
func (s *session) editContexts(edit func(*contexts.File) error) error {
	name, _ := s.contextsFile()
	if name == "" {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there is no folder for the file of contexts", Remedy: "name a file with " + contextsVariable}
	}
	if linked, err := filepath.EvalSymlinks(name); err == nil {
		name = linked // so that the link stays
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return unwritable(err)
	}
	lock, err := os.OpenFile(name+".lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return &dovetail.Error{Code: dovetail.CodeConflict, Message: "another command is changing " + name, Err: err,
			Remedy: "try again; if none is running, remove " + name + ".lock"}
	case err != nil:
		return unwritable(err)
	}
	defer os.Remove(name + ".lock") // where that fails, the next command names it
	if err := lock.Close(); err != nil {
		return unwritable(err)
	}
	file, err := readContexts(name)
	if errors.Is(err, fs.ErrNotExist) {
		file, err = contexts.Parse(name, nil)
	}
	if err != nil {
		return err
	}
	if err := edit(file); err != nil {
		return err
	}
	return replaceFile(name, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(file.Text()))
		return err
	})
}

// completeContexts suggests the names of contexts, for a flag.
func completeContexts(s *session) completion {
	return func(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		file, err := s.readContexts()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var found []cobra.Completion
		for _, c := range file.Contexts {
			if strings.HasPrefix(c.Name, prefix) {
				found = append(found, cobra.CompletionWithDesc(c.Name, c.Server))
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeContext is completeContexts of commands with one argument.
func completeContext(s *session) completion {
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completeContexts(s)(cmd, args, prefix)
	}
}
