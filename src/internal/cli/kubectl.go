package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/kubeapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// The names under which kubectl starts its plug-in, and asks it for completions.
const (
	pluginName    = "kubectl-dovetail"
	completerName = "kubectl_complete-dovetail"
)

// RunAs is Run for a program that was started under a name: that of the plug-in of kubectl, or any other one.
func RunAs(ctx context.Context, deps Deps, name string, args []string) int {
	s := newSession(deps)
	switch strings.TrimSuffix(filepath.Base(name), ".exe") {
	case pluginName:
		return s.run(ctx, s.pluginCommand(), args)
	case completerName:
		return s.run(ctx, s.pluginCommand(), append([]string{cobra.ShellCompRequestCmd}, args...))
	}
	return s.run(ctx, s.command(), args)
}

// NewPlugin returns the command line of the plug-in of kubectl, as New does that of the program.
func NewPlugin(deps Deps) *cobra.Command { return newSession(deps).pluginCommand() }

// Kubeconfig is what a kubeconfig says of one of its contexts.
type Kubeconfig struct {
	Server
	Namespace string // "default" if it has none
}

// kubectl is what the plug-in reads as kubectl does.
type kubectl struct {
	file, context, namespace string
	config                   *Kubeconfig // once it was read
	assumed                  bool        // the object is in the namespace of the kubeconfig, since none was given
}

// pluginCommand is the plug-in: what kubectl has no verb for.
func (s *session) pluginCommand() *cobra.Command {
	s.kubectl = &kubectl{}
	root := &cobra.Command{
		Use:         pluginName,
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl dovetail"},
		Short:       "Show references, hierarchies and histories of objects",
		Long: `Show references between objects, their hierarchy, and who changed an object, when and why: kubectl has no verbs for these.

Objects are named as for kubectl: TYPE NAME or TYPE/NAME, in the namespace of -n or of the kubeconfig. The ids that are shown name
them, too. The server and the credentials are those of the kubeconfig; "dovetail kubeconfig" writes one.`,
		Args:              cobra.NoArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return s.refuseTemplate(cmd) },
	}
	root.CompletionOptions.DisableDefaultCmd = true // kubectl completes plug-ins
	s.prepare(root)
	flags := root.PersistentFlags()
	flags.StringVarP(&s.kubectl.namespace, "namespace", "n", "", "the `NAMESPACE` of the object (default that of the kubeconfig)")
	flags.StringVar(&s.kubectl.file, "kubeconfig", "", "the kubeconfig `FILE` (default $KUBECONFIG, or ~/.kube/config)")
	flags.StringVar(&s.kubectl.context, "context", "", "the `NAME` of the context in the kubeconfig (default the current one)")
	check(root.RegisterFlagCompletionFunc("namespace", cobra.NoFileCompletions))
	check(root.RegisterFlagCompletionFunc("context", cobra.NoFileCompletions))
	root.AddCommand(
		s.pluginVerb(newRefsCommand(s), &cobra.Command{
			Use:  "refs (TYPE NAME | TYPE/NAME)",
			Long: "Show the references from an object to others (--from) and from others to it (--to); without either flag both.",
			Example: `  kubectl dovetail refs cluster east --to
  kubectl dovetail refs environment/shop -n east -o name`,
		}),
		s.pluginVerb(newTreeCommand(s), &cobra.Command{
			Use:  "tree [TYPE NAME | TYPE/NAME]",
			Long: `Show an object with its descendants, or, without one, everything. "..." marks where documents are not shown.`,
			Example: `  kubectl dovetail tree
  kubectl dovetail tree cluster east --depth 2`,
		}),
		s.pluginVerb(newBlameCommand(s), &cobra.Command{
			Use:     "why (TYPE NAME | TYPE/NAME)",
			Aliases: []string{"blame"},
			Long: `Show why an object says what it says: every value with the version that last set it, who made that version, when, and the message
that came with it. If a value is older than the history, "-" is shown. If a change altered the length of a list, it set all items
of the list.`,
			Example: `  kubectl dovetail why environment shop -n east
  kubectl dovetail why environment/shop -n east --at 2026-11-21`,
		}),
		s.pluginVerb(newHistoryCommand(s), &cobra.Command{
			Use: "history [TYPE NAME | TYPE/NAME | POSITION]",
			Long: `Show the versions of an object, newest first: who made each, when, what it changed, and the message that came with it. An object
that was deleted still has its history.

Without an object, show the transactions of the whole store, or of a part of it, newest first: those that changed an object below another
one (--under) or of a type (--kind). --by, --since and --until narrow both.

With the position of a transaction, show it with all that it changed.`,
			Example: `  kubectl dovetail history environment shop -n east
  kubectl dovetail history --under cluster/east --by alice
  kubectl dovetail history --kind environments --limit 10`,
		}),
	)
	return root
}

