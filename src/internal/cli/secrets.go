package cli

import "github.com/spf13/cobra"

func newSecretsCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "secrets",
		Short: "Create and rotate encryption keys",
		Long: `Secrets are stored encrypted with data keys, and data keys with a main key, which a server reads from the
file of --encryption-key-file. Of several keys in the file the first one is in use; the others still decrypt what
was encrypted with them.

To replace the main key, put a new one before it, and rotate. Then the old one is no longer needed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSecretsKeygenCommand(s), newSecretsRotateCommand(s))
	return cmd
}
