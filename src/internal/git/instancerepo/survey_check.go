package instancerepo

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// at is the position of a value in a file.
func at(file string, v *value.Value, path string) dovetail.Position {
	p := v.Position()
	p.File, p.Path = file, path
	return p
}

// checkNamespaces puts them into order; the name on the cluster may be there once.
func (s *survey) checkNamespaces(e *EnvironmentContents) {
	slices.SortFunc(e.Namespaces, func(a, b *Namespace) int { return cmp.Compare(a.DeployPostfix, b.DeployPostfix) })
	names := make(map[string]string)
	for _, ns := range e.Namespaces {
		slices.Sort(ns.Applications)
		if other, twice := names[ns.Name]; twice {
			where := dovetail.Position{File: pathOf(e.Environment, "Namespaces", ns.DeployPostfix), Line: 1}
			if ns.Data != nil {
				where = at(ns.File, cmp.Or(ns.Data.Get(fileNameMember), ns.Data), value.Pointer(fileNameMember))
			}
			s.defect(ReasonNamespaceTwice, where,
				fmt.Sprintf("the name %s is also that of %s", ns.Name, other), "give each namespace of the environment a name of its own")
		}
		names[ns.Name] = ns.DeployPostfix
	}
}

// associate reads the lists of ParamSets of an environment and finds the ParamSets.
func (s *survey) associate(e *EnvironmentContents, used map[*ParamSet]bool) {
	for _, section := range sections {
		objects := e.Definition.At(templateMember, section.member)
		if objects == nil {
			continue
		}
		for _, object := range objects.Members {
			if object.Value.Kind != value.List {
				if object.Value.Kind != value.Null {
					s.defect(ReasonFileMalformed, at(e.DefinitionFile, object.Value, value.Pointer(templateMember, section.member, object.Name)),
						"the ParamSets of "+object.Name+" are no list", "write a list of their names")
				}
				continue
			}
			var list []*Association
			seen := make(map[string]bool)
			for i, item := range object.Value.Items {
				where := at(e.DefinitionFile, item, value.Pointer(templateMember, section.member, object.Name, strconv.Itoa(i)))
				name, ok := item.Str()
				if !ok {
					s.defect(ReasonFileMalformed, where, "the name of a ParamSet is no string", "write its name")
					continue
				}
				if seen[name] {
					s.defect(ReasonAssociationTwice, where, name+" is a duplicate", "leave it once, where it applies")
					continue
				}
				seen[name] = true
				list = append(list, &Association{Context: section.context, Object: object.Name, Order: len(list), Name: name,
					ParamSet: s.find(e.Environment, name), Position: where})
			}
			s.checkList(e, list, used)
			e.Associations = append(e.Associations, list...)
		}
	}
}

// find returns the ParamSet of a name that is nearest to an environment.
func (s *survey) find(env inventory.Environment, name string) *ParamSet {
	for _, location := range locationsOf(env) {
		if p := s.paramSets[location+"/"+name]; p != nil {
			return p
		}
	}
	return nil
}

// checkList checks the associations of one object in one context.
func (s *survey) checkList(e *EnvironmentContents, list []*Association, used map[*ParamSet]bool) {
	last := -1 // that is no override
	for i, a := range list {
		if !parameters.IsOverride(a.Name) {
			last = i
		}
	}
	for i, a := range list {
		if a.ParamSet == nil && s.isTemplate(e.Environment, a.Name) {
			s.defect(ReasonAssociationOfTemplate, a.Position, "the ParamSet "+a.Name+" is a template, whose parameters only the pipeline knows", "nothing needs to be done; its parameters are not shown here")
		} else if a.ParamSet == nil {
			s.defect(ReasonAssociationWithoutParamSet, a.Position, "there is no ParamSet "+a.Name, "add it to "+locationsOf(e.Environment)[0]+", or remove the entry")
		} else {
			used[a.ParamSet] = true
		}
		if a.Object != parameters.Cloud && e.namespaceOf(a.Object) == nil {
			s.defect(ReasonAssociationWithoutNamespace, a.Position, "the environment "+e.String()+" has no namespace with the deploy postfix "+a.Object, "build the environment, or correct the deploy postfix")
		}
		if parameters.IsOverride(a.Name) && i < last {
			s.defect(ReasonOverrideNotLast, a.Position, "others come after "+a.Name, "put the ui-override ParamSets last")
		}
		if a.Context == parameters.Pipeline && a.Object != parameters.Cloud {
			s.defect(ReasonPipelineOnNamespace, a.Position, "the effective set does not use pipeline parameters of a namespace", "associate "+a.Name+" with "+parameters.Cloud)
		}
	}
}

