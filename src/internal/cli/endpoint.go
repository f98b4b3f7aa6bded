package cli

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/contexts"
)

// The environment variables that say which server commands use, and as whom.
const (
	serverVariable   = "DOVETAIL_SERVER"
	contextVariable  = "DOVETAIL_CONTEXT"
	contextsVariable = "DOVETAIL_CONTEXTS" // the file of contexts
	// TokenVariable has the token that is sent to servers.
	TokenVariable = "DOVETAIL_TOKEN"
)

// takesContext is an annotation of the flag --server of verbs that --context is for.
const takesContext = "dovetail_takes_context"

// endpoint is the server of a run.
type endpoint struct {
	Server
	flags       string           // that name it, for commands that are shown
	context     contexts.Context // where it comes from; without a name if from none
	tokenOrigin string           // what the token comes from, "" if there is none
	login       *loginSource     // that gives the token; nil where another one is used
}

// originLogin is the tokenOrigin of a login.
const originLogin = "login"

// endpoint says which server the verb works on. In this order: --server, --context, DOVETAIL_SERVER, the context of
// DOVETAIL_CONTEXT, the current context, and the default. A context is used as a whole or not at all, so that its token is sent to
// no other server. DOVETAIL_TOKEN goes before the token or login of a context, except one that --context names.
func (t *target) endpoint(s *session) (*endpoint, error) {
	if s.kubectl != nil {
		return s.kubectl.endpoint(s)
	}
	to := &endpoint{Server: Server{Token: s.env(TokenVariable)}}
	if to.Token != "" {
		to.tokenOrigin = TokenVariable
	}
	switch {
	case t.server != "":
		to.URL, to.flags = t.server, " --server "+quoted(t.server)
		return to, s.useLogin(to)
	case s.context == "" && s.env(serverVariable) != "":
		to.URL = s.env(serverVariable)
		return to, s.useLogin(to)
	}
	c, err := s.chosenContext()
	if err != nil {
		return nil, err
	}
	if to.URL = cmp.Or(c.Server, DefaultServer); c.Name == "" {
		return to, s.useLogin(to)
	}
	to.context = c.Context
	if s.context != "" {
		to.flags = " --context " + quoted(c.Name)
	}
	if hasToken := c.Token != "" || c.TokenFile != ""; hasToken && (to.Token == "" || s.context != "") {
		if to.Token, to.tokenOrigin, err = c.token(); err != nil {
			return nil, err
		}
	}
	if to.Authority, err = c.authority(); err != nil {
		return nil, err
	}
	return to, s.useLogin(to)
}

// checkContextFlag refuses --context where it would have no effect.
func (s *session) checkContextFlag(cmd *cobra.Command) error {
	if !cmd.Root().PersistentFlags().Changed("context") {
		return nil
	}
	flags := cmd.Flags()
	takes := false
	if server := flags.Lookup("server"); server != nil {
		_, takes = server.Annotations[takesContext]
	}
	switch {
	case !takes:
		return usagef(cmd, "--context is for commands that work on a server, which `%s` does not", cmd.CommandPath())
	case s.context == "":
		return usagef(cmd, "--context is empty")
	}
	for _, other := range []string{"server", "store", "repo"} {
		if flags.Changed(other) {
			return usagef(cmd, "--context and --%s both say where: leave out one of them", other)
		}
	}
	return nil
}

// changeSetOf is the change set that the verb works in: that of --change-set, or that of the context where the verb has the flag
// and it was not given. It warns where the verb cannot work in that of the context.
func (t *target) changeSetOf(s *session, to *endpoint) (string, error) {
	name := to.context.ChangeSet
	if name == "" || t.changeSet != "" || t.verb == nil {
		return t.changeSet, nil
	}
	flags := t.verb.Flags()
	flag, writes := flags.Lookup("change-set"), flags.Lookup("message") != nil
	warn := func(does string) {
		if s.completing {
			return
		}
		s.warn([]*dovetail.Error{{Message: does + " the change set " + name + " of the context " + to.context.Name}})
	}
	switch {
	case flag == nil && writes && t.verb.Parent().Name() != "changeset":
		warn("`" + t.verb.CommandPath() + "` works on the store itself, not in")
	case flag == nil, flag.Changed: // as --change-set '' is
	case flags.Changed("watch") && writes:
		return "", usagef(t.verb, "--watch does not go with the change set %s of the context %s: leave it out, or use another context", name, to.context.Name)
	case flags.Changed("watch"):
		warn("--watch shows the store itself, not")
	case flags.Changed("at"):
		warn("--at shows the store itself, not")
	default:
		return name, nil
	}
	return "", nil
}

