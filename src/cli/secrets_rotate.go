package cli

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/envelope"
	"github.com/dovetail-store/dovetail/src/vault"
)

type secretsRotateOptions struct {
	target
	keyFile string
}

func newSecretsRotateCommand(s *session) *cobra.Command {
	var o secretsRotateOptions
	cmd := &cobra.Command{
		Use:   "rotate",
		Short: "Encrypt all secrets anew",
		Long: `Make a new data key, encrypt all secrets with it, those of old revisions too, and delete the data keys that
there were. Servers go on reading and writing meanwhile. A rotation that was broken off can be repeated.

The key file must hold the main key that is in use, and those that data keys were encrypted with before. It is
read here: a server that is named only stores what is encrypted already.`,
		Example: `  dovetail secrets keygen > new.key && cat main.key >> new.key && mv new.key main.key
  dovetail secrets rotate --key-file main.key`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	o.target.flags(cmd)
	cmd.Flags().StringVar(&o.keyFile, "key-file", "", "the file that servers have as --encryption-key-file")
	check(cmd.MarkFlagRequired("key-file"))
	return cmd
}

func (o *secretsRotateOptions) run(cmd *cobra.Command, s *session) error {
	keys, err := envelope.ReadKeyFile(o.keyFile)
	if err != nil {
		return err
	}
	st, err := o.open(cmd.Context(), s)
	if err != nil {
		return err
	}
	defer release(st)
	done, err := vault.New(st, keys, rand.Reader).Rotate(cmd.Context())
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s encrypted anew with the data key %s; deleted: %s\n", count(done.Secrets, "secret"), done.Key,
		cmp.Or(strings.Join(done.Retired, ", "), "none"))
	return nil
}
