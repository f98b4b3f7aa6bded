package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// apiResource is a kind as `api-resources` shows it.
type apiResource struct {
	Kind       string   `json:"kind"`
	Collection string   `json:"collection"`       // the last word of its path
	Parent     string   `json:"parent,omitempty"` // the kind of the documents that it lies below
	Key        []string `json:"key"`
	Paths      []string `json:"paths"`
	Actions    []string `json:"actions,omitempty"`
	Text       string   `json:"description,omitempty"`
}

func newAPIResourcesCommand(s *session) *cobra.Command {
	var t target
	cmd := &cobra.Command{
		Use:   "api-resources",
		Short: "List the kinds of documents",
		Long: `List the kinds of the ref-schema in force: the names of their collections, their parents, and the elements
of their keys; with -o wide also the paths of the REST API and the actions. "dovetail explain KIND" shows one in detail.`,
		Example: `  dovetail api-resources
  dovetail api-resources -o wide`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, model, err := t.openWithModel(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer release(st)
			return s.showResources(model)
		},
	}
	t.flags(cmd)
	return acceptsTemplates(cmd)
}

func (s *session) showResources(model *schema.Model) error {
	result := shown{table: table{header: []string{"KIND", "COLLECTION", "PARENT", "KEY", "PATH", "ACTIONS"}, wide: 2}}
	for _, kind := range model.Kinds() {
		if kind.Abstract {
			continue
		}
		r := apiResource{Kind: kind.Name, Key: kind.Elements, Text: kind.Description}
		for parent := kind.Parent; parent != nil && r.Parent == ""; parent = parent.Parent {
			if !parent.Abstract {
				r.Parent = parent.Name
			}
		}
		for i := range kind.Routes() {
			path := kind.Routes()[i].Path
			r.Paths = append(r.Paths, api.Root+path)
			if r.Collection == "" {
				r.Collection = path[strings.LastIndexByte(path, '/')+1:]
			}
		}
		for _, action := range kind.Actions {
			r.Actions = append(r.Actions, action.Path)
		}
		item, err := value.FromAny(r)
		if err != nil {
			return err
		}
		result.items, result.names = append(result.items, item), append(result.names, r.Kind)
		path := ""
		if len(r.Paths) > 0 {
			path = r.Paths[0]
		}
		result.table.add(r.Kind, cmp.Or(r.Collection, "-"), cmp.Or(r.Parent, "-"), strings.Join(r.Key, ","), cmp.Or(path, "-"), cmp.Or(strings.Join(r.Actions, ","), "-"))
	}
	s.show(result)
	return nil
}