// withLogin adds, to the refusal of a server that does not know the caller, how to say it.
func (s *session) withLogin(err error) error {
	e := dovetail.AsError(err)
	if e == nil || e.Code != dovetail.CodeUnauthenticated || s.reached == nil {
		return err
	}
	shown := *e
	name := s.reached.context.Name
	set := "`dovetail config set-context " + cmp.Or(name, "NAME --server "+quoted(s.reached.URL)) + " --token -`, which reads it from the standard input"
	logIn := "`dovetail login" + s.reached.flags
	switch origin := s.reached.tokenOrigin; {
	case s.kubectl != nil:
		shown.Remedy = "the credentials are those of the kubeconfig: name another one with --kubeconfig or --context; `dovetail kubeconfig` writes one"
	case origin == originLogin, origin == "" && s.reached.context.Issuer != "":
		shown.Remedy = "run " + logIn + "`"
	case origin == "" && name == "":
		shown.Remedy = "put your token into " + TokenVariable + ", or keep it in a context: " + set + "; or log in at the server's OpenID Connect provider: " + logIn + " --issuer URL`"
	case origin == "":
		shown.Remedy = "put your token into " + TokenVariable + ", or keep it in the context: " + set + "; or log in at the server's OpenID Connect provider: " + logIn + " --issuer URL`"
	case origin == TokenVariable:
		shown.Remedy = "the token is that in " + TokenVariable + ": put another one there"
	case s.reached.context.TokenFile != "":
		shown.Remedy = "the token is that in " + origin + ": put another one there"
	default:
		shown.Remedy = "the token is that of the context " + name + ": replace it with " + set
	}
	return &shown
}

// chosen is a context with the folder that its files are relative to.
type chosen struct {
	contexts.Context
	dir string
}

// chosenContext is the context that --context or the environment names, or the current one; without a name if there is none.
func (s *session) chosenContext() (chosen, error) {
	wanted, origin := s.context, "--context"
	if wanted == "" {
		wanted, origin = s.env(contextVariable), contextVariable
	}
	file, err := s.readContexts()
	if err != nil {
		return chosen{}, err
	}
	if wanted == "" {
		if wanted, origin = file.Current, "current in "+file.Name; wanted == "" {
			return chosen{}, nil
		}
	}
	c, err := file.Find(wanted)
	if e := dovetail.AsError(err); e != nil {
		e.Message = origin + ": " + e.Message
		if origin != "--context" && origin != contextVariable {
			e.Remedy = "choose one with `dovetail config use-context NAME`: " + strings.Join(file.Names(), ", ")
		}
		return chosen{}, e
	}
	return chosen{c, filepath.Dir(file.Name)}, nil
}

// token returns the token of the context, and what it comes from.
func (c chosen) token() (token, origin string, err error) {
	if c.TokenFile == "" {
		return c.Token, "context", nil
	}
	text, err := c.read(c.TokenFile, "tokenFile")
	if err != nil {
		return "", "", err
	}
	token, name := string(bytes.TrimSpace(text)), c.path(c.TokenFile)
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", "", c.broken("tokenFile", name, "it must have a token alone", nil)
	}
	return token, name, nil
}

// authority returns the certificates that the server's is signed with.
func (c chosen) authority() ([]byte, error) {
	if c.CertificateAuthority == "" {
		return nil, nil
	}
	return c.read(c.CertificateAuthority, "certificateAuthority")
}

func (c chosen) read(name, member string) ([]byte, error) {
	text, err := os.ReadFile(c.path(name))
	if err != nil {
		return nil, c.broken(member, c.path(name), dovetail.AsError(unreadable(name, err)).Message, err)
	}
	return text, nil
}

// path is where a file of the context is.
func (c chosen) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.dir, name)
}

func (c chosen) broken(member, name, message string, err error) error {
	flag := map[string]string{"tokenFile": "--token-file", "certificateAuthority": "--certificate-authority"}[member]
	return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Message: message + " (" + member + " of the context " + c.Name + ")", Err: err,
		Remedy: "name another file with `dovetail config set-context " + c.Name + " " + flag + " FILE`"}
}
