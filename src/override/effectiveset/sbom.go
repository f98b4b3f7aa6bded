package effectiveset

import (
	"bytes"
	"errors"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// The types of components.
const (
	mimeService  = "application/vnd.qubership.service"
	mimeImage    = "application/octet-stream"
	mimeConfig   = "application/vnd.qubership.configuration"
	mimeChart    = "application/vnd.qubership.app.chart"
	mimeDocker   = "application/vnd.docker.image"
	mimeBaseline = "application/vnd.qubership.resource-profile-baseline"
	mimeZip      = "application/zip"
	mimeBundle   = "application/vnd.osgi.bundle"
)

// sbom is what a calculation reads of the SBOM of an application.
type sbom struct {
	file     string
	root     *value.Value // metadata.component
	services []*component // sorted by name
	images   map[string]string
	chart    string // the application's; "" if there is none
	eso      bool
}

// component is a service of an application.
type component struct {
	name, version, mime string
	data                *value.Value
}

func (c *component) isImage() bool { return c.mime == mimeService || c.mime == mimeImage }

// readSBOM reads the SBOM of an application of the descriptor.
func (c *calculation) readSBOM(e entry) (*sbom, error) {
	file := e.name + "/" + e.name + "-" + e.version + ".sbom.json"
	at := dovetail.Position{File: file}
	if c.SBOMs == nil {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Position: e.at, Message: "the application " + e.name + " has no SBOM: there is no folder of SBOMs", Remedy: "name one with --sboms"}
	}
	if err := c.ofSBOMs.follow(file); err != nil {
		return nil, err
	}
	s, err := sbomIn(c.SBOMs, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Position: e.at, Message: "the application " + e.name + " has no SBOM " + file, Remedy: "add the file to the folder of SBOMs"}
	}
	if err != nil {
		return nil, err
	}
	if c.ChartValidation && s.chart == "" {
		return nil, invalid(at, "the application %s has no chart (a component of the type %s)", e.name, mimeChart)
	}
	return s, nil
}

// sbomIn reads an SBOM among others. It is not changed any more.
func sbomIn(files fs.FS, file string) (*sbom, error) {
	if known, is := files.(*SBOMs); is {
		return known.sbom(file)
	}
	raw, err := fs.ReadFile(files, file)
	return parseSBOM(file, raw, err)
}

// parseSBOM reads the text of an SBOM, unless reading it failed.
func parseSBOM(file string, raw []byte, err error) (*sbom, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file}, Message: "it cannot be read: " + reasonOf(err), Err: err}
	}
	data, err := value.ParseJSON(bytes.TrimPrefix(raw, []byte("\ufeff")), value.Limits{})
	if err != nil {
		read := *dovetail.AsError(err)
		read.Position.File = file
		return nil, &read
	}
	if data.At("metadata", "component") == nil {
		return nil, invalid(data.In(file), "it is no SBOM of an application: it has no metadata.component")
	}
	s := &sbom{file: file, root: data.At("metadata", "component"), images: make(map[string]string)}
	s.eso = property(s.artifact(), "eso_support") == "true"
	for _, item := range items(data.Get("components")) {
		one := &component{text(item.Get("name")), text(item.Get("version")), text(item.Get("mime-type")), item}
		switch {
		case one.mime == mimeChart:
			s.chart = one.name
			continue
		case !one.isImage() && one.mime != mimeConfig && !strings.HasPrefix(one.mime, mimeConfig+"."):
			continue
		}
		s.services = append(s.services, one)
		if name := property(item, "deploy_param"); one.mime == mimeImage && name != "" {
			s.images[name] = property(item, "full_image_name")
		}
	}
	slices.SortStableFunc(s.services, func(a, b *component) int { return compareUTF16(a.name, b.name) })
	return s, nil
}

// artifact is the component that stands for the application's artifact.
func (s *sbom) artifact() *value.Value {
	if all := items(s.root.Get("components")); len(all) > 0 {
		return all[0]
	}
	return nil
}

// names are those of the services.
func (s *sbom) names() []string {
	var names []string
	for _, one := range s.services {
		if len(names) == 0 || names[len(names)-1] != one.name {
			names = append(names, one.name)
		}
	}
	return names
}

func (s *sbom) has(name string) bool { return slices.Contains(s.names(), name) }

// lookUp is the value of a property of a component, and whether it has it.
func lookUp(v *value.Value, name string) (string, bool) {
	for _, p := range items(v.Get("properties")) {
		if text(p.Get("name")) == name {
			return text(p.Get("value")), true
		}
	}
	return "", false
}

func property(v *value.Value, name string) string {
	s, _ := lookUp(v, name)
	return s
}

// descriptor are the parameters that say which artifact the application is.
func (s *sbom) descriptor(registries *value.Value) map[string]*value.Value {
	artifact := s.artifact()
	if artifact == nil {
		return nil
	}
	return map[string]*value.Value{
		"ARTIFACT_DESCRIPTOR_ARTIFACT_ID": str(text(artifact.Get("name"))),
		"ARTIFACT_DESCRIPTOR_GROUP_ID":    str(text(artifact.Get("group"))),
		"ARTIFACT_DESCRIPTOR_VERSION":     str(text(artifact.Get("version"))),
		"ARTIFACT_DESCRIPTOR_MAVEN_REPO":  mavenRepository(text(artifact.Get("purl")), registries),
	}
}

// unknownRegistry is where the SBOM names a registry of its artifact of which the repository does not have the URL, and the registry; nil if there is none.
func (s *sbom) unknownRegistry(registries *value.Value) (at *value.Value, registry string) {
	purl := s.artifact().Get("purl")
	parameters := mavenParameters(text(purl))
	if registry = parameters.Get("registry_id"); registry == "" || registries.At(registry, "mavenConfig") != nil {
		return nil, ""
	}
	return purl, registry
}

// mavenParameters are those of a package URL of Maven, none of another one.
func mavenParameters(purl string) url.Values {
	_, query, _ := strings.Cut(purl, "?")
	query, _, _ = strings.Cut(query, "#")
	parameters, err := url.ParseQuery(strings.ReplaceAll(query, "+", "%2B"))
	if err != nil || !strings.HasPrefix(purl, "pkg:maven") {
		return nil
	}
	return parameters
}

// mavenRepository is the URL of the repository that a package URL names; null where that is not known.
func mavenRepository(purl string, registries *value.Value) *value.Value {
	parameters := mavenParameters(purl)
	config := registries.At(parameters.Get("registry_id"), "mavenConfig")
	if parameters == nil || config == nil {
		return &value.Value{Kind: value.Null}
	}
	return str(text(config.Get("fullRepositoryUrl")) + "/" + text(config.Get(parameters.Get("repository_id"))))
}
