package cli

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/store"
)

type importRepoOptions struct {
	target
	branch string
	keys   string
	failOn severityFlag
	prune  bool
	dryRun bool
}

func newImportRepoCommand(s *session) *cobra.Command {
	var o importRepoOptions
	cmd := &cobra.Command{
		Use:   "instance-repo DIRECTORY|URL",
		Short: "Store the contents of an instance repository",
		Long: `Read an instance repository, from a folder or from Git, and store its contents as documents: clusters,
environments, namespaces, applications, ParamSets and their associations, solution descriptors, effective sets,
definitions, credentials. A document that exists is replaced where it differs.

Every defect of the repository is reported with its file and line, and everything else is stored. Documents outside
of environments are stored in one transaction, then each environment in a transaction of its own. A document that the store
rejects, such as a definition whose credential is missing, is left out with its dependents, and reported.

The lists of an inventory are complete: associations that are not listed are deleted. Other
documents that the repository does not have stay, unless --prune is given.

Encrypted credentials are stored as they are. With --credential-keys, those that no key opens are reported.

The exit code is 1 when something is reported that is as severe as --fail-on or more, and otherwise 0. To check a repository
without a store see "dovetail check instance-repo".`,
		Example: `  dovetail import instance-repo ./instance-repo
  dovetail import instance-repo https://git.example.com/group/instance-repo.git --branch main
  dovetail import instance-repo . --dry-run --store bolt:./data/dovetail.db`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.target.flags(cmd)
	s.messageFlag(cmd)
	cmd.Flags().StringVar(&o.branch, "branch", "", "the branch of a repository in Git (default main); with it DIRECTORY is read as a Git repository, too")
	credentialKeysFlag(cmd, &o.keys)
	o.failOn.flag(cmd, instancerepo.Warning)
	cmd.Flags().BoolVar(&o.prune, "prune", false, "delete documents of these kinds that the repository does not have")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check everything in one transaction and report, but store nothing")
	o.changeSetFlag(cmd, s)
	noFileCompletion(cmd, "branch")
	return cmd
}

func (o *importRepoOptions) run(cmd *cobra.Command, s *session, from string) error {
	if err := s.only(cmd, formatJSON); err != nil {
		return err
	}
	ctx := cmd.Context()
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	contents, err := s.surveyRepository(ctx, from, o.branch)
	if err != nil {
		return err
	}
	unopened, err := o.unopened(contents)
	if err != nil {
		return err
	}
	documents := contents.Documents()
	stored, err := o.stored(ctx, st)
	if err != nil {
		return err
	}
	batches := instancerepo.Plan(documents, stored, o.prune)
	if o.dryRun {
		batches = []instancerepo.Batch{merged(batches)}
	}
	report := importReport{Effects: make(map[store.Effect]int)}
	for _, d := range slices.Concat(contents.Defects, contents.Missing(), unopened) {
		report.add(d)
	}
	if err := o.apply(ctx, s, st, batches, &report); err != nil {
		return err
	}
	s.tellFindings(report.defects)
	if s.output == formatJSON {
		report.Defects = repoFindings(report.defects)
		s.writeJSON(report)
	} else {
		done := ""
		if text := summary(report.Effects, o.dryRun) + s.stagedIn(o.dryRun); text != "" {
			done = ", " + strings.TrimSpace(text)
		}
		fmt.Fprintf(s.Out, "%s read%s\n", count(len(documents), "document"), done)
	}
	return different(o.failOn.fails(report.defects))
}

// unopened are the encrypted credentials that no key opens, where there are keys.
func (o *importRepoOptions) unopened(contents *instancerepo.Contents) ([]*dovetail.Error, error) {
	if o.keys == "" {
		return nil, nil
	}
	keys, err := ciphertext.ReadKeys(o.keys)
	if err != nil {
		return nil, err
	}
	return contents.Unopened(keys), nil
}

// importReport is what an import did and what it found, as -o json shows it.
type importReport struct {
	Effects map[store.Effect]int `json:"documents"`
	Defects []repoFinding        `json:"defects"`

	defects []*dovetail.Error
}

func (r *importReport) add(d *dovetail.Error) { r.defects = append(r.defects, d) }

// isURL tells what git clone takes from the path of a folder.
var isURL = regexp.MustCompile(`^[a-z+]+://|^[^/\\]+@[^/\\]+:`)

// surveyRepository surveys a folder, or, of a URL or with a branch, a clone that is gone afterwards. One without anything of an instance
// repository is refused: it is the wrong one, and with --prune all documents would be deleted.
func (s *session) surveyRepository(ctx context.Context, from, branch string) (*instancerepo.Contents, error) {
	contents, err := s.readRepository(ctx, from, branch)
	if err != nil || contents.HasAny() {
		return contents, err
	}
	remedy := "name the folder that has environments, configuration, appdefs or regdefs in it"
	if inside, err := filepath.Glob(filepath.Join(from, "*", "environments")); err == nil && len(inside) > 0 {
		remedy = "did you mean " + filepath.Dir(inside[0]) + "? It has environments in it"
	}
	return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: from}, Message: "nothing in it is of an instance repository", Remedy: remedy}
}

