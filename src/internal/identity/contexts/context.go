package contexts

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// Context says how to reach one server. Its server and credentials belong together: a token is for no other server.
type Context struct {
	Name   string
	Server string // URL
	// Token is the token itself, and TokenFile a file with it; one of them, or none.
	Token, TokenFile string
	// Issuer is the OpenID Connect provider to log in at, in place of a token; "" if there is none. ClientID is who the command line is there,
	// "" for the default, and Scope what it asks for beside the usual, separated by spaces.
	Issuer, ClientID, Scope string
	// CertificateAuthority is a file with the certificates that the server's is signed with; "" for those of the system.
	CertificateAuthority string
	ChangeSet            string // that commands work in, "" if there is none
}

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+@:/-]*$`)

// Redacted stands for a token where a context is shown.
const Redacted = "REDACTED"

// Value is the context as it stands in a file. Without secrets, Redacted stands for a token.
func (c Context) Value(secrets bool) *value.Value {
	if c.Token != "" && !secrets {
		c.Token = Redacted
	}
	v := value.NewMap()
	for _, m := range c.members() {
		if *m.text != "" {
			v.Set(m.name, value.NewString(*m.text))
		}
	}
	return v
}

// Check returns what is wrong with a context that was not read from a file.
func (c Context) Check() error {
	d := &decode.Decoder{Complete: func(e *dovetail.Error) { e.Position = dovetail.Position{} }}
	read(d.Root(c.Value(true), "the context", ""))
	return d.Err("the context is invalid")
}

type member struct {
	name string
	text *string
}

// members are those of a context, in the order of files.
func (c *Context) members() []member {
	return []member{{"name", &c.Name}, {"server", &c.Server}, {"token", &c.Token}, {"tokenFile", &c.TokenFile},
		{"issuer", &c.Issuer}, {"clientId", &c.ClientID}, {"scope", &c.Scope},
		{"certificateAuthority", &c.CertificateAuthority}, {"changeSet", &c.ChangeSet}}
}

// read reads a context.
func read(f decode.Field) Context {
	var c Context
	var names []string
	for _, m := range c.members() {
		names = append(names, m.name)
	}
	if !f.Map(names...) {
		return c
	}
	f.Require("name", "server")
	for _, m := range c.members() {
		field := f.Get(m.name)
		if m.name == "token" && field.Value != nil && field.Kind() != value.String { // which messages do not show
			field.Fail("write it in quotes", "token must be a string")
		} else if field.Value != nil {
			*m.text = field.Text()
		}
	}
	if c.Name != "" && !validName.MatchString(c.Name) {
		f.Get("name").Fail("use letters, digits and any of . _ - + @ : /, beginning with a letter or a digit", "the name is %s", decode.Quote(c.Name))
	}
	checkServer(f, c)
	checkIssuer(f, c)
	if c.Token != "" && c.TokenFile != "" {
		f.Get("tokenFile").Fail("leave out one of them", "there are both a token and a tokenFile")
	}
	if strings.ContainsFunc(c.Token, isSpace) {
		f.Get("token").Fail("write the token alone", "the token has spaces or line breaks")
	}
	return c
}

func checkServer(f decode.Field, c Context) {
	if c.Server == "" {
		return
	}
	server := f.Get("server")
	u, err := url.Parse(c.Server)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "":
		server.Fail("write it as https://dovetail.example.org", "the server is no URL of http or https")
	case u.User != nil:
		server.Fail("leave out the user, and give a token", "the URL of the server has a user in it")
	case u.Scheme == "http" && c.CertificateAuthority != "":
		f.Get("certificateAuthority").Fail("write https in the URL of the server, or leave it out", "a server at http has no certificate")
	}
}

func checkIssuer(f decode.Field, c Context) {
	if c.Issuer == "" {
		for _, m := range []member{{"clientId", &c.ClientID}, {"scope", &c.Scope}} {
			if *m.text != "" {
				f.Get(m.name).Fail("add the issuer, or leave it out", "there is a %s, but no issuer to log in at", m.name)
			}
		}
		return
	}
	issuer := f.Get("issuer")
	u, err := url.Parse(c.Issuer)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		issuer.Fail("write it as https://login.example.org", "the issuer is no URL of http or https")
	case c.Token != "" || c.TokenFile != "":
		issuer.Fail("leave out one of them", "there are both a token and an issuer to log in at")
	}
}

// isSpace reports whether a character is a space, a line break or another that has no look.
func isSpace(r rune) bool { return r <= ' ' || r == 0x7f || r == 0xa0 }
