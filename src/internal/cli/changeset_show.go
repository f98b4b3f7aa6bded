package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// allStates is what --state takes beside the states.
const allStates = "all"

func newChangeSetListCommand(s *session) *cobra.Command {
	var v changeSetVerb
	var state, author string
	states := []string{string(api.ChangeSetOpen), string(api.ChangeSetMerged), string(api.ChangeSetClosed), allStates}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List change sets",
		Long:  `List the open change sets, or those of another state.`,
		Example: `  dovetail changeset list
  dovetail changeset list --state all --author alice`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			q := client.ChangeSetQuery{State: api.ChangeSetState(state), Author: author}
			if !slices.Contains(states, state) {
				return usagef(cmd, "--state is %q, but must be one of %s", state, strings.Join(states, ", "))
			}
			if state == allStates {
				q.State = ""
			}
			return v.onChangeSet(cmd, s, args, func(ctx context.Context) error { return v.list(ctx, s, q) })
		},
	}
	v.serverFlag(cmd)
	cmd.Flags().StringVar(&state, "state", string(api.ChangeSetOpen), "state of the change sets: "+strings.Join(states, ", "))
	cmd.Flags().StringVar(&author, "author", "", "only change sets of this author")
	noFileCompletion(cmd, "author")
	check(cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(states, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (v *changeSetVerb) list(ctx context.Context, s *session, q client.ChangeSetQuery) error {
	result := shown{table: table{header: []string{"NAME", "STATE", "AUTHOR", "CREATED", "DOCUMENTS", "TITLE", "BASE"}, wide: 1}}
	for c, err := range v.st.ChangeSets().List(ctx, q) {
		if err != nil {
			return err
		}
		item, err := valueOf(c)
		if err != nil {
			return err
		}
		result.items, result.names = append(result.items, item), append(result.names, c.Name)
		result.table.add(c.Name, string(c.State), orDash(c.Author), timeText(c.Created), strconv.Itoa(c.Total), orDash(subject(c.Title)), string(c.Base))
	}
	s.show(result)
	if len(result.items) == 0 && s.output != formatJSON {
		fmt.Fprintln(s.Err, "no change sets found")
	}
	return nil
}

// newChangeSetReadCommand is a verb that shows something of a change set.
func newChangeSetReadCommand(s *session, cmd *cobra.Command, formats []format, show func(ctx context.Context, v *changeSetVerb) error) *cobra.Command {
	var v changeSetVerb
	cmd.Args = cobra.ExactArgs(1)
	cmd.ValidArgsFunction = completeChangeSets(s, &v.target, "")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := s.only(cmd, formats...); err != nil {
			return err
		}
		return v.onChangeSet(cmd, s, args, func(ctx context.Context) error { return show(ctx, &v) })
	}
	v.serverFlag(cmd)
	return cmd
}

func newChangeSetShowCommand(s *session) *cobra.Command {
	return newChangeSetReadCommand(s, &cobra.Command{
		Use:   "show NAME",
		Short: "Show a change set with its documents and reviews",
		Long: `Show the state of a change set, its changes of documents, and its reviews. "outdated" marks reviews of
operations that were edited since. Documents that you may not read are only counted.`,
		Example: `  dovetail changeset show bigger`,
	}, []format{formatJSON, formatYAML, formatName}, func(ctx context.Context, v *changeSetVerb) error {
		c, err := v.st.ChangeSets().Get(ctx, v.name)
		if err != nil {
			return err
		}
		if s.output == formatTable {
			fmt.Fprint(s.Out, describeChangeSet(c, s.paintOut()))
			return nil
		}
		return s.showChangeSet(c, "")
	})
}

// describeChangeSet is a change set for a terminal.
func describeChangeSet(c *api.ChangeSet, paint painter) string {
	d := description{paint: paint}
	d.line("Name", c.Name)
	for _, l := range []struct{ label, text string }{{"Title", c.Title}, {"Description", c.Description}} {
		if l.text != "" {
			d.line(l.label, l.text)
		}
	}
	d.line("State", string(c.State))
	d.line("Author", orDash(c.Author))
	if others := slices.DeleteFunc(slices.Clone(c.Authors), func(name string) bool { return name == c.Author }); len(others) > 0 {
		d.line("Also edited by", strings.Join(others, ", "))
	}
	d.line("Created", timeText(c.Created))
	d.line("Base", string(c.Base))
	if c.Reverts != "" {
		d.line("Reverts", string(c.Reverts))
	}
	if c.Proposal != nil {
		d.line("Proposed as", proposalText(c.Proposal))
	}
	if m := c.Merged; m != nil {
		d.line("Merged", strings.TrimSpace(fmt.Sprintf("%s by %s %s", timeText(m.Time), orDash(m.By), m.Position)))
		if m.Commit != "" {
			d.line("Merged by commit", m.Commit)
		}
	}
	if e := c.Closed; e != nil {
		d.line("Closed", fmt.Sprintf("%s by %s", timeText(e.Time), orDash(e.By)))
	}
	var operations, reviews table
	for _, op := range c.Operations {
		if op.ID != "" {
			operations.add(string(op.Verb), string(op.ID), timeText(op.Time), orDash(op.By))
		}
	}
	more := ""
	if c.Unreadable > 0 {
		more = fmt.Sprintf("... and %s that you may not read\n", count(c.Unreadable, "document"))
	}
	for _, r := range c.Reviews {
		decision := string(r.Decision)
		if !r.Current && r.Decision != api.Comment {
			decision += " (outdated)"
		}
		reviews.add(decision, timeText(r.Time), orDash(r.By), orDash(subject(r.Comment)))
	}
	d.rows("Documents", operations, more)
	d.rows("Reviews", reviews, "")
	return d.text.String()
}

func newChangeSetDiffCommand(s *session) *cobra.Command {
	return newChangeSetReadCommand(s, &cobra.Command{
		Use:   "diff NAME",
		Short: "Show what a change set changes",
		Long: `Show what a change set changes, value by value, from its base: "+" marks values that are added, "-" those that are
removed, "~" those that are replaced. Documents that you may not read are only counted.`,
		Example: `  dovetail changeset diff bigger`,
	}, []format{formatJSON, formatYAML, formatName}, func(ctx context.Context, v *changeSetVerb) error {
		diff, err := v.st.ChangeSets().Diff(ctx, v.name)
		if err != nil {
			return err
		}
		item, err := valueOf(diff)
		if err != nil {
			return err
		}
		result := shown{single: true, items: []*value.Value{item}}
		paint := s.paintOut()
		for _, op := range diff.Operations {
			result.names = append(result.names, string(op.ID))
			if s.output == formatTable {
				fmt.Fprintf(s.Out, "%s\n%s", paint(cyan, string(op.Verb)+" "+string(op.ID)), changesText(op.Changes, op.Files, paint))
			}
		}
		if s.output != formatTable {
			s.show(result)
		}
		s.unread(diff.Unreadable)
		return nil
	})
}

// unread tells on Err how many documents were left out.
func (s *session) unread(n int) {
	if n > 0 {
		s.warn([]*dovetail.Error{{Message: count(n, "document") + " that you may not read left out"}})
	}
}

// changesText shows changed values and files, a line each; whole values as YAML.
func changesText(changes []api.Change, files []string, paint painter) string {
	var b strings.Builder
	line := func(c colour, mark, text string) { b.WriteString("  " + paint(c, mark+" "+text) + "\n") }
	for _, c := range changes {
		whole := func(shade colour, mark string, text json.RawMessage) bool {
			v, err := value.ParseJSON(text, value.Limits{})
			if c.Path != "" || err != nil || len(v.Members) == 0 {
				return false
			}
			for text := range strings.Lines(string(yaml.Marshal(v))) {
				line(shade, mark, strings.TrimSuffix(text, "\n"))
			}
			return true
		}
		path := c.Path
		if path == "" {
			path = "/"
		}
		switch {
		case c.From == nil && c.To != nil:
			if !whole(green, "+", c.To) {
				line(green, "+", path+": "+cutJSON(c.To))
			}
		case c.To == nil && c.From != nil:
			if !whole(red, "-", c.From) {
				line(red, "-", path+": "+cutJSON(c.From))
			}
		default:
			line(yellow, "~", path+": "+cutJSON(c.From)+" -> "+cutJSON(c.To))
		}
	}
	for _, name := range files {
		line(yellow, "~", "file "+name)
	}
	return b.String()
}

// cutJSON shows a value in a line.
func cutJSON(text json.RawMessage) string {
	if text == nil {
		return "absent"
	}
	return cut(string(text), maxLeaf)
}
