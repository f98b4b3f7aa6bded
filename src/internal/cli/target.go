package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// target says what a verb works on: a server, or a database file that no server has open.
type target struct {
	server     string
	store      string
	refSchemas string
	keyFile    string
	changeSet  string         // in whose view it works; "" if there is none
	references string         // strict or warn: whether what is imported into a database may refer to what does not exist
	verb       *cobra.Command // with --server; nil if there is none
}

func (t *target) flags(cmd *cobra.Command) {
	t.serverFlag(cmd)
	t.storeFlags(cmd)
	cmd.MarkFlagsMutuallyExclusive("server", "store")
}

// serverFlag is for commands that work on servers only.
func (t *target) serverFlag(cmd *cobra.Command) {
	t.serverFlagAs(cmd, "URL of the server (default $DOVETAIL_SERVER, that of the context, or "+DefaultServer+")")
}

func (t *target) serverFlagAs(cmd *cobra.Command, usage string) {
	t.verb = cmd
	cmd.Flags().StringVar(&t.server, "server", "", usage)
	check(cmd.Flags().SetAnnotation("server", takesContext, nil))
	noFileCompletion(cmd, "server")
}

func (t *target) storeFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.store, "store", "", "open a database directly: bolt:FILE, which no server may have open, or mongodb://HOST/DATABASE")
	cmd.Flags().StringVar(&t.keyFile, keyFileSetting, "", "with --store, the key file of sensitive kinds (default $"+EnvironmentName(keyFileSetting)+")")
	cmd.Flags().StringVar(&t.refSchemas, "ref-schemas", "", "with --store, a directory of ref-schemas (default those stored there)")
}

// open returns the server or the database.
func (t *target) open(ctx context.Context, s *session) (Store, error) {
	if t.store != "" {
		s.targetFlags = " --store " + t.store
		return t.openStore(ctx, s, t.store)
	}
	to, err := t.endpoint(s)
	if err != nil {
		return nil, err
	}
	s.reached, s.targetFlags = to, to.flags
	if t.changeSet, err = t.changeSetOf(s, to); err != nil {
		return nil, err
	}
	st, err := s.Connect(to.Server)
	if err != nil || t.changeSet == "" {
		return st, err
	}
	in, err := s.inChangeSet(ctx, st, t.changeSet)
	if err != nil {
		release(st)
	}
	return in, err
}

// openServer returns the server as an interface that databases do not implement, and what releases it.
func openServer[T any](ctx context.Context, s *session, t *target, does string) (server T, done func(), err error) {
	st, err := t.open(ctx, s)
	if err != nil {
		return server, nil, err
	}
	server, ok := st.(T)
	if !ok {
		release(st)
		return server, nil, onlyServer(does)
	}
	return server, func() { release(st) }, nil
}

func onlyServer(does string) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "only a server " + does, Remedy: "name one with --server or --context"}
}

// keyFileSetting is the setting of servers that names the key file.
const keyFileSetting = "encryption-key-file"

// openStore opens the database at a location.
func (t *target) openStore(ctx context.Context, s *session, location string) (Database, error) {
	return s.Open(ctx, location, OpenOptions{RefSchemas: t.refSchemas, KeyFile: cmp.Or(t.keyFile, s.env(EnvironmentName(keyFileSetting))), DanglingImports: t.dangling()})
}

// openWithModel returns the server or the database with the ref-schema in force there.
func (t *target) openWithModel(ctx context.Context, s *session) (Store, *schema.Model, error) {
	st, err := t.open(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	model, err := st.Model(ctx)
	if err != nil {
		release(st)
		return nil, nil, err
	}
	return st, model, nil
}

// release closes what open opened. All that was written is durable already, so there is nothing to
// tell when that fails.
func release(st Store) { _ = st.Close() }

func noFileCompletion(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		check(cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions))
	}
}

// referencesFlag is for commands that can take over documents that refer to what does not exist.
func (t *target) referencesFlag(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVar(&t.references, "references", "strict", usage)
	check(cmd.RegisterFlagCompletionFunc("references", cobra.FixedCompletions([]string{"strict", "warn"}, cobra.ShellCompDirectiveNoFileComp)))
}

func (t *target) checkReferences(cmd *cobra.Command) error {
	if t.references != "strict" && t.references != "warn" {
		return usagef(cmd, "--references is %q, but must be strict or warn", t.references)
	}
	return nil
}

func (t *target) dangling() bool { return t.references == "warn" }
