package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
)

// DefaultServer is where a server listens that was started without flags.
const DefaultServer = "http://127.0.0.1:8080"

// Run does what the arguments say and returns the exit code. An error is shown on deps.Err.
func Run(ctx context.Context, deps Deps, args []string) int {
	s := newSession(deps)
	return s.run(ctx, s.command(), args)
}

func (s *session) run(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	refuseSeparateValue(root, args)
	cmd, err := root.ExecuteContextC(ctx)
	failed := s.out.failure
	unwritten := failed != nil && (err == nil || answered(err) || errors.Is(err, failed)) // which cobra's own commands return
	if isUsage(err) && !unwritten {
		err = usageError(cmd, err)
	}
	err = s.withLogin(withChangeSet(cmd, args, err))
	if err == nil {
		err = s.unshown
	}
	if unwritten {
		err = unwritable(failed)
	}
	s.report(err)
	return ExitCode(err)
}

// New returns the command line as a cobra command, for those who embed or document it. Its errors
// are not shown; ExitCode maps them.
func New(deps Deps) *cobra.Command { return newSession(deps).command() }

// session is what the verbs of one run share.
type session struct {
	Deps
	output format // -o
	// targetFlags are the flags that name the server or database of this run, for commands that are shown.
	targetFlags string
	context     string    // --context
	kubectl     *kubectl  // of the plug-in of kubectl, which finds its server by a kubeconfig; nil of the program
	reached     *endpoint // the server of this run, nil before one was used
	completing  bool      // for a shell, which nothing else is shown to
	out         *checkedWriter
	unshown     error            // why a result could not be shown by a template
	verbose     bool             // --verbose
	message     string           // --message
	changeSet   string           // that the run reads and stages in, "" if there is none
	outside     Store            // where there is a change set, the store without it
	ageKeyFile  string           // --age-key-file
	ageKeys     *sops.Identities // that were read; nil before
}