// checkParamSets checks their names, and that an environment uses them.
func (s *survey) checkParamSets(used map[*ParamSet]bool) {
	for _, p := range s.contents.ParamSets {
		if said, ok := p.Data.Get("name").Str(); !ok || said != p.Name {
			s.defect(ReasonParamSetNameUnlikeFile, at(p.File, cmp.Or(p.Data.Get("name"), p.Data), "/name"),
				fmt.Sprintf("the name is %q, that of the file %q", said, p.Name), "give both the same name")
		}
		if !used[p] {
			s.defect(ReasonParamSetUnreferenced, dovetail.Position{File: p.File, Line: int(p.Data.Line)}, "no environment uses the ParamSet", "associate it, or remove it")
		}
	}
}

func isParamSet(kind string) bool {
	return kind == "siteParamSet" || kind == "clusterParamSet" || kind == "environmentParamSet"
}

// checkDescriptor checks where the applications of the full SD go.
func (s *survey) checkDescriptor(e *EnvironmentContents) {
	if e.Descriptor == nil {
		return
	}
	applications := e.Descriptor.Get("applications")
	if applications == nil || applications.Kind != value.List {
		s.defect(ReasonFileMalformed, at(e.DescriptorFile, cmp.Or(applications, e.Descriptor), ""), "the solution descriptor has no list of applications", "write the list `applications`")
		return
	}
	seen := make(map[[2]string]bool)
	for i, a := range applications.Items {
		version, _ := a.Get("version").Str()
		name, _, _ := strings.Cut(version, ":")
		postfix, _ := a.Get("deployPostfix").Str()
		switch shared := e.sharing(postfix); {
		case postfix == "" || e.namespaceOf(postfix) != nil: // one without is named for its form
		case shared != nil:
			s.defect(ReasonDescriptorByDomain, at(e.DescriptorFile, a, fmt.Sprintf("/applications/%d/deployPostfix", i)),
				fmt.Sprintf("no namespace has the deploy postfix %s itself: %s has it by the blue-green domain", postfix, shared.DeployPostfix), "nothing needs to be done")
		default:
			s.defect(ReasonDescriptorWithoutNamespace, at(e.DescriptorFile, a, fmt.Sprintf("/applications/%d/deployPostfix", i)),
				"the environment "+e.String()+" has no namespace with the deploy postfix "+postfix, "build the environment, or correct the deploy postfix")
		}
		if seen[[2]string{name, postfix}] {
			s.defect(ReasonDescriptorRepeats, at(e.DescriptorFile, a, fmt.Sprintf("/applications/%d", i)),
				fmt.Sprintf("duplicate %s for %s", name, postfix), "leave one of its versions")
		}
		seen[[2]string{name, postfix}] = true
	}
}

// checkFiles finds what in the files of other kinds cannot become documents.
func (s *survey) checkFiles() {
	for _, c := range s.contents.files {
		s.checkEncrypted(c)
		switch c.shape {
		case manySpecs:
			for _, m := range c.data.Members {
				if dovetail.CheckValue(m.Name) != "" || m.Value.Kind != value.Map {
					s.defect(ReasonFileMalformed, at(c.file, m.Value, value.Pointer(m.Name)), "it is no credential", "write a map with type and data, below a name")
				}
			}
		case namespaceSpec:
			if taken := c.data.Get(namespaceMember); taken != nil {
				s.defect(ReasonMemberTaken, at(c.file, taken, value.Pointer(namespaceMember)), "a namespace has its name in the member name", "call the member otherwise")
			}
		}
	}
}

// checkEncrypted tells of values that are stored as they are encrypted.
func (s *survey) checkEncrypted(c *content) {
	schemes := make(map[string]int)
	var first *value.Value
	var path []string
	ciphertext.Walk(c.data, func(at []string, v *value.Value) {
		schemes[ciphertext.Scheme(v.Text)]++
		if first == nil {
			first, path = v, at
		}
	})
	for _, scheme := range slices.Sorted(maps.Keys(schemes)) {
		s.defect(ReasonValueEncrypted, at(c.file, first, value.Pointer(path...)), fmt.Sprintf("%d values are encrypted with %s, and stored as they are", schemes[scheme], scheme),
			"give the keys to what has to use them, with --credential-keys")
	}
}
