package cli

import (
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/schema"
)

// address is where documents are searched for: the flags --in and --part.
type address struct {
	in    string
	parts map[string]string
}

func (a *address) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.in, "in", "", "id of the ancestor to look below, such as project/p1")
	cmd.Flags().StringToStringVarP(&a.parts, "part", "p", nil, "elements of the key as `name=value`, such as project=p1,compositeApp=CA")
	cmd.Flags().Lookup("part").DefValue = "" // none, which help would show as []
	noFileCompletion(cmd, "in", "part")
}

// selection is what the arguments of a verb mean.
type selection struct {
	kind    *schema.Kind      // nil when ids were given
	ids     []dovetail.ID     // the documents that were named; none means all of the kind
	under   dovetail.ID       // the documents are below this one
	parts   map[string]string // and have these elements in their keys
	columns []schema.Column   // of the one kind that all of them are of
}

// resolve reads the arguments "KIND [NAME...]" or "ID...".
func (a *address) resolve(cmd *cobra.Command, model *schema.Model, args []string) (*selection, error) {
	if id, ok := asID(model, args[0]); ok {
		if a.in != "" || len(a.parts) > 0 {
			return nil, usagef(cmd, "--in and --part are for kinds, %s is an id", id)
		}
		sel := &selection{ids: []dovetail.ID{id}}
		for _, arg := range args[1:] {
			id, err := parseID(model, arg)
			if err != nil {
				return nil, err
			}
			sel.ids = append(sel.ids, id)
		}
		sel.columns = columnsOf(model, sel.ids)
		return sel, nil
	}
	kind, err := manifest.NewKinds(model).Find(args[0])
	if err != nil {
		return nil, err
	}
	sel := &selection{kind: kind, columns: kind.Columns}
	given, err := a.given(kind)
	if err != nil {
		return nil, err
	}
	for _, name := range args[1:] {
		id, err := named(kind, given, name)
		if err != nil {
			return nil, err
		}
		sel.ids = append(sel.ids, id)
	}
	sel.under, sel.parts = split(kind, given)
	return sel, nil
}

// columnsOf returns the columns of the kind that all documents are of; none where they are of several.
func columnsOf(model *schema.Model, ids []dovetail.ID) []schema.Column {
	var of *schema.Kind
	for _, id := range ids {
		kind, err := model.KindOf(id)
		if err != nil || of != nil && kind != of {
			return nil
		}
		of = kind
	}
	return of.Columns
}

// asID reports whether the argument is an id: pairs whose names make the key of a kind.
func asID(model *schema.Model, arg string) (dovetail.ID, bool) {
	if !strings.Contains(arg, "/") {
		return "", false
	}
	id, err := parseID(model, arg)
	return id, err == nil
}

func parseID(model *schema.Model, arg string) (dovetail.ID, error) {
	id, err := dovetail.ParseID(arg)
	if err != nil {
		return "", err
	}
	_, err = model.KindOf(id)
	return id, err
}

// given gathers the elements that --in and --part give, and checks that the kind has them.
func (a *address) given(kind *schema.Kind) (map[string]string, error) {
	given := make(map[string]string)
	if a.in != "" {
		id, err := dovetail.ParseID(a.in) // which need not be a document's: the first half of a dotted key will do
		if err != nil {
			return nil, err
		}
		for _, e := range id.Key() {
			given[e.Name] = e.Value
		}
	}
	for name, value := range a.parts {
		given[name] = value
	}
	for name := range given {
		if !slices.Contains(kind.Elements, name) {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the key of " + kind.Name + " has no element " + name,
				Remedy: "its elements are " + strings.Join(kind.Elements, ", ")}
		}
	}
	return given, nil
}

// named makes the id of a name: the values of the elements that are not given otherwise, from the
// root on, joined by slashes.
func named(kind *schema.Kind, given map[string]string, name string) (dovetail.ID, error) {
	values := strings.Split(name, "/")
	var open []string
	for _, element := range kind.Elements {
		if _, ok := given[element]; !ok {
			open = append(open, element)
		}
	}
	if len(values) != len(open) {
		return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the name " + name + " does not make the key of " + kind.Name,
			Remedy: "write it as " + strings.Join(open, "/") + ", or give some of that with --in or --part"}
	}
	full := make([]string, len(kind.Elements))
	for i, element := range kind.Elements {
		text, ok := given[element]
		if !ok {
			var err error
			if text, err = url.PathUnescape(values[0]); err != nil {
				text = values[0]
			}
			values = values[1:]
		}
		full[i] = text
	}
	return kind.ID(full...)
}

// split divides given elements into an ancestor's id and what goes beyond it.
func split(kind *schema.Kind, given map[string]string) (under dovetail.ID, rest map[string]string) {
	rest = make(map[string]string)
	var key dovetail.Key
	for i, element := range kind.Elements {
		text, ok := given[element]
		switch {
		case ok && i == len(key) && i < len(kind.Elements)-len(kind.Own):
			key = append(key, dovetail.Element{Name: element, Value: text})
		case ok:
			rest[element] = text
		}
	}
	return key.ID(), rest
}

// fits reports whether a document has the elements that were asked for beyond those of `under`.
func (sel *selection) fits(id dovetail.ID) bool {
	if len(sel.parts) == 0 {
		return true
	}
	key := id.Key()
	for name, want := range sel.parts {
		if have, _ := key.Value(name); have != want {
			return false
		}
	}
	return true
}

// shortName is the name of a document below another one, in the spelling that NAME is read in.
func shortName(id, under dovetail.ID) string {
	var values []string
	for _, e := range id.Key()[len(under.Key()):] {
		values = append(values, url.PathEscape(e.Value))
	}
	return strings.Join(values, "/")
}
