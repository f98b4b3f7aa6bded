package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

type effectiveSetOptions struct {
	repository  string
	environment string
	context     string
	namespace   string
	application string
	view        string
	onOverlap   string
	sboms, keys string
}

func newEffectiveSetCommand(s *session) *cobra.Command {
	var o effectiveSetOptions
	cmd := &cobra.Command{
		Use:   "effective-set --repo DIR --env CLUSTER/ENV --context CONTEXT",
		Short: "Show the parameters that an application or a pipeline gets",
		Long: `Merge the files of a generated effective set in an instance repository, without a server. Deployment and
runtime have one for each application, pipelines have one for the environment.

  --view generated   the values in the files; a parameter in several files is an error
  --view to-be       what it becomes with the overrides of environment, namespace and application: the set is
                     calculated with them; the table shows what changes, and what it was
  --view explain     for every parameter which sources set it, which one wins, and why: tenant, cloud, namespace,
                     application, profile, SBOM, and what its macros refer to

If the set cannot be calculated, for example without SBOMs, the overrides are applied to the generated files, and
warnings say why.

With -o yaml the output contains only the parameters, with -o json everything that a server returns.`,
		Example: `  dovetail effective-set --repo . --env cluster-01/env-01 --context pipeline
  dovetail effective-set --repo . --env cluster-01/env-01 --context deployment --namespace env-01-core --application my-app --view to-be`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	overlaps := []string{string(parameters.OverlapRefused), string(parameters.OverlapLaterWins)}
	contexts := []string{string(parameters.Deployment), string(parameters.Runtime), string(parameters.Pipeline)}
	flags := cmd.Flags()
	flags.StringVar(&o.repository, "repo", "", "folder of the instance repository")
	flags.StringVar(&o.environment, "env", "", "the environment, as <cluster>/<environment>")
	flags.StringVar(&o.context, "context", "", "what the parameters are for: "+strings.Join(contexts, ", "))
	flags.StringVar(&o.namespace, "namespace", "", "the name of a namespace on the cluster")
	flags.StringVar(&o.application, "application", "", "the name of an application in the namespace")
	flags.StringVar(&o.view, "view", string(parameters.ViewGenerated), "view of the set: "+strings.Join(parameters.Views(), ", "))
	flags.StringVar(&o.onOverlap, "on-overlap", string(parameters.OverlapRefused), "what to do with a parameter that several files set: "+strings.Join(overlaps, ", "))
	flags.StringVar(&o.sboms, "sboms", "", "folder with APP/APP-VERSION.sbom.json (default sboms of the repository)")
	flags.StringVar(&o.keys, "credential-keys", "", "file with the keys for encrypted credentials, one per line: Fernet keys, and age identities for SOPS")
	for name, words := range map[string][]string{"context": contexts, "view": parameters.Views(), "on-overlap": overlaps} {
		check(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
	}
	for _, name := range []string{"repo", "env", "context"} {
		check(cmd.MarkFlagRequired(name))
	}
	check(cmd.MarkFlagDirname("repo"))
	check(cmd.MarkFlagDirname("sboms"))
	noFileCompletion(cmd, "env", "namespace", "application")
	cmd.AddCommand(newEffectiveSetGenerateCommand(s), newEffectiveSetImpactCommand(s), newEffectiveSetExplainCommand(s))
	return cmd
}

func (o *effectiveSetOptions) run(cmd *cobra.Command, s *session) error {
	query, err := o.query(cmd)
	if err != nil {
		return err
	}
	repository, err := instancerepo.Open(o.repository)
	if err != nil {
		return err
	}
	contents, err := instancerepo.Survey(repository.FilesFor(cmd.Context(), query.Environment))
	if err != nil {
		return err
	}
	var found []effectiveset.Finding
	if query.View != parameters.ViewGenerated {
		made, err := o.toBe(s, contents, query)
		if err != nil {
			return err
		}
		if made.EffectiveSet != nil {
			showEffectiveSet(s, query, made.EffectiveSet, made, made.Found)
			return nil
		}
		found = made.Why("the overrides are laid over the generated files, which knows neither levels nor macros")
	}
	set, err := contents.EffectiveSet(query)
	if err != nil {
		s.warn(warningsOf(found))
		return err
	}
	showEffectiveSet(s, query, set, nil, found)
	return nil
}

// toBe calculates the set with the overrides of the repository.
func (o *effectiveSetOptions) toBe(s *session, contents *instancerepo.Contents, q instancerepo.EffectiveQuery) (*effectiveset.ToBe, error) {
	e, target, folder, err := contents.Target(q)
	if err != nil {
		return nil, err
	}
	of := generateOptions{repository: o.repository, sboms: o.sboms, keys: o.keys, check: true}
	in, err := of.input(s)
	if err != nil {
		return nil, err
	}
	in.Cluster, in.Name = q.Environment.Cluster, q.Environment.Name
	before, err := readSet(filepath.Join(o.repository, "environments", in.Cluster, in.Name, "effective-set"))
	if err != nil {
		return nil, err
	}
	in.Session = sessionOf(before)
	return effectiveset.CalculateToBe(in, target, folder, e.Associated(), q.OnOverlap)
}

// query reads the flags.
func (o *effectiveSetOptions) query(cmd *cobra.Command) (instancerepo.EffectiveQuery, error) {
	q := instancerepo.EffectiveQuery{Namespace: o.namespace, Application: o.application}
	var err error
	if q.Environment, err = inventory.ParseEnvironment(o.environment); err != nil {
		return q, usageError(cmd, err)
	}
	if o.context == "cleanup" || o.context == "topology" {
		return q, usageError(cmd, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the context " + o.context + " follows from the others, and has no overrides",
			Remedy: "read its files in what `dovetail effective-set generate` writes"})
	}
	if q.Context, err = parameters.ParseContext(o.context); err != nil {
		return q, usageError(cmd, err)
	}
	if q.View, err = parameters.ParseView(o.view); err != nil {
		return q, usageError(cmd, err)
	}
	if q.OnOverlap, err = parameters.ParseOnOverlap(o.onOverlap); err != nil {
		return q, usageError(cmd, err)
	}
	return q, nil
}
