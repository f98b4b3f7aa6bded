package instancerepo

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/value"
)

// namedFile is a member of an inventory that names files.
type namedFile struct {
	path   []string
	what   string
	folder string
	levels int // from that of the environment
}

// named are the members of an inventory that name files, beside those of ParamSets: what the files are, and their folder at the three levels.
var named = [...]namedFile{
	{[]string{templateMember, "sharedTemplateVariables"}, "template variables", variablesFolder, 3},
	{[]string{templateMember, "sharedMasterCredentialFiles"}, "credentials", "credentials", 3},
	{[]string{templateMember, "envSpecificResourceProfiles"}, "resource profile", "resource_profiles", 3},
	{[]string{"inventory", "cloudPassport"}, "cloud passport", "cloud-passport", 2},
}

// SharedFolders are the folders outside of an environment of which it may name files, beside ParamSets.
func SharedFolders(e inventory.Environment) []string {
	var all []string
	for _, n := range named {
		all = append(all, levelsOf(e, n.folder)[1:n.levels]...)
		if n.folder == variablesFolder {
			all = append(all, levelsOf(e, variablesFolderToo)[1:]...)
		}
	}
	return append(all, registriesFolder)
}

// SharedFile returns the document of a file, or template, that files of several environments may name, beside ParamSets; "" for other files.
func SharedFile(name string) dovetail.ID {
	at, ok := find(name)
	if !ok {
		at, ok = findTemplate(name)
	}
	if id := at.key.ID(); ok && IsShared(id) {
		return id
	}
	return ""
}

// IsShared reports whether files of several environments may name the file of a document, which is no ParamSet.
func IsShared(id dovetail.ID) bool { return len(NamingKinds(id)) > 0 }

// NamingKinds are the kinds of documents whose files may name the file of a shared document; nil for other documents.
func NamingKinds(id dovetail.ID) []string {
	d := Document{ID: id}
	if _, own := d.Environment(); own {
		return nil
	}
	folder, _ := sharedName(id)
	switch {
	case folder == registriesFolder:
		return []string{applicationKind, ownApplicationKind}
	case slices.ContainsFunc(named[:], func(n namedFile) bool { return n.folder == folder }):
		return []string{"environment"}
	}
	return nil
}

// sharedName is the folder of a document's file, and its name as inventories have it.
func sharedName(id dovetail.ID) (folder, name string) {
	paths := Paths(id)
	if len(paths) == 0 {
		return "", ""
	}
	stem := stemOf(paths[0])
	return path.Base(path.Dir(stem)), path.Base(stem)
}

// MayName reports whether what Missing reports of a document depends on whether there is the file of a shared one: because it names the file, or may mean it.
func MayName(d Document, id dovetail.ID) bool {
	folder, name := sharedName(id)
	key := d.ID.Key()
	if !slices.Contains(NamingKinds(id), key[len(key)-1].Name) {
		return false
	}
	may := false
	mean := func(v *value.Value, _ []string) { may = may || v.Text == name || suggest.Misspells(v.Text, name) }
	if folder == registriesFolder {
		walkTexts(d.Data.At("spec", registryMember), nil, mean)
	}
	for _, n := range named {
		if n.folder == folder {
			walkTexts(d.Data.At(slices.Concat([]string{"spec", "definition"}, n.path)...), nil, mean)
		}
	}
	return may
}

// Missing reports what the pipelines would miss without a word: files that inventories name and that are not there, definitions of applications without that of their registry, members whose names are misspelt, and ParamSets of another form.
func (c *Contents) Missing() []*dovetail.Error {
	there := make(stems)
	for _, name := range c.FileNames() {
		at, ok := find(name)
		if !ok {
			at, ok = findTemplate(name)
		}
		if ok {
			there.add(stemOf(at.path))
		}
	}
	var found []*dovetail.Error
	for _, e := range c.Environments {
		for _, n := range named {
			walkTexts(e.Definition.At(n.path...), nil, func(v *value.Value, below []string) {
				if d := c.missing(e, v, n.what, levelsOf(e.Environment, n.folder)[:n.levels], there); d != nil {
					d.Position.Path = value.Pointer(append(slices.Clone(n.path), below...)...)
					found = append(found, d)
				}
			})
		}
	}
	return slices.Concat(found, c.withoutRegistry(there), c.Misread())
}

// stems are the names of files without extension, by their folders.
type stems map[string]map[string]bool

func (s stems) add(stem string) {
	folder := path.Dir(stem)
	if s[folder] == nil {
		s[folder] = make(map[string]bool)
	}
	s[folder][path.Base(stem)] = true
}

// has reports whether a name is in one of the folders.
func (s stems) has(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return s[folder][name] })
}

// remedy is what to do about a name that is in none of the folders.
func (s stems) remedy(name string, folders []string) string {
	last := len(folders) - 1
	remedy := "add it to " + folders[last] + ", or remove the entry"
	if last > 0 {
		remedy = "add it to " + strings.Join(folders[:last], ", ") + " or " + folders[last] + ", or remove the entry"
	}
	var meant []string
	for _, folder := range folders {
		for other := range s[folder] {
			if suggest.Misspells(name, other) {
				meant = append(meant, other)
			}
		}
	}
	if len(meant) > 0 {
		remedy = "did you mean " + slices.Min(meant) + "? Otherwise " + remedy
	}
	return remedy
}

func stemOf(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// levelsOf are the folders of a name at the levels of an environment, its cluster and the site.
func levelsOf(e inventory.Environment, folder string) []string {
	return []string{pathOf(e, "Inventory", folder), path.Join("environments", e.Cluster, folder), path.Join("environments", folder)}
}

// walkTexts visits a text, or those of a list or map.
func walkTexts(v *value.Value, below []string, visit func(v *value.Value, below []string)) {
	if v == nil {
		return
	}
	if v.Kind == value.String && v.Text != "" {
		visit(v, below)
	}
	for i, item := range v.Items {
		walkTexts(item, append(slices.Clip(below), strconv.Itoa(i)), visit)
	}
	for _, m := range v.Members {
		walkTexts(m.Value, append(slices.Clip(below), m.Name), visit)
	}
}

// missing reports a name without a file in any of the folders, nil for one with.
func (c *Contents) missing(e *EnvironmentContents, v *value.Value, what string, folders []string, there stems) *dovetail.Error {
	if there.has(v.Text, folders) {
		return nil
	}
	return newDefect(ReasonFileMissing, at(e.DefinitionFile, v, ""), "there is no file of the "+what+" "+v.Text, there.remedy(v.Text, folders))
}
