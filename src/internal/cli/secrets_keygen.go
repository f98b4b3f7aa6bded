package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/internal/envelope"
)

func newSecretsKeygenCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "keygen",
		Short: "Create a main key",
		Long: `Create a main key and print it in the format of a key file. Store it where only the server can read it, and
apart from the database: both together reveal the secrets. Without it the secrets are lost.`,
		Example: `  dovetail secrets keygen > main.key`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := envelope.NewKeyFile()
			if err != nil {
				return err
			}
			fmt.Fprint(s.Out, text)
			return nil
		},
	}
}
