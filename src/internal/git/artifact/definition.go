package artifact

import (
	"context"
	"fmt"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/value"
)

// Definition says where the versions of an artifact are published.
type Definition struct {
	GroupID    string
	ArtifactID string
	// Repositories are the URLs of Maven repositories, each once and without a slash at the end.
	Repositories []string
	// User and Password are for Basic authentication; without a user none is sent.
	User, Password string
	// Trusted are the origins of the repositories that a registryDefinition names, and so may be connected to without
	// being listed.
	Trusted []outbound.Origin
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
type Stored struct {
	Documents Documents
	// Credentials is where credentials are found, which may be used and not read otherwise; nil for Documents.
	Credentials Documents
	// Registries yields the registryDefinitions that the principal of the context may read, whose hosts are trusted, also
	// where an artifactDefinition names them. With nil none are: every host must be listed.
	Registries func(ctx context.Context) iter.Seq2[*dovetail.Document, error]
	// Keys open what is encrypted in credentials; without them it is refused, never sent.
	Keys *ciphertext.Keys
}

var _ Definitions = Stored{}

// Find returns the definition of an application.
func (s Stored) Find(ctx context.Context, application string) (*Definition, error) {
	kind := "artifactDefinition"
	spec, err := read(ctx, s, kind, application, readArtifact)
	if err == nil && spec == nil {
		kind = "appDefinition"
		spec, err = read(ctx, s, kind, application, readArtifact)
	}
	switch {
	case err != nil:
		return nil, err
	case spec == nil:
		return nil, newError(ReasonDefinitionMissing, "there is neither an artifactDefinition nor an appDefinition for "+application,
			"store one that says where it is published", nil)
	case spec.groupID == "" || spec.artifactID == "":
		return nil, newError(ReasonDefinitionInvalid, "the "+kind+" "+application+" lacks groupId or artifactId", "add them to its spec", nil)
	}
	registry := spec.registry
	if registry == nil {
		if registry, err = read(ctx, s, registryKind, spec.registryName, readRegistry); err != nil {
			return nil, err
		} else if registry == nil {
			return nil, newError(ReasonRegistryMissing, fmt.Sprintf("the %s %s names the registry %q, which has no registryDefinition", kind, application, spec.registryName),
				"store one, or name another registry", nil)
		}
	}
	at, err := registry.base()
	if err != nil {
		return nil, newError(ReasonDefinitionInvalid, "the registry of "+application+" has no URL of a Maven repository",
			"give mavenConfig.fullRepositoryUrl as https://host/path, without a user", err)
	}
	if registry.method != "" {
		return nil, newError(ReasonAuthentication, "the registry of "+application+" authenticates "+registry.method+", which is not supported",
			"give its authConfig the authMethod user_pass, and a credential of the type usernamePassword", nil)
	}
	d := &Definition{GroupID: spec.groupID, ArtifactID: spec.artifactID, Repositories: registry.below(at)}
	if d.Repositories == nil {
		return nil, newError(ReasonDefinitionInvalid, "the registry of "+application+" names no repository", "give mavenConfig.targetRelease, or another one", nil)
	}
	if d.Trusted, err = s.trusted(ctx, outbound.OriginOf(at), spec.registry == nil); err != nil {
		return nil, err
	}
	return d, s.addCredential(ctx, registry.credentialsID, d)
}

const registryKind = "registryDefinition"

// trusted returns the origin if a registryDefinition names it. Documents that may be written by users who own no
// registry, such as an artifactDefinition, do not make a host trusted.
func (s Stored) trusted(ctx context.Context, origin outbound.Origin, defined bool) ([]outbound.Origin, error) {
	switch {
	case s.Registries == nil:
		return nil, nil
	case defined:
		return []outbound.Origin{origin}, nil
	}
	for doc, err := range s.Registries(ctx) {
		if err != nil {
			return nil, err
		}
		registry, err := decode(doc, readRegistry)
		if err != nil { // it names no host
			continue
		}
		if at, err := registry.base(); err == nil && outbound.OriginOf(at) == origin {
			return []outbound.Origin{origin}, nil
		}
	}
	return nil, nil
}

// read reads the spec of a definition, nil if there is none.
func read[T any](ctx context.Context, s Stored, kind, name string, spec func(*value.Value) (*T, error)) (*T, error) {
	if dovetail.CheckValue(name) != "" { // no key can have it
		return nil, nil
	}
	doc, err := s.Documents.Get(ctx, dovetail.ID("").Child(kind, name))
	switch {
	case dovetail.CodeOf(err) == dovetail.CodeNotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	found, err := decode(doc, spec)
	if err != nil {
		return nil, newError(ReasonDefinitionInvalid, "the "+kind+" "+name+" cannot be understood", "write its spec as `dovetail explain "+kind+"` says", err)
	}
	return found, nil
}

// decode reads the spec of a document. Its errors hold nothing of the data.
func decode[T any](doc *dovetail.Document, spec func(*value.Value) (*T, error)) (*T, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, errForm
	}
	return spec(data.Get("spec"))
}

// addCredential puts the credential into the definition. One without a user name stands for none.
func (s Stored) addCredential(ctx context.Context, name string, d *Definition) error {
	if name == "" {
		return nil
	}
	if s.Credentials != nil {
		s.Documents = s.Credentials
	}
	spec, err := read(ctx, s, credentialKind, name, whole)
	switch {
	case err != nil:
		return err
	case spec == nil:
		return newError(ReasonDefinitionInvalid, "the credential "+name+" does not exist", "store it, or name another one", nil)
	}
	if spec, err = s.openedBySOPS(ctx, name, spec); err != nil {
		return err
	}
	c, err := readCredential(spec)
	switch {
	case err != nil:
		return newError(ReasonDefinitionInvalid, "the credential "+name+" cannot be understood", "write its spec as `dovetail explain credential` says", err)
	case c.kind != "usernamePassword":
		return newError(ReasonDefinitionInvalid, "the credential "+name+" is of another type than usernamePassword", "name one of the type usernamePassword", nil)
	}
	for _, member := range []struct {
		name, text string
		into       *string
	}{{"username", c.user, &d.User}, {"password", c.password, &d.Password}} {
		if *member.into, err = s.Keys.Open(member.text); err != nil {
			return newError(ReasonEncrypted, "the "+member.name+" of the credential "+name+" cannot be used: "+err.Error(),
				"give the key that encrypted it with --credential-keys", nil)
		}
	}
	return nil
}

const credentialKind = "credential"

func whole(spec *value.Value) (*value.Value, error) { return spec, nil }

// openedBySOPS returns the spec of a credential in plaintext whose file SOPS encrypted, and other specs as they are. What SOPS says of the file is the document beside it.
func (s Stored) openedBySOPS(ctx context.Context, name string, spec *value.Value) (*value.Value, error) {
	encrypted := false
	ciphertext.Walk(spec, func(_ []string, v *value.Value) { encrypted = encrypted || ciphertext.Scheme(v.Text) == "SOPS" })
	if !encrypted {
		return spec, nil
	}
	metadata, err := read(ctx, s, credentialKind, ciphertext.MetadataName, whole)
	if err != nil {
		return nil, err
	}
	if metadata == nil {
		return nil, newError(ReasonEncrypted, "the credential "+name+" is encrypted with SOPS, and there is no document "+credentialKind+"/"+ciphertext.MetadataName+" with the metadata of its file",
			"import the file as SOPS wrote it", nil)
	}
	plain, err := s.Keys.OpenMember(name, spec, metadata)
	if err != nil {
		return nil, newError(ReasonEncrypted, "the credential "+name+" cannot be used: "+dovetail.AsError(err).Message, "give an identity of age that it is encrypted for with --credential-keys", nil)
	}
	return plain, nil
}
