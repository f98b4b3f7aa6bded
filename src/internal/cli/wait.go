package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/util/jsonpath"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type waitOptions struct {
	target
	address
	until   string
	timeout time.Duration
}

func newWaitCommand(s *session) *cobra.Command {
	var o waitOptions
	cmd := &cobra.Command{
		Use:   "wait KIND NAME... --for CONDITION | wait ID... --for CONDITION",
		Short: "Wait until documents meet a condition",
		Long: `Wait until each of the named documents has met a condition once, which is one of

  create                     the document exists; it may be created later
  delete                     the document does not exist
  state=STATE                it is in this state of the lifecycle of its kind
  condition=TYPE[=STATUS]    its status.conditions contains this type with this status (default True)
  jsonpath=PATH[=VALUE]      the path has a value, or this value, such as jsonpath=.status.phase=Ready

A missing document is an error, except with create and delete. The exit code is 5 after the timeout.`,
		Example: `  dovetail wait active-resolution r1 --for condition=Resolved
  dovetail wait project/p1/job/j1 --for state=Done --timeout 10m
  dovetail wait project/p1 --for delete`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeDocuments(s, &o.target, &o.address),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.target.flags(cmd)
	o.address.flags(cmd)
	cmd.Flags().StringVar(&o.until, "for", "", "the `CONDITION`")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 30*time.Second, "maximum duration")
	check(cmd.MarkFlagRequired("for"))
	check(cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions([]string{"create", "delete", "state=", "condition=", "jsonpath="}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)))
	noFileCompletion(cmd, "timeout")
	return cmd
}

// met reports whether a document meets a condition; nil stands for one that does not exist.
type met func(kind *schema.Kind, doc *dovetail.Document) (bool, error)

// condition reads the flag. mayLack reports whether documents need not exist.
func (o *waitOptions) condition(cmd *cobra.Command) (until met, mayLack bool, err error) {
	name, text, _ := strings.Cut(o.until, "=")
	switch {
	case o.until == "create":
		return func(_ *schema.Kind, doc *dovetail.Document) (bool, error) { return doc != nil, nil }, true, nil
	case o.until == "delete":
		return func(_ *schema.Kind, doc *dovetail.Document) (bool, error) { return doc == nil, nil }, true, nil
	case name == "state" && text != "":
		return inState(text), false, nil
	case name == "condition" && text != "":
		of, status, found := strings.Cut(text, "=")
		if !found {
			status = "True"
		}
		return onData(func(data *value.Value) (bool, error) { return hasCondition(data, of, status), nil }), false, nil
	case name == "jsonpath" && text != "":
		path, want, err := waitedPath(text)
		if err != nil {
			return nil, false, usagef(cmd, "--for: %v", err)
		}
		return onData(func(data *value.Value) (bool, error) { return finds(path, data, want) }), false, nil
	}
	return nil, false, usagef(cmd, "--for %q is no condition: it is create, delete, state=STATE, condition=TYPE or jsonpath=PATH=VALUE", o.until)
}

// inState is the condition of a state of a lifecycle.
func inState(state string) met {
	return func(kind *schema.Kind, doc *dovetail.Document) (bool, error) {
		if kind.Lifecycle == nil {
			return false, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the kind " + kind.Name + " has no lifecycle, and so no states", Remedy: "wait for a value with --for jsonpath=.status.phase=Ready"}
		}
		if !kind.Lifecycle.Has(state) {
			return false, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the lifecycle of " + kind.Name + " has no state " + state, Remedy: "its states are " + strings.Join(kind.Lifecycle.States, ", ")}
		}
		return doc != nil && store.StateOf(kind, doc) == state, nil
	}
}

// onData is a condition on what -o json shows of a document.
func onData(holds func(data *value.Value) (bool, error)) met {
	return func(_ *schema.Kind, doc *dovetail.Document) (bool, error) {
		if doc == nil {
			return false, nil
		}
		data, err := manifest.Of(doc)
		if err != nil {
			return false, err
		}
		return holds(data)
	}
}

// hasCondition reports whether the status has a condition of the type with the status.
func hasCondition(data *value.Value, of, status string) bool {
	conditions := data.At("status", "conditions")
	if conditions == nil {
		return false
	}
	return slices.ContainsFunc(conditions.Items, func(c *value.Value) bool {
		name, _ := c.Get("type").Str()
		state, _ := c.Get("status").Str()
		return strings.EqualFold(name, of) && strings.EqualFold(state, status)
	})
}

