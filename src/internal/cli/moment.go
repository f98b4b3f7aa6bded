package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// moment is when a verb reads: now, or, with --at, in the past.
type moment struct{ at string }

func (m *moment) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.at, "at", "", "read the store as of a `MOMENT`: a time (2026-11-21T12:00:00Z), a day, or a position of the history")
	noFileCompletion(cmd, "at")
}

// documentFlags is flags for a verb about one document, whose versions are moments, too.
func (m *moment) documentFlags(cmd *cobra.Command, s *session, t *target) {
	cmd.Flags().StringVar(&m.at, "at", "", "read the store as of a `MOMENT`: a time (2026-11-21T12:00:00Z), a day, or a version or position of the history")
	check(cmd.RegisterFlagCompletionFunc("at", completeVersions(s, t)))
}

// of returns the store as of the moment. The versions of the documents are moments, where it is one. The store that was opened
// is the one to be released.
func (m *moment) of(ctx context.Context, st Store, ids ...dovetail.ID) (Store, error) {
	if m.at == "" {
		return st, nil
	}
	var id dovetail.ID
	if len(ids) == 1 {
		id = ids[0]
	}
	then, err := st.At(ctx, m.at, id)
	if id == "" && dovetail.CodeOf(err) == dovetail.CodeInvalid {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Err: err, Message: "\"" + m.at + "\" is neither a time nor a position of this store",
			Remedy: "give a time such as 2026-11-21T12:00:00Z, or a position that `dovetail history` shows"}
	}
	return then, err
}

// transactionAt returns the transaction of a position.
func transactionAt(ctx context.Context, st Store, position store.Cursor) (store.Transaction, error) {
	set, err := st.Transaction(ctx, position)
	if dovetail.CodeOf(err) == dovetail.CodeInvalid {
		err = &dovetail.Error{Code: dovetail.CodeInvalid, Err: err, Message: "\"" + string(position) + "\" is not the position of a transaction of this store",
			Remedy: "`dovetail history` shows positions, and `dovetail history ID -o wide` those of a document"}
	}
	return set, err
}

// messageFlag adds --message to a verb that writes.
func (s *session) messageFlag(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&s.message, "message", "m", "", "reason of the change, for the history")
	noFileCompletion(cmd, "message")
}

// timeFlag reads a flag that is a time or a day.
func timeFlag(cmd *cobra.Command, name string) (time.Time, error) {
	text := cmd.Flag(name).Value.String()
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef(cmd, "--%s is %q, but must be a time, such as 2026-11-21 or 2026-11-21T12:00:00Z", name, text)
}

// completeVersions suggests versions of the document that the first argument names, newest first.
func completeVersions(s *session, t *target) completion {
	return completing(s, t, func(ctx context.Context, st Store, args []string, _ string) ([]cobra.Completion, error) {
		if len(args) == 0 {
			return nil, nil
		}
		var found []cobra.Completion
		for v, err := range st.History(ctx, dovetail.ID(args[0])) {
			if err != nil {
				return nil, err
			}
			if v.Op == store.Deleted || v.Erased {
				continue
			}
			found = append(found, cobra.CompletionWithDesc(v.Version, fmt.Sprintf("%s %s %s", timeText(v.Time), changeOf(v), v.Message)))
			if len(found) == completionVersions {
				break
			}
		}
		return found, nil
	})
}

// completePositions suggests the latest transactions.
func completePositions(s *session, t *target) completion {
	return completing(s, t, func(ctx context.Context, st Store, args []string, _ string) ([]cobra.Completion, error) {
		if len(args) > 0 {
			return nil, nil
		}
		page, err := st.Transactions(ctx, store.TransactionQuery{Limit: completionVersions})
		if err != nil {
			return nil, err
		}
		var found []cobra.Completion
		for _, set := range page.Transactions {
			found = append(found, cobra.CompletionWithDesc(string(set.Cursor), fmt.Sprintf("%s %s %s", timeText(set.Time), changesOf(set), set.Message)))
		}
		return found, nil
	})
}
