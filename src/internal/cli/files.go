package cli

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// fileFlag adds -f to a verb that reads manifests.
func fileFlag(cmd *cobra.Command, into *[]string) {
	cmd.Flags().StringArrayVarP(into, "file", "f", nil, "a file, directory or URL of manifests, or - for the standard input; may be repeated")
}

// maxManifests bounds what one file may hold, in bytes.
const maxManifests = 256 << 20

// readManifests reads files, directories with all that is below them, and the standard input, and
// returns the operations they ask for, in the order of the arguments and, within a directory, of
// the names. What is wrong with files and manifests are Faults of the operations: Apply reports
// them together with all else, and faultsOf returns them to verbs that do not apply.
func (s *session) readManifests(model *schema.Model, files []string) ([]store.Operation, error) {
	return s.readManifestsWith(manifest.Operations, model, files)
}

// manifestReader makes operations of the manifests of a file.
type manifestReader func(kinds *manifest.Kinds, file string, values []*value.Value) ([]store.Operation, error)

// readManifestsWith is readManifests where the operations are made in another way.
func (s *session) readManifestsWith(read manifestReader, model *schema.Model, files []string) ([]store.Operation, error) {
	names, err := expand(files, isManifestFile)
	if err != nil {
		return nil, err
	}
	kinds := manifest.NewKinds(model)
	var operations []store.Operation
	for _, name := range names {
		of, err := s.readManifestFile(read, kinds, name)
		if err != nil {
			of = []store.Operation{{Position: dovetail.Position{File: positionName(name)}, Faults: parts(err)}}
		}
		operations = append(operations, of...)
	}
	if len(operations) == 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "no manifests in " + strings.Join(files, ", "),
			Remedy: "name files *.yaml, *.yml or *.json, or a directory of them"}
	}
	return operations, nil
}

func (s *session) readManifestFile(read manifestReader, kinds *manifest.Kinds, name string) ([]store.Operation, error) {
	data, err := s.readInput(name)
	if err != nil {
		return nil, err
	}
	return readText(read, kinds, name, data)
}

// readText makes operations of the text of a file.
func readText(read manifestReader, kinds *manifest.Kinds, name string, data []byte) ([]store.Operation, error) {
	values, err := parseFile(name, data)
	if err != nil {
		return nil, err
	}
	operations, _ := read(kinds, positionName(name), values) // errors are the operations' faults
	return operations, nil
}

// faultsOf returns all that is wrong with operations that were read.
func faultsOf(operations []store.Operation, message string) error {
	var errs dovetail.Errors
	for _, op := range operations {
		errs.Add(op.Faults...)
		errs.Count(op.MoreFaults)
	}
	return errs.Err(message)
}

// parseFile reads JSON from *.json and YAML, of which JSON is a part, from everything else.
func parseFile(name string, data []byte) ([]*value.Value, error) {
	limits := value.Limits{Bytes: maxManifests, Values: maxManifests}
	if filepath.Ext(name) != ".json" {
		return yaml.Parse(positionName(name), data, limits)
	}
	v, err := value.ParseJSON(data, limits)
	if err != nil {
		e := *dovetail.AsError(err)
		e.Position.File = name
		return nil, &e
	}
	return []*value.Value{v}, nil
}

func positionName(name string) string {
	if name == "-" {
		return stdinName
	}
	if at, err := url.Parse(name); isOnWeb(name) && err == nil {
		return at.Redacted()
	}
	return name
}

func isManifestFile(name string) bool {
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".json":
		return !strings.HasPrefix(filepath.Base(name), ".")
	}
	return false
}

// expand replaces directories by the files below them that are wanted, hidden directories left out.
func expand(names []string, wanted func(string) bool) ([]string, error) {
	var files []string
	for _, name := range names {
		if isOnWeb(name) {
			files = append(files, name)
			continue
		}
		info, err := os.Stat(name)
		switch {
		case name == "-":
			files = append(files, name)
			continue
		case err != nil:
			return nil, unreadable(name, err)
		case !info.IsDir():
			files = append(files, name)
			continue
		}
		err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return unreadable(path, err)
			case entry.IsDir() && path != name && strings.HasPrefix(entry.Name(), "."):
				return filepath.SkipDir
			case !entry.IsDir() && wanted(path):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return unique(files), nil
}

// unique drops what was named before, so that a file that is also in a named directory counts once.
func unique(files []string) []string {
	seen := make(map[string]bool, len(files))
	return slices.DeleteFunc(files, func(name string) bool {
		clean := name
		if !isOnWeb(name) {
			clean = filepath.Clean(name)
		}
		was := seen[clean]
		seen[clean] = true
		return was
	})
}

// omitted is how many parts an error, and its parts, have beside those that parts returns.
func omitted(e *dovetail.Error) int {
	n := e.Omitted()
	for _, part := range e.Errors {
		n += omitted(part)
	}
	return n
}

// parts returns the parts of an error, and theirs, or itself when it has none.
func parts(err error) []*dovetail.Error {
	e := dovetail.AsError(err)
	if len(e.Errors) == 0 {
		return []*dovetail.Error{e}
	}
	var all []*dovetail.Error
	for _, part := range e.Errors {
		all = append(all, parts(part)...)
	}
	return all
}