// waitedPath divides PATH=VALUE at the first equals sign outside of braces and brackets; without one any value will do.
func waitedPath(text string) (path *jsonpath.JSONPath, want *string, err error) {
	depth := 0
	for i, c := range text {
		switch c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case '=':
			if depth == 0 {
				value := text[i+1:]
				path, err := newPath("for", completePath(text[:i]))
				return path, &value, err
			}
		}
	}
	path, err = newPath("for", completePath(text))
	return path, nil, err
}

// finds reports whether a path finds a value, or anything.
func finds(path *jsonpath.JSONPath, data *value.Value, want *string) (bool, error) {
	plain, err := plain(data)
	if err != nil {
		return false, err
	}
	found, err := path.FindResults(plain)
	if err != nil || len(found) == 0 || len(found[0]) == 0 {
		return false, nil //nolint:nilerr // what does not fit the path has no value there yet
	}
	return want == nil || textOf(found[0][0].Interface()) == *want, nil
}

func (o *waitOptions) run(cmd *cobra.Command, s *session, args []string) error {
	until, mayLack, err := o.condition(cmd)
	if err != nil {
		return err
	}
	st, model, err := o.openWithModel(cmd.Context(), s)
	if err != nil {
		return err
	}
	defer release(st)
	sel, err := o.resolve(cmd, model, args)
	if err != nil {
		return err
	}
	if len(sel.ids) == 0 {
		return usagef(cmd, "name the %s to wait for", sel.kind.Name)
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), o.timeout) // opening a store, or reaching a server, is not waiting
	defer cancel()
	w := waiter{session: s, model: model, until: until, mayLack: mayLack, pending: slices.Clone(sel.ids)}
	err = w.wait(ctx, st)
	if len(w.pending) > 0 && (err == nil || errors.Is(ctx.Err(), context.DeadlineExceeded)) {
		return &dovetail.Error{Code: dovetail.CodeTimeout, Message: fmt.Sprintf("after %v %s not met %s: %s", o.timeout, haveOrHas(len(w.pending)), o.until, joinIDs(w.pending)),
			Remedy: "wait longer with --timeout, or look at them with `dovetail get -o yaml`"}
	}
	return err
}

func haveOrHas(n int) string {
	if n == 1 {
		return "1 document has"
	}
	return fmt.Sprintf("%d documents have", n)
}

func joinIDs(ids []dovetail.ID) string {
	const most = 10
	var texts []string
	for _, id := range ids[:min(len(ids), most)] {
		texts = append(texts, string(id))
	}
	if len(ids) > most {
		texts = append(texts, fmt.Sprintf("and %d more", len(ids)-most))
	}
	return strings.Join(texts, ", ")
}

// waiter waits for documents that have not met a condition yet.
type waiter struct {
	*session
	model   *schema.Model
	until   met
	mayLack bool
	pending []dovetail.ID
}

// wait looks at the documents as they are, and then at each change, until all have met the condition.
func (w *waiter) wait(ctx context.Context, st Store) error {
	from, err := st.Head(ctx)
	if err != nil {
		return err
	}
	for _, id := range slices.Clone(w.pending) {
		doc, err := st.Get(ctx, id)
		if dovetail.CodeOf(err) == dovetail.CodeNotFound && w.mayLack {
			doc, err = nil, nil
		}
		if err != nil {
			return err
		}
		if err := w.see(id, doc); err != nil {
			return err
		}
	}
	if len(w.pending) == 0 {
		return nil
	}
	query := store.WatchQuery{}
	if len(w.pending) == 1 {
		query.ID = w.pending[0]
	}
	for event, err := range st.Watch(ctx, from, query) {
		if err != nil {
			return err
		}
		for _, c := range event.Changes {
			if !slices.Contains(w.pending, c.ID) {
				continue
			}
			if c.Op == store.Deleted && !w.mayLack {
				return &dovetail.Error{Code: dovetail.CodeNotFound, Key: c.ID, Message: string(c.ID) + " was deleted before it met the condition"}
			}
			if err := w.see(c.ID, c.Document); err != nil {
				return err
			}
		}
		if len(w.pending) == 0 {
			return nil
		}
	}
	return nil // the context ended
}

// see takes a document that meets the condition from those that are waited for, and says so.
func (w *waiter) see(id dovetail.ID, doc *dovetail.Document) error {
	kind, err := w.model.KindOf(id)
	if err != nil {
		return err
	}
	done, err := w.until(kind, doc)
	if err != nil || !done {
		return err
	}
	w.pending = slices.DeleteFunc(w.pending, func(p dovetail.ID) bool { return p == id })
	fmt.Fprintf(w.Out, "%s: condition met\n", id)
	return nil
}
