package keystone

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// account is a file with the URL of Keystone, and as whom to ask it: a cloud as clouds.yaml has them.
type account struct {
	url    string // ends with /v3
	caFile string // of the certificates that Keystone's is signed with; "" for those of the system
	auth   map[string]any
}

// The members of auth.
const (
	memberURL        = "auth_url"
	memberUser       = "username"
	memberUserID     = "user_id"
	memberPassword   = "password"
	memberApp        = "application_credential_name"
	memberAppID      = "application_credential_id"
	memberAppSecret  = "application_credential_secret" //nolint:gosec // the name of a member, no secret
	memberProject    = "project_name"
	memberProjectID  = "project_id"
	memberUserDomain = "user_domain_name"
)

// readAccount reads the file. Errors, all together and with their places, have CodeInvalid; they never show a secret.
func readAccount(file string) (*account, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file}, Err: err, Message: "the account for Keystone cannot be read",
			Remedy: "name a YAML file with auth: {auth_url: ..., username: ..., password: ...}"}
	}
	values, err := yaml.Parse(file, text, value.Limits{})
	if err != nil {
		return nil, err
	}
	if len(values) != 1 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file}, Message: "the account for Keystone is not one document", Remedy: "write one"}
	}
	d := &decode.Decoder{File: file}
	root := d.Root(values[0], "the account for Keystone", "")
	root.Map("auth", "auth_type", "cacert", "identity_api_version")
	root.Require("auth")
	a := &account{caFile: root.Get("cacert").OptionalText()}
	if a.caFile != "" && !filepath.IsAbs(a.caFile) {
		a.caFile = filepath.Join(filepath.Dir(file), a.caFile)
	}
	if version := root.Get("identity_api_version"); !version.IsMissing() && string(version.Value.JSON()) != "3" && version.Value.Text != "3" {
		version.Fail("write 3, or leave it out", "identity_api_version is not 3, the only version there is")
	}
	auth := root.Get("auth")
	if !auth.IsMissing() && auth.Map(memberURL, memberUser, memberUserID, memberPassword, memberApp, memberAppID, memberAppSecret, memberProject, memberProjectID,
		memberUserDomain, "user_domain_id", "project_domain_name", "project_domain_id") {
		a.readAuth(auth, root.Get("auth_type"))
	}
	return a, d.Err("the account for Keystone is invalid")
}

func (a *account) readAuth(auth, way decode.Field) {
	auth.Require(memberURL)
	if a.url = strings.TrimSuffix(auth.Get(memberURL).OptionalText(), "/"); a.url != "" {
		if u, err := url.Parse(a.url); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
			auth.Get(memberURL).Fail("write https://keystone.example.org/v3", "auth_url is no URL of HTTP")
		}
		if !strings.HasSuffix(a.url, "/v3") {
			a.url += "/v3"
		}
	}
	text := func(name string) string { return auth.Get(name).OptionalText() }
	application := text(memberAppID) != "" || text(memberApp) != ""
	switch name := way.OptionalText(); name {
	case "":
	case "password", "v3password":
		if application {
			way.Fail("write v3applicationcredential, or leave it out", "auth_type is %s, and there is an application credential", name)
		}
	case "v3applicationcredential":
		if !application {
			auth.Fail("give "+memberAppID+" and "+memberAppSecret, "auth has no application credential")
		}
	default:
		way.FailChoice([]string{"password", "v3password", "v3applicationcredential"}, "write password or v3applicationcredential", "auth_type is %s", decode.Quote(name))
	}
	user := named(text, memberUserID, memberUser)
	if user != nil && text(memberUser) != "" && text(memberUserID) == "" {
		user["domain"] = domain(text, "user")
	}
	if application {
		auth.Require(memberAppSecret)
		credential := map[string]any{"secret": text(memberAppSecret)}
		if id := text(memberAppID); id != "" {
			credential["id"] = id
		} else {
			credential["name"] = text(memberApp)
			if credential["user"] = user; user == nil {
				auth.Fail("name the user, too, or give "+memberAppID, "an application credential is known by its name among those of a user")
			}
		}
		a.auth = map[string]any{"identity": map[string]any{"methods": []string{"application_credential"}, "application_credential": credential}}
		return
	}
	if user == nil {
		auth.Fail("give "+memberUser+" and "+memberPassword+", or "+memberAppID+" and "+memberAppSecret, "auth names no account")
		return
	}
	auth.Require(memberPassword)
	user["password"] = text(memberPassword)
	a.auth = map[string]any{"identity": map[string]any{"methods": []string{"password"}, "password": map[string]any{"user": user}}}
	if project := named(text, memberProjectID, memberProject); project != nil {
		if text(memberProjectID) == "" {
			project["domain"] = domain(text, "project")
		}
		a.auth["scope"] = map[string]any{"project": project}
	}
}

// named is what an object is known by: its id, or otherwise its name; nil where there is neither.
func named(text func(string) string, id, name string) map[string]any {
	switch {
	case text(id) != "":
		return map[string]any{"id": text(id)}
	case text(name) != "":
		return map[string]any{"name": text(name)}
	}
	return nil
}

// domain is the domain of the user or the project, the one with the id default where none is named.
func domain(text func(string) string, of string) map[string]any {
	if d := named(text, of+"_domain_id", of+"_domain_name"); d != nil {
		return d
	}
	return map[string]any{"id": "default"}
}
