package effectiveset

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// reference is what stands for an external credential.
type reference struct {
	name     string // normalized
	property string
	storeID  string
	store    *value.Value
}

// flow says in which shape references are written.
type flow int

const (
	valsFlow flow = iota // texts that vals reads
	esoFlow              // maps for the External Secrets Operator
)

// secretFlow reads the parameter SECRET_FLOW of an application.
func (c *calculation) secretFlow(merged parameters, s *sbom, e entry) (flow, error) {
	p, set := merged["SECRET_FLOW"]
	if !c.repo.isExternal || !set || text(p.value) == "helm-values" {
		return valsFlow, nil
	}
	if text(p.value) != "external-values" {
		return valsFlow, invalid(p.at(), "SECRET_FLOW is %q, and neither helm-values nor external-values", text(p.value))
	}
	if !s.eso {
		return valsFlow, invalid(p.at(), "SECRET_FLOW is external-values, which the application %s does not support by its SBOM (eso_support)", e.name)
	}
	return esoFlow, nil
}

// referenceOf returns what a map with $type: credRef stands for; nil for other maps.
func (c *calculation) referenceOf(v *value.Value, file string) (*value.Value, error) {
	if text(v.Get("$type")) != "credRef" {
		return nil, nil
	}
	id := text(v.Get("credId"))
	at := v.In(file)
	cred := c.repo.credentials[id]
	switch {
	case !c.repo.isExternal:
		return nil, invalid(at, "a reference to an external credential, and the credentials of the environment are local")
	case cred == nil:
		return nil, c.unknownCredential(id, at)
	}
	property := text(v.Get("property"))
	properties := propertiesOf(cred)
	switch {
	case property != "" && !slices.Contains(properties, property):
		return nil, invalid(at, "the credential %s has no property %s", id, property)
	case property == "" && len(properties) > 0:
		return nil, invalid(at, "the credential %s has the properties %s, and the reference names none", id, strings.Join(properties, ", "))
	}
	ref, err := c.newReference(cred, property)
	if err != nil {
		return nil, err
	}
	made := value.NewMap()
	made.Place = v.Place
	c.external[made] = ref
	return made, nil
}

func propertiesOf(cred *credential) []string {
	var names []string
	for _, p := range items(cred.data.Get("properties")) {
		names = append(names, text(p.Get("name")))
	}
	return names
}

func (c *calculation) newReference(cred *credential, property string) (*reference, error) {
	storeID := text(cred.data.Get("secretStore"))
	store := c.repo.stores.data.Get(storeID)
	if store == nil {
		return nil, invalid(cred.at, "the credential %s is in the secret store %q, which %s does not have", cred.id, storeID, c.repo.stores.file)
	}
	name, err := normalized(cred, text(store.Get("type")))
	if err != nil {
		return nil, err
	}
	return &reference{name, property, storeID, store}, nil
}

// calculatedReference is a calculated parameter that stands for an external credential, with a property if the credential has it.
func (c *calculation) calculatedReference(cred *credential, property string) *value.Value {
	if !slices.Contains(propertiesOf(cred), property) {
		property = ""
	}
	made := value.NewMap()
	ref, err := c.newReference(cred, property)
	if err != nil {
		c.fail(err)
		return str("")
	}
	c.external[made] = ref
	return made
}

// storeLimits are what names may have in a secret store.
type storeLimits struct {
	characters *regexp.Regexp
	segments   int // at most; 0 for any number
	segment    int // characters of one; 0 for any number
	length     int // of the whole; 0 for any
	separator  string
}

var limitsOf = map[string]storeLimits{
	"vault": {regexp.MustCompile(`^[A-Za-z0-9/_-]+$`), 0, 0, 0, "/"},
	"azure": {regexp.MustCompile(`^[A-Za-z0-9-]+$`), 4, 20, 127, "--"},
	"aws":   {regexp.MustCompile(`^[A-Za-z0-9\-/_+=.@!]+$`), 0, 119, 512, "/"},
	"gcp":   {regexp.MustCompile(`^[A-Za-z0-9_-]+$`), 0, 53, 255, "--"},
}

