package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type applyOptions struct {
	target
	fields
	files  []string
	dryRun bool
	set    string
	prune  string // of the set

	watch   bool
	timeout time.Duration // of watch
}

func newApplyCommand(s *session) *cobra.Command {
	var o applyOptions
	cmd := &cobra.Command{
		Use:   "apply -f FILE|DIRECTORY|URL|- | apply -k DIRECTORY",
		Short: "Create and update documents from files in one transaction",
		Long: `Create and update the documents that files describe, in one transaction: either all changes are stored, or
none. The order of files and manifests does not matter; parents may come after their children.
A directory is read with its subdirectories (*.yaml, *.yml, *.json); with -k it is a kustomize directory, which
kustomize or kubectl builds, one of which must be installed. All errors are reported at once, each with its file, line and column.

A manifest is a YAML or JSON object with kind, key and the data. Its fields are set. Fields that were applied
earlier and are no longer in it are removed. Fields that others have set, such as the labels of another
team, stay. Dovetail records the manager of each field, by the name of --field-manager: give one to each source of files that
describes the same documents. A different value of another manager is a conflict: nothing is stored, and each
such field is shown with its manager. --force-conflicts takes these fields over. A list is one field. The fields of documents
that were never applied have no known manager: the values of the file are set without a conflict, and the rest stays. With
--replace, documents become exactly what the files say, whatever their managers.

The member op of a manifest may be put (replace), create, patch, delete or status instead of apply.

Its member ifMatch, which "dovetail get" writes, is the version that the file was made from. Such a file is the whole document,
and replaces it. A document that
another user has changed since is a conflict: nothing is stored, and every value that differs is shown.
There is no conflict if the document already equals the file, or if it is what you last applied from the same file.
So you can edit a file and apply it repeatedly. --force-conflicts overwrites changes of other
users.

With --set NAME the documents get the label dovetail.dev/set, which makes them a set. With --prune, documents of the
set that are no longer in the files are deleted, in the same transaction; --prune=plan shows what would be done. If one of
them has children or referrers that stay, the whole transaction is refused. A document belongs to one set.

With --watch, the command then follows the ActiveResolutions among the documents until each has a status for what
was applied; the exit code is 1 if one of them cannot be resolved.`,
		Example: `  dovetail apply -f apps/
  dovetail apply -f resolution.yaml --watch
  dovetail get apps -o yaml | sed s/v1/v2/ | dovetail apply -f -
  dovetail apply -f apps/ --dry-run
  dovetail apply -f labels.yaml --field-manager web-team
  dovetail apply -f https://example.com/apps.yaml
  dovetail apply -k overlays/production
  dovetail apply -f apps/ --set apps --prune=plan`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	o.target.flags(cmd)
	o.fileFlags(cmd, s)
	cmd.Flags().BoolVar(&o.watch, "watch", false, "follow resolutions until they have a status")
	cmd.Flags().DurationVar(&o.timeout, "timeout", time.Minute, "maximum duration of --watch")
	cmd.Flags().StringVar(&o.set, "set", "", "put the documents into the set `NAME`")
	o.prune = pruneNo
	optionalFlag(cmd, &o.prune, "prune", pruneYes, "delete documents of the set that are not in the files; --prune=plan only shows them", pruneYes, pruneNo, prunePlan)
	noFileCompletion(cmd, "set")
	cmd.MarkFlagsMutuallyExclusive("watch", "dry-run")
	cmd.MarkFlagsMutuallyExclusive("watch", "store")
	o.changeSetFlag(cmd, s)
	noFileCompletion(cmd, "timeout")
	return acceptsTemplates(cmd)
}

// fileFlags are those of verbs that apply or stage what files describe.
func (o *applyOptions) fileFlags(cmd *cobra.Command, s *session) {
	fileFlag(cmd, &o.files)
	s.messageFlag(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check everything and show what would happen, but change nothing")
	o.fields.flags(cmd)
	cmd.MarkFlagsOneRequired("file", "kustomize")
}

func (o *applyOptions) run(cmd *cobra.Command, s *session) error {
	if wrong := o.pruning(); wrong != "" {
		return usagef(cmd, "%s", wrong)
	}
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	operations, err := o.fields.read(s, model, o.files)
	if err != nil {
		return err
	}
	if o.set != "" {
		if operations, err = o.join(ctx, st, operations); err != nil {
			return err
		}
	}
	var from store.Cursor
	if o.watch {
		if from, err = st.Head(ctx); err != nil {
			return err
		}
	}
	result, err := s.newResolver(&o.target, st, model).apply(ctx, operations, store.Options{DryRun: o.dryRun}, o.force)
	if err != nil {
		return withForce(err)
	}
	if err := s.showResult(result, o.dryRun); err != nil || !o.watch {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	return s.newFollower(result).follow(ctx, st, from)
}

// showResult shows what a transaction did, or would have done.
func (s *session) showResult(result *store.Result, dryRun bool) error {
	return s.showEffects(result, dryRun, nil)
}

// showEffects is showResult with the differences of documents, where they are known.
func (s *session) showEffects(result *store.Result, dryRun bool, diffs map[dovetail.ID]string) error {
	var r shown
	count := make(map[store.Effect]int)
	for _, outcomes := range [][]store.Outcome{result.Outcomes, result.Cascaded} {
		for _, outcome := range outcomes {
			count[outcome.Effect]++
			r.names = append(r.names, string(outcome.Document.ID))
			r.table.rows = append(r.table.rows, row{
				cells:  []string{string(outcome.Effect), string(outcome.Document.ID) + reasonOf(outcome.Cause)},
				colour: effectColour(string(outcome.Effect)),
			})
			report := toEffectReport(outcome, dryRun)
			report.Diff, report.ChangeSet = diffs[outcome.Document.ID], s.changeSet
			if s.output == formatTable || s.output == formatWide {
				fmt.Fprint(s.Out, colourDiff(report.Diff, s.paintOut()))
			}
			item, err := valueOf(report)
			if err != nil {
				return err
			}
			r.items = append(r.items, item)
			s.warn(outcome.Warnings)
		}
	}
	if result.Unreadable {
		s.warn([]*dovetail.Error{{Message: "documents that you may not read are deleted too"}})
	}
	forPeople := s.output == formatTable || s.output == formatWide
	long := forPeople && len(r.items) > mostEffects && !s.verbose
	if !long {
		s.show(r)
	}
	if forPeople {
		text := summary(count, dryRun) + s.stagedIn(dryRun)
		if long {
			text += "; -v lists them"
		}
		fmt.Fprintln(s.Out, text)
	}
	return nil
}

// mostEffects is how many documents of a transaction are listed by default; more are only counted.
const mostEffects = 100

// effectReport is an outcome as yaml and json show it.
type effectReport struct {
	Effect  store.Effect `json:"effect"`
	ID      dovetail.ID  `json:"id"`
	Kind    string       `json:"kind"`
	Version string       `json:"version,omitempty"` // that it has now
	Because *store.Cause `json:"because,omitempty"`
	DryRun  bool         `json:"dryRun,omitempty"`
	// ChangeSet is the one that it is staged in.
	ChangeSet string `json:"changeSet,omitempty"`
	Diff      string `json:"diff,omitempty"` // from what is stored, in dry runs of rollback and revert
}

func toEffectReport(outcome store.Outcome, dryRun bool) effectReport {
	doc := outcome.Document
	r := effectReport{Effect: outcome.Effect, ID: doc.ID, Kind: doc.Kind, Because: outcome.Cause, DryRun: dryRun}
	if doc.UID != "" && outcome.Effect != store.WasDeleted && !dryRun {
		r.Version = doc.ETag().Version()
	}
	return r
}

func reasonOf(cause *store.Cause) string {
	if cause == nil {
		return ""
	}
	return " (" + cause.Relation + " of " + string(cause.ID) + ")"
}

func effectColour(effect string) colour {
	switch store.Effect(effect) {
	case store.WasCreated:
		return green
	case store.WasUpdated:
		return yellow
	case store.WasDeleted:
		return red
	case store.WasUnchanged:
		return dim
	}
	return dim
}

// summary counts the effects: "2 created, 1 unchanged".
func summary(count map[store.Effect]int, dryRun bool) string {
	var parts []string
	for _, effect := range []store.Effect{store.WasCreated, store.WasUpdated, store.WasUnchanged, store.WasDeleted} {
		if n := count[effect]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, effect))
		}
	}
	text := strings.Join(parts, ", ")
	if dryRun {
		text += " (dry run: nothing was changed)"
	}
	return text
}

// warn shows on Err what was accepted.
func (s *session) warn(warnings []*dovetail.Error) {
	paint := s.paintErr()
	for _, w := range warnings {
		at := place(w.Position)
		if at != "" {
			at += ": "
		}
		fmt.Fprintln(s.Err, paint(yellow, "warning: ")+at+w.Message)
	}
}

// withoutStatus is data as it is stored: the status is kept apart.
func withoutStatus(data *value.Value) *value.Value {
	if data.Get("status") == nil {
		return data
	}
	data = data.Clone()
	data.Delete("status")
	return data
}
