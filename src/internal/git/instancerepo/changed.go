package instancerepo

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// Changed is a repository in which some files have other contents, or none. Nothing is written.
type Changed struct {
	repository *Repository
	dir        fs.FS             // as it is
	files      map[string][]byte // nil for those that do not exist
}

// With returns the repository with other contents of files; nil is that of a file that does not exist.
func (r *Repository) With(files map[string][]byte) *Changed { return &Changed{r, DirFS(r.dir), files} }

// Environments returns those that there are, in order.
func (c *Changed) Environments() []inventory.Environment {
	var all []inventory.Environment
	for _, cluster := range c.folders("environments") {
		for _, name := range c.folders("environments/" + cluster) {
			if e, ok := EnvironmentOf(path.Join("environments", cluster, name, "tenant.yml")); ok {
				all = append(all, e)
			}
		}
	}
	return all
}

// Has reports whether there is an environment: a folder with files.
func (c *Changed) Has(e inventory.Environment) bool { return len(c.entries(pathOf(e))) > 0 }

// folders are the names of the folders of a folder.
func (c *Changed) folders(folder string) (names []string) {
	for _, e := range c.entries(folder) {
		isFolder := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := fs.Stat(c.dir, path.Join(folder, e.Name()))
			isFolder = err == nil && info.IsDir()
		}
		if isFolder {
			names = append(names, e.Name())
		}
	}
	return names
}

func (c *Changed) entries(folder string) []fs.DirEntry {
	entries, err := c.FS(inventory.Environment{}).(fs.ReadDirFS).ReadDir(folder)
	if err != nil {
		return nil
	}
	return entries
}

// Unread returns which of the changed files no effective set depends on, in order.
func (c *Changed) Unread() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if _, own := EnvironmentOf(name); (!own || isGenerated(name)) && !isShared(name) && paramSetIn(name) == "" {
			all = append(all, name)
		}
	}
	return all
}

// isShared reports whether the sets of all environments are calculated from a file.
func isShared(name string) bool {
	stem := strings.TrimSuffix(name, path.Ext(name))
	return stem == "configuration/registry" || stem == "configuration/secret-stores"
}

// isGenerated reports whether a file is of a generated effective set.
func isGenerated(name string) bool {
	parts := strings.SplitN(name, "/", 5)
	return len(parts) == 5 && parts[3] == "effective-set"
}

// paramSetIn is the name of the ParamSet that a file is, "" for other files.
func paramSetIn(name string) string {
	if at, ok := find(name); ok && isParamSet(at.kind) {
		return at.name()
	}
	return ""
}

// Reaches reports whether the effective set of an environment may depend on the changed files, and whether its ParamSets may.
func (c *Changed) Reaches(e inventory.Environment) (set, paramSets bool, err error) {
	locations := locationsOf(e)
	var shared []string
	for name := range c.files {
		own, inside := EnvironmentOf(name)
		paramSet := paramSetIn(name)
		switch {
		case isGenerated(name):
		case inside && own == e:
			stem := strings.TrimSuffix(name, path.Ext(name))
			set, paramSets = true, paramSets || paramSet != "" || stem == pathOf(e, "Inventory", "env_definition")
		case isShared(name):
			set = true
		case paramSet != "" && (strings.HasPrefix(name, locations[1]+"/") || strings.HasPrefix(name, locations[2]+"/")):
			shared = append(shared, paramSet)
		}
	}
	if len(shared) == 0 || paramSets {
		return set, paramSets, nil
	}
	uses, err := c.usesOneOf(e, shared)
	return set || uses, uses, err
}

// usesOneOf reports whether the inventory of an environment has one of the names. The error is the first defect of the inventory.
func (c *Changed) usesOneOf(e inventory.Environment, names []string) (bool, error) {
	_, read, err := ReadMap(c.FS(e), pathOf(e, "Inventory", "env_definition"))
	return read != nil && hasText(read, names), err
}

func hasText(v *value.Value, texts []string) bool {
	return slices.Contains(texts, v.Text) || slices.ContainsFunc(v.Items, func(item *value.Value) bool { return hasText(item, texts) }) ||
		slices.ContainsFunc(v.Members, func(m value.Member) bool { return hasText(m.Value, texts) })
}

// Inventory reads of an environment what tells which ParamSets it uses. The defects that it returns are those of the changed files. It is nil where there is
// no such environment.
func (c *Changed) Inventory(ctx context.Context, e inventory.Environment) (*EnvironmentContents, []*dovetail.Error, error) {
	contents, err := Survey(c.inventoryFiles(ctx, e))
	if err != nil {
		return nil, nil, err
	}
	var defects []*dovetail.Error
	for _, d := range contents.Defects {
		if _, changed := c.files[d.Position.File]; changed {
			defects = append(defects, d)
		}
	}
	for _, p := range contents.ParamSets {
		if _, changed := c.files[p.File]; changed {
			var errs dovetail.Errors
			parameters.CheckParamSet(p.Data, &errs)
			for _, e := range errs.Kept() {
				e.Position.File = p.File
				defects = append(defects, e)
			}
		}
	}
	for _, found := range contents.Environments {
		if found.Environment == e {
			return found, defects, nil
		}
	}
	return nil, defects, nil
}

