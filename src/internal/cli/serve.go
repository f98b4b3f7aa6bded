package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newServeCommand(s *session) *cobra.Command {
	settings := slices.DeleteFunc(slices.Clone(s.Settings), func(setting Setting) bool { return slices.Contains(UpstreamSettings, setting.Name) })
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run a server",
		Long: `Run a server until it is interrupted. Without flags it stores in ./data/dovetail.db, listens on
` + DefaultServer + ` and serves the built-in ref-schema.

Every setting can be given as a flag, as an environment variable (--log-format is
DOVETAIL_LOG_FORMAT), or as a member of a YAML file (log-format: json) that --config names; flags take
precedence over the environment, and the environment over the file.`,
		Example: `  dovetail serve
  dovetail serve --listen :8080 --store bolt:/var/lib/dovetail/dovetail.db
  dovetail serve --ref-schemas ref-schemas/examples/emco --services resources`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.Serve(cmd.Context(), given(cmd.Flags(), settings))
		},
	}
	addSettings(cmd, settings)
	return cmd
}

// addSettings makes a flag of each.
func addSettings(cmd *cobra.Command, settings []Setting) {
	for _, setting := range settings {
		cmd.Flags().String(setting.Name, setting.Default, setting.Usage+environment(setting))
	}
	cmd.Flags().SortFlags = false
}

// EnvironmentName is the environment variable of a setting: DOVETAIL_LOG_FORMAT for log-format.
func EnvironmentName(setting string) string {
	return "DOVETAIL_" + strings.ToUpper(strings.ReplaceAll(setting, "-", "_"))
}

func environment(setting Setting) string { return " [$" + EnvironmentName(setting.Name) + "]" }

// given returns the settings that stand on the command line.
func given(flags *pflag.FlagSet, settings []Setting) map[string]string {
	values := make(map[string]string)
	for _, setting := range settings {
		if flag := flags.Lookup(setting.Name); flag.Changed {
			values[setting.Name] = flag.Value.String()
		}
	}
	return values
}
