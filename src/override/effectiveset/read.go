package effectiveset

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/value"
)

// namespace is one of the environment.
type namespace struct {
	object
	folder string
	name   string
	apps   map[string]*object // files of applications that the descriptor names, by their names
}

// entry is an application of the solution descriptor.
type entry struct {
	name, version, postfix string
	at                     dovetail.Position
}

// repository is what a calculation reads of an instance repository.
type repository struct {
	root          string // of the environment
	tenant, cloud *object
	namespaces    []*namespace
	apps          map[string]*object // of the environment
	credentials   map[string]*credential
	order         []string // of the credentials
	isExternal    bool
	profiles      map[string]*object
	domain        *object // blue-green; nil if there is none
	composite     *object // nil if there is none
	descriptor    *object // nil if there is none
	entries       []entry // nil without a descriptor
	registries    *value.Value
	stores        *object
	environments  map[string]map[string]string // CLUSTER/ENV: namespace: folder
}

// read reads the repository. All that is wrong with it is in the error.
func (c *calculation) read() (*repository, error) {
	r := &repository{root: path.Join("environments", c.Cluster, c.Name)}
	c.checkCase(r.root) // first: what is listed need not be looked at for links
	var errs dovetail.Errors
	need := func(name string) *object {
		o, err := c.chosen(path.Join(r.root, name))
		if err == nil && o == nil {
			err = missing(path.Join(r.root, name+".yml"), "every environment has it")
		}
		errs.Join(err)
		if o == nil {
			o = &object{file: path.Join(r.root, name+".yml"), data: value.NewMap()}
		}
		return o
	}
	may := func(name string) *object {
		o, err := c.chosen(name)
		errs.Join(err)
		return o
	}
	r.tenant, r.cloud = need("tenant"), need("cloud")
	if errs.Total() == 0 {
		errs.Join(checkMandatory(r))
	}
	r.domain, r.composite = may(path.Join(r.root, "bg_domain")), may(path.Join(r.root, "composite_structure"))
	if r.descriptor = (&object{file: c.DescriptorFile, data: c.Descriptor}); c.Descriptor == nil {
		r.descriptor = may(path.Join(r.root, "Inventory/solution-descriptor/sd"))
	}
	errs.Join(r.readEntries(r.descriptor))
	errs.Join(c.readCredentials(r))
	var err error
	r.apps, err = c.readApps(r, path.Join(r.root, "Applications"))
	errs.Join(err)
	errs.Join(c.readNamespaces(r))
	c.overlay(r)
	errs.Join(c.readProfiles(r))
	errs.Join(c.readEnvironments(r))
	if registry := may("configuration/registry"); registry != nil {
		r.registries = registry.data
	}
	r.stores = may("configuration/secret-stores")
	const config = "configuration/config" // which tells generate whether credentials are encrypted
	if c.has(config+shortYAML) && c.has(config+otherYAML) {
		c.twice(config)
	}
	c.checkNames(r)
	c.checkForms(r)
	if r.isExternal && r.stores == nil {
		errs.Join(missing("configuration/secret-stores.yml", "the credentials of the environment are external"))
	}
	errs.Join(c.unread.Err("the instance repository cannot be read"))
	return r, errs.Err("the instance repository cannot be read")
}

// checkMandatory looks for what an environment cannot be without.
func checkMandatory(r *repository) error {
	var errs dovetail.Errors
	lacks := func(o *object, name string) {
		if v := o.data.Get(name); v == nil || v.Kind == value.Null {
			errs.Add(invalid(o.at(v), "%s is not there, and the calculation needs it", name))
		}
	}
	lacks(r.tenant, "globalE2EParameters")
	for _, name := range []string{"maasConfig", "vaultConfig", "consulConfig"} {
		lacks(r.cloud, name)
	}
	return errs.Err("the instance repository cannot be read")
}

