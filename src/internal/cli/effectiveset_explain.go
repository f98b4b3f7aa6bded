package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

type explainSetOptions struct {
	generateOptions
	file, pointer string
}

func newEffectiveSetExplainCommand(s *session) *cobra.Command {
	var o explainSetOptions
	cmd := &cobra.Command{
		Use:   "explain --repo DIR --env CLUSTER/ENV --file FILE",
		Short: "Show where the values of a calculated file come from",
		Long: `Calculate the effective set of an environment, and show for each value of one of its files which levels set it: tenant, cloud, namespace,
application, resource profile and SBOM, in this order, which one takes effect, and what its macros refer to. Nothing is written.

--file is the path of a file below effective-set, --path a value in it, or what is below one. Credentials are named and not shown;
values that they are part of are shown as (secret).`,
		Example: `  dovetail effective-set explain --repo . --env cluster-01/env-01 --file pipeline/parameters.yaml
  dovetail effective-set explain --repo . --env cluster-01/env-01 --file deployment/core/my-app/values/deployment-parameters.yaml --path /LOG_LEVEL -o wide`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.repository, "repo", "", "folder of the instance repository")
	flags.StringVar(&o.environment, "env", "", "the environment, as <cluster>/<environment>")
	flags.StringVar(&o.file, "file", "", "file of the set, as a path below effective-set")
	flags.StringVar(&o.pointer, "path", "", "only this value, as a JSON Pointer (default all)")
	flags.StringVar(&o.sboms, "sboms", "", "folder with APP/APP-VERSION.sbom.json (default sboms of the repository)")
	flags.StringVar(&o.keys, "credential-keys", "", "file with the keys for encrypted credentials, one per line: Fernet keys, and age identities for SOPS")
	for _, name := range []string{"repo", "env", "file"} {
		check(cmd.MarkFlagRequired(name))
	}
	for _, name := range []string{"repo", "sboms"} {
		check(cmd.MarkFlagDirname(name))
	}
	noFileCompletion(cmd, "env", "file", "path")
	return cmd
}

func (o *explainSetOptions) run(cmd *cobra.Command, s *session) error {
	env, err := inventory.ParseEnvironment(o.environment)
	if err != nil {
		return usageError(cmd, err)
	}
	o.check = true // nothing is written
	in, err := o.input(s)
	if err != nil {
		return err
	}
	in.Cluster, in.Name, in.Origins = env.Cluster, env.Name, true
	before, err := readSet(filepath.Join(o.repository, "environments", env.Cluster, env.Name, "effective-set"))
	if err != nil {
		return err
	}
	in.Session = sessionOf(before)
	set, failed := effectiveset.Calculate(in)
	if set == nil {
		return failed
	}
	if _, is := set.Files[o.file]; !is {
		if failed != nil {
			return failed
		}
		missing := &dovetail.Error{Code: dovetail.CodeNotFound, Message: "the set has no file " + o.file, Remedy: "give the path of a file below effective-set"}
		if near := suggest.Nearest(o.file, sortedKeys(set.Files)); near != "" {
			missing.Remedy = "did you mean " + near + "?"
		}
		return missing
	}
	explained, err := set.Explanations(o.file, true)
	if err != nil {
		return err
	}
	var chosen []parameters.Explanation
	for _, e := range explained {
		if e.Path == o.pointer || strings.HasPrefix(e.Path, strings.TrimSuffix(o.pointer, "/")+"/") {
			chosen = append(chosen, e)
		}
	}
	if len(chosen) == 0 && o.pointer != "" {
		return &dovetail.Error{Code: dovetail.CodeNotFound, Message: "the file has no value " + o.pointer, Remedy: "leave out --path to see all"}
	}
	if s.output == formatJSON {
		s.writeJSON(map[string]any{"file": o.file, "explained": append([]parameters.Explanation{}, chosen...)})
		return nil
	}
	s.show(shown{table: explainedTable(chosen)})
	return nil
}
