package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/identity/contexts"
	"github.com/dovetail-store/dovetail/src/internal/identity/login"
	"github.com/dovetail-store/dovetail/src/value"
)

func newConfigCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Keep servers and credentials in contexts, and choose one",
		Long: `A context is a named server with its credentials. Commands use the current context, or the one of --context.

Contexts are stored in the file in the environment variable DOVETAIL_CONTEXTS, or by default in dovetail/contexts.yaml in the
folder of your configuration files, such as ~/.config. The file is readable only by you.

  current: prod
  contexts:
    - name: prod
      server: https://dovetail.example.org
      tokenFile: prod.token             # or token, the token itself
      certificateAuthority: ca.pem      # if the system does not trust the certificate
      changeSet: weekend                # that commands with --change-set work in, unless they name another
    - name: test
      server: https://test.example.org
      issuer: https://login.example.org # instead of a token: where "dovetail login" logs in
      clientId: dovetail                # the client ID of the command line there

The server is the first of these that is given: --server, --context, DOVETAIL_SERVER, the context that
DOVETAIL_CONTEXT names, the current context, ` + DefaultServer + `. A context is used as a whole, or not at all: its
token is sent to its server only. DOVETAIL_TOKEN takes precedence over the token or login of a context, except that of --context.`,
		Example: `  dovetail config set-context prod --server https://dovetail.example.org --token - < prod.token
  dovetail config use-context prod
  dovetail get clusters
  dovetail get clusters --context test`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigGetCommand(s), newConfigCurrentCommand(s), newConfigUseCommand(s), newConfigSetCommand(s), newConfigDeleteCommand(s), newConfigViewCommand(s))
	return cmd
}

func newConfigGetCommand(s *session) *cobra.Command {
	return acceptsTemplates(&cobra.Command{
		Use:               "get-contexts [NAME]",
		Short:             "List contexts",
		Long:              `List all contexts, or show one. A star marks the current one. Tokens are not shown.`,
		Example:           `  dovetail config get-contexts`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeContext(s),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := s.readContexts()
			if err != nil {
				return err
			}
			listed := file.Contexts
			if len(args) > 0 {
				c, err := file.Find(args[0])
				if err != nil {
					return err
				}
				listed = []contexts.Context{c}
			}
			s.showContexts(file, listed, len(args) > 0)
			return nil
		},
	})
}

func (s *session) showContexts(file *contexts.File, listed []contexts.Context, single bool) {
	current := file.Current
	if name := s.env(contextVariable); name != "" {
		current = name
	}
	result := shown{single: single, table: table{header: []string{"CURRENT", "NAME", "SERVER", "CHANGE SET", "TOKEN"}}}
	for _, c := range listed {
		mark, token := "", "none"
		if c.Name == current {
			mark = "*"
		}
		switch {
		case c.Token != "":
			token = contexts.Redacted
		case c.TokenFile != "":
			token = c.TokenFile
		case c.Issuer != "":
			token = "login at " + c.Issuer
		}
		result.table.add(mark, c.Name, c.Server, c.ChangeSet, token)
		result.names = append(result.names, c.Name)
		item := c.Value(false)
		item.Set("current", value.NewBool(c.Name == current))
		result.items = append(result.items, item)
	}
	if len(listed) == 0 && s.output == formatTable {
		fmt.Fprintln(s.Err, "no contexts found; make one with `dovetail config set-context NAME --server URL`")
		return
	}
	s.show(result)
}

func newConfigCurrentCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:     "current-context",
		Short:   "Print the name of the current context",
		Long:    `Print the name of the context that commands without --context use: that of DOVETAIL_CONTEXT, or the one chosen by use-context.`,
		Example: `  dovetail config current-context`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.only(cmd, formatName); err != nil {
				return err
			}
			c, err := s.chosenContext()
			if err != nil {
				return err
			}
			if c.Name == "" {
				return noCurrentContext()
			}
			fmt.Fprintln(s.Out, c.Name)
			s.warnOfEnvironment(c.Name)
			return nil
		},
	}
}

func noCurrentContext() error {
	return &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no current context",
		Remedy: "choose one with `dovetail config use-context NAME`; `dovetail config get-contexts` lists them"}
}

func newConfigUseCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:               "use-context NAME",
		Short:             "Choose the current context",
		Long:              `Choose the context that commands without --context use.`,
		Example:           `  dovetail config use-context prod`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeContext(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.only(cmd, formatName); err != nil {
				return err
			}
			err := s.editContexts(func(file *contexts.File) error {
				if _, err := file.Find(args[0]); err != nil {
					return err
				}
				file.Use(args[0])
				return nil
			})
			if err != nil {
				return err
			}
			s.showContextEffect("switched to", args[0])
			s.warnOfEnvironment(args[0])
			return nil
		},
	}
}

// showContextEffect says what was done to a context.
func (s *session) showContextEffect(did, name string) {
	if s.output == formatName {
		fmt.Fprintln(s.Out, name)
		return
	}
	fmt.Fprintln(s.Out, did+" "+name)
}

// warnOfEnvironment tells what goes before the current context.
func (s *session) warnOfEnvironment(name string) {
	var warnings []*dovetail.Error
	if server := s.env(serverVariable); server != "" {
		warnings = append(warnings, &dovetail.Error{Message: serverVariable + " is " + server + ", which goes before the current context: unset it"})
	} else if other := s.env(contextVariable); other != "" && other != name {
		warnings = append(warnings, &dovetail.Error{Message: contextVariable + " is " + other + ", which goes before the current context: unset it"})
	}
	if s.env(TokenVariable) != "" {
		warnings = append(warnings, &dovetail.Error{Message: "the token in " + TokenVariable + " goes before that of the current context: unset it"})
	}
	s.warn(warnings)
}

func newConfigDeleteCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:               "delete-context NAME",
		Short:             "Delete a context",
		Long:              `Delete a context with its token or login. A file with a token, or with certificates, stays.`,
		Example:           `  dovetail config delete-context test`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeContext(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.only(cmd, formatName); err != nil {
				return err
			}
			wasCurrent := false
			err := s.editContexts(func(file *contexts.File) error {
				if _, err := file.Find(args[0]); err != nil {
					return err
				}
				wasCurrent = file.Current == args[0]
				file.Delete(args[0])
				return nil
			})
			if err != nil {
				return err
			}
			s.showContextEffect("deleted", args[0])
			if _, err := s.forgetLogins(cmd.Context(), func(l login.Login) bool { return l.Context == args[0] }); err != nil {
				s.warn([]*dovetail.Error{{Message: "its login stays: " + dovetail.AsError(err).Error()}})
			}
			if wasCurrent {
				s.warn([]*dovetail.Error{{Message: "it was the current context: choose another with `dovetail config use-context NAME`"}})
			}
			return nil
		},
	}
}

func newConfigViewCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:     "view",
		Short:   "Print the file of contexts without its secrets",
		Long:    `Print the file of contexts as YAML, or with -o json as JSON. ` + contexts.Redacted + ` stands for tokens.`,
		Example: `  dovetail config view`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.only(cmd, formatYAML, formatJSON); err != nil {
				return err
			}
			file, err := s.readContexts()
			if err != nil {
				return err
			}
			if s.output == formatJSON {
				s.showJSON(shown{single: true, items: []*value.Value{file.Value()}})
				return nil
			}
			fmt.Fprint(s.Out, string(yaml.Marshal(file.Value())))
			return nil
		},
	}
}
