package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// askTimeout bounds how long a command that was interrupted asks what became of its transaction.
const askTimeout = 5 * time.Second

// apply does a transaction, as Store.Apply. When its outcome is not known, since the command was interrupted or the connection
// broke, it is found out.
func (s *session) apply(ctx context.Context, st Store, operations []store.Operation, options store.Options) (*store.Result, error) {
	options.Message = s.message
	if options.DryRun {
		return st.Apply(ctx, operations, options)
	}
	return s.transact(ctx, st, func(key string) (*store.Result, error) {
		options.Key = key
		return st.Apply(ctx, operations, options)
	})
}

// importDocuments stores exported documents, as Store.Import. When the outcome is not known, it is found out.
func (s *session) importDocuments(ctx context.Context, st Store, documents []*dovetail.Document) (*store.Result, error) {
	return s.transact(ctx, st, func(key string) (*store.Result, error) {
		return st.Import(ctx, documents, store.Options{Key: key, Message: s.message})
	})
}

// transact does a transaction under a new idempotency key. If its outcome is not known, it asks for it: what is not committed
// by then is aborted, so that it cannot be committed later.
func (s *session) transact(ctx context.Context, st Store, write func(key string) (*store.Result, error)) (*store.Result, error) {
	key := s.NewKey()
	result, err := write(key)
	switch dovetail.CodeOf(err) {
	case dovetail.CodeUnknown:
	case dovetail.CodeCanceled:
		return nil, interrupted(err)
	default:
		return result, err
	}
	ask, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	result, failure := st.Abort(ask, key)
	switch {
	case failure != nil:
		return nil, &dovetail.Error{Code: dovetail.CodeUnknown, Err: err, Message: "it is not known whether the transaction was committed: the server does not answer",
			Remedy: "find out with `dovetail outcome " + key + s.targetFlags + "`"}
	case result != nil && ctx.Err() != nil:
		fmt.Fprintln(s.Err, "interrupted, but the transaction was committed before:")
	case result != nil:
		fmt.Fprintln(s.Err, "the answer was lost, but the transaction was committed:")
	case ctx.Err() != nil:
		return nil, interrupted(err)
	default:
		return nil, &dovetail.Error{Code: dovetail.CodeUnavailable, Err: err, Message: "the connection broke before the transaction was committed; nothing was changed",
			Remedy: "try again"}
	}
	return result, nil
}

func interrupted(err error) error {
	return &dovetail.Error{Code: dovetail.CodeCanceled, Err: err, Message: "interrupted before the transaction was committed; nothing was changed"}
}

type outcomeOptions struct {
	target
	abort bool
}

func newOutcomeCommand(s *session) *cobra.Command {
	var o outcomeOptions
	cmd := &cobra.Command{
		Use:   "outcome KEY",
		Short: "Find out the outcome of a transaction",
		Long: `Show what the transaction with an idempotency key did. Every command that writes sends a new key; a command that
cannot find out whether its transaction was committed prints it. Keys belong to the principal that sent them, and are
known for a day.

The exit code is 0 when the transaction was committed, and 3 when it was not yet: it may still be in progress.
--abort ensures that a transaction that was not committed never will be; the exit code is 3 then, too.`,
		Example: `  dovetail outcome K3JX5RQ2ZVYWB6TQH4D7MXC2LA
  dovetail outcome K3JX5RQ2ZVYWB6TQH4D7MXC2LA --abort`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.target.flags(cmd)
	o.changeSetFlag(cmd, s)
	cmd.Flags().BoolVar(&o.abort, "abort", false, "ensure that the transaction is not committed later")
	return cmd
}

func (o *outcomeOptions) run(cmd *cobra.Command, s *session, key string) error {
	ctx := cmd.Context()
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	ask := st.ResultByIdempotencyKey
	if o.abort {
		ask = st.Abort
	}
	result, err := ask(ctx, key)
	switch {
	case err != nil && dovetail.AsError(err).Reason == store.ReasonAborted, err == nil && result == nil:
		return &dovetail.Error{Code: dovetail.CodeNotFound, Reason: store.ReasonAborted, Message: "the transaction was not committed, and never will be"}
	case dovetail.CodeOf(err) == dovetail.CodeNotFound:
		return &dovetail.Error{Code: dovetail.CodeNotFound, Message: "the transaction is not committed", Remedy: "it may be under way: ask again, or give it up with --abort", Err: err}
	case err != nil:
		return err
	}
	return s.showResult(result, false)
}
