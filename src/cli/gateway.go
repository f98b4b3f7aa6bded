package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// gatewaySettings are those of a server that a gateway has too.
var gatewaySettings = []string{"listen", "log-format", "log-level"}

func newGatewayCommand(s *session) *cobra.Command {
	var settings []Setting
	for _, setting := range s.Settings {
		if slices.Contains(gatewaySettings, setting.Name) {
			settings = append(settings, setting)
		}
	}
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
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Gateway(cmd.Context(), given(cmd.Flags(), settings), args)
		},
	}
	addSettings(cmd, settings)
	return cmd
}
