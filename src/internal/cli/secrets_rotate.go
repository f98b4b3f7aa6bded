package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/envelope"
	"github.com/dovetail-store/dovetail/src/internal/keyring"
	"github.com/dovetail-store/dovetail/src/store"
)

type secretsRotateOptions struct {
	target
	keyFile string
}

func newSecretsRotateCommand(s *session) *cobra.Command {
	var o secretsRotateOptions
	cmd := &cobra.Command{
		Use:   "rotate",
		Short: "Encrypt all secrets and sensitive documents again, with new data keys",
		Long: `Create new data keys, encrypt all secrets and all documents of sensitive kinds with them, including old revisions,
and delete the old data keys. Servers keep reading and writing. An interrupted rotation leaves everything readable;
run it again, or leave it to the servers, which finish it.

The key file must have the main key that is in use, and those that data keys were encrypted with before. Secrets of
layered documents are encrypted here; documents of sensitive kinds by the server, with its own key file, which
must be the same by then.`,
		Example: `  dovetail secrets keygen > new.key && cat main.key >> new.key && mv new.key main.key
  dovetail secrets rotate --key-file main.key`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	o.target.flags(cmd)
	cmd.Flags().StringVar(&o.keyFile, "key-file", "", "the file that servers use as --encryption-key-file")
	check(cmd.MarkFlagRequired("key-file"))
	return cmd
}

func (o *secretsRotateOptions) run(cmd *cobra.Command, s *session) error {
	keys, err := envelope.ReadKeyFile(o.keyFile)
	if err != nil {
		return err
	}
	o.target.keyFile = cmp.Or(o.target.keyFile, o.keyFile) // with --store it is the same
	st, err := o.open(cmd.Context(), s)
	if err != nil {
		return err
	}
	defer release(st)
	done, err := keyring.New(st, keys, rand.Reader).Rotate(cmd.Context())
	if err != nil {
		return err
	}
	if err := rotateSensitive(cmd.Context(), s, st); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s encrypted again with the data key %s; deleted: %s\n", count(done.Secrets, "secret"), done.Key,
		cmp.Or(strings.Join(done.Retired, ", "), "none"))
	return nil
}

// rotateSensitive rotates the data keys of sensitive kinds, where they are encrypted.
func rotateSensitive(ctx context.Context, s *session, st Store) error {
	sealed, key := 0, ""
	var retired []string
	for {
		step, err := st.Rotate(ctx, key)
		if reason := dovetail.AsError(err); err != nil && reason.Reason == store.ReasonNotEncrypted {
			fmt.Fprintf(s.Err, "sensitive kinds are not encrypted: %s; %s\n", reason.Message, reason.Remedy)
			return nil
		}
		if err != nil {
			return err
		}
		key, sealed, retired = step.Key, sealed+step.Sealed, append(retired, step.Retired...)
		switch {
		case step.Done && sealed == 0:
			return nil
		case step.Done:
			fmt.Fprintf(s.Out, "%s encrypted again with the data key %s; deleted: %s\n", count(sealed, "sensitive record"), key,
				cmp.Or(strings.Join(retired, ", "), "none"))
			return nil
		}
	}
}