func (s *session) readRepository(ctx context.Context, from, branch string) (*instancerepo.Contents, error) {
	p := s.progress("read", "file")
	defer p.done()
	if !isURL.MatchString(from) && branch == "" {
		repository, err := instancerepo.Open(from)
		if err != nil {
			return nil, err
		}
		return instancerepo.Survey(counted(p, repository.Files(ctx)))
	}
	dir, err := os.MkdirTemp("", "dovetail-import-*")
	if err != nil {
		return nil, unwritable(err)
	}
	defer os.RemoveAll(dir)
	repository, err := gitrepo.Open(ctx, gitrepo.Options{URL: from, Branch: branch, Dir: dir})
	if err != nil {
		return nil, err
	}
	return instancerepo.Survey(counted(p, func(yield func(instancerepo.File, error) bool) {
		for f, err := range repository.Files(ctx, gitrepo.Part{}) {
			if !yield(instancerepo.File{Path: f.Path, Data: f.Data, Irregular: f.Irregular, Large: f.Large}, err) {
				return
			}
		}
	}))
}

// counted passes files on and counts them.
func counted(p *progress, files iter.Seq2[instancerepo.File, error]) iter.Seq2[instancerepo.File, error] {
	return func(yield func(instancerepo.File, error) bool) {
		for f, err := range files {
			p.step()
			if !yield(f, err) {
				return
			}
		}
	}
}

// stored returns the ids of what an import may have to delete.
func (o *importRepoOptions) stored(ctx context.Context, st Store) ([]dovetail.ID, error) {
	kinds := []string{instancerepo.AssociationKind}
	if o.prune {
		kinds = instancerepo.Kinds()
	}
	var all []dovetail.ID
	for _, kind := range kinds {
		for doc, err := range st.Documents(ctx, store.ListQuery{Kind: kind}) {
			if err != nil {
				return nil, err
			}
			all = append(all, doc.ID)
		}
	}
	return all, nil
}

func merged(batches []instancerepo.Batch) instancerepo.Batch {
	var all instancerepo.Batch
	for _, b := range batches {
		all.Puts = append(all.Puts, b.Puts...)
		all.Deletes = append(all.Deletes, b.Deletes...)
	}
	return all
}

// apply does one transaction for each batch.
func (o *importRepoOptions) apply(ctx context.Context, s *session, st Store, batches []instancerepo.Batch, report *importReport) error {
	total := 0
	for _, b := range batches {
		total += len(b.Puts) + len(b.Deletes)
	}
	p := s.progressOf("stored", "document", total)
	defer p.done()
	for _, b := range batches {
		var operations []store.Operation
		for _, d := range b.Puts {
			operations = append(operations, store.Operation{Verb: store.Put, ID: d.ID, Data: d.Data, Position: d.Position})
		}
		for _, id := range b.Deletes {
			operations = append(operations, store.Operation{Verb: store.Delete, ID: id})
		}
		result, err := o.applyRest(ctx, s, st, operations, report)
		if err != nil {
			return err
		}
		for _, outcome := range result.Outcomes {
			report.Effects[outcome.Effect]++
		}
		p.steps(len(operations))
	}
	return nil
}

// applyRest does a transaction without the operations that the store refuses, and reports those. Leaving
// one out may make it refuse others.
func (o *importRepoOptions) applyRest(ctx context.Context, s *session, st Store, operations []store.Operation, report *importReport) (*store.Result, error) {
	for len(operations) > 0 {
		result, err := s.apply(ctx, st, operations, store.Options{DryRun: o.dryRun})
		if err == nil {
			return result, nil
		}
		refused := make(map[int]bool)
		for _, part := range parts(err) {
			if part.Index == 0 || !isRefusal(part.Code) {
				return nil, err
			}
			if !refused[part.Index-1] {
				report.add(refusal(operations[part.Index-1], part))
			}
			refused[part.Index-1] = true
		}
		var rest []store.Operation
		for i, op := range operations {
			if !refused[i] {
				rest = append(rest, op)
			}
		}
		operations = rest
	}
	return &store.Result{}, nil
}

// isRefusal reports whether a document is at fault, or what it needs, and nothing that concerns them all.
func isRefusal(code dovetail.Code) bool {
	switch code {
	case dovetail.CodeInvalid, dovetail.CodeUnprocessable, dovetail.CodeTooLarge, dovetail.CodeMissing, dovetail.CodeInUse, dovetail.CodeNotFound:
		return true
	}
	return false
}

// refusal is the defect for what the store does not hold.
func refusal(op store.Operation, e *dovetail.Error) *dovetail.Error {
	d := &dovetail.Error{Code: e.Code, Reason: instancerepo.ReasonRefused, Key: op.ID, Position: op.Position, Message: e.Message, Remedy: e.Remedy}
	if e.Position.File != "" {
		d.Position = e.Position
	}
	if !strings.Contains(e.Message, string(op.ID)) {
		d.Message = fmt.Sprintf("%s cannot be stored: %s", op.ID, e.Message)
		if e.Position.Path != "" {
			d.Message = fmt.Sprintf("%s cannot be stored: %s: %s", op.ID, e.Position.Path, e.Message)
		}
	}
	if e.Code == dovetail.CodeMissing {
		d.Remedy = "add what is missing to the repository, or to the store"
	}
	return d
}
