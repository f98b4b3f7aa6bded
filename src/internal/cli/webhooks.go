package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Hooks are the webhooks of a server; a Store that is one implements it.
type Hooks interface {
	// Webhooks lists them.
	Webhooks(ctx context.Context) ([]dovetail.Webhook, error)
	// DeadLetters lists the events that the receiver of one did not accept.
	DeadLetters(ctx context.Context, webhook string) ([]dovetail.DeadLetter, error)
	// Redeliver has them delivered again, all without ids, and returns how many.
	Redeliver(ctx context.Context, webhook string, ids ...string) (int, error)
}

func newWebhooksCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "webhooks",
		Short: "Show webhooks and deliver their dead letters again",
		Long: `Show the webhooks of a server, which notify other systems of events in the store, and the events that their
receivers did not accept.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newWebhooksListCommand(s), newDeadLettersCommand(s), newRedeliverCommand(s))
	return cmd
}

// hooks opens the server.
func (t *target) hooks(ctx context.Context, s *session) (Hooks, func(), error) {
	return openServer[Hooks](ctx, s, t, "has webhooks")
}

func newWebhooksListCommand(s *session) *cobra.Command {
	var t target
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List webhooks and their state",
		Long: `List the webhooks of a server: how many events each delivered, how many wait to be delivered, how many are dead
letters, if its receiver does not accept the next event, why and since when, and whether events were lost because the
history of the store no longer had them. It requires the right to read everything.`,
		Example: `  dovetail webhooks list
  dovetail webhooks list -o wide`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, done, err := t.hooks(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer done()
			all, err := server.Webhooks(cmd.Context())
			if err != nil {
				return err
			}
			result := shown{table: table{header: []string{"NAME", "DELIVERED", "BEHIND", "DEAD", "STATE", "URL", "EVENTS", "AS"}, wide: 3}}
			for _, one := range all {
				item, err := valueOf(one)
				if err != nil {
					return err
				}
				result.items, result.names = append(result.items, item), append(result.names, one.Name)
				result.table.add(one.Name, strconv.Itoa(one.Delivered), behind(one), strconv.Itoa(one.DeadLetters), webhookState(one), one.URL, strings.Join(one.Events, ","),
					strings.Join(append([]string{one.Principal}, one.Groups...), ","))
			}
			s.show(result)
			return nil
		},
	}
	t.serverFlag(cmd)
	return cmd
}

// behind returns how many events wait to be delivered.
func behind(w dovetail.Webhook) string {
	if w.Behind >= dovetail.MaxBehind {
		return strconv.Itoa(dovetail.MaxBehind) + "+"
	}
	return strconv.Itoa(w.Behind)
}

// webhookState returns where a webhook stands.
func webhookState(w dovetail.Webhook) string {
	if w.Position == "" {
		return "not started"
	}
	var states []string
	if f := w.Failure; f != nil {
		states = append(states, fmt.Sprintf("failing since %s, %s: %s", f.Since.UTC().Format(time.RFC3339), count(f.Attempts, "attempt"), f.Error))
	}
	if w.Lost != nil {
		states = append(states, "lost events at "+w.Lost.Time.UTC().Format(time.RFC3339)+", see -o json")
	}
	if len(states) == 0 {
		return "ok"
	}
	return strings.Join(states, "; ")
}

func newDeadLettersCommand(s *session) *cobra.Command {
	var t target
	cmd := &cobra.Command{
		Use:   "dead-letters NAME",
		Short: "List the events that the receiver of a webhook did not accept",
		Long: `List the events that the receiver of a webhook did not accept, the oldest first: an event becomes a dead letter after
5 answers with a status of 4xx, or after 24 hours without success. It needs the right to read everything.`,
		Example:           `  dovetail webhooks dead-letters release-bot -o json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeWebhooks(s, &t),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, done, err := t.hooks(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer done()
			all, err := server.DeadLetters(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			result := shown{table: table{header: []string{"ID", "TYPE", "SINCE", "ATTEMPTS", "ERROR"}}}
			for _, one := range all {
				item, err := valueOf(one)
				if err != nil {
					return err
				}
				result.items, result.names = append(result.items, item), append(result.names, one.ID)
				result.table.add(one.ID, one.Type, one.Since.UTC().Format(time.RFC3339), strconv.Itoa(one.Attempts), one.Error)
			}
			s.show(result)
			return nil
		},
	}
	t.serverFlag(cmd)
	return cmd
}

func newRedeliverCommand(s *session) *cobra.Command {
	var t target
	cmd := &cobra.Command{
		Use:   "redeliver NAME [ID...]",
		Short: "Deliver dead letters of a webhook again",
		Long: `Deliver dead letters of a webhook again, all of them without ID. The server tries each once, in the background: one
that the receiver accepts is no longer listed. It needs the right to update everything.`,
		Example: `  dovetail webhooks redeliver release-bot
  dovetail webhooks redeliver release-bot msg_0f7c1e9d2b3a48566877a9b0c1d2e3f4`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeWebhooks(s, &t),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, done, err := t.hooks(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer done()
			queued, err := server.Redeliver(cmd.Context(), args[0], args[1:]...)
			if err != nil {
				return err
			}
			fmt.Fprintln(s.Out, count(queued, "dead letter"), "queued")
			return nil
		},
	}
	t.serverFlag(cmd)
	return cmd
}

// completeWebhooks suggests the names of webhooks, and then the ids of dead letters.
func completeWebhooks(s *session, t *target) completion {
	return completing(s, t, func(ctx context.Context, st Store, args []string, prefix string) (found []cobra.Completion, err error) {
		server, ok := st.(Hooks)
		if !ok {
			return nil, nil
		}
		add := func(name, description string) {
			if strings.HasPrefix(name, prefix) && len(found) < completionNames {
				found = append(found, cobra.CompletionWithDesc(name, description))
			}
		}
		if len(args) == 0 {
			all, err := server.Webhooks(ctx)
			for _, one := range all {
				add(one.Name, one.URL)
			}
			return found, err
		}
		letters, err := server.DeadLetters(ctx, args[0])
		for _, one := range letters {
			add(one.ID, one.Type)
		}
		return found, err
	})
}
