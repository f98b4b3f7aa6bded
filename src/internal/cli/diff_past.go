package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// versions compares a document with what it was.
func (o *diffOptions) versions(cmd *cobra.Command, s *session, arg string) error {
	if len(o.at) == 0 || len(o.at) > 2 {
		return usagef(cmd, "%s is compared with what it was: give --at once or twice", arg)
	}
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
	moments := append(o.at[:len(o.at):len(o.at)], "")[:2]
	var read [2]state
	var missing error
	for i, at := range moments {
		var err error
		if read[i], err = stateAt(ctx, st, id, at); dovetail.CodeOf(err) == dovetail.CodeNotFound {
			missing = err
		} else if err != nil {
			return err
		}
	}
	if read[0].data == nil && read[1].data == nil {
		return missing
	}
	if moments[1] == "" {
		moments[1] = "now"
	}
	d := compareStates(id, read[0], read[1], moments[0], moments[1])
	if d.Diff == "" {
		s.show(shown{})
		return nil
	}
	item, err := valueOf(d)
	if err != nil {
		return err
	}
	var result shown
	result.items, result.names = append(result.items, item), append(result.names, string(id))
	if s.output == formatTable || s.output == formatWide {
		fmt.Fprint(s.Out, colourDiff(d.Diff, s.paintOut()))
	}
	s.show(result)
	return errDifferent
}

// stateAt reads a document as of a moment, "" for now.
func stateAt(ctx context.Context, st Store, id dovetail.ID, at string) (state, error) {
	m := moment{at: at}
	then, err := m.of(ctx, st, id)
	if err != nil {
		return state{}, err
	}
	doc, err := then.Get(ctx, id)
	if err != nil {
		return state{}, err
	}
	return stateOf(doc)
}
