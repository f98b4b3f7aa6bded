package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/store"
)

func newWorkCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "work",
		Short: "Execute the actions of documents",
		Long: `Show and execute actions: those whose entry in the lifecycle of the ref-schema has "work: true". Such an action waits until a worker
claims it, and the state of the document follows the result of the worker.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newWorkListCommand(s), newWorkRunCommand(s))
	return cmd
}

func newWorkListCommand(s *session) *cobra.Command {
	var t target
	var kinds []string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the actions that wait for execution",
		Long: `List the next action of each document, the oldest first: since when it waits, which worker has claimed it and until
when, the number of attempts, and the actions that were requested after it.`,
		Example: `  dovetail work list
  dovetail work list --kind deploymentIntentGroup -o yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, err := t.open(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer release(st)
			open, err := st.OpenWork(cmd.Context(), kinds...)
			if err != nil {
				return err
			}
			result := shown{table: table{header: []string{"DOCUMENT", "ACTION", "SINCE", "WORKER", "UNTIL", "ATTEMPT", "LATER"}, wide: 2}}
			for _, w := range open {
				item, err := valueOf(w)
				if err != nil {
					return err
				}
				until := "-"
				if w.Worker != "" {
					until = w.Until.UTC().Format(time.RFC3339)
				}
				result.items, result.names = append(result.items, item), append(result.names, string(w.ID))
				result.table.add(string(w.ID), w.Action, w.At.UTC().Format(time.RFC3339), orDash(w.Worker), until, strconv.Itoa(w.Attempt), orDash(strings.Join(w.Later, ",")))
			}
			if len(open) == 0 && s.output == formatTable {
				fmt.Fprintln(s.Err, "no action waits for a worker")
			}
			s.show(result)
			return nil
		},
	}
	t.flags(cmd)
	kindsFlag(cmd, s, &kinds)
	return cmd
}

func kindsFlag(cmd *cobra.Command, s *session, kinds *[]string) {
	cmd.Flags().StringArrayVar(kinds, "kind", nil, "only actions of this kind; may be repeated (default all kinds)")
	noFileCompletion(cmd, "kind")
}

type workRunOptions struct {
	target
	kinds       []string
	name        string
	claim, poll time.Duration
	once        bool
}

func newWorkRunCommand(s *session) *cobra.Command {
	var o workRunOptions
	cmd := &cobra.Command{
		Use:   "run --name NAME [--kind KIND]... -- COMMAND [ARGUMENT]...",
		Short: "Execute actions by a command",
		Long: `Claim actions one after the other, and run the command for each. It gets the action and the document as JSON on the standard input, and
DOVETAIL_ID, DOVETAIL_KIND and DOVETAIL_ACTION in its environment. The claim is renewed while the command runs; if it is lost, the command is killed.

The exit code of the command decides: 0 means that the action is done, any other that it failed. What the command prints is the message of
the result; a JSON object with the members message and status gives the status of the document these members, too.

Several workers may run at the same time, each with a name of its own. An action can be executed twice, if a worker died: the
command must be idempotent.`,
		Example: `  dovetail work run --name worker-1 --kind deploymentIntentGroup -- ./deploy.sh
  dovetail work run --name worker-1 --once -- jq .action`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.target.flags(cmd)
	kindsFlag(cmd, s, &o.kinds)
	cmd.Flags().StringVar(&o.name, "name", "", "the unique `NAME` of the worker")
	cmd.Flags().DurationVar(&o.claim, "claim", time.Minute, "how long a claim lasts if the worker loses its connection")
	cmd.Flags().DurationVar(&o.poll, "poll", 2*time.Second, "polling interval while there is nothing to do")
	cmd.Flags().BoolVar(&o.once, "once", false, "execute the waiting actions, and exit")
	check(cmd.MarkFlagRequired("name"))
	noFileCompletion(cmd, "name", "claim", "poll")
	return cmd
}

func (o *workRunOptions) run(cmd *cobra.Command, s *session, command []string) error {
	ctx := cmd.Context()
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	failed := 0
	worker := client.Worker{Queue: st, Name: o.name, Kinds: o.kinds, Claim: o.claim, Poll: o.poll,
		Do: func(ctx context.Context, work *store.Work) (store.WorkResult, error) {
			result, err := s.runWork(ctx, work, command)
			outcome := "done"
			if result.Failed || err != nil {
				outcome, failed = "failed", failed+1
			}
			fmt.Fprintf(s.Out, "%s %s of %s\n", outcome, work.Action, work.ID)
			return result, err
		},
		Failed: func(err error) { fmt.Fprintf(s.Err, "warning: %v\n", err) }}
	if !o.once {
		worker.Run(ctx)
		return nil
	}
	for {
		more, err := worker.Once(ctx)
		switch {
		case err != nil:
			return err
		case !more:
			return different(failed > 0)
		}
	}
}