// databaseFlags are those that say where a verb works, which the kubeconfig says to the plug-in.
var databaseFlags = map[string]bool{"server": true, "store": true, "ref-schemas": true, keyFileSetting: true}

// pluginVerb has a verb of the plug-in do what one of the program does, with objects as kubectl names them.
func (s *session) pluginVerb(verb, cmd *cobra.Command) *cobra.Command {
	cmd.Short, cmd.Args, cmd.Annotations = verb.Short, cobra.MaximumNArgs(2), verb.Annotations
	cmd.ValidArgsFunction = completing(s, &target{}, s.kubectl.complete)
	verb.Flags().VisitAll(func(f *pflag.Flag) {
		if !databaseFlags[f.Name] {
			cmd.Flags().AddFlag(f)
		}
	})
	if under := cmd.Flags().Lookup("under"); under != nil {
		under.Usage = "only transactions that changed an object below this one, `TYPE/NAME`"
		cmd.Flags().Lookup("kind").Usage = "only transactions that changed an object of this `TYPE`"
	}
	optional := verb.Args(verb, nil) == nil
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		args, err := s.pluginArgs(cmd, args)
		if err != nil {
			return err
		}
		if len(args) == 0 && !optional {
			return usagef(cmd, "no object is named: write its TYPE NAME or TYPE/NAME")
		}
		return s.kubectl.explained(verb.RunE(cmd, args))
	}
	return cmd
}

// pluginArgs makes the ids of documents of what is named as for kubectl.
func (s *session) pluginArgs(cmd *cobra.Command, args []string) ([]string, error) {
	k := s.kubectl
	st, model, err := (&target{}).openWithModel(cmd.Context(), s)
	if err != nil {
		return nil, k.foreign(err)
	}
	defer release(st)
	names := kubeapi.NewNames(model)
	flags := cmd.Flags()
	if kind := flags.Lookup("kind"); kind != nil && kind.Changed {
		t, err := names.Find(kind.Value.String())
		if err != nil {
			return nil, err
		}
		check(kind.Value.Set(t.Kind().Name))
	}
	under := flags.Lookup("under")
	named := under != nil && under.Changed
	if named {
		id, err := s.object(cmd, names, []string{under.Value.String()})
		if err != nil {
			return nil, err
		}
		check(under.Value.Set(string(id)))
	}
	if len(args) == 0 {
		if flags.Changed("namespace") && !named {
			return nil, usagef(cmd, "--namespace is that of an object, and none is named")
		}
		return nil, nil
	}
	if under != nil && len(args) == 1 && !strings.Contains(args[0], "/") { // only history has it, which takes positions
		if _, err := names.Find(args[0]); err != nil {
			return args, nil
		}
	}
	id, err := s.object(cmd, names, args)
	return []string{string(id)}, err
}

