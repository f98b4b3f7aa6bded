package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	_ "github.com/dovetail-store/dovetail/src/schema/cel" // compiles rules
)

func newSchemaCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Check, show and compare ref-schemas",
		Long: `Work on ref-schemas: the YAML that defines the kinds of documents, their parents, and their
references. FILE may be a directory, of which *.yaml, *.yml and *.json are read. Several files make one
ref-schema.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSchemaCheckCommand(s), newSchemaShowCommand(s), newSchemaRefsCommand(s),
		newSchemaAggregateCommand(s), newSchemaDiffCommand(s), newSchemaVersionsCommand(s), newSchemaInitCommand(s), newSchemaLintCommand(s), newSchemaMigrateCommand(s))
	return cmd
}

// schemaFlag adds --schema to a verb that can read ref-schemas from files.
func schemaFlag(cmd *cobra.Command, into *[]string) {
	cmd.Flags().StringArrayVar(into, "schema", nil, "a file or directory of ref-schemas; may be repeated")
}

// readSchemas reads the files and directories of a ref-schema, and the standard input for "-". What
// cannot be read is reported together.
func (s *session) readSchemas(names []string) ([]schema.Source, error) {
	var sources []schema.Source
	var errs []*dovetail.Error
	for _, name := range names {
		read, err := s.readSchema(name)
		if err != nil {
			errs = append(errs, parts(err)...)
		}
		sources = append(sources, read...)
	}
	return sources, dovetail.Join("the ref-schema cannot be read", errs)
}

func (s *session) readSchema(name string) ([]schema.Source, error) {
	if name == "-" {
		data, err := s.readInput(name)
		return []schema.Source{{Name: stdinName, Data: data}}, err
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return schema.ReadDir(name)
	}
	source, err := schema.ReadFile(name)
	return []schema.Source{source}, err
}

// compile reads and compiles a ref-schema, and shows its warnings.
func (s *session) compile(names []string) (*schema.Model, error) {
	sources, err := s.readSchemas(names)
	if err != nil {
		return nil, err
	}
	model, err := schema.Compile(sources)
	if err != nil {
		return nil, err
	}
	s.warn(model.Warnings())
	return model, nil
}

// parseKey reads elements as a=b,c=d. Commas in values cannot be written so; ids can.
func parseKey(kind *schema.Kind, text string) (dovetail.ID, error) {
	given := make(map[string]string)
	for pair := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok {
			return "", &dovetail.Error{Code: dovetail.CodeInvalid, Err: errUsage,
				Message: "the key " + text + " is not of the form a=b,c=d", Remedy: "its elements are " + strings.Join(kind.Elements, ", ")}
		}
		given[name] = value
	}
	var values []string
	var missing []string
	for _, element := range kind.Elements {
		value, ok := given[element]
		if !ok {
			missing = append(missing, element)
		}
		values = append(values, value)
		delete(given, element)
	}
	if len(missing) > 0 {
		return "", keyError(kind, "the key of the "+kind.Name+" lacks "+strings.Join(missing, ", "))
	}
	for name := range given {
		return "", keyError(kind, "the key of the "+kind.Name+" has no element "+name)
	}
	return kind.ID(values...)
}

func keyError(kind *schema.Kind, message string) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: message,
		Remedy: "its elements are " + strings.Join(kind.Elements, ", ")}
}
