package cli

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/contexts"
	"github.com/dovetail-store/dovetail/src/internal/identity/login"
)

type loginOptions struct {
	target
	issuer, clientID, scope, redirect string
	device                            bool
}

func newLoginCommand(s *session) *cobra.Command {
	var o loginOptions
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Log in to a server at its OpenID Connect provider",
		Long: `Log in to a server that accepts an OpenID Connect provider (--oidc-issuer), in a browser on this machine, or with --device
in a browser on another machine. The login is kept in keyring.json beside the file of contexts, which only you may read, and is refreshed as
long as the provider allows it. It is used by the commands for the same context, or without a context for the same server.

Register the command line at the provider as a public client, whose client ID is the audience of the server (--oidc-audience), with
PKCE, and with the redirect URL http://127.0.0.1 with any port, or to the URL of --redirect. With --device it must allow the device
authorization grant. --issuer, --client-id and --scope are kept in the context, and needed once.`,
		Example: `  dovetail login --context prod --issuer https://login.example.org
  dovetail login
  dovetail login --device`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	o.serverFlag(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.issuer, "issuer", "", "`URL` of the provider (default that of the context, or of the last login)")
	flags.StringVar(&o.clientID, "client-id", "", "client ID of the command line at the provider (default "+login.DefaultClientID+")")
	flags.StringVar(&o.scope, "scope", "", "scopes to request in addition to openid and, if the provider supports them, profile, email, groups and offline_access, separated by spaces")
	flags.StringVar(&o.redirect, "redirect", login.DefaultRedirect, "`URL` of this machine that the provider sends the browser back to; without a port, the first free one")
	flags.BoolVar(&o.device, "device", false, "show a code to enter in a browser on another machine")
	cmd.MarkFlagsMutuallyExclusive("device", "redirect")
	noFileCompletion(cmd, "issuer", "client-id", "scope", "redirect")
	return cmd
}

func clientOf(id string) string { return cmp.Or(id, login.DefaultClientID) }

func (o *loginOptions) run(cmd *cobra.Command, s *session) error {
	if err := s.only(cmd, formatName); err != nil {
		return err
	}
	ctx := cmd.Context()
	to, err := o.endpoint(s)
	if err != nil {
		return err
	}
	l, err := o.wanted(s, to)
	if err != nil {
		return err
	}
	if err := s.editKeyring(ctx, func(*login.Keyring) (bool, error) { return false, nil }); err != nil {
		return err // before the user logs in for nothing
	}
	provider, err := s.provider(ctx, l, to.Authority)
	if err != nil {
		return err
	}
	if o.device {
		l.Token, err = provider.Device(ctx, s.showCode)
	} else {
		l.Token, err = provider.Browser(ctx, o.redirect, func(url string) { s.showPage(ctx, l.Issuer, url) })
	}
	if err != nil {
		return err
	}
	self, err := s.greet(ctx, to, l)
	if err != nil {
		return err
	}
	if err := s.keep(ctx, to.context, l); err != nil {
		return err
	}
	s.showLogin(to, l, self)
	return nil
}

// wanted is the login without its token.
func (o *loginOptions) wanted(s *session, to *endpoint) (login.Login, error) {
	c := to.context
	l := login.Login{Context: c.Name, Server: serverKey(to.URL)}
	if c.Token != "" || c.TokenFile != "" {
		return l, &dovetail.Error{Code: dovetail.CodeConflict, Message: "the context " + c.Name + " has a token, which goes before a login",
			Remedy: "remove it with `dovetail config set-context " + c.Name + " --token ''`, or log in in another context"}
	}
	k, err := s.readKeyring()
	if err != nil {
		return l, err
	}
	last, _ := k.Find(l.Context, l.Server)
	if c.Issuer != "" {
		last.Issuer, last.ClientID, last.Scope = c.Issuer, c.ClientID, c.Scope
	}
	if o.issuer != "" && o.issuer != last.Issuer {
		last = login.Login{}
	}
	l.Issuer, l.ClientID, l.Scope = cmp.Or(o.issuer, last.Issuer), clientOf(cmp.Or(o.clientID, last.ClientID)), cmp.Or(o.scope, last.Scope)
	if l.Issuer == "" {
		return l, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there is no issuer to log in at",
			Remedy: "name the OpenID Connect provider of the server: `dovetail login" + to.flags + " --issuer URL`"}
	}
	check := contexts.Context{Name: cmp.Or(c.Name, "login"), Server: l.Server, Issuer: l.Issuer, ClientID: l.ClientID, Scope: l.Scope}
	return l, check.Check()
}

// showCode tells the user what to enter on another device.
func (s *session) showCode(code login.Code) {
	fmt.Fprintf(s.Err, "open %s in any browser, and enter the code %s\n", code.URL, code.Code)
	if code.Whole != "" {
		fmt.Fprintf(s.Err, "or open %s, and check that it shows this code\n", code.Whole)
	}
}

