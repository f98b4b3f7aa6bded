package artifact

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Definition says where the versions of an artifact are published.
type Definition struct {
	GroupID    string
	ArtifactID string
	// Repositories are the URLs of Maven repositories, each once and without a slash at the end.
	Repositories []string
	// User and Password are for Basic authentication; without a user nobody is asked for.
	User, Password string
}

// Definitions finds definitions. It may be called by any number of goroutines.
type Definitions interface {
	// Find returns the definition for the application part of application:version. Errors are
	// *dovetail.Error of ReasonDefinitionMissing, ReasonRegistryMissing or ReasonDefinitionInvalid, or those
	// of the place where definitions are kept.
	Find(ctx context.Context, application string) (*Definition, error)
}

// Documents is where Stored finds definitions. *store.Store is one.
type Documents interface {
	// Get returns a document, or an error of CodeNotFound.
	Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error)
}

// Stored are the definitions among stored documents: the artifactDefinition of the application, or
// its appDefinition with the registryDefinition that this names; each with the credential of the
// registry.
type Stored struct{ Documents Documents }

var _ Definitions = Stored{}

// artifactSpec is the spec of an appDefinition or an artifactDefinition.
type artifactSpec struct {
	GroupID      string        `json:"groupId"`
	ArtifactID   string        `json:"artifactId"`
	RegistryName string        `json:"registryName"` // of an appDefinition
	Registry     *registrySpec `json:"registry"`     // of an artifactDefinition
}

// registrySpec is the spec of a registryDefinition.
type registrySpec struct {
	CredentialsID string `json:"credentialsId"`
	Maven         struct {
		Domain         string `json:"repositoryDomainName"`
		URL            string `json:"fullRepositoryUrl"`
		TargetSnapshot string `json:"targetSnapshot"`
		TargetStaging  string `json:"targetStaging"`
		TargetRelease  string `json:"targetRelease"`
		SnapshotGroup  string `json:"snapshotGroup"`
		ReleaseGroup   string `json:"releaseGroup"`
	} `json:"mavenConfig"`
}

// credentialSpec is the spec of a credential.
type credentialSpec struct {
	Type string `json:"type"`
	Data struct {
		Username string `json:"username"`
		Password string `json:"password"`
	} `json:"data"`
}

// Find returns the definition of an application.
func (s Stored) Find(ctx context.Context, application string) (*Definition, error) {
	var spec artifactSpec
	kind := "artifactDefinition"
	found, err := s.read(ctx, kind, application, &spec)
	if err == nil && !found {
		kind = "appDefinition"
		found, err = s.read(ctx, kind, application, &spec)
	}
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, newError(ReasonDefinitionMissing, "there is neither an artifactDefinition nor an appDefinition for "+application,
			"store one that says where it is published", nil)
	case spec.GroupID == "" || spec.ArtifactID == "":
		return nil, newError(ReasonDefinitionInvalid, "the "+kind+" "+application+" lacks groupId or artifactId", "add them to its spec", nil)
	}
	registry := spec.Registry
	if registry == nil {
		registry = new(registrySpec)
		if found, err = s.read(ctx, "registryDefinition", spec.RegistryName, registry); err != nil {
			return nil, err
		} else if !found {
			return nil, newError(ReasonRegistryMissing, fmt.Sprintf("the %s %s names the registry %q, which has no registryDefinition", kind, application, spec.RegistryName),
				"store one, or name another registry", nil)
		}
	}
	d := &Definition{GroupID: spec.GroupID, ArtifactID: spec.ArtifactID}
	if d.Repositories, err = registry.repositories(application); err != nil {
		return nil, err
	}
	return d, s.readCredential(ctx, registry.CredentialsID, d)
}

// read decodes the spec of a definition, and says whether there is one.
func (s Stored) read(ctx context.Context, kind, name string, into any) (bool, error) {
	if dovetail.CheckValue(name) != "" { // no key can have it
		return false, nil
	}
	doc, err := s.Documents.Get(ctx, dovetail.ID("").Child(kind, name))
	switch {
	case dovetail.CodeOf(err) == dovetail.CodeNotFound:
		return false, nil
	case err != nil:
		return false, err
	}
	data := struct {
		Spec any `json:"spec"`
	}{into}
	if err := json.Unmarshal(doc.Data, &data); err != nil {
		return false, newError(ReasonDefinitionInvalid, "the "+kind+" "+name+" cannot be understood", "write its spec as `dovetail explain "+kind+"` says", err)
	}
	return true, nil
}

// repositories returns the URLs of the registry's repositories.
func (r *registrySpec) repositories(application string) ([]string, error) {
	maven := &r.Maven
	base := maven.URL
	if base == "" {
		base = maven.Domain
	}
	if base != "" && !strings.Contains(base, "://") {
		base = "https://" + base
	}
	at, err := url.Parse(base)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return nil, newError(ReasonDefinitionInvalid, "the registry of "+application+" has no URL of a Maven repository",
			"give mavenConfig.fullRepositoryUrl as https://host/path, without a user", err)
	}
	var all []string
	for _, name := range []string{maven.TargetSnapshot, maven.TargetStaging, maven.TargetRelease, maven.SnapshotGroup, maven.ReleaseGroup} {
		if repository := at.JoinPath(name).String(); name != "" && !slices.Contains(all, repository) {
			all = append(all, strings.TrimSuffix(repository, "/"))
		}
	}
	if all == nil {
		return nil, newError(ReasonDefinitionInvalid, "the registry of "+application+" names no repository", "give mavenConfig.targetRelease, or another one", nil)
	}
	return all, nil
}

// readCredential puts the credential into the definition. One without a user name stands for none.
func (s Stored) readCredential(ctx context.Context, name string, d *Definition) error {
	if name == "" {
		return nil
	}
	var c credentialSpec
	found, err := s.read(ctx, "credential", name, &c)
	switch {
	case err != nil:
		return err
	case !found:
		return newError(ReasonDefinitionInvalid, "the credential "+name+" does not exist", "store it, or name another one", nil)
	case c.Type != "usernamePassword":
		return newError(ReasonDefinitionInvalid, fmt.Sprintf("the credential %s is of the type %q", name, c.Type), "a registry takes usernamePassword", nil)
	}
	d.User, d.Password = c.Data.Username, c.Data.Password
	return nil
}
