package cli

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

// shownDifferences is how many differences, problems and findings are shown unless asked otherwise.
const shownDifferences = 1000

// localToImpact are the flags for files of this machine.
var localToImpact = []string{"repo", "change", "env", "sboms", "credential-keys"}

type impactOptions struct {
	target
	draft        string
	repository   string
	changes      []string
	environments []string
	sboms        string
	keys         string
	limit        int
}

func newEffectiveSetImpactCommand(s *session) *cobra.Command {
	var o impactOptions
	cmd := &cobra.Command{
		Use:   "impact --repo DIR --change PATH=FILE | --draft FILE --server URL|--context NAME",
		Short: "Show the effect of a change on the effective sets of all environments",
		Long: `Calculate the effective sets of all environments that a change affects, before and after it, and show which values differ. Nothing is written.

With --repo the change is one of files of an instance repository, and no server is needed. --change names a file of the repository and one with its new
content (- for the standard input; nothing after the equals sign removes the file); it may be repeated. With --server or --context the change is the
override or the ParamSet of --draft, YAML or JSON with "override" or "paramSet" as the API takes them, and the server calculates from its documents.

Files of an environment, configuration/registry.yml and configuration/secret-stores.yml are used as they are. ParamSets, and their lists in
env_definition.yml, are applied to the objects of the instance as a build would apply them: those of the environment to the cloud, those
of a namespace to the namespace, those of an application to the application; their parameters replace those of the object. If
parameters are no longer set, the values in the instance stay until it is built again, and a warning names them. Nothing else of env_definition.yml is used.

The table shows the level that a value comes from, with -o wide also the file and line. Values of credentials are not shown, only that they differ. Differences below
/environments of topology/parameters.yaml are those of the topology of every environment, and shown once. Problems of an environment are shown
with its name, and the exit code is not 0. At most --limit differences, problems and warnings are listed; all are counted.`,
		Example: `  dovetail effective-set impact --repo . --change environments/parameters/common.yml=/tmp/common.yml
  dovetail effective-set impact --repo . --change environments/cluster-01/env-01/cloud.yml=- --env cluster-01/env-01 -o json < cloud.yml
  dovetail effective-set impact --draft draft.yaml --server http://127.0.0.1:8080`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.repository, "repo", "", "folder of the instance repository")
	flags.StringArrayVar(&o.changes, "change", nil, "replace the content of a file of the repository with that of another file, as `PATH=FILE`; may be repeated")
	flags.StringArrayVar(&o.environments, "env", nil, "only this environment, as <cluster>/<environment>; may be repeated (default all)")
	flags.StringVar(&o.sboms, "sboms", "", "folder with APP/APP-VERSION.sbom.json (default sboms of the repository)")
	flags.StringVar(&o.keys, "credential-keys", "", "file with the keys for encrypted credentials, one per line: Fernet keys, and age identities for SOPS")
	flags.IntVar(&o.limit, "limit", shownDifferences, "how many differences, problems and warnings are listed")
	flags.StringVar(&o.draft, "draft", "", "`FILE` with the override or the ParamSet whose impact a server calculates; - for the standard input")
	o.serverFlagAs(cmd, "URL of the server, instead of --repo")
	for _, local := range localToImpact {
		cmd.MarkFlagsMutuallyExclusive("draft", local)
	}
	cmd.MarkFlagsMutuallyExclusive("repo", "server")
	cmd.MarkFlagsRequiredTogether("repo", "change")
	cmd.MarkFlagsOneRequired("repo", "draft")
	for _, name := range []string{"repo", "sboms"} {
		check(cmd.MarkFlagDirname(name))
	}
	noFileCompletion(cmd, "env", "limit")
	return cmd
}

func (o *impactOptions) run(cmd *cobra.Command, s *session) error {
	if err := s.only(cmd, formatWide, formatJSON); err != nil {
		return err
	}
	if o.limit < 0 {
		return usagef(cmd, "--limit cannot be negative")
	}
	if o.draft != "" {
		return o.runOnServer(cmd, s)
	}
	files, err := o.files(cmd, s)
	if err != nil {
		return err
	}
	repository, err := instancerepo.Open(o.repository)
	if err != nil {
		return err
	}
	p := &pairing{before: repository.With(nil), after: repository.With(files)}
	names, err := o.chosen(cmd, p)
	if err != nil {
		return err
	}
	if p.input, err = (&generateOptions{repository: o.repository, sboms: o.sboms, keys: o.keys, check: true}).input(s); err != nil {
		return err
	}
	progress := s.progressOf("looked at", "environment", len(names))
	progress.shown = progress.shown && len(names) > 1
	measured := effectiveset.Measurement{Environments: names, Workers: runtime.GOMAXPROCS(0), Limit: o.limit, LoadPair: p.of, Progress: func(examined int, _ *effectiveset.Impact) error {
		progress.steps(examined - progress.count)
		return nil
	}}
	impact, err := measured.Impact(cmd.Context())
	progress.done()
	if err != nil {
		return err
	}
	for _, name := range p.after.Unread() {
		s.warn([]*dovetail.Error{{Position: dovetail.Position{File: name}, Message: "no effective set is calculated from this file"}})
	}
	shown, err := asAnswered(impact)
	if err != nil {
		return err
	}
	return showImpact(s, shown)
}