func newSession(deps Deps) *session {
	s := &session{Deps: deps, output: formatTable}
	if s.In == nil {
		s.In = strings.NewReader("")
	}
	if s.Out == nil {
		s.Out = io.Discard
	}
	if s.Err == nil {
		s.Err = io.Discard
	}
	if s.NewKey == nil {
		s.NewKey = rand.Text
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	s.CompletionTimeout = cmp.Or(s.CompletionTimeout, 2*time.Second)
	s.out = &checkedWriter{to: s.Out}
	s.Out = s.out
	return s
}

// checkedWriter remembers that writing failed, so that verbs need not look.
type checkedWriter struct {
	to      io.Writer
	failure error
}

// Write writes, unless that failed before.
func (w *checkedWriter) Write(p []byte) (int, error) {
	if w.failure != nil {
		return 0, w.failure
	}
	n, err := w.to.Write(p)
	w.failure = err
	return n, err
}

func (s *session) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "dovetail",
		Short: "A store for deployment configuration that enforces referential integrity",
		Long: `Dovetail stores keyed documents of the kinds that a ref-schema defines, and rejects every change that
would leave a missing parent or a dangling reference.

Start a server with "dovetail serve"; the other commands send requests to it. They use the server of --server, --context, the
environment variable DOVETAIL_SERVER, or the current context; the default is ` + DefaultServer + `.
See "dovetail config" for contexts.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	s.prepare(root)
	root.PersistentFlags().BoolVarP(&s.verbose, "verbose", "v", false, fmt.Sprintf("list all documents of a transaction, even if there are more than %d", mostEffects))
	root.PersistentFlags().StringVar(&s.context, "context", "", "the `NAME` of the context to use, a server with its credentials (default $"+contextVariable+", or the current one)")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.checkContextFlag(cmd); err != nil {
			return err
		}
		return s.refuseTemplate(cmd)
	}
	check(root.RegisterFlagCompletionFunc("context", completeContexts(s)))

	const history, proposals = "history", "proposals"
	const documents, schemas, descriptors, effective, layered, resolutions, operation = "documents", "schemas", "descriptors", "parameters", "layered", "resolutions", "operation"
	root.AddGroup(&cobra.Group{ID: documents, Title: "Documents:"}, &cobra.Group{ID: history, Title: "History:"}, &cobra.Group{ID: proposals, Title: "Change sets:"}, &cobra.Group{ID: schemas, Title: "Schemas:"},
		&cobra.Group{ID: descriptors, Title: "Solution descriptors:"}, &cobra.Group{ID: effective, Title: "Parameters:"}, &cobra.Group{ID: layered, Title: "Layered documents:"},
		&cobra.Group{ID: resolutions, Title: "Resolutions:"},
		&cobra.Group{ID: operation, Title: "Operation:"})
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(documents, newGetCommand(s), newDescribeCommand(s), newCreateCommand(s), newApplyCommand(s), newEditCommand(s), newPatchCommand(s), newLabelCommand(s), newAnnotateCommand(s), newDeleteCommand(s), newActionCommand(s),
		newWaitCommand(s),
		newRenameCommand(s), newMoveCommand(s), newDiffCommand(s), newTreeCommand(s), newRefsCommand(s))
	add(history, newHistoryCommand(s), newBlameCommand(s), newRollbackCommand(s), newRevertCommand(s))
	add(proposals, newChangeSetCommand(s))
	add(schemas, newAPIResourcesCommand(s), newExplainCommand(s), newSchemaCommand(s))
	add(descriptors, newSDCommand(s))
	add(effective, newEffectiveSetCommand(s))
	add(layered, newLayeringCommand(s))
	add(resolutions, newResolveCommand(s))
	add(operation, newServeCommand(s), newGatewayCommand(s), newReadyCommand(s), newOutcomeCommand(s), newBackupCommand(s), newRestoreCommand(s), newExportCommand(s), newImportCommand(s), newFsckCommand(s), newCheckCommand(s), newDoctorCommand(s), newMigrateCommand(s), newLoginCommand(s), newLogoutCommand(s), newWhoAmICommand(s, "whoami"), newAuthCommand(s), newAuditCommand(s), newConfigCommand(s), newKubeconfigCommand(s), newKubectlPluginCommand(s), newWebhooksCommand(s), newWorkCommand(s), newSecretsCommand(s), newVersionCommand(s))
	root.AddCommand(helpTopics()...)
	root.SetHelpCommandGroupID(operation)
	root.SetCompletionCommandGroupID(operation)
	return root
}

// prepare gives a root command what all have.
func (s *session) prepare(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(usageError)
	root.PersistentFlags().VarP(&s.output, "output", "o", "output format: "+strings.Join(formats, ", ")+"; of documents also "+strings.Join(templates, "=..., ")+"=...")
	check(root.RegisterFlagCompletionFunc("output", completeFormats))
}

// errUsage is the cause of errors that the command line itself makes: the verb was not run.
var errUsage = errors.New("usage")

// usageError says that the command was called in a way that it does not know.
func usageError(cmd *cobra.Command, err error) error {
	if errors.Is(err, errUsage) {
		return err
	}
	remedy := fmt.Sprintf("see `%s --help`", cmd.CommandPath())
	message, suggestion, found := strings.Cut(err.Error(), "\n\nDid you mean this?\n")
	if found {
		remedy = "did you mean " + strings.Join(strings.Fields(suggestion), " or ") + "? " + remedy
	}
	if name, unknown := strings.CutPrefix(message, "unknown flag: --"); unknown {
		if near := suggest.Nearest(name, flagNames(cmd)); near != "" {
			remedy = "did you mean --" + near + "? " + remedy
		}
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid, Err: errUsage, Message: message, Remedy: remedy}
}

// flagNames are those of a command, without the hidden ones.
func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

func usagef(cmd *cobra.Command, format string, args ...any) error {
	return usageError(cmd, fmt.Errorf(format, args...))
}

// check is for registrations that can only fail by a mistake in this package.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// readInput reads a file, or, for "-", the standard input. What is compressed is named, since nothing else can be said about its text.
func (s *session) readInput(name string) ([]byte, error) {
	data, err := s.readBytes(name)
	if err == nil && bytes.HasPrefix(data, gzipMagic) {
		if name == "-" {
			name = stdinName
		}
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Message: "it is compressed by gzip", Remedy: "unpack it, as `zcat FILE` does"}
	}
	return data, err
}

// gzipMagic begins every file of gzip.
var gzipMagic = []byte{0x1f, 0x8b}

func (s *session) readBytes(name string) ([]byte, error) {
	if name == "-" {
		data, err := io.ReadAll(s.In)
		if err != nil {
			return nil, unreadable(stdinName, err)
		}
		return data, nil
	}
	if isOnWeb(name) {
		return s.fetch(name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	return data, nil
}

// stdinName is what positions call the standard input.
const stdinName = "stdin"

func unreadable(name string, err error) error {
	why := "it cannot be read"
	switch {
	case errors.Is(err, os.ErrNotExist):
		why = "it does not exist"
	case errors.Is(err, os.ErrPermission):
		why = "it may not be read"
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Message: why, Err: err,
		Remedy: "name a file or directory, or - for the standard input"}
}
