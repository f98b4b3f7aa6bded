package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

type schemaRefsOptions struct {
	files []string
	kind  string
	key   string
	data  string
}

func newSchemaRefsCommand(s *session) *cobra.Command {
	var o schemaRefsOptions
	cmd := &cobra.Command{
		Use:   "refs --schema FILE --kind KIND --key a=b,c=d -f DATA",
		Short: "Show the references in a document's data",
		Long: `Show the references that the rules of a ref-schema find in the data of a document, without a server:
which documents would have to exist for it to be stored.`,
		Example: `  dovetail schema refs --schema ref-schemas/ --kind app --key project=p1,app=nginx -f nginx.yaml -o json`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	schemaFlag(cmd, &o.files)
	cmd.Flags().StringVar(&o.kind, "kind", "", "kind of the document")
	cmd.Flags().StringVar(&o.key, "key", "", "key of the document, such as project=p1,app=nginx")
	cmd.Flags().StringVarP(&o.data, "file", "f", "", "the data of the document, YAML or JSON, or - for the standard input")
	for _, name := range []string{"schema", "kind", "key", "file"} {
		check(cmd.MarkFlagRequired(name))
	}
	noFileCompletion(cmd, "kind", "key")
	return cmd
}

func (o *schemaRefsOptions) run(cmd *cobra.Command, s *session) error {
	model, err := s.compile(o.files)
	if err != nil {
		return err
	}
	kind, err := manifest.NewKinds(model).Find(o.kind)
	if err != nil {
		return err
	}
	id, err := parseKey(kind, o.key)
	if err != nil {
		return err
	}
	data, err := o.readData(s)
	if err != nil {
		return err
	}
	var result shown
	result.table.header = []string{"KEY ID", "KEY"}
	slots := slices.ContainsFunc(kind.References, func(r *schema.Reference) bool { return r.Slot() != "" })
	if slots {
		result.table.header = append(result.table.header, "AT")
	}
	for _, candidate := range kind.Extract(id, data) {
		for i, prepared := range candidate.Keys() {
			item, err := valueOf(prepared)
			if err != nil {
				return err
			}
			result.items = append(result.items, item)
			result.names = append(result.names, string(candidate.Targets[i].ID))
			cells := []string{prepared.KeyID, keyText(prepared)}
			if slots {
				cells = append(cells, orDash(prepared.At))
			}
			result.table.add(cells...)
		}
	}
	if s.output == formatJSON { // a bare list, as the format of these references has it
		fmt.Fprintf(s.Out, "%s\n", indentJSON(value.NewList(result.items...).JSON()))
		return nil
	}
	if s.output == formatYAML {
		fmt.Fprint(s.Out, string(yaml.Marshal(value.NewList(result.items...))))
		return nil
	}
	s.show(result)
	return nil
}

func (o *schemaRefsOptions) readData(s *session) (*value.Value, error) {
	text, err := s.readInput(o.data)
	if err != nil {
		return nil, err
	}
	values, err := parseFile(o.data, text)
	if err != nil {
		return nil, err
	}
	if len(values) != 1 || values[0].Kind != value.Map {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: positionName(o.data)},
			Message: "the data must be one object", Remedy: "give the data of one document, as it would be stored"}
	}
	return values[0], nil
}

func keyText(prepared schema.PreparedKey) string {
	var text string
	for i, name := range slices.Sorted(maps.Keys(prepared.Key)) {
		if i > 0 {
			text += ","
		}
		text += name + "=" + prepared.Key[name]
	}
	return text
}
