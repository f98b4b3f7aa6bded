package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/contexts"
	"github.com/dovetail-store/dovetail/src/internal/identity/login"
)

type configSetOptions struct {
	server, token, tokenFile, authority, changeSet string
	issuer, clientID, scope                        string
	current                                        bool
}

func newConfigSetCommand(s *session) *cobra.Command {
	var o configSetOptions
	cmd := &cobra.Command{
		Use:   "set-context NAME|--current",
		Short: "Create a context, or change one",
		Long: `Create a context, or change members of one. An empty value removes a member: --change-set ''.

A token that is given as --token TOKEN is visible in the shell history and in the process list: --token -
reads it from the standard input. With --token-file the token stays in its file, and is read whenever it is needed. With --issuer
there is no token, and "dovetail login" logs in.`,
		Example: `  dovetail config set-context prod --server https://dovetail.example.org --token - < prod.token
  dovetail config set-context test --server https://test.example.org --token-file /run/secrets/token --certificate-authority ca.pem
  dovetail config set-context --current --change-set weekend`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeContext(s),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.current, "current", false, "change the current context")
	flags.StringVar(&o.server, "server", "", "URL of the server")
	flags.StringVar(&o.token, "token", "", "the token itself, or - to read it from the standard input")
	flags.StringVar(&o.tokenFile, "token-file", "", "a `FILE` with the token")
	flags.StringVar(&o.issuer, "issuer", "", "`URL` of the OpenID Connect provider to log in at, instead of a token")
	flags.StringVar(&o.clientID, "client-id", "", "client ID of the command line at the provider (default "+login.DefaultClientID+")")
	flags.StringVar(&o.scope, "scope", "", "additional scopes to request from the provider, separated by spaces")
	flags.StringVar(&o.authority, "certificate-authority", "", "a `FILE` with the CA certificates for the server (default those of the system)")
	flags.StringVar(&o.changeSet, "change-set", "", "the `NAME` of the change set that commands work in, unless they name another")
	cmd.MarkFlagsMutuallyExclusive("token", "token-file", "issuer")
	noFileCompletion(cmd, "server", "token", "change-set", "issuer", "client-id", "scope")
	return cmd
}

func (o *configSetOptions) run(cmd *cobra.Command, s *session, args []string) error {
	if err := s.only(cmd, formatName); err != nil {
		return err
	}
	if o.current == (len(args) == 1) {
		return usagef(cmd, "either NAME or --current is required")
	}
	if err := o.read(s); err != nil {
		return err
	}
	var name, did string
	err := s.editContexts(func(file *contexts.File) error {
		if name = file.Current; !o.current {
			name = args[0]
		} else if name == "" {
			return noCurrentContext()
		}
		c, err := file.Find(name)
		did = "changed"
		if err != nil {
			if o.current || o.server == "" {
				return err
			}
			c, did = contexts.Context{Name: name}, "created"
		}
		o.apply(cmd, &c)
		if err := c.Check(); err != nil {
			return err
		}
		file.Set(c)
		return nil
	})
	if err != nil {
		return err
	}
	s.showContextEffect(did, name)
	if did == "created" && s.output == formatTable {
		fmt.Fprintf(s.Err, "use it with `dovetail config use-context %s`, or with --context %s\n", name, name)
	}
	return nil
}

// read reads the token where the standard input has it, and makes the names of files such that they hold in every folder.
func (o *configSetOptions) read(s *session) error {
	if o.token == "-" {
		text, err := s.readInput("-")
		if err != nil {
			return err
		}
		if o.token = string(bytes.TrimSpace(text)); o.token == "" {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there is no token on the standard input", Remedy: "give it as `--token - < FILE`"}
		}
	}
	for _, name := range []*string{&o.tokenFile, &o.authority} {
		if *name == "" {
			continue
		}
		if _, err := os.ReadFile(*name); err != nil {
			e := dovetail.AsError(unreadable(*name, err))
			e.Remedy = "name a file that you may read"
			return e
		}
		var err error
		if *name, err = absolute(*name); err != nil {
			return err
		}
	}
	return nil
}

// absolute is the name of a file such that it holds in every folder.
func absolute(name string) (string, error) {
	found, err := filepath.Abs(name)
	if err != nil {
		return "", unreadable(name, err)
	}
	return found, nil
}

// apply changes what flags were given for.
func (o *configSetOptions) apply(cmd *cobra.Command, c *contexts.Context) {
	for flag, change := range map[string]func(){
		"server":                func() { c.Server = o.server },
		"token":                 func() { c.Token, c.TokenFile = o.token, "" },
		"token-file":            func() { c.Token, c.TokenFile = "", o.tokenFile },
		"issuer":                func() { c.Issuer = o.issuer },
		"client-id":             func() { c.ClientID = o.clientID },
		"scope":                 func() { c.Scope = o.scope },
		"certificate-authority": func() { c.CertificateAuthority = o.authority },
		"change-set":            func() { c.ChangeSet = o.changeSet },
	} {
		if cmd.Flags().Changed(flag) {
			change()
		}
	}
	switch { // which excludes the others
	case o.issuer != "":
		c.Token, c.TokenFile = "", ""
	case o.token != "", o.tokenFile != "":
		c.Issuer = ""
	}
	if c.Issuer != "" {
		return
	}
	if !cmd.Flags().Changed("client-id") {
		c.ClientID = ""
	}
	if !cmd.Flags().Changed("scope") {
		c.Scope = ""
	}
}