// files reads the changed files by their paths in the repository.
func (o *impactOptions) files(cmd *cobra.Command, s *session) (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, change := range o.changes {
		name, from, found := strings.Cut(change, "=")
		clean := path.Clean(filepath.ToSlash(name))
		switch _, twice := files[clean]; {
		case !found || name == "":
			return nil, usagef(cmd, "--change %q is not of the form PATH=FILE", change)
		case path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../"):
			return nil, usagef(cmd, "--change: %s is no file of the repository; name it as it is called from its root", name)
		case twice:
			return nil, usagef(cmd, "--change: duplicate file %s", clean)
		case strings.HasPrefix(clean, "sboms/"):
			return nil, usagef(cmd, "--change: %s is an SBOM, whose name has the version of the application, so that it does not change; name another folder with --sboms", clean)
		}
		if from == "" {
			if info, err := os.Stat(filepath.Join(o.repository, clean)); err != nil || info.IsDir() {
				return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Position: dovetail.Position{File: clean}, Message: "there is no such file that could be removed", Remedy: "correct --change"}
			}
			files[clean] = nil
			continue
		}
		text, err := s.readInput(from)
		if err != nil {
			return nil, err
		}
		files[clean] = append([]byte{}, text...)
	}
	return files, nil
}

// chosen are the environments that are examined.
func (o *impactOptions) chosen(cmd *cobra.Command, p *pairing) ([]string, error) {
	var names []string
	for _, e := range p.before.Environments() {
		names = append(names, e.String())
	}
	for _, e := range p.after.Environments() {
		names = append(names, e.String())
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(o.environments) == 0 {
		return names, nil
	}
	for _, name := range o.environments {
		e, err := inventory.ParseEnvironment(name)
		if err != nil {
			return nil, usageError(cmd, err)
		}
		if !p.before.Has(e) && !p.after.Has(e) {
			return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no environment " + name, Remedy: "name one that has a folder in the repository"}
		}
	}
	slices.Sort(o.environments)
	return slices.Compact(o.environments), nil
}

// pairing makes what the sets of environments are calculated from, before the change and after it.
type pairing struct {
	before, after *instancerepo.Changed
	input         effectiveset.Input
}

// of is the pair of an environment, nil where the change does not reach it.
func (p *pairing) of(ctx context.Context, name string) (*effectiveset.Pair, error) {
	e, err := inventory.ParseEnvironment(name)
	if err != nil {
		return nil, err
	}
	set, paramSets, err := p.after.Reaches(e)
	if err != nil || !set {
		return nil, err
	}
	pair := &effectiveset.Pair{Before: p.inputOf(p.before, e), After: p.inputOf(p.after, e)}
	if !paramSets || pair.Before == nil || pair.After == nil {
		return pair, nil
	}
	was, _, err := p.before.Inventory(ctx, e)
	if err != nil {
		return nil, err
	}
	is, defects, err := p.after.Inventory(ctx, e)
	if err != nil {
		return nil, err
	}
	var errs dovetail.Errors
	for _, d := range defects {
		if instancerepo.SeverityOf(d) == instancerepo.Error {
			wrong := *d
			wrong.Code = dovetail.CodeInvalid
			errs.Add(&wrong)
		} else {
			pair.Found = append(pair.Found, effectiveset.Finding{Reason: effectiveset.Reason(d.Reason), Position: d.Position, Message: d.Message})
		}
	}
	if err := errs.Err("the changed files cannot be used"); err != nil {
		return nil, err
	}
	folder := func(deployPostfix string) string {
		for _, e := range []*instancerepo.EnvironmentContents{is, was} {
			if e != nil {
				return e.FolderOf(deployPostfix)
			}
		}
		return deployPostfix
	}
	before, after, left := effectiveset.Overlaid(associated(was), associated(is), folder)
	pair.Before.Overlays, pair.After.Overlays, pair.Found = before, after, append(pair.Found, left...)
	return pair, nil
}

func associated(e *instancerepo.EnvironmentContents) []parameters.Associated {
	if e == nil {
		return nil
	}
	return e.Associated()
}

// inputOf is what the set of an environment is calculated from; nil if there is none.
func (p *pairing) inputOf(c *instancerepo.Changed, e inventory.Environment) *effectiveset.Input {
	if !c.Has(e) {
		return nil
	}
	in := p.input
	in.Repo, in.Cluster, in.Name = c.FS(e), e.Cluster, e.Name
	return &in
}
