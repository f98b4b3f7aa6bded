package instancerepo

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// File is a file of an instance repository.
type File struct {
	Path string // from the root, with slashes
	Data []byte
	// Irregular is no file that could be read, but a symbolic link, a pipe, or a folder whose name is not UTF-8.
	Irregular bool
	// Large is how many bytes it has, where these are too many for any document, and none of them is read.
	Large int64
	// Unread is one of which there is only the name, beside files that may name it.
	Unread bool
}

// Files yields the files of the folder in the order of their paths, hidden ones too, but what Git keeps in .git, and ends
// with the first error.
func (r *Repository) Files(ctx context.Context) iter.Seq2[File, error] { return r.below(ctx, ".") }

// FilesFor yields, as Files does, only the files of an environment and the ParamSets that it may use.
func (r *Repository) FilesFor(ctx context.Context, e inventory.Environment) iter.Seq2[File, error] {
	locations := locationsOf(e)
	return r.below(ctx, pathOf(e), locations[1], locations[2])
}

// below yields the files of folders, of which there need not be all.
func (r *Repository) below(ctx context.Context, folders ...string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for _, folder := range folders {
			ended := false
			err := fs.WalkDir(os.DirFS(r.dir), folder, func(name string, entry fs.DirEntry, err error) error {
				ofGit := err == nil && entry.Name() == ".git"
				switch {
				case ctx.Err() != nil:
					return dovetail.AsError(ctx.Err())
				case errors.Is(err, fs.ErrNotExist) && name == folder && name != ".":
					return nil
				case err != nil:
					return unreadable(name, err)
				case ofGit && entry.IsDir():
					return fs.SkipDir
				case entry.IsDir() && !utf8.ValidString(name): // which fs.FS does not list
					if ended = !yield(File{Path: name, Irregular: true}, nil); ended {
						return fs.SkipAll
					}
					return fs.SkipDir
				case ofGit || entry.IsDir():
					return nil
				case !entry.Type().IsRegular():
					if ended = !yield(File{Path: name, Irregular: true}, nil); ended {
						return fs.SkipAll
					}
					return nil
				}
				if info, err := entry.Info(); err == nil && info.Size() > value.DefaultBytes {
					if ended = !yield(File{Path: name, Large: info.Size()}, nil); ended {
						return fs.SkipAll
					}
					return nil
				}
				data, err := os.ReadFile(r.full(name))
				if err != nil {
					return unreadable(name, err)
				}
				if ended = !yield(File{Path: name, Data: data}, nil); ended {
					return fs.SkipAll
				}
				return nil
			})
			if err != nil {
				yield(File{}, err)
			}
			if err != nil || ended {
				return
			}
		}
	}
}

// Contents is what an instance repository says, as far as it could be read, and what is wrong in it.
type Contents struct {
	Clusters     []string               // in order
	Environments []*EnvironmentContents // by cluster and name
	Sealed       []string               // files that SOPS encrypted and that no documents are made of
	ParamSets    []*ParamSet            // by file
	Defects      []*dovetail.Error      // by file, line and column; each with a reason and a position

	files  []*content // in the order of their paths
	unread []string   // names of files
}

// HasAny reports whether a file is of an instance repository, readable or not.
func (c *Contents) HasAny() bool {
	return len(c.files) > 0 || slices.ContainsFunc(c.Defects, func(d *dovetail.Error) bool { return d.Reason != ReasonFileOther })
}

// FileNames returns the names of all files that were read or named, in order.
func (c *Contents) FileNames() []string {
	all := slices.Clone(c.unread)
	for _, f := range c.files {
		all = append(all, f.file)
	}
	for _, d := range c.Defects {
		all = append(all, d.Position.File)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// content is a file that was read.
type content struct {
	spot
	file string // which may have another extension than the spot's path
	data *value.Value
	text []byte // of a file that SOPS encrypted
}

// EnvironmentContents is what the folder of an environment says.
type EnvironmentContents struct {
	inventory.Environment
	DefinitionFile string       // "" when there is none
	Definition     *value.Value // the inventory, env_definition.yml
	Namespaces     []*Namespace // by deploy postfix
	BGDomain       *value.Value // nil if there is none
	DescriptorFile string       // "" when there is none
	Descriptor     *value.Value // the full SD
	Associations   []*Association
}

// Namespace is a folder of Namespaces.
type Namespace struct {
	DeployPostfix string // the name of the folder
	Name          string // on the cluster; the deploy postfix when its file does not say it
	File          string // "" when there is none
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

// Association is an entry of an environment's lists of ParamSets.
type Association struct {
	Context  parameters.Context
	Object   string // a deploy postfix, or parameters.Cloud
	Order    int    // in the list of context and object, from 0
	Name     string
	ParamSet *ParamSet // nil when there is none
	Position dovetail.Position
}

// holds reports whether an association can be a document: its ParamSet is there, and its namespace.
func (e *EnvironmentContents) holds(a *Association) bool {
	return a.ParamSet != nil && (a.Object == parameters.Cloud || e.namespaceOf(a.Object) != nil)
}

// namespaceOf returns the namespace that an associated object stands for, or nil: the one with this deploy
// postfix, or one of the blue-green domain, without the role that the object has at its end.
func (e *EnvironmentContents) namespaceOf(object string) *Namespace {
	of := func(deployPostfix string) *Namespace {
		for _, ns := range e.Namespaces {
			if ns.DeployPostfix == deployPostfix {
				return ns
			}
		}
		return nil
	}
	if ns := of(object); ns != nil {
		return ns
	}
	for role, member := range map[parameters.Role]string{parameters.Origin: "originNamespace", parameters.Peer: "peerNamespace"} {
		deployPostfix, has := strings.CutSuffix(object, "-"+string(role))
		name, _ := e.BGDomain.At(member, "name").Str()
		if ns := of(deployPostfix); has && ns != nil && ns.Name == name {
			return ns
		}
	}
	return nil
}

// sharing returns the first namespace that has a deploy postfix by the blue-green domain, or nil.
func (e *EnvironmentContents) sharing(postfix string) *Namespace {
	domain := sd.DomainOf(e.BGDomain)
	for _, ns := range e.Namespaces {
		if shared, ok := domain.Shared(ns.Name, ns.DeployPostfix); ok && shared == postfix {
			return ns
		}
	}
	return nil
}

// sections are the members of the inventory that associate, by context.
var sections = [...]struct {
	context parameters.Context
	member  string
}{{parameters.Deployment, "envSpecificParamsets"}, {parameters.Runtime, "envSpecificTechnicalParamsets"}, {parameters.Pipeline, "envSpecificE2EParamsets"}}

// templateMember is the member of the inventory that has the sections.
const templateMember = "envTemplate"

// locations are where an environment looks for ParamSets, the nearest first.
func locationsOf(e inventory.Environment) [3]string {
	return [3]string{pathOf(e, "Inventory", "parameters"), path.Join("environments", e.Cluster, "parameters"), "environments/parameters"}
}
