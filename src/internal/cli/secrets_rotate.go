package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
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

Earlier versions stay readable: they are encrypted again, too. A data key that an open or closed change set needs for a staged
secret of layered documents is kept: rotate again once it is merged or deleted.

The key file must have the main key that is in use, and those that data keys were encrypted with before. Secrets of
layered documents are encrypted here; documents of sensitive kinds by the server, with its own key file, which
must be the same by then.`,
		Example: `  dovetail secrets keygen new.key && cat main.key >> new.key && mv new.key main.key
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
	model, err := st.Model(cmd.Context())
	if err != nil {
		return err
	}
	begun, err := o.begin(cmd.Context(), s, st) // what would refuse it comes first
	if err != nil {
		return err
	}
	if _, known := model.Kind(keyring.Element); !known { // no service has secrets under this ref-schema
		return rotateSensitive(cmd.Context(), s, st, begun)
	}
	done, err := keyring.New(st, keys, rand.Reader).Rotate(cmd.Context(), func(ctx context.Context, key string) ([]string, error) { return stagedWith(ctx, st, key) })
	if err != nil {
		return err
	}
	if err := rotateSensitive(cmd.Context(), s, st, begun); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s encrypted again with the data key %s; deleted: %s\n", count(done.Secrets, "secret"), done.Key,
		cmp.Or(strings.Join(done.Retired, ", "), "none"))
	for _, key := range slices.Sorted(maps.Keys(done.Kept)) {
		fmt.Fprintf(s.Out, "the data key %s stays, and the main key that wraps it, for secrets staged in %s: rotate again once these are merged or deleted\n",
			key, strings.Join(done.Kept[key], ", "))
	}
	return nil
}

// begin does the first step of the rotation of sensitive kinds; nil where they are not encrypted.
func (o *secretsRotateOptions) begin(ctx context.Context, s *session, st Store) (*store.Rotation, error) {
	step, err := st.Rotate(ctx, "")
	if reason := dovetail.AsError(err); err != nil && reason.Reason == store.ReasonNotEncrypted {
		fmt.Fprintf(s.Err, "sensitive kinds are not encrypted: %s; %s\n", reason.Message, reason.Remedy)
		return nil, nil
	}
	return step, err
}

// rotateSensitive continues with a rotation of the data keys of sensitive kinds.
func rotateSensitive(ctx context.Context, s *session, st Store, step *store.Rotation) error {
	if step == nil {
		return nil
	}
	sealed, retired := step.Sealed, step.Retired
	for !step.Done {
		next, err := st.Rotate(ctx, step.Key)
		if err != nil {
			return err
		}
		step, sealed, retired = next, sealed+next.Sealed, append(retired, next.Retired...)
	}
	if sealed > 0 {
		fmt.Fprintf(s.Out, "%s encrypted again with the data key %s; deleted: %s\n", count(sealed, "sensitive record"), step.Key,
			cmp.Or(strings.Join(retired, ", "), "none"))
	}
	return nil
}

// The kinds of change sets and of what is staged in them.
const (
	kindChangeSet          = "changeSet"
	kindChangeSetOperation = "changeSetOperation"
)

// stagedWith returns the change sets, not yet merged, that stage a secret which is encrypted with a data key.
func stagedWith(ctx context.Context, st Store, key string) ([]string, error) {
	model, err := st.Model(ctx)
	if err != nil {
		return nil, err
	}
	if _, known := model.Kind(kindChangeSetOperation); !known {
		return nil, nil
	}
	merged := make(map[dovetail.ID]bool)
	for doc, err := range st.Documents(ctx, store.ListQuery{Kind: kindChangeSet}) {
		if err != nil {
			return nil, err
		}
		status, err := value.StatusOf(doc)
		if err != nil {
			return nil, err
		}
		state, _ := status.Get("state").Str()
		merged[doc.ID] = state == "merged"
	}
	var names []string
	for doc, err := range st.Documents(ctx, store.ListQuery{Kind: kindChangeSetOperation}) {
		if err != nil {
			return nil, err
		}
		of := doc.Key()[:1]
		if merged[of.ID()] || slices.Contains(names, of[0].Value) {
			continue
		}
		status, err := value.StatusOf(doc)
		if err != nil {
			return nil, err
		}
		for _, state := range []string{"base", "document"} {
			if used, _ := status.At(state, "data", "spec", keyring.Element).Str(); used == key && !slices.Contains(names, of[0].Value) {
				names = append(names, of[0].Value)
			}
		}
	}
	return names, nil
}
