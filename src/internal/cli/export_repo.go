package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/store"
)

type exportRepoOptions struct {
	target
	moment
	keys   string
	prune  bool
	dryRun bool
}

func newExportRepoCommand(s *session) *cobra.Command {
	var o exportRepoOptions
	cmd := &cobra.Command{
		Use:   "instance-repo DIRECTORY",
		Short: "Write the documents of environments as an instance repository",
		Long: `Write documents as the files of an instance repository. "dovetail import instance-repo" reads the
same documents from them.

In a folder that is an instance repository already, files are edited in place: comments, the order of members and
unchanged values are preserved, and files without changes are not touched. Files of documents that are not
stored stay and are named, unless --prune is given. Files that belong to no document are never touched.

New values of credentials are encrypted with the first key of --credential-keys where a file has encrypted values, or is new;
values that did not change keep their text. Without the key they are reported, and not written into such a file.

What files cannot represent is reported: unknown members, invalid file names. The exit code is 0
when nothing is reported, and 1 when something is.`,
		Example: `  dovetail export instance-repo ./instance-repo
  dovetail export instance-repo ./instance-repo --prune --dry-run`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.target.flags(cmd)
	o.moment.flags(cmd)
	o.changeSetFlag(cmd, s)
	credentialKeysFlag(cmd, &o.keys)
	cmd.Flags().BoolVar(&o.prune, "prune", false, "remove files of documents that are not stored")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show what would be written, but write nothing")
	return cmd
}

// fileReport is what an export did to a file, as -o json shows it.
type fileReport struct {
	Path   string              `json:"path"`
	Effect instancerepo.Effect `json:"effect"`
}

func (o *exportRepoOptions) run(cmd *cobra.Command, s *session, dir string) error {
	if err := s.only(cmd, formatName, formatJSON); err != nil {
		return err
	}
	ctx := cmd.Context()
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	then, err := o.of(ctx, st)
	if err != nil {
		return err
	}
	documents, err := o.documents(cmd, s, then)
	if err != nil {
		return err
	}
	if !o.dryRun {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return unwritable(err)
		}
	}
	var sealing instancerepo.Sealing
	if o.keys != "" {
		if sealing.Keys, err = ciphertext.ReadKeys(o.keys); err != nil {
			return err
		}
	}
	plan, err := instancerepo.PlanExport(ctx, dir, documents, sealing)
	if err != nil {
		return err
	}
	p := s.progressOf("written", "file", len(plan.Changes))
	changed := []fileReport{}
	for _, c := range plan.Changes {
		effect := c.Effect()
		switch {
		case effect == instancerepo.WasRemoved && !o.prune:
			plan.Problems = append(plan.Problems, &dovetail.Error{Reason: instancerepo.ReasonNotStored, Position: dovetail.Position{File: c.Path},
				Message: "it is of documents that are not stored", Remedy: "--prune removes it"})
			continue
		case !o.dryRun:
			if err := plan.Write(c); err != nil {
				return err
			}
		}
		changed = append(changed, fileReport{c.Path, effect})
		p.step()
	}
	p.done()
	s.tell(yellow, "warning: ", plan.Problems)
	o.show(s, changed, plan.Problems)
	return different(len(plan.Problems) > 0)
}

func (o *exportRepoOptions) documents(cmd *cobra.Command, s *session, st Store) ([]instancerepo.Document, error) {
	p := s.progress("read", "document")
	defer p.done()
	var all []instancerepo.Document
	for _, kind := range instancerepo.Kinds() {
		for stored, err := range st.Documents(cmd.Context(), store.ListQuery{Kind: kind}) {
			if err != nil {
				return nil, err
			}
			d, err := instancerepo.FromStored(stored)
			if err != nil {
				return nil, err
			}
			all = append(all, d)
			p.step()
		}
	}
	return all, nil
}

func (o *exportRepoOptions) show(s *session, changed []fileReport, problems []*dovetail.Error) {
	switch s.output {
	case formatJSON:
		s.writeJSON(map[string]any{"files": changed, "warnings": api.NewMessages(problems)})
	case formatName:
		for _, f := range changed {
			fmt.Fprintln(s.Out, f.Path)
		}
	default:
		counts := make(map[instancerepo.Effect]int)
		for _, f := range changed {
			counts[f.Effect]++
		}
		text := fmt.Sprintf("%s created, %d updated, %d removed", count(counts[instancerepo.WasCreated], "file"), counts[instancerepo.WasUpdated], counts[instancerepo.WasRemoved])
		if o.dryRun {
			text += " (dry run: nothing was changed)"
		}
		fmt.Fprintln(s.Out, text)
	}
}
