package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
)

func newSecretsKeygenCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "keygen [FILE]",
		Short: "Create a main key",
		Long: `Create a main key, and write it to a new key file that only you can read, or to the standard output. Store it where only the
server can read it, and apart from the database: both together reveal the secrets. Without it the secrets are lost.`,
		Example: `  dovetail secrets keygen main.key`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := envelope.NewKeyFile()
			if err != nil {
				return err
			}
			if len(args) > 0 && args[0] != "-" {
				return writeKey(args[0], text)
			}
			fmt.Fprint(s.Out, text)
			return nil
		},
	}
}

// writeKey makes a key file. One that exists stays: the secrets would be lost with its key.
func writeKey(name, text string) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return &dovetail.Error{Code: dovetail.CodeConflict, Position: dovetail.Position{File: name}, Message: "the file exists: its key would be lost", Err: err,
			Remedy: "name a new file; to replace a main key, put the new one before it, see `dovetail secrets --help`"}
	}
	if err != nil {
		return unwritable(err)
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return unwritable(err)
	}
	return nil
}
