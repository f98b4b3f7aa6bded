package cli

import (
	"github.com/spf13/cobra"
)

func newGatewayCommand(s *session) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "gateway SERVER...",
		Short: "Make several servers look like one",
		Long: `Send requests to servers that run some of the services each, by path. SERVER is the URL of one; each is asked
what it serves, now and then, and several with the same services share the requests. One that is not ready gets none.

The gateway asks nobody who they are: the servers do.`,
		Example: `  dovetail serve --services resources --store mongodb://db/dovetail --listen 127.0.0.1:8081
  dovetail serve --services descriptor --store mongodb://db/dovetail --listen 127.0.0.1:8082
  dovetail gateway http://127.0.0.1:8081 http://127.0.0.1:8082`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return s.Gateway(cmd.Context(), listen, args) },
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "address to listen on, as HOST:PORT")
	noFileCompletion(cmd, "listen")
	return cmd
}
