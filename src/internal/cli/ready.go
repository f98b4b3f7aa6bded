package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

type readyOptions struct {
	target
	timeout time.Duration
}

func newReadyCommand(s *session) *cobra.Command {
	var o readyOptions
	cmd := &cobra.Command{
		Use:   "ready",
		Short: "Check whether a server is ready",
		Long: `Check once whether a server is ready to serve requests. The exit code is 0 if it is ready, and 5 if it is not ready or
does not respond. No token is needed. Use it for health checks of containers.`,
		Example: `  dovetail ready
  dovetail ready --server http://dovetail.example:8080 --timeout 2s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s) },
	}
	o.target.flags(cmd)
	cmd.Flags().DurationVar(&o.timeout, "timeout", 5*time.Second, "maximum time to wait for the response")
	noFileCompletion(cmd, "timeout")
	return cmd
}

func (o *readyOptions) run(ctx context.Context, s *session) error {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	if err := st.Ping(ctx); err != nil {
		return err
	}
	fmt.Fprintln(s.Out, "ready")
	return nil
}
