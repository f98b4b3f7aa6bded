package activator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Annotations that name the activator class of a resolution, the first that is there counts.
const (
	AnnotationVersioned = "deppy.io/v1alpha1/activator-class"
	Annotation          = "deppy.io/activator-class"
)

// Class is a way to make the selections of a resolution installable.
type Class string

// The classes.
const (
	Operator         Class = "Operator"         // entities only
	ResolveSet       Class = "ResolveSet"       // entities, and a bundle of them
	ClusterExtension Class = "ClusterExtension" // manifests for OLM v1
	Application      Class = "Application"      // manifests for Argo CD
	HelmRelease      Class = "HelmRelease"      // manifests for Flux: charts
	OCIRepository    Class = "OCIRepository"    // manifests for Flux: artifacts
	Manifests        Class = "Manifests"        // the manifests that the versions hold themselves
	LockFile         Class = "LockFile"         // a file with what is selected
)

// Classes returns all classes.
func Classes() []Class {
	return []Class{Operator, ResolveSet, ClusterExtension, Application, HelmRelease, OCIRepository, Manifests, LockFile}
}

// Reasons of the errors of Entities, which are those of the condition Activated.
const (
	ReasonUnknownClass = "UnknownActivatorClass"
	ReasonImageMissing = "ImageMissing"
	ReasonPackageName  = "PackageNameInvalid" // with ResolveSet: a package whose name cannot be that of a BundleDeployment
	ReasonMediaType    = "MediaTypeUnknown"   // with ResolveSet: a bundle that no provisioner unpacks
	ReasonImageInvalid = "ImageInvalid"       // with a class that gives the image to a controller: one without a repository, or without a tag and a digest
	ReasonManifests    = "ManifestsInvalid"   // with Manifests: a version that holds none, objects that are none, or one object in two packages
	ReasonParameter    = "ParameterInvalid"   // an annotation of the activator that is unknown or wrong
)

// Selected is one selection: its package, and the image of the selected version with the media type of the bundle in it, both empty where
// they are not known. Manifests are the objects that the version consists of, a list as JSON, empty where it holds none.
type Selected struct{ Package, Image, MediaType, Source, Version, Channel, Manifests string }

// Entity is what can be installed.
type Entity struct {
	Package string `json:"package"`
	Image   string `json:"image"`
	// MediaType is that of the bundle in the image, empty where it is not known.
	MediaType string `json:"mediaType,omitempty"`
	// Manifests is the digest of those that the version holds, with the class Manifests.
	Manifests string `json:"manifests,omitempty"`
}

// ClassOf returns the class that the annotations of a resolution ask for; none asks for no
// activation. Annotation values are given by name.
func ClassOf(annotations map[string]string) (class Class, asked bool) {
	for _, name := range []string{AnnotationVersioned, Annotation} {
		if text, ok := annotations[name]; ok {
			return Class(text), true
		}
	}
	return "", false
}

// resourceName is a name that Kubernetes allows, and that is a file name.
var resourceName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// maxName is the longest name of a package that leaves room in a file name for the rest.
const maxName = 255 - len("-bd.yaml")

// needsImage reports whether what is made of a selection names its image.
func (c Class) needsImage() bool { return c != ClusterExtension && c != Manifests && c != LockFile }

// namesObjects reports whether objects of Kubernetes are called as packages.
func (c Class) namesObjects() bool { return c != Operator && c != Manifests && c != LockFile }

func classNames() string {
	var names []string
	for _, c := range Classes() {
		names = append(names, string(c))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Entities returns the entities of the selections, in their order. Errors have the code CodeInvalid
// and the reason ReasonUnknownClass, ReasonPackageName with all packages whose names a bundle cannot hold,
// ReasonMediaType with all bundles that nothing unpacks, or ReasonImageMissing with all that have no image.
func Entities(class Class, selections []Selected) ([]Entity, error) {
	if !slices.Contains(Classes(), class) {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: ReasonUnknownClass,
			Message: fmt.Sprintf("there is no activator class %q", class), Remedy: "use " + classNames()}
	}
	entities := make([]Entity, 0, len(selections))
	var without, unnameable, unknown []string
	for _, s := range selections {
		if class.namesObjects() && (len(s.Package) > maxName || !resourceName.MatchString(s.Package)) {
			unnameable = append(unnameable, strconv.Quote(s.Package))
		}
		if class == ResolveSet && provisioners[s.MediaType] == "" {
			unknown = append(unknown, fmt.Sprintf("%s of %s", strconv.Quote(s.MediaType), s.Package))
		}
		if s.Image == "" && class.needsImage() {
			without = append(without, s.Package)
		}
		entity := Entity{Package: s.Package, Image: s.Image, MediaType: s.MediaType}
		if class == Manifests {
			sum := sha256.Sum256([]byte(s.Manifests))
			entity.Manifests = "sha256:" + hex.EncodeToString(sum[:])
		}
		entities = append(entities, entity)
	}
	if len(unnameable) > 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: ReasonPackageName,
			Message: "no object of Kubernetes can have the name " + strings.Join(unnameable, ", "), Remedy: "use lower-case letters, digits, - and . in names of packages, or the class Operator"}
	}
	if len(unknown) > 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: ReasonMediaType,
			Message: "no provisioner unpacks bundles of the media type " + strings.Join(unknown, ", "), Remedy: "use versions with bundles of registry+v1 or plain+v0, or the class Operator"}
	}
	if len(without) > 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: ReasonImageMissing,
			Message: "no image is known for " + strings.Join(without, ", "), Remedy: "give the selected versions an image in their source"}
	}
	return entities, nil
}