// showPage opens the page of the provider, or has the user do it.
func (s *session) showPage(ctx context.Context, issuer, url string) {
	fmt.Fprintf(s.Err, "log in at %s in the browser; if none opens here, open this URL on this machine:\n  %s\n", issuer, url)
	open := s.OpenBrowser
	if open == nil {
		open = openBrowser
	}
	if err := open(ctx, url); err != nil {
		fmt.Fprintln(s.Err, "no browser can be opened: use the URL, or `dovetail login --device` where this machine has none")
	}
}

// openBrowser opens a URL with what the system has for that.
func openBrowser(_ context.Context, url string) error {
	command := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if command == nil {
		command = []string{"xdg-open"}
	}
	opener := exec.CommandContext(context.Background(), command[0], append(command[1:], url)...) //nolint:gosec // the browser stays open
	if err := opener.Start(); err != nil {
		return err
	}
	go func() { _ = opener.Wait() }()
	return nil
}

// greet asks the server who the user of the token is there. A login that it refuses is not kept.
func (s *session) greet(ctx context.Context, to *endpoint, l login.Login) (*dovetail.CallerIdentity, error) {
	st, err := s.Connect(Server{URL: to.URL, Token: l.ID, Authority: to.Authority})
	if err != nil {
		return nil, err
	}
	defer release(st)
	server, ok := st.(Authority)
	if !ok {
		return nil, onlyServer("knows logins")
	}
	self, err := server.WhoAmI(ctx)
	if dovetail.CodeOf(err) == dovetail.CodeUnavailable {
		s.warn([]*dovetail.Error{{Message: "the login is kept, but not known to be accepted: " + dovetail.AsError(err).Message}})
		return nil, nil
	}
	if err == nil && self.Authenticated == "" {
		s.warn([]*dovetail.Error{{Message: "this server does not authenticate: it needs no login"}})
	}
	return &self, err
}

// keep writes the login into the keyring, and where it comes from into the context.
func (s *session) keep(ctx context.Context, c contexts.Context, l login.Login) error {
	if c.Name != "" && (l.Issuer != c.Issuer || l.ClientID != clientOf(c.ClientID) || l.Scope != c.Scope) {
		err := s.editContexts(func(file *contexts.File) error {
			c, err := file.Find(c.Name)
			if err == nil {
				c.Issuer, c.ClientID, c.Scope = l.Issuer, l.ClientID, l.Scope
				file.Set(c)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.editKeyring(ctx, func(k *login.Keyring) (bool, error) {
		if l.Context != "" {
			k.Remove(func(old login.Login) bool { return old.Context == l.Context }) // also at its former server
		}
		k.Put(l)
		return true, nil
	})
}

func (s *session) showLogin(to *endpoint, l login.Login, self *dovetail.CallerIdentity) {
	who := l.Subject
	if self != nil && self.Principal != "" {
		who = self.Principal
	}
	if s.output == formatName {
		fmt.Fprintln(s.Out, who)
		return
	}
	fmt.Fprintf(s.Out, "logged in to %s as %s\n", to.URL, who)
	if l.Refresh == "" {
		fmt.Fprintf(s.Err, "until %s, as the provider gives no refresh token\n", l.Expires.UTC().Format(time.RFC3339))
	}
	if s.context == "" && s.env(TokenVariable) != "" {
		s.warn([]*dovetail.Error{{Message: "the token in " + TokenVariable + " goes before the login: unset it"}})
	}
}

type logoutOptions struct {
	target
	all bool
}

func newLogoutCommand(s *session) *cobra.Command {
	var o logoutOptions
	cmd := &cobra.Command{
		Use:   "logout",
		Short: "Remove a login",
		Long: `Remove the login of the context, or without a context that of the server, and revoke it at the provider if possible
(RFC 7009). Servers accept the last token until it expires; "dovetail auth end" ends its session, too.`,
		Example: `  dovetail logout
  dovetail logout --all`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	o.serverFlag(cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "remove all logins")
	cmd.MarkFlagsMutuallyExclusive("all", "server")
	return cmd
}

func (o *logoutOptions) run(cmd *cobra.Command, s *session) error {
	if err := s.only(cmd); err != nil {
		return err
	}
	if o.all && s.context != "" {
		return usagef(cmd, "--all and --context both say which: leave out one of them")
	}
	unwanted, from := func(login.Login) bool { return true }, "any server"
	if !o.all {
		to, err := o.endpoint(s)
		if err != nil {
			return err
		}
		unwanted, from = func(l login.Login) bool { return l.Context == to.context.Name && l.Server == serverKey(to.URL) }, to.URL
	}
	removed, err := s.forgetLogins(cmd.Context(), unwanted)
	if err != nil {
		return err
	}
	if len(removed) == 0 {
		return &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no login to " + from, Remedy: "log in with `dovetail login`"}
	}
	for _, l := range removed {
		fmt.Fprintln(s.Out, "logged out of "+l.Server)
	}
	return nil
}
