package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/store"
)

type editOptions struct {
	target
	address
}

func newEditCommand(s *session) *cobra.Command {
	var o editOptions
	cmd := &cobra.Command{
		Use:   "edit KIND NAME... | edit ID...",
		Short: "Change documents in an editor",
		Long: `Open the named documents as one file of YAML in the editor that $VISUAL or $EDITOR names (default vi), and apply
the file when the editor ends, in one transaction. Without a change nothing is applied.

A document that another user changes in the meantime is a conflict, as with "dovetail apply": nothing is stored.
Whenever the file cannot be applied, it is kept, and its name is shown.`,
		Example: `  dovetail edit app p1/shop/v3/nginx
  EDITOR='code --wait' dovetail edit project/p1`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeDocuments(s, &o.target, &o.address),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.target.flags(cmd)
	o.address.flags(cmd)
	s.messageFlag(cmd)
	o.changeSetFlag(cmd, s)
	return acceptsTemplates(cmd)
}

func (o *editOptions) run(cmd *cobra.Command, s *session, args []string) error {
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	sel, err := o.resolve(cmd, model, args)
	if err != nil {
		return err
	}
	if len(sel.ids) == 0 {
		return usagef(cmd, "name the %s to edit", sel.kind.Name)
	}
	get := &getOptions{}
	documents, err := get.find(ctx, st, sel, store.ListQuery{})
	if err != nil {
		return err
	}
	read, err := get.shown(documents, sel, s)
	if err != nil {
		return err
	}
	before := yaml.Marshal(read.items...)
	name, after, err := s.edited(ctx, before)
	if err != nil {
		return err
	}
	if bytes.Equal(before, after) {
		fmt.Fprintln(s.Err, "nothing was changed in the editor, so nothing is applied")
		return os.Remove(name)
	}
	operations, err := s.readManifests(model, []string{name})
	for i := range operations {
		operations[i].FieldManager = editManager
	}
	var result *store.Result
	if err == nil {
		r := &resolver{session: s, st: st, model: model, last: &lastApplied{}}
		result, err = r.apply(ctx, operations, store.Options{}, false)
	}
	if err != nil {
		fmt.Fprintf(s.Err, "your changes are kept in %s: correct it, then run `dovetail apply%s -f %s`\n", name, s.targetFlags, name)
		return err
	}
	if err := os.Remove(name); err != nil {
		return unwritable(err)
	}
	return s.showResult(result, false)
}

// edited has the user edit a text. It returns the file that has it, and the new text.
func (s *session) edited(ctx context.Context, text []byte) (name string, after []byte, err error) {
	file, err := os.CreateTemp("", "dovetail-edit-*.yaml") // only its owner may read it
	if err != nil {
		return "", nil, unwritable(err)
	}
	_, err = file.Write(text)
	if err := cmp.Or(err, file.Close()); err != nil {
		return "", nil, unwritable(err)
	}
	edit := s.Edit
	if edit == nil {
		edit = s.runEditor
	}
	if err := edit(ctx, file.Name()); err != nil {
		return "", nil, &dovetail.Error{Code: dovetail.CodeInvalid, Err: err, Message: "the editor failed: " + err.Error() + "; nothing was applied",
			Remedy: "set EDITOR to the command of an editor that waits until the file is closed; your changes are kept in " + file.Name()}
	}
	after, err = os.ReadFile(file.Name())
	if err != nil {
		return "", nil, unreadable(file.Name(), err)
	}
	return file.Name(), after, nil
}

// runEditor runs the user's editor in the terminal. Like other programs it lets a shell split the command.
func (s *session) runEditor(ctx context.Context, name string) error {
	editor := cmp.Or(s.env("VISUAL"), s.env("EDITOR"), "vi")
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", name) //nolint:gosec // the user's own command
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.In, s.out.to, s.Err
	return cmd.Run()
}
