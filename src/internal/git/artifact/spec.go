package artifact

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// artifactSpec is the spec of an appDefinition or an artifactDefinition.
type artifactSpec struct {
	groupID, artifactID string
	registryName        string        // of an appDefinition
	registry            *registrySpec // of an artifactDefinition
}

// registrySpec is the spec of a registryDefinition.
type registrySpec struct {
	credentialsID string
	method        string // of authentication, in words; "" for that with user and password, or none
	domain, url   string
	repositories  []string // by name, each once, without those that have none
}

// credentialSpec is the spec of a credential.
type credentialSpec struct{ kind, user, password string }

// errForm says that a member is not what it must be. It tells no more, as data may be secret.
var errForm = errors.New("a member has another form than the kind describes")

// fields reads members of a map by their exact names, as references are found by them: a member that is called
// credentialsID is no reference to a credential, and so names none here either.
type fields struct {
	of  *value.Value
	err error
}

// text returns a text, "" if there is none.
func (f *fields) text(name string) string {
	v := f.member(name)
	if v == nil {
		return ""
	}
	text, ok := v.Str()
	if !ok {
		f.err = errForm
	}
	return text
}

// within returns the fields of a map, none if there is no map.
func (f *fields) within(name string) *fields { return &fields{of: f.member(name), err: f.err} }

// member returns a member that is not null, nil if there is none.
func (f *fields) member(name string) *value.Value {
	if f.of == nil {
		return nil
	}
	if f.of.Kind != value.Map {
		f.err = errForm
		return nil
	}
	if v := f.of.Get(name); v != nil && v.Kind != value.Null {
		return v
	}
	return nil
}

func readArtifact(spec *value.Value) (*artifactSpec, error) {
	f := &fields{of: spec}
	a := &artifactSpec{groupID: f.text("groupId"), artifactID: f.text("artifactId"), registryName: f.text("registryName")}
	if registry := f.member("registry"); registry != nil && f.err == nil {
		a.registry, f.err = readRegistry(registry)
	}
	return a, f.err
}

func readRegistry(spec *value.Value) (*registrySpec, error) {
	f := &fields{of: spec}
	r := &registrySpec{credentialsID: f.text("credentialsId")}
	maven := f.within("mavenConfig")
	r.domain, r.url = maven.text("repositoryDomainName"), maven.text("fullRepositoryUrl")
	for _, name := range []string{"targetSnapshot", "targetStaging", "targetRelease", "snapshotGroup", "releaseGroup"} {
		if repository := maven.text(name); repository != "" && !slices.Contains(r.repositories, repository) {
			r.repositories = append(r.repositories, repository)
		}
	}
	if name := maven.text("authConfig"); name != "" && f.err == nil && maven.err == nil {
		f.err = r.authenticate(f.within("authConfig").within(name))
	}
	return r, cmp.Or(f.err, maven.err)
}

// errNoAuthentication says that a registry names a way to authenticate that it does not describe.
var errNoAuthentication = errors.New("mavenConfig.authConfig names no member of authConfig")

// userAndPassword are the methods and providers of authentication with a user and a password.
var userAndPassword = map[string][]string{"authMethod": {"", "user_pass"}, "provider": {"", "nexus", "artifactory"}}

// authenticate reads how a registry of version 2 authenticates.
func (r *registrySpec) authenticate(config *fields) error {
	if config.of == nil {
		return cmp.Or(config.err, errNoAuthentication)
	}
	r.credentialsID = config.text("credentialsId")
	method, provider := config.text("authMethod"), config.text("provider")
	if !slices.Contains(userAndPassword["authMethod"], method) || !slices.Contains(userAndPassword["provider"], provider) {
		r.method = strings.TrimSpace("with " + cmp.Or(method, "a method") + " of " + cmp.Or(provider, "its provider"))
	}
	return config.err
}

func readCredential(spec *value.Value) (*credentialSpec, error) {
	f := &fields{of: spec}
	c := &credentialSpec{kind: f.text("type")}
	data := f.within("data")
	c.user, c.password = data.text("username"), data.text("password")
	return c, cmp.Or(f.err, data.err)
}

// errNoURL says that a registry has no URL that can be asked.
var errNoURL = errors.New("no http or https URL of a host, without user, query and fragment")

// base returns the URL that all repositories of the registry are below.
func (r *registrySpec) base() (*url.URL, error) {
	base := cmp.Or(r.url, r.domain)
	if base != "" && !strings.Contains(base, "://") {
		base = "https://" + base
	}
	at, err := url.Parse(base)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return nil, errNoURL // the text of another error may hold a password
	}
	return at, nil
}

// below returns the URLs of the registry's repositories, each once.
func (r *registrySpec) below(base *url.URL) []string {
	var all []string
	for _, name := range r.repositories {
		if repository := strings.TrimSuffix(base.JoinPath(name).String(), "/"); !slices.Contains(all, repository) {
			all = append(all, repository)
		}
	}
	return all
}
