package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// gatewaySettings are those of a server that a gateway has too, and UpstreamSettings those that only a gateway has.
var (
	gatewaySettings = []string{"listen", "tls-cert", "tls-key", "trusted-proxies", "metrics-listen", "log-format", "log-level",
		"max-body", "max-batch", "max-connections", "rate", "rate-burst", "max-requests", "request-timeout", "shutdown-timeout"}
	UpstreamSettings = []string{"upstream-ca", "upstream-cert", "upstream-key"}
)

func newGatewayCommand(s *session) *cobra.Command {
	var settings []Setting
	for _, setting := range s.Settings {
		if slices.Contains(gatewaySettings, setting.Name) || slices.Contains(UpstreamSettings, setting.Name) {
			settings = append(settings, setting)
		}
	}
	cmd := &cobra.Command{
		Use:   "gateway SERVER...",
		Short: "Route requests to several servers",
		Long: `Route requests by path to servers that run some of the services each. SERVER is the URL of one. The gateway probes
their services, and balances requests over servers with the same services. A server that is not ready gets no requests.

The gateway does not authenticate requests: the servers do. Limits of the rate and of concurrent requests apply to
an address and to a token. Start servers with --trusted-proxies naming the gateway, so that they see the addresses of
its clients.`,
		Example: `  dovetail serve --services resources --store mongodb://db/dovetail --listen 127.0.0.1:8081
  dovetail serve --services descriptor --store mongodb://db/dovetail --listen 127.0.0.1:8082
  dovetail gateway http://127.0.0.1:8081 http://127.0.0.1:8082
  dovetail gateway --listen :8443 --tls-cert tls.crt --tls-key tls.key --rate 100 --upstream-ca ca.crt https://10.0.0.7:8443`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.Gateway(cmd.Context(), given(cmd.Flags(), settings), args)
		},
	}
	addSettings(cmd, settings)
	return cmd
}