// readEntries reads the solution descriptor.
func (r *repository) readEntries(o *object) error {
	if o == nil {
		return nil
	}
	r.entries = []entry{}
	var errs dovetail.Errors
	if all := o.data.Get("applications"); all != nil && all.Kind != value.List && all.Kind != value.Null {
		errs.Add(invalid(o.at(all), "the applications of the solution descriptor are a %s, not a list", all.Kind))
	}
	for _, item := range items(o.data.Get("applications")) {
		name, version, found := strings.Cut(text(item.Get("version")), ":")
		if !found || name == "" || version == "" {
			errs.Add(invalid(o.at(item), "an application of the solution descriptor has no version of the form APPLICATION:VERSION"))
			continue
		}
		if !isFileName(name) {
			errs.Add(noFileName("application", name, o.at(item)))
			continue
		}
		r.entries = append(r.entries, entry{name, version, text(item.Get("deployPostfix")), o.at(item)})
	}
	return errs.Err("the solution descriptor cannot be read")
}

// readApps reads the files of a folder that are named like applications of the descriptor.
func (c *calculation) readApps(r *repository, folder string) (map[string]*object, error) {
	apps := make(map[string]*object)
	var errs dovetail.Errors
	names := c.names(folder)
	for _, name := range names {
		stem := stemOf(name)
		if slices.Contains([]string{"cloud", "tenant", "namespace", "credentials"}, stem) {
			c.find(AmbiguousFile, dovetail.Position{File: path.Join(folder, name)}, "EnvGene takes a file of this name for another object, and its run breaks")
		}
		if stem == "" || c.isSecond(folder, names, name) {
			continue
		}
		if !r.describes(stem) {
			if other := r.otherCase(stem); other != "" {
				c.find(FileUnused, dovetail.Position{File: path.Join(folder, name)}, "the application of the solution descriptor is called "+other+", in other letters")
			}
			continue
		}
		o, err := c.file(path.Join(folder, name))
		if err != nil {
			errs.Join(err)
			continue
		}
		app := text(o.data.Get("name"))
		if !r.describes(app) {
			c.find(FileUnused, o.at(o.data.Get("name")), "no application of the solution descriptor has the name "+strconv.Quote(app)+": an application is found by the name in its file")
		}
		c.nameTwice(apps[app], o)
		apps[app] = o
	}
	return apps, errs.Err("applications cannot be read")
}

// spaces are the folders of namespaces: hidden ones are none.
func (c *calculation) spaces(folder string) []string {
	return slices.DeleteFunc(c.folders(folder), func(name string) bool {
		hidden := strings.HasPrefix(name, ".")
		if hidden {
			c.find(FolderReserved, dovetail.Position{File: path.Join(folder, name)}, "no namespace can be in a hidden folder: it is not in the topology")
		}
		return hidden
	})
}

// namespaceFile reads the file of a namespace; nil if there is none.
func (c *calculation) namespaceFile(folder string) (*object, error) {
	o, err := c.chosen(path.Join(folder, "namespace"))
	if o == nil && err == nil {
		c.find(NamespaceUnnamed, dovetail.Position{File: folder}, "the folder has no namespace.yml, and is left out of the topology: build the environment, or remove the folder")
	}
	return o, err
}

// nameTwice notes that an object has the name of another one.
func (c *calculation) nameTwice(other, o *object) {
	if other != nil {
		c.find(NameTwice, o.atName(), other.file+" has the same name, and one of the two counts")
	}
}

// isSecond reports whether another file of a folder counts in place of one, and notes it.
func (c *calculation) isSecond(folder string, names []string, name string) bool {
	stem, is := strings.CutSuffix(name, otherYAML)
	if !is || !slices.Contains(names, stem+shortYAML) {
		return false
	}
	c.twice(path.Join(folder, stem))
	return true
}