// normalized is the name of a credential in its store.
func normalized(cred *credential, kind string) (string, error) {
	limits, known := limitsOf[kind]
	if !known {
		return "", invalid(cred.at, "the secret store of the credential %s is of the type %q, which is none of vault, azure, aws and gcp", cred.id, kind)
	}
	where := text(cred.data.Get("remoteRefPath"))
	if blank(where) {
		return "", invalid(cred.at, "the credential %s has no remoteRefPath", cred.id)
	}
	const longestID = 32
	if kind != "vault" && len(cred.id) > longestID {
		return "", invalid(cred.at, "the id of the credential %s has more than %d characters", cred.id, longestID)
	}
	segments := strings.Split(strings.Trim(where, "/"), "/")
	if limits.segments > 0 && len(segments) > limits.segments {
		segments = segments[:limits.segments]
	}
	for i, segment := range segments {
		if limits.segment > 0 && len(segment) > limits.segment {
			sum := sha256.Sum256([]byte(segment))
			segments[i] = segment[:limits.segment-6] + "-" + hex.EncodeToString(sum[:])[:5]
		}
	}
	name := strings.Join(append(segments, cred.id), limits.separator)
	if !limits.characters.MatchString(name) || limits.length > 0 && len(name) > limits.length {
		return "", invalid(cred.at, "the credential %s would be called %s, which a store of the type %s does not take", cred.id, name, kind)
	}
	return name, nil
}

// value is a reference as it is written.
func (r *reference) value(shape flow) *value.Value {
	if shape == esoFlow {
		m := value.NewMap(member("normalizedSecretName", str(r.name)))
		if r.property != "" {
			m.Members = append(m.Members, member("secretKeys", value.NewList(value.NewMap(member("remoteKeyName", str(r.property))))))
		}
		m.Members = append(m.Members, member("secretStoreId", str(r.storeID)))
		return m
	}
	get := func(name string) string { return text(r.store.Get(name)) }
	var url string
	property := r.property
	switch get("type") {
	case "vault":
		url = "ref+vault://" + get("mountPath") + "/data/" + r.name
		if property == "" {
			property = "value"
		}
	case "azure":
		url = "ref+azurekeyvault://" + get("vaultName") + "/" + r.name
	case "aws":
		url = "ref+awssecrets://" + r.name + "?region=" + get("region")
	default:
		url = "ref+gcpsecrets://" + get("projectId") + "/" + r.name
	}
	if property != "" {
		url += "#/" + property
	}
	return str(url)
}

// externalCredentials writes the credentials that are to be created, and their stores.
func (c *calculation) externalCredentials() {
	if !c.repo.isExternal {
		return
	}
	stores, credentials := value.NewMap(), value.NewMap()
	for _, id := range c.repo.order {
		cred := c.repo.credentials[id]
		if !isTrue(cred.data.Get("create")) {
			continue
		}
		ref, err := c.newReference(cred, "")
		if err != nil {
			c.fail(err)
			continue
		}
		if stores.Get(ref.storeID) == nil {
			stores.Set(ref.storeID, storeShown(ref.store))
		}
		m := value.NewMap(member("secretStoreId", str(ref.storeID)), member("normalizedSecretName", str(ref.name)))
		if names := propertiesOf(cred); len(names) > 0 {
			properties := value.NewList()
			for _, name := range names {
				properties.Items = append(properties.Items, value.NewMap(member("name", str(name))))
			}
			m.Members = append(m.Members, member("properties", properties))
		}
		credentials.Set(id, m)
	}
	c.write("external-credential/external-credentials.yaml", value.NewMap(member("secretStores", stores), member("credentials", credentials)))
}

// storeShown is a store with the members that those of its type have.
func storeShown(store *value.Value) *value.Value {
	m := value.NewMap(member("type", str(text(store.Get("type")))), member("url", str(text(store.Get("url")))))
	special := map[string]string{"vault": "mountPath", "azure": "vaultName", "aws": "region", "gcp": "projectId"}[text(store.Get("type"))]
	m.Members = append(m.Members, member(special, str(text(store.Get(special)))))
	return m
}
