package instancerepo

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/suggest"
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

// SharedFolders are the folders above an environment of which it may name files, beside ParamSets.
func SharedFolders(e inventory.Environment) []string {
	var all []string
	for _, n := range named {
		all = append(all, levelsOf(e, n.folder)[1:n.levels]...)
		if n.folder == variablesFolder {
			all = append(all, levelsOf(e, variablesFolderToo)[1:]...)
		}
	}
	return all
}

// SharedFile returns the document of a file, or template, that inventories of several environments may name, beside ParamSets; "" for other files.
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

// IsShared says whether inventories of several environments may name the file of a document, which is no ParamSet.
func IsShared(id dovetail.ID) bool {
	d := Document{ID: id}
	if _, own := d.Environment(); own {
		return false
	}
	folder, _ := sharedName(id)
	return slices.ContainsFunc(named[:], func(n namedFile) bool { return n.folder == folder })
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

// MayName says whether what Missing reports of an environment depends on whether there is the file of a shared document: because it names the file, or may mean it.
func MayName(environment Document, id dovetail.ID) bool {
	folder, name := sharedName(id)
	may := false
	for _, n := range named {
		if n.folder == folder {
			walkTexts(environment.Data.At(slices.Concat([]string{"spec", "definition"}, n.path)...), nil, func(v *value.Value, _ []string) {
				may = may || v.Text == name || suggest.Misspells(v.Text, name)
			})
		}
	}
	return may
}

// Missing reports what the pipelines would miss without a word: files that inventories name and that are not there, members whose names are misspelt, and ParamSets of another form.
func (c *Contents) Missing() []*dovetail.Error {
	there := make(map[string]bool) // without extension
	for _, name := range c.FileNames() {
		at, ok := find(name)
		if !ok {
			at, ok = findTemplate(name)
		}
		if ok {
			there[stemOf(at.path)] = true
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
	return slices.Concat(found, c.Misread())
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
func (c *Contents) missing(e *EnvironmentContents, v *value.Value, what string, folders []string, there map[string]bool) *dovetail.Error {
	var others []string
	for _, folder := range folders {
		if there[folder+"/"+v.Text] {
			return nil
		}
		for stem := range there {
			if path.Dir(stem) == folder {
				others = append(others, path.Base(stem))
			}
		}
	}
	remedy := "add it to " + strings.Join(folders[:len(folders)-1], ", ") + " or " + folders[len(folders)-1] + ", or remove the entry"
	slices.Sort(others)
	if i := slices.IndexFunc(others, func(other string) bool { return suggest.Misspells(v.Text, other) }); i >= 0 {
		remedy = "did you mean " + others[i] + "? Otherwise " + remedy
	}
	return newDefect(ReasonFileMissing, at(e.DefinitionFile, v, ""), "there is no file of the "+what+" "+v.Text, remedy)
}