func (c *calculation) readNamespaces(r *repository) error {
	var errs dovetail.Errors
	folder := path.Join(r.root, "Namespaces")
	named := make(map[string]*object)
	for _, name := range c.spaces(folder) {
		c.otherCase(path.Join(folder, name), []string{"Applications"}, []string{"namespace"})
		o, err := c.namespaceFile(path.Join(folder, name))
		if err != nil {
			errs.Join(err)
			continue
		}
		if o == nil {
			continue
		}
		ns := &namespace{object: *o, folder: name, name: text(o.data.Get("name"))}
		if blank(ns.name) {
			err := invalid(o.atName(), "the namespace has no name")
			err.Remedy = "add its name on the cluster"
			errs.Add(err)
		}
		c.nameTwice(named[ns.name], o)
		named[ns.name] = o
		if ns.apps, err = c.readApps(r, path.Join(folder, name, "Applications")); err != nil {
			errs.Join(err)
		}
		r.namespaces = append(r.namespaces, ns)
	}
	return errs.Err("namespaces cannot be read")
}

func (c *calculation) readProfiles(r *repository) error {
	r.profiles = make(map[string]*object)
	var errs dovetail.Errors
	folder := path.Join(r.root, "Profiles")
	names := c.names(folder)
	for _, name := range names {
		if stemOf(name) == "" || c.isSecond(folder, names, name) {
			continue
		}
		o, err := c.file(path.Join(folder, name))
		if err != nil {
			errs.Join(err)
			continue
		}
		name := text(o.data.Get("name"))
		c.nameTwice(r.profiles[name], o)
		r.profiles[name] = o
	}
	return errs.Err("resource profiles cannot be read")
}

// readEnvironments reads the names of all namespaces of the repository.
func (c *calculation) readEnvironments(r *repository) error {
	r.environments = make(map[string]map[string]string)
	if own := make(map[string]string); len(r.namespaces) > 0 { // which are read already
		for _, ns := range r.namespaces {
			own[ns.name] = ns.folder
		}
		r.environments[c.Cluster+"/"+c.Name] = own
	}
	var errs dovetail.Errors
	for _, cluster := range c.folders("environments") {
		for _, env := range c.folders(path.Join("environments", cluster)) {
			if cluster == c.Cluster && env == c.Name {
				continue
			}
			folder := path.Join("environments", cluster, env, "Namespaces")
			spaces := c.spaces(folder)
			if !inventory.IsFolder(cluster) || !inventory.IsFolder(env) {
				if len(spaces) > 0 {
					c.find(FolderReserved, dovetail.Position{File: folder}, "no environment can be in a folder of this name: its namespaces are not in the topology")
				}
				continue
			}
			for _, name := range spaces {
				o, err := c.namespaceFile(path.Join(folder, name))
				if err != nil || o == nil {
					errs.Join(err)
					continue
				}
				space := text(o.data.Get("name"))
				if blank(space) {
					c.find(NamespaceUnnamed, o.atName(), "the namespace has no name, and is left out of the topology: add its name on the cluster")
					continue
				}
				c.checkName(o, "name")
				key := cluster + "/" + env
				if r.environments[key] == nil {
					r.environments[key] = make(map[string]string)
				}
				r.environments[key][space] = name
			}
		}
	}
	return errs.Err("namespaces cannot be read")
}

// folder returns the namespace that an entry of the descriptor names.
func (r *repository) folder(e entry) (*namespace, error) {
	find := func(folder string) *namespace {
		for _, ns := range r.namespaces {
			if ns.folder == folder {
				return ns
			}
		}
		return nil
	}
	if ns := find(e.postfix); ns != nil {
		return ns, nil
	}
	if r.domain != nil {
		for _, role := range []struct{ suffix, member string }{{"-origin", "originNamespace"}, {"-peer", "peerNamespace"}} {
			if ns := find(e.postfix + role.suffix); ns != nil && strings.EqualFold(ns.name, text(r.domain.data.At(role.member, "name"))) {
				return ns, nil
			}
		}
	}
	err := invalid(e.at, "the application %s is deployed to %q, and the environment %s has no such folder below Namespaces", e.name, e.postfix, strings.TrimPrefix(r.root, "environments/"))
	err.Remedy = "correct deployPostfix in the solution descriptor, or add the namespace"
	return nil, err
}