// inventoryFiles yields the files of the inventory of an environment, of its namespaces, and the ParamSets that it may use.
func (c *Changed) inventoryFiles(ctx context.Context, e inventory.Environment) iter.Seq2[File, error] {
	locations, root := locationsOf(e), pathOf(e)+"/"
	wanted := func(name string) bool {
		rest, own := strings.CutPrefix(name, root)
		switch {
		case !own:
			return strings.HasPrefix(name, locations[1]+"/") || strings.HasPrefix(name, locations[2]+"/")
		case strings.HasPrefix(rest, "Namespaces/"):
			return strings.Count(rest, "/") == 2
		}
		return strings.HasPrefix(rest, "Inventory/env_definition") || strings.HasPrefix(rest, "Inventory/parameters/") || strings.HasPrefix(rest, "bg_domain")
	}
	return func(yield func(File, error) bool) {
		folders := []string{root + "Inventory/parameters", locations[1], locations[2], root + "Namespaces"}
		for _, name := range []string{"Inventory/env_definition", "bg_domain"} {
			folders = append(folders, root+name+".yml", root+name+".yaml")
		}
		for f, err := range c.repository.below(ctx, folders...) {
			if _, changed := c.files[f.Path]; err == nil && (changed || !wanted(f.Path)) {
				continue
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
		for _, name := range slices.Sorted(maps.Keys(c.files)) {
			if data := c.files[name]; data != nil && wanted(name) && !yield(File{Path: name, Data: data}, nil) {
				return
			}
		}
	}
}

// FolderOf returns the folder below Namespaces that a deploy postfix stands for, the deploy postfix itself if there is none.
func (e *EnvironmentContents) FolderOf(deployPostfix string) string {
	if ns := e.namespaceOf(deployPostfix); ns != nil {
		return ns.DeployPostfix
	}
	return deployPostfix
}

// FS returns the files that the effective set of an environment is calculated from: of the folders of environments only its own. The zero environment stands for all.
func (c *Changed) FS(e inventory.Environment) fs.FS {
	return &changedFS{c.dir, c.files, e}
}

type changedFS struct {
	fs.FS
	files map[string][]byte
	only  inventory.Environment
}

// Open is fs.FS.
func (f *changedFS) Open(name string) (fs.File, error) {
	data, changed := f.files[name]
	switch {
	case !changed:
		return f.FS.Open(name)
	case data == nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return FileSystem([]File{{Path: name, Data: data}}).Open(name)
}

// Stat is fs.StatFS.
func (f *changedFS) Stat(name string) (fs.FileInfo, error) {
	if _, changed := f.files[name]; !changed {
		return fs.Stat(f.FS, name)
	}
	opened, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := opened.Stat()
	return info, errors.Join(err, opened.Close())
}

// Lstat is fs.ReadLinkFS. A changed file is none.
func (f *changedFS) Lstat(name string) (fs.FileInfo, error) {
	if _, changed := f.files[name]; changed {
		return f.Stat(name)
	}
	return fs.Lstat(f.FS, name)
}

// ReadLink is fs.ReadLinkFS.
func (f *changedFS) ReadLink(name string) (string, error) { return fs.ReadLink(f.FS, name) }

// ReadFile is fs.ReadFileFS.
func (f *changedFS) ReadFile(name string) ([]byte, error) {
	if data := f.files[name]; data != nil {
		return bytes.Clone(data), nil
	}
	if _, gone := f.files[name]; gone {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return fs.ReadFile(f.FS, name)
}

// ReadDir is fs.ReadDirFS.
func (f *changedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(f.FS, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	found := make(map[string]fs.DirEntry)
	for _, e := range entries {
		found[e.Name()] = e
	}
	for file, data := range f.files {
		rest, inside := strings.CutPrefix(file, name+"/")
		if !inside {
			continue
		}
		base, _, deeper := strings.Cut(rest, "/")
		switch {
		case data == nil && !deeper:
			delete(found, base)
		case data != nil && found[base] == nil:
			n := &node{name: base, data: data}
			if deeper {
				n.below = map[string]*node{}
			}
			found[base] = fs.FileInfoToDirEntry(n)
		}
	}
	if f.only != (inventory.Environment{}) {
		only := map[string]string{"environments": f.only.Cluster, "environments/" + f.only.Cluster: f.only.Name}
		if base, restricted := only[name]; restricted {
			maps.DeleteFunc(found, func(other string, _ fs.DirEntry) bool { return other != base })
		}
	}
	if len(found) == 0 && err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(found), func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) }), nil
}
