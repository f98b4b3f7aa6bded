package follow

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// Credential authenticates to a host: a user with a password, or a token.
type Credential struct {
	User, Password string
	Token          string
}

// Credentials are by host, with the port where the URL has one.
type Credentials map[string]Credential

// ParseCredentials reads a file of credentials: `hosts: [{host, user, password}, {host, token}]`. Errors: CodeInvalid, with positions.
func ParseCredentials(file string, text []byte) (Credentials, error) {
	docs, err := yaml.Parse(file, text, value.Limits{})
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: file + " must hold one document", Remedy: "write hosts: [{host, user, password}]"}
	}
	d := decode.Decoder{File: file}
	all := Credentials{}
	root := d.Root(docs[0], "the file", "")
	for _, list := range root.Members("hosts") {
		for _, item := range list.NonEmptyList("a host") {
			host, c := "", Credential{}
			for name, m := range item.As("a host").Members("host", "user", "password", "token") {
				switch name {
				case "host":
					host = m.Text()
				case "user":
					c.User = m.Text()
				case "password":
					c.Password = m.Text()
				case "token":
					c.Token = m.Text()
				}
			}
			item.Require("host")
			switch _, twice := all[host]; {
			case twice:
				item.Fail("keep one", "duplicate %s", decode.Quote(host))
			case (c.Token == "") == (c.User == ""):
				item.Fail("give one of them", "%s needs either a token or a user with a password", decode.Quote(host))
			}
			all[host] = c
		}
	}
	root.Require("hosts")
	return all, d.Err("the credentials cannot be read")
}

func (c Credential) authorize(request *http.Request) {
	switch {
	case c.Token != "":
		request.Header.Set("Authorization", "Bearer "+c.Token)
	case c.User != "":
		request.SetBasicAuth(c.User, c.Password)
	}
}
