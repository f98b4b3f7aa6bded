package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

type renameOptions struct {
	target
	dryRun bool
}

func newRenameCommand(s *session) *cobra.Command {
	var o renameOptions
	cmd := &cobra.Command{
		Use:   "rename ID NAME",
		Short: "Give a document another name",
		Long: `Give a document another name: the last element of its key. The ids of its descendants change, too, and every reference to
any of them is rewritten. It is one transaction, which "revert" undoes.

With --dry-run, show the plan: what would be renamed, and what would change in the documents that refer to it. A name that is
taken, a protected document, a missing right, or a reference that the data cannot express are refused, and then nothing changes.

The history of the new id begins with the rename, and names the old id, which has the earlier history.`,
		Example: `  dovetail rename cluster/c1 east-1 --dry-run
  dovetail rename cluster/c1 east-1 -m "names by region"`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, s, args[0], func(_ *schema.Model, id dovetail.ID) (dovetail.ID, error) {
				key := id.Key()
				key[len(key)-1].Value = args[1]
				return dovetail.ParseID(string(key.ID()))
			})
		},
	}
	o.register(cmd, s)
	return cmd
}

func newMoveCommand(s *session) *cobra.Command {
	var o renameOptions
	cmd := &cobra.Command{
		Use:   "move ID PARENT",
		Short: "Move a document below another parent",
		Long: `Move a document below another parent. It keeps its name. Its descendants move with it, and every reference to any of them is
rewritten. If a reference takes an element of the key from the key of its own document, and that value is no longer
right, the element is written explicitly. It is one transaction, which "revert" undoes.

With --dry-run, show the plan. Refusals and the history are as for "dovetail rename".`,
		Example: `  dovetail move cluster/c1/environment/dev cluster/c2 --dry-run
  dovetail move cluster/c1/environment/dev cluster/c2 -m "c1 is retired"`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, s, args[0], func(model *schema.Model, id dovetail.ID) (dovetail.ID, error) {
				return below(model, id, args[1])
			})
		},
	}
	o.register(cmd, s)
	return cmd
}

func (o *renameOptions) register(cmd *cobra.Command, s *session) {
	cmd.ValidArgsFunction = completeIDs(s, &o.target)
	o.flags(cmd)
	s.messageFlag(cmd)
	o.changeSetFlag(cmd, s)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check everything and show what would happen, but change nothing")
}

// below is the id of a document under another parent.
func below(model *schema.Model, id dovetail.ID, parent string) (dovetail.ID, error) {
	to, err := parseID(model, parent)
	if err != nil {
		return "", err
	}
	key, above := id.Key(), to.Key()
	if len(above) >= len(key) || !slices.Equal(above.Names(), key[:len(above)].Names()) {
		remedy := "it is at the top; `dovetail rename` gives it another name"
		if kind, err := model.KindOf(id); err == nil && kind.Parent != nil {
			remedy = "name one such as " + string(key[:len(kind.Parent.Elements)].ID())
		}
		return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: parent + " cannot be a parent of " + string(id), Remedy: remedy}
	}
	return slices.Concat(above, key[len(above):]).ID(), nil
}

func (o *renameOptions) run(cmd *cobra.Command, s *session, arg string, newID func(*schema.Model, dovetail.ID) (dovetail.ID, error)) error {
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	id, err := parseID(model, arg)
	if err != nil {
		return err
	}
	to, err := newID(model, id)
	if err != nil {
		return err
	}
	options := store.Options{DryRun: o.dryRun, Message: s.message}
	if o.dryRun {
		plan, err := st.Rename(ctx, id, to, options)
		if err != nil {
			return err
		}
		return s.showRename(ctx, st, id, to, plan, true)
	}
	done, err := s.transact(ctx, st, func(key string) (*store.Result, error) {
		options.Key = key
		return st.Rename(ctx, id, to, options)
	})
	if err != nil {
		return err
	}
	return s.showRename(ctx, st, id, to, done, false)
}

// showRename shows what a rename did, or would do: then with the differences of the data.
func (s *session) showRename(ctx context.Context, st Store, id, to dovetail.ID, result *store.Result, dryRun bool) error {
	diffs := make(map[dovetail.ID]string)
	renamed := make(map[string]int)
	total := 0
	for _, o := range result.Outcomes {
		s.warn(o.Warnings)
		if o.Effect == store.WasDeleted {
			renamed[o.Document.Kind]++
			total++
			continue
		}
		if !dryRun {
			continue
		}
		before := o.Document.ID
		if o.Effect == store.WasCreated {
			before = id + before[len(to):]
		}
		was, err := stateAt(ctx, st, before, "")
		if err != nil {
			return err
		}
		next, err := stateOf(o.Document)
		if err != nil {
			return err
		}
		if was.text() != next.text() {
			diffs[o.Document.ID] = compare(o.Document.ID, was, next, "renamed").Diff
		}
	}
	if err := s.showEffects(result, dryRun, diffs); err != nil {
		return err
	}
	if s.output != formatTable && s.output != formatWide {
		return nil
	}
	var text strings.Builder
	fmt.Fprint(&text, countKinds(total, renamed), " renamed")
	if !result.Repeated {
		fmt.Fprint(&text, ", ", count(result.References, "reference"), " rewritten")
	}
	if dryRun {
		text.WriteString(" (dry run)")
	}
	fmt.Fprintln(s.Out, text.String())
	return nil
}
