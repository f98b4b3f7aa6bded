package activator

import (
	"bytes"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// Objects are the manifests of Kubernetes that have the selections installed, as YAML, in their order, by the published types of each
// controller: ClusterExtension olm.operatorframework.io/v1, Application argoproj.io/v1alpha1, HelmRelease helm.toolkit.fluxcd.io/v2 and
// OCIRepository source.toolkit.fluxcd.io/v1; with Manifests those that the versions hold. Other classes have none. Entities must have accepted the
// selections. Errors have the code CodeInvalid and the reason ReasonParameter, ReasonImageInvalid with all images that no controller can fetch, or
// ReasonManifests.
func Objects(class Class, selections []Selected, p Parameters) ([]byte, error) {
	p, err := p.complete(class)
	if err != nil {
		return nil, err
	}
	var objects []*value.Value
	if class == Manifests {
		if objects, err = held(selections); err != nil {
			return nil, err
		}
		return write(objects), nil
	}
	if known[class] == nil {
		return nil, nil
	}
	var wrong []string
	for _, s := range selections {
		image, ok := parseImage(s.Image)
		if class.needsImage() && !ok {
			wrong = append(wrong, s.Image+" of "+s.Package)
			continue
		}
		switch class {
		case ClusterExtension:
			objects = append(objects, clusterExtension(s, p))
		case Application:
			objects = append(objects, application(s, image, p))
		case HelmRelease:
			chart := ociRepository(s, image, p)
			chart.Get("spec").Set("layerSelector", object("mediaType", text(chartLayer), "operation", text("copy")))
			objects = append(objects, chart, helmRelease(s, p))
		case OCIRepository:
			objects = append(objects, ociRepository(s, image, p))
		case Operator, ResolveSet, Manifests, LockFile:
		}
	}
	if len(wrong) > 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: ReasonImageInvalid, Message: "no controller can fetch " + strings.Join(wrong, ", "),
			Remedy: "give images as HOST/REPOSITORY:TAG or HOST/REPOSITORY@DIGEST in their source"}
	}
	return write(objects), nil
}

// write writes objects as documents of YAML.
func write(objects []*value.Value) []byte {
	var b bytes.Buffer
	for i, object := range objects {
		if i > 0 {
			b.WriteString("---\n")
		}
		b.Write(yaml.Marshal(object))
	}
	return b.Bytes()
}

// chartLayer is the layer of an artifact that is a Helm chart.
const chartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"

// image is a reference to an image: a repository with its host, and what of it.
type image struct{ repository, tag, digest string }

// parseImage reads HOST/REPOSITORY:TAG, HOST/REPOSITORY@DIGEST, or both.
func parseImage(ref string) (i image, ok bool) {
	i.repository, i.digest, _ = strings.Cut(strings.TrimPrefix(ref, "oci://"), "@")
	if at := strings.LastIndexByte(i.repository, ':'); at > strings.LastIndexByte(i.repository, '/') {
		i.repository, i.tag = i.repository[:at], i.repository[at+1:]
	}
	host, path, _ := strings.Cut(i.repository, "/")
	return i, host != "" && path != "" && (i.tag != "" || i.digest != "")
}

func (i image) url() *value.Value { return text("oci://" + i.repository) }

func head(version, kind, name, namespace string) *value.Value {
	meta := object("name", text(name))
	if namespace != "" {
		meta.Set("namespace", text(namespace))
	}
	return object("apiVersion", text(version), "kind", text(kind), "metadata", meta)
}

func clusterExtension(s Selected, p Parameters) *value.Value {
	spec := object("namespace", text(p[paramNamespace]))
	if account := p[paramServiceAccount]; account != "" {
		spec.Set("serviceAccount", object("name", text(account)))
	}
	catalog := object("packageName", text(s.Package), "version", text(s.Version))
	if s.Channel != "" {
		catalog.Set("channels", value.NewList(text(s.Channel)))
	}
	spec.Set("source", object("sourceType", text("Catalog"), "catalog", catalog))
	made := head("olm.operatorframework.io/v1", "ClusterExtension", s.Package, "")
	made.Set("spec", spec)
	return made
}

func application(s Selected, i image, p Parameters) *value.Value {
	revision := i.digest
	if revision == "" {
		revision = i.tag
	}
	made := head("argoproj.io/v1alpha1", "Application", s.Package, p[paramControl])
	made.Set("spec", object("project", text(p[paramProject]),
		"source", object("repoURL", i.url(), "targetRevision", text(revision), "path", text(".")),
		"destination", object("server", text(p[paramServer]), "namespace", text(p[paramNamespace]))))
	return made
}

func ociRepository(s Selected, i image, p Parameters) *value.Value {
	ref := object("digest", text(i.digest))
	if i.digest == "" {
		ref = object("tag", text(i.tag))
	}
	made := head("source.toolkit.fluxcd.io/v1", "OCIRepository", s.Package, p[paramControl])
	made.Set("spec", object("interval", text(p[paramInterval]), "url", i.url(), "ref", ref))
	return made
}

func helmRelease(s Selected, p Parameters) *value.Value {
	spec := object("interval", text(p[paramInterval]), "chartRef", object("kind", text("OCIRepository"), "name", text(s.Package)), "targetNamespace", text(p[paramNamespace]))
	if account := p[paramServiceAccount]; account != "" {
		spec.Set("serviceAccountName", text(account))
	}
	made := head("helm.toolkit.fluxcd.io/v2", "HelmRelease", s.Package, p[paramControl])
	made.Set("spec", spec)
	return made
}

// Lock is the file that says what is selected, as YAML, in the order of the selections: for a repository in Git, where its difference shows
// what changes. The digest is that of the input.
func Lock(resolution, digest string, selections []Selected) []byte {
	packages := value.NewList()
	for _, s := range selections {
		one := object("name", text(s.Package), "version", text(s.Version), "source", text(s.Source))
		for _, more := range []struct{ name, text string }{{"channel", s.Channel}, {"image", s.Image}, {"mediaType", s.MediaType}} {
			if more.text != "" {
				one.Set(more.name, text(more.text))
			}
		}
		packages.Items = append(packages.Items, one)
	}
	return yaml.Marshal(object("resolution", text(resolution), "inputDigest", text(digest), "packages", packages))
}
