package effectiveset

import (
	"io/fs"
	"path"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/value"
)

// credential is one of the environment.
type credential struct {
	id, kind string
	data     *value.Value
	at       dovetail.Position
}

// The kinds of credentials.
const (
	usernamePassword = "usernamePassword"
	secretText       = "secret"
	secretFile       = "secretFile"
	vaultAppRole     = "vaultAppRole"
	externalKind     = "external"
)

// fieldsOf are what macros may read of a credential: the member of its data.
var fieldsOf = map[string]map[string]string{
	usernamePassword: {"username": "username", "password": "password"},
	secretText:       {"secret": "secret"},
	secretFile:       {"secret": "secretFile"},
	vaultAppRole:     {"roleId": "roleId", "secretId": "secretId", "path": "path", "namespace": "namespace"},
	externalKind:     {},
}

func (c *calculation) readCredentials(r *repository) error {
	r.credentials = make(map[string]*credential)
	o, err := c.chosen(path.Join(r.root, "Credentials/credentials"))
	if o == nil {
		return err
	}
	var errs dovetail.Errors
	externals := 0
	if sops.Is(o.data) {
		if o, err = c.openFile(o); err != nil {
			return err
		}
	} else {
		errs.Join(c.open(o))
	}
	for _, m := range o.data.Members {
		cred := &credential{m.Name, text(m.Value.Get("type")), m.Value, o.at(m.Value)}
		if fieldsOf[cred.kind] == nil {
			errs.Add(invalid(cred.at, "the credential %s is of the type %q, which is none of usernamePassword, secret, secretFile, vaultAppRole and external", m.Name, cred.kind))
			continue
		}
		if cred.kind == externalKind {
			externals++
		}
		r.credentials[m.Name], r.order = cred, append(r.order, m.Name)
	}
	r.isExternal = externals > 0
	if externals > 0 && externals < len(r.order) {
		errs.Add(invalid(dovetail.Position{File: o.file}, "%d of %d credentials are external: an environment has only such, or none", externals, len(r.order)))
	}
	return errs.Err("the credentials cannot be read")
}

// openFile decrypts a file that SOPS encrypted.
func (c *calculation) openFile(o *object) (*object, error) {
	if c.OpenFile == nil {
		err := invalid(dovetail.Position{File: o.file}, "the file is encrypted with SOPS for %s, and no key was given", sops.Recipients(o.data))
		err.Remedy = "give a file with an identity of age"
		return nil, err
	}
	text, err := fs.ReadFile(c.Repo, o.file)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: o.file}, Message: "it cannot be read", Err: err}
	}
	data, err := c.OpenFile(o.file, text)
	if err != nil {
		return nil, err
	}
	return &object{file: o.file, data: data, over: o.over}, nil
}

// open decrypts the values of a file.
func (c *calculation) open(o *object) error {
	var errs dovetail.Errors
	ciphertext.Walk(o.data, func(path []string, v *value.Value) {
		at := v.In(o.file)
		at.Path = value.Pointer(path...)
		if c.Open == nil {
			err := invalid(at, "the value is encrypted, and no key was given")
			err.Remedy = "give the key"
			errs.Add(err)
			return
		}
		plain, err := c.Open(v.Text)
		if err != nil {
			errs.Add(invalid(at, "%v", err))
			return
		}
		v.Text = plain
	})
	return errs.Err("the credentials cannot be decrypted")
}

// field is what a macro reads of a credential. It is secret.
func (c *calculation) field(cred *credential, name string, at dovetail.Position) (*value.Value, error) {
	member, known := fieldsOf[cred.kind][name]
	if !known {
		return nil, invalid(at, "the credential %s is of the type %s, which has no field %s", cred.id, cred.kind, name)
	}
	s := text(cred.data.At("data", member))
	if s == notEntered {
		c.find(ValueNotEntered, cred.at, "the credential "+cred.id+" has the placeholder for a value that was not entered yet")
	}
	v := str(s)
	v.Place = value.At(at.Line, at.Column)
	c.secrets[v] = true
	return v, nil
}

func (c *calculation) unknownCredential(id string, at dovetail.Position) error {
	err := c.absence("credential "+shortened(id), at)
	err.Remedy = "add it to Credentials/credentials.yml"
	if near := suggest.Nearest(id, c.repo.order); near != "" {
		err.Remedy = "did you mean " + near + "?"
	}
	return err
}

// pair are user name and password of a credential that an object of the cloud names: empty where it is another kind. Where credentials are
// external they are references.
func (c *calculation) pair(id string) (user, password *value.Value) {
	cred := c.repo.credentials[id]
	if cred != nil && cred.kind == externalKind {
		return c.calculatedReference(cred, "username"), c.calculatedReference(cred, "password")
	}
	if cred == nil || cred.kind != usernamePassword {
		return str(""), str("")
	}
	return str(text(cred.data.At("data", "username"))), str(text(cred.data.At("data", "password")))
}

// token is the secret of a credential, empty where it is of another kind.
func (c *calculation) token(id string) *value.Value {
	cred := c.repo.credentials[id]
	if cred != nil && cred.kind == externalKind {
		return c.calculatedReference(cred, "")
	}
	if cred == nil || cred.kind != secretText {
		return str("")
	}
	return str(text(cred.data.At("data", "secret")))
}

// kubernetesToken is the token of a namespace; nil where none is named.
func (c *calculation) kubernetesToken(ns *namespace) *value.Value {
	id := text(ns.data.Get("credentialsId"))
	if blank(id) {
		id = text(c.repo.cloud.data.Get("defaultCredentialsId"))
	}
	if blank(id) {
		return nil
	}
	if cred := c.repo.credentials[id]; cred == nil || cred.kind != secretText {
		return str("")
	}
	return c.token(id)
}

// isSecretName reports whether a parameter is moved to the credentials in the deployment context, whoever sets it.
func isSecretName(name string) bool {
	switch name {
	case "DBAAS_AGGREGATOR_USERNAME", "DBAAS_AGGREGATOR_PASSWORD", "DBAAS_CLUSTER_DBA_CREDENTIALS_USERNAME", "DBAAS_CLUSTER_DBA_CREDENTIALS_PASSWORD",
		"MAAS_CREDENTIALS_USERNAME", "MAAS_CREDENTIALS_PASSWORD", "VAULT_TOKEN", "CONSUL_ADMIN_TOKEN", "SSL_SECRET_VALUE":
		return true
	}
	return false
}
