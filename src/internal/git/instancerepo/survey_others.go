package instancerepo

import (
	"path"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
)

// other notes a file that is not of the layout.
func (s *survey) other(name string) {
	s.others = append(s.others, name)
	if at, ok := findTemplate(name); ok && isParamSet(at.kind) {
		s.templates[strings.TrimSuffix(at.path, path.Ext(at.path))] = true
	}
}

// TemplateOf returns the id of the document that the pipeline renders from a template, "" for other files, and for files of several documents.
func TemplateOf(name string) dovetail.ID {
	if at, ok := findTemplate(name); ok && at.shape != manySpecs {
		return at.key.ID()
	}
	return ""
}

// isTemplate reports whether a ParamSet that an environment names is rendered by the pipeline.
func (s *survey) isTemplate(env inventory.Environment, name string) bool {
	locations := locationsOf(env)
	return slices.ContainsFunc(locations[:], func(location string) bool { return s.templates[location+"/"+name] })
}

// checkOthers names every file of which no document is made, so that nothing is passed over in silence.
func (s *survey) checkOthers() {
	for _, name := range s.others {
		where := dovetail.Position{File: name, Line: 1}
		_, isTemplate := findTemplate(name)
		switch {
		case isTemplate:
			s.defect(ReasonFileTemplate, where, "the file is a template, which only the pipeline renders", "nothing needs to be done; what it becomes is not shown here")
		case IsMisplaced(name):
			s.defect(ReasonFileMisplaced, where, "no file of this name is read in this folder", "compare its path with the layout of instance repositories")
		default:
			s.defect(ReasonFileOther, where, "the file is not of a kind that is stored", "nothing needs to be done")
		}
	}
	if template := s.templateRepository(); template != "" {
		s.defect(ReasonTemplateRepository, dovetail.Position{File: template, Line: 1},
			"this is a repository of templates, of which environments are built", "import the instance repository that is built of it")
	}
}

// IsMisplaced reports whether a file is YAML in the folders of environments, where all of it is of the layout, and is not of it.
func IsMisplaced(name string) bool {
	if _, ok := find(name); ok {
		return false
	}
	ext := path.Ext(name)
	return strings.HasPrefix(name, "environments/") && (ext == ".yml" || ext == ".yaml")
}

// templateRepository returns the first file that shows that the repository is one of templates, "" if there is none.
func (s *survey) templateRepository() string {
	if len(s.contents.Environments) > 0 {
		return ""
	}
	first := ""
	for _, name := range s.others {
		at := slices.Index(strings.Split(path.Dir(name), "/"), "env_templates")
		if at >= 0 && (first == "" || name < first) {
			first = name
		}
	}
	return first
}
