package effectiveset

import (
	"math/big"
	"slices"
	"strings"
	"unicode"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// served is what the services of an application are written as.
type served struct {
	descriptor *value.Value
	perService map[string]*value.Value // by folder
	levels     map[string][]given      // that these come from, by folder
}

const managedBy = "argocd"

// services describes those of an application. No parameter of the user takes part.
func (c *calculation) services(e entry, ns *namespace, s *sbom) (*served, error) {
	if c.shared == nil {
		return c.describeServices(e, ns, s)
	}
	name := ns.folder + "/" + e.name + "/" + s.file
	made, known := c.shared.services[name]
	if !known {
		made.served, made.err = c.describeServices(e, ns, s)
		c.shared.services[name] = made
	}
	return made.served, made.err
}

func (c *calculation) describeServices(e entry, ns *namespace, s *sbom) (*served, error) {
	made := &served{perService: make(map[string]*value.Value), levels: make(map[string][]given)}
	var errs dovetail.Errors
	profile, err := c.profileOf(ns)
	if err != nil {
		return nil, err
	}
	all, described := make(map[string]*value.Value), make(map[string]*value.Value)
	for _, one := range s.services {
		if !isFileName(one.name) {
			tellOnce(&errs, noFileName("service", one.name, one.data.In(s.file)))
			continue
		}
		p, levels, err := c.perService(e, s, one, profile)
		tellOnce(&errs, err)
		all[one.name], made.levels[one.name] = p, levels
		described[one.name], err = describe(s, one)
		tellOnce(&errs, err)
	}
	if err := errs.Err("the services cannot be described"); err != nil {
		return nil, err
	}
	if s.chart == "" {
		made.perService = all
	} else {
		folder := chartFolder(s.chart, ns.name)
		if !isFileName(folder) {
			return nil, noFileName("chart", s.chart, dovetail.Position{File: s.file})
		}
		made.perService[folder] = asMap(all)
		made.levels = map[string][]given{folder: belowServices(made.levels)}
	}
	made.descriptor = c.descriptorFile(s, asMap(described))
	return made, nil
}

// descriptorFile is deploy-descriptor.yaml.
func (c *calculation) descriptorFile(s *sbom, described *value.Value) *value.Value {
	global := value.NewMap(member("deployDescriptor", described))
	m := value.NewMap(member("global", global), member("deployDescriptor", described))
	if len(s.services) == 0 {
		return m
	}
	application := []value.Member{member("APPLICATION_NAME", str(text(s.root.Get("name")))), member("DEPLOYMENT_SESSION_ID", str(c.Session)), member("MANAGED_BY", str(managedBy))}
	service := value.NewMap(append(slices.Clone(application), member("deployDescriptor", described), member("global", global))...)
	for _, name := range s.names() {
		m.Members = append(m.Members, member(name, service))
	}
	m.Members = append(m.Members, application...)
	return m
}

// perService are the parameters of one service.
func (c *calculation) perService(e entry, s *sbom, one *component, p *profile) (*value.Value, []given, error) {
	all := map[string]*value.Value{
		"ARTIFACT_DESCRIPTOR_VERSION": str(text(s.root.Get("version"))),
		"DEPLOYMENT_RESOURCE_NAME":    str(one.name + "-v1"),
		"DEPLOYMENT_VERSION":          str("v1"),
		"SERVICE_NAME":                str(one.name),
	}
	if one.isImage() {
		image, has := lookUp(one.data, "full_image_name")
		if !has {
			return nil, nil, lacks(s, one, "full_image_name")
		}
		repository := image
		if at := strings.LastIndexByte(image, ':'); at >= 0 {
			repository = image[:at]
		}
		all["DOCKER_TAG"], all["IMAGE_REPOSITORY"] = str(image), str(repository)
		all["TAG"] = str(text(subComponent(one.data, mimeDocker).Get("version")))
	}
	levels := []given{{LevelSBOM, from(all, s.file)}}
	resources, profiles, err := c.resources(e, s, one, p)
	if err != nil {
		return nil, nil, err
	}
	for name, v := range resources {
		all[name] = sorted(v)
	}
	fixed := map[string]*value.Value{"DEPLOYMENT_SESSION_ID": str(c.Session), "MANAGED_BY": str(managedBy)}
	for name, v := range fixed {
		all[name] = v
	}
	return asMap(all), append(append(levels, profiles...), given{LevelCalculated, from(fixed, "")}), nil
}

// from are values of a file as parameters.
func from(values map[string]*value.Value, file string) parameters {
	p := make(parameters, len(values))
	for name, v := range values {
		p[name] = parameter{v, file}
	}
	return p
}

// belowServices are the levels of all services, each below the name of the service. Those of one level are from one file.
func belowServices(all map[string][]given) []given {
	var made []given
	for _, name := range sortedNames(all) {
		for _, l := range all[name] {
			below, file := value.NewMap(), ""
			for _, member := range sortedNames(l.parameters) {
				below.Set(member, l.parameters[member].value)
				file = l.parameters[member].file
			}
			made = append(made, given{l.level, parameters{name: {below, file}}})
		}
	}
	return made
}

// lacks is the error of a service without a property that it needs.
func lacks(s *sbom, one *component, name string) error {
	return invalid(one.data.In(s.file), "the service %s has no property %s", one.name, name)
}

// subComponent is the first of a type; nil if there is none.
func subComponent(v *value.Value, mime string) *value.Value {
	for _, item := range items(v.Get("components")) {
		if text(item.Get("mime-type")) == mime {
			return item
		}
	}
	return nil
}

// describe is what the deployment descriptor says of a service.
func describe(s *sbom, one *component) (*value.Value, error) {
	all := make(map[string]*value.Value)
	var errs dovetail.Errors
	need := func(names ...string) {
		for _, name := range names {
			v, has := lookUp(one.data, name)
			if !has {
				tellOnce(&errs, lacks(s, one, name))
			}
			all[name] = str(v)
		}
	}
	all["name"], all["version"] = str(one.name), str(one.version)
	if one.isImage() {
		need("docker_registry", "full_image_name", "git_branch", "git_revision", "git_url", "image_type", "promote_artifacts", "qualifier")
		all["artifacts"], all["deploy_param"] = value.NewList(), str(property(one.data, "deploy_param"))
		all["image"] = all["full_image_name"]
		docker := subComponent(one.data, mimeDocker)
		digest := ""
		if hashes := items(docker.Get("hashes")); len(hashes) > 0 {
			digest = text(hashes[0].Get("content"))
		}
		all["docker_digest"], all["docker_repository_name"] = str(digest), str(text(docker.Get("group")))
		all["docker_tag"], all["image_name"] = str(text(docker.Get("version"))), str(text(docker.Get("name")))
		return asMap(all), errs.Err("the service " + one.name + " cannot be described")
	}
	need("build_id_dtrust", "git_branch", "git_revision", "git_url", "maven_repository")
	if kind, has := lookUp(one.data, "type"); has {
		all["type"] = str(kind)
	}
	all["service_name"] = str(one.name)
	tellOnce(&errs, describeArtifacts(s, one, all))
	return asMap(all), errs.Err("the service " + one.name + " cannot be described")
}

// describeArtifacts adds what the descriptor says of the files of a configuration.
func describeArtifacts(s *sbom, one *component, all map[string]*value.Value) error {
	var errs dovetail.Errors
	primary := mimeZip
	if one.mime == mimeConfig+".smartplug" {
		primary = mimeBundle
	}
	artifact, artifacts, names := value.NewMap(), value.NewList(), make(map[string]*value.Value)
	for _, item := range items(one.data.Get("components")) {
		mime := text(item.Get("mime-type"))
		group, name, version := text(item.Get("group")), text(item.Get("name")), text(item.Get("version"))
		if mime == primary {
			artifact = value.NewMap(member("artifactId", str(name)), member("groupId", str(group)), member("version", str(version)))
		}
		if !slices.Contains([]string{"application/xml", mimeZip, mimeBundle, "application/java-archive"}, mime) {
			continue
		}
		kind, hasKind := lookUp(item, "type")
		classifier, hasClassifier := lookUp(item, "classifier")
		for property, has := range map[string]bool{"type": hasKind, "classifier": hasClassifier} {
			if !has {
				tellOnce(&errs, invalid(item.In(s.file), "the artifact %s of the service %s has no property %s", name, one.name, property))
			}
		}
		described := map[string]*value.Value{"id": str(group + ":" + name + ":" + version), "name": str(name + "-" + version + "." + kind), "type": str(kind), "classifier": str(classifier)}
		for _, empty := range []string{"artifact_id", "artifact_path", "artifact_type", "deploy_params", "gav", "group_id", "repository", "url", "version"} {
			described[empty] = str("")
		}
		artifacts.Items = append(artifacts.Items, asMap(described))
		switch {
		case mime != mimeZip:
		case classifier == "":
			names["ecl"] = str(name + "-" + version + ".zip")
		default:
			names[classifier] = str(name + "-" + version + "-" + classifier + ".zip")
		}
	}
	all["artifact"], all["artifacts"], all["tArtifactNames"] = artifact, artifacts, asMap(names)
	return errs.Err("the artifacts cannot be described")
}

// chartFolder is the name of a chart as a folder and a resource may be called: in lower case, with a number that says where capitals were,
// and short enough beside the name of the namespace.
func chartFolder(name, ns string) string {
	const longest = 62
	for original := []rune(name); ; original = original[:len(original)-1] {
		folder := normalizedChart(original)
		if len(folder) < longest-len(ns) || len(original) <= 1 {
			return folder
		}
	}
}

func normalizedChart(name []rune) string {
	folder := strings.ReplaceAll(strings.ToLower(string(name)), "_", "-")
	mask := new(big.Int)
	for _, r := range name {
		mask.Lsh(mask, 1)
		if unicode.IsUpper(r) {
			mask.SetBit(mask, 0, 1)
		}
	}
	if mask.Sign() == 0 {
		return folder
	}
	return folder + "-" + mask.Text(36)
}
