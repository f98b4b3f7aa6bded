package cli

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/value"
)

func newAuthCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "auth",
		Short: "Create tokens, list sessions, and check permissions",
		Long: `A server that runs with --access FILE requires authentication. The command line sends the token in
the environment variable DOVETAIL_TOKEN.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAuthTokenCommand(s), newAuthCanICommand(s), newWhoAmICommand(s, "auth whoami"), newAuthWhoCanCommand(s), newAuthSessionsCommand(s), newAuthEndCommand(s), newExecCredentialCommand(s))
	return cmd
}

type authTokenOptions struct {
	groups  []string
	expires string
}

func newAuthTokenCommand(s *session) *cobra.Command {
	var o authTokenOptions
	cmd := &cobra.Command{
		Use:   "token NAME",
		Short: "Create a token for a machine",
		Long: `Create a token for a machine. It is printed once, to standard error. The standard output is the entry for
"tokens" in the access policy file (--access): the name, and a digest that does not reveal the token.`,
		Example: `  dovetail auth token ci --group machines --expires 2027-06-30`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(s, cmd, args[0]) },
	}
	cmd.Flags().StringSliceVar(&o.groups, "group", nil, "group that the machine belongs to")
	cmd.Flags().StringVar(&o.expires, "expires", "", "day on which it expires, such as 2027-06-30 (default never)")
	noFileCompletion(cmd, "group", "expires")
	return cmd
}

func (o *authTokenOptions) run(s *session, cmd *cobra.Command, name string) error {
	if o.expires != "" {
		if _, err := time.Parse(time.DateOnly, o.expires); err != nil {
			return usagef(cmd, "--expires is %q, but must be a day, as 2027-06-30", o.expires)
		}
	}
	if name == "" {
		return usagef(cmd, "NAME is empty, but must name the user of the token")
	}
	if why := access.CheckName(name); why != "" {
		return usagef(cmd, "the name %+q %s", name, why)
	}
	if prefix := access.ReservedPrefix(name); prefix != "" {
		return usagef(cmd, "a name cannot begin with %s, which is reserved", prefix)
	}
	token, digest, err := access.NewToken(s.random())
	if err != nil {
		return dovetail.AsError(err)
	}
	entry := value.NewMap(value.Member{Name: "name", Value: value.NewString(name)})
	if len(o.groups) > 0 {
		groups := value.NewList()
		for _, group := range o.groups {
			groups.Items = append(groups.Items, value.NewString(group))
		}
		entry.Set("groups", groups)
	}
	entry.Set("sha256", value.NewString(hex.EncodeToString(digest[:])))
	if o.expires != "" {
		entry.Set("expires", value.NewString(o.expires))
	}
	fmt.Fprintf(s.Err, "The token of %s, which is not shown again: %s\n", name, token)
	result := shown{single: true, items: []*value.Value{entry}, names: []string{name}}
	if s.output == formatTable || s.output == formatWide {
		fmt.Fprint(s.Out, string(yaml.Marshal(value.NewList(entry))))
		return nil
	}
	s.show(result)
	return nil
}

// random is where tokens come from.
func (s *session) random() io.Reader {
	if s.Random != nil {
		return s.Random
	}
	return rand.Reader
}

func newAuthCanICommand(s *session) *cobra.Command {
	var t target
	cmd := &cobra.Command{
		Use:   "can-i RIGHT ID",
		Short: "Check whether you have a right",
		Long: `Check whether you have a right on a document, which need not exist. RIGHT is
` + rightWords() + `; ID is the id of the document, such as cluster/c1. The output is
yes or no; for no, the exit code is 1. If the document is protected, the output also says that it can only be
changed through a change set, and how many approvals this requires.`,
		Example:           `  dovetail auth can-i update cluster/c1/environment/dev`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: completeRightAndID(s, &t),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := dovetail.ParseID(args[1])
			if err != nil {
				return err
			}
			st, err := t.open(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer release(st)
			allowed, err := st.Allowed(cmd.Context(), dovetail.Right(args[0]), id)
			if err != nil {
				return err
			}
			if !allowed {
				fmt.Fprintln(s.Out, "no")
				return errDifferent
			}
			fmt.Fprintln(s.Out, "yes")
			if server, ok := st.(Authority); ok {
				return s.showProtections(cmd.Context(), server, dovetail.Right(args[0]), id)
			}
			return nil
		},
	}
	t.serverFlag(cmd)
	return cmd
}
