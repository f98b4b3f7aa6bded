package instancerepo

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"path"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// File is a file of an instance repository.
type File struct {
	Path string // from the root, with slashes
	Data []byte
}

// Files yields the files of the folder in the order of their paths, hidden ones left out, and ends
// with the first error.
func (r *Repository) Files(ctx context.Context) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		err := fs.WalkDir(os.DirFS(r.dir), ".", func(name string, entry fs.DirEntry, err error) error {
			hidden := strings.HasPrefix(entry.Name(), ".") && name != "."
			switch {
			case ctx.Err() != nil:
				return dovetail.AsError(ctx.Err())
			case err != nil:
				return unreadable(name, err)
			case hidden && entry.IsDir():
				return fs.SkipDir
			case hidden || !entry.Type().IsRegular():
				return nil
			}
			data, err := os.ReadFile(r.full(name))
			if err != nil {
				return unreadable(name, err)
			}
			if !yield(File{Path: name, Data: data}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(File{}, err)
		}
	}
}

// Contents is what an instance repository says, as far as it could be read, and what is wrong in it.
type Contents struct {
	Clusters     []string               // in order
	Environments []*EnvironmentContents // by cluster and name
	ParamSets    []*ParamSet            // by file
	Defects      []*dovetail.Error      // by file, line and column; each with a reason and a position
}

// EnvironmentContents is what the folder of an environment says.
type EnvironmentContents struct {
	Environment
	DefinitionFile string       // "" when there is none
	Definition     *value.Value // the inventory, env_definition.yml
	Namespaces     []*Namespace // by deploy postfix
	BGDomain       *value.Value // nil for none
	DescriptorFile string       // "" when there is none
	Descriptor     *value.Value // the full SD
	Associations   []*Association
}

// Namespace is a folder of Namespaces.
type Namespace struct {
	DeployPostfix string // the name of the folder
	Name          string // on the cluster; the deploy postfix when its file does not say it
	Data          *value.Value
	Applications  []string // the names of the files of its Applications, in order
}

// ParamSet is a file of parameters.
type ParamSet struct {
	File     string
	Location string // its folder: one of the three that an environment looks into
	Name     string // of the file, without extension, by which it is associated
	Data     *value.Value
}

// Context is what parameters are for.
type Context string

// The contexts.
const (
	Deployment Context = "deployment"
	Runtime    Context = "runtime"
	Pipeline   Context = "pipeline"
)

// Cloud is the associated object that stands for the whole environment.
const Cloud = "cloud"

// Association is an entry of an environment's lists of ParamSets.
type Association struct {
	Context  Context
	Object   string // a deploy postfix, or Cloud
	Order    int    // within context and object, from 0
	Name     string
	ParamSet *ParamSet // nil when there is none
	Position dovetail.Position
}

// sections are the members of the inventory that associate, by context.
var sections = [...]struct {
	context Context
	member  string
}{{Deployment, "envSpecificParamsets"}, {Runtime, "envSpecificTechnicalParamsets"}, {Pipeline, "envSpecificE2EParamsets"}}

// locations are where an environment looks for ParamSets, the nearest first.
func (e Environment) locations() [3]string {
	return [3]string{e.path("Inventory", "parameters"), path.Join("environments", e.Cluster, "parameters"), "environments/parameters"}
}