// object is the id of an object.
func (s *session) object(cmd *cobra.Command, names kubeapi.Names, args []string) (dovetail.ID, error) {
	text := strings.Join(args, "/")
	of, name, _ := strings.Cut(text, "/")
	switch {
	case of == "" || name == "":
		return "", usagef(cmd, "%q is no object: write its TYPE NAME or TYPE/NAME", text)
	case len(args) == 2 && strings.Contains(name, "/"):
		return "", usagef(cmd, "%q is not one object: write its TYPE NAME or TYPE/NAME", strings.Join(args, " "))
	case strings.Contains(name, "/"): // an id, as it is shown
		return dovetail.ParseID(text)
	}
	t, err := names.Find(of)
	if err != nil {
		return "", err
	}
	given := cmd.Flags().Changed("namespace")
	if given && !t.Namespaced() {
		s.warn([]*dovetail.Error{{Message: t.Plural() + " are in no namespace: --namespace has no effect"}})
	}
	s.kubectl.assumed = !given && t.Namespaced()
	if _, err := t.Under(s.kubectl.in()); err != nil {
		return "", s.kubectl.explained(err)
	}
	return t.ID(s.kubectl.in(), name)
}

// in is the namespace of this run.
func (k *kubectl) in() string {
	if k.namespace != "" {
		return k.namespace
	}
	return k.config.Namespace
}

// endpoint is the server of the kubeconfig.
func (k *kubectl) endpoint(s *session) (*endpoint, error) {
	if k.config == nil {
		config, err := s.Kubeconfig(k.file, k.context)
		if err != nil {
			return nil, err
		}
		k.config = config
	}
	return &endpoint{Server: k.config.Server}, nil
}

// explained adds to an error that no namespace was given, where that may be why.
func (k *kubectl) explained(err error) error {
	code := dovetail.CodeOf(err)
	if !k.assumed || code != dovetail.CodeNotFound && code != dovetail.CodeInvalid || errors.Is(err, errUsage) {
		return err
	}
	shown := *dovetail.AsError(err)
	shown.Remedy = strings.TrimPrefix(shown.Remedy+"; the namespace is "+k.in()+": name another one with -n", "; ")
	return &shown
}

// foreign explains the error of a server that is not Dovetail's.
func (k *kubectl) foreign(err error) error {
	code := dovetail.CodeOf(err)
	if k.config == nil || code == dovetail.CodeUnavailable || code != dovetail.CodeNotFound && code != dovetail.CodeInternal && !errors.Is(err, client.ErrForeign) {
		return err
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid, Err: err, Message: "the server of the kubeconfig, " + k.config.URL + ", is not Dovetail's: " + dovetail.AsError(err).Message,
		Remedy: "name a context of Dovetail with --context; `dovetail kubeconfig` writes one"}
}

// complete suggests types, and the names of the objects of one in the namespace.
func (k *kubectl) complete(ctx context.Context, st Store, args []string, prefix string) ([]cobra.Completion, error) {
	model, err := st.Model(ctx)
	if err != nil {
		return nil, err
	}
	names := kubeapi.NewNames(model)
	lead, named := "", len(args) == 1
	of := prefix
	if named {
		of = args[0]
	}
	if len(args) == 0 {
		if of, prefix, named = strings.Cut(prefix, "/"); named {
			lead = of + "/"
		}
	}
	switch {
	case len(args) > 1:
		return nil, nil
	case !named:
		var found []cobra.Completion
		for _, t := range names.Types() {
			if strings.HasPrefix(t.Plural(), strings.ToLower(of)) {
				found = append(found, cobra.CompletionWithDesc(t.Plural(), t.Kind().Description))
			}
		}
		return found, nil
	}
	t, err := names.Find(of)
	if err != nil {
		return nil, err
	}
	under, err := t.Under(k.in())
	if err != nil {
		return nil, err
	}
	return documentNames(ctx, st, store.ListQuery{Kind: t.Kind().Name, Under: under}, lead+prefix, func(id dovetail.ID) string {
		_, name := t.Place(id)
		return lead + name
	})
}
