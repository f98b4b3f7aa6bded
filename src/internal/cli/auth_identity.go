package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Authority is what a server knows of identities; a Store that is one implements it.
type Authority interface {
	// WhoAmI says who the caller is.
	WhoAmI(ctx context.Context) (dovetail.CallerIdentity, error)
	// WhoCan lists the users and groups that have a right on a document.
	WhoCan(ctx context.Context, right dovetail.Right, id dovetail.ID) ([]dovetail.Subject, error)
	// Protections lists those that cover a document, or with "" those that concern the caller.
	Protections(ctx context.Context, id dovetail.ID) ([]dovetail.Protection, error)
	// Sessions lists the sessions that the caller may know.
	Sessions(ctx context.Context) ([]dovetail.Session, error)
	// EndSession ends one.
	EndSession(ctx context.Context, id string) error
}

// authority opens the server.
func (t *target) authority(ctx context.Context, s *session) (Authority, func(), error) {
	return openServer[Authority](ctx, s, t, "knows identities and sessions")
}

// newWhoAmICommand returns the command, which stands at the top and below auth.
func newWhoAmICommand(s *session, path string) *cobra.Command {
	var t target
	cmd := &cobra.Command{
		Use:     "whoami",
		Short:   "Show the principal that a server authenticates you as",
		Long:    `Show how a server authenticates you: principal, groups, roles with their scope, method, and expiry.`,
		Example: "  dovetail " + path,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, done, err := t.authority(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer done()
			self, err := server.WhoAmI(cmd.Context())
			if err != nil {
				return err
			}
			item, err := valueOf(self)
			if err != nil {
				return err
			}
			result := shown{single: true, items: []*value.Value{item}, names: []string{self.Principal}}
			if self.Authenticated == "" {
				result.table.add("principal", "none: the server does not authenticate")
				s.show(result)
				return nil
			}
			result.table.add("principal", self.Principal)
			result.table.add("groups", strings.Join(self.Groups, ", "))
			result.table.add("roles", heldRoles(self.Roles))
			result.table.add("authenticated", self.Authenticated)
			result.table.add("session", self.Session)
			result.table.add("expires", orNever(self.Expires))
			s.show(result)
			return nil
		},
	}
	t.serverFlag(cmd)
	return cmd
}

// heldRoles shows roles, as "editor, viewer on cluster/c1".
func heldRoles(roles []dovetail.HeldRole) string {
	if len(roles) == 0 {
		return "none"
	}
	var shown []string
	for _, held := range roles {
		text := held.Role
		if len(held.On) > 0 {
			text += " on " + strings.Join(held.On, " and ")
		}
		shown = append(shown, text)
	}
	return strings.Join(shown, ", ")
}

func orNever(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(time.RFC3339)
}

func newAuthWhoCanCommand(s *session) *cobra.Command {
	var t target
	cmd := &cobra.Command{
		Use:   "who-can RIGHT ID",
		Short: "List the users and groups with a right on a document",
		Long: `List the users and groups that have a right on a document, which need not exist, by the access policy
in force: with the role that grants it, and the scope of the role. RIGHT is ` + rightWords() + `;
ID is the id of the document, such as cluster/c1. It requires the right to read everything. If the document is
protected, the output also says how many approvals a change set needs.`,
		Example:           `  dovetail auth who-can delete cluster/c1/environment/dev`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: completeRightAndID(s, &t),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := dovetail.ParseID(args[1])
			if err != nil {
				return err
			}
			server, done, err := t.authority(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer done()
			subjects, err := server.WhoCan(cmd.Context(), dovetail.Right(args[0]), id)
			if err != nil {
				return err
			}
			if err := s.showSubjects(subjects); err != nil {
				return err
			}
			return s.showProtections(cmd.Context(), server, dovetail.Right(args[0]), id)
		},
	}
	t.serverFlag(cmd)
	return cmd
}

// showProtections says which of them leave the way through a change set only, where the right is one to change the document.
func (s *session) showProtections(ctx context.Context, server Authority, right dovetail.Right, id dovetail.ID) error {
	if right != dovetail.RightCreate && right != dovetail.RightUpdate && right != dovetail.RightDelete {
		return nil
	}
	protections, err := server.Protections(ctx, id)
	if err != nil {
		return err
	}
	for _, p := range protections {
		line := "only through a change set, with " + count(p.Approvals, "approval")
		if len(p.By) > 0 {
			line += " by " + strings.Join(p.By, " or ")
		}
		line += " (protected: " + strings.Join(p.On, ", ") + ")"
		if p.Message != "" {
			line += "; " + p.Message
		}
		fmt.Fprintln(s.Err, line)
	}
	return nil
}

func (s *session) showSubjects(subjects []dovetail.Subject) error {
	result := shown{table: table{header: []string{"KIND", "NAME", "ROLE", "ON"}}}
	for _, one := range subjects {
		item, err := valueOf(one)
		if err != nil {
			return err
		}
		result.items = append(result.items, item)
		result.names = append(result.names, string(one.Kind)+"/"+one.Name)
		role, on := one.Role, strings.Join(one.On, ", ")
		if role == "" {
			role = "none: the server has no access policy"
		}
		if on == "" {
			on = "everywhere"
		}
		result.table.add(string(one.Kind), one.Name, role, on)
	}
	s.show(result)
	if len(subjects) == 0 && (s.output == formatTable || s.output == formatWide) {
		fmt.Fprintln(s.Err, "no user and no group may do that")
	}
	return nil
}

func newAuthSessionsCommand(s *session) *cobra.Command {
	var t target
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the sessions of a server",
		Long: `List the sessions of a server process: the tokens and client certificates that were used on it within the last day.
You see your own sessions; users with the right to read everything see all. The current session is marked with *.`,
		Example: `  dovetail auth sessions
  dovetail auth sessions -o wide`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, done, err := t.authority(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer done()
			sessions, err := server.Sessions(cmd.Context())
			if err != nil {
				return err
			}
			result := shown{table: table{header: []string{"SESSION", "PRINCIPAL", "AUTHENTICATED", "LAST-USED", "STREAMS", "EXPIRES", "SINCE", "ADDRESS"}, wide: 2}}
			for _, one := range sessions {
				item, err := valueOf(one)
				if err != nil {
					return err
				}
				result.items = append(result.items, item)
				result.names = append(result.names, one.ID)
				principal := one.Principal
				if one.Current {
					principal += " *"
				}
				result.table.add(one.ID, principal, one.Authenticated, one.LastUsed.UTC().Format(time.RFC3339), strconv.Itoa(one.Streams),
					orNever(one.Expires), one.Since.UTC().Format(time.RFC3339), one.Address)
			}
			s.show(result)
			return nil
		},
	}
	t.serverFlag(cmd)
	return cmd
}

func newAuthEndCommand(s *session) *cobra.Command {
	var t target
	cmd := &cobra.Command{
		Use:   "end SESSION",
		Short: "End a session: refuse its token, and cut its streams",
		Long: `End a session: its open streams are cut, and its token or client certificate is refused by all processes of the
server until it expires. SESSION is an id that "dovetail auth sessions" shows. You may end your own sessions; users with the right
to delete everything may end all sessions.`,
		Example: `  dovetail auth end 11f647859a19cfd005f0`,
		Args:    cobra.ExactArgs(1),
		ValidArgsFunction: completing(s, &t, func(ctx context.Context, st Store, args []string, prefix string) ([]cobra.Completion, error) {
			server, ok := st.(Authority)
			if !ok || len(args) > 0 {
				return nil, nil
			}
			sessions, err := server.Sessions(ctx)
			var found []cobra.Completion
			for _, one := range sessions {
				if strings.HasPrefix(one.ID, prefix) && len(found) < completionNames {
					found = append(found, cobra.CompletionWithDesc(one.ID, one.Principal))
				}
			}
			return found, err
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, done, err := t.authority(cmd.Context(), s)
			if err != nil {
				return err
			}
			defer done()
			if err := server.EndSession(cmd.Context(), args[0]); err != nil {
				return err
			}
			fmt.Fprintf(s.Out, "session %s ended\n", args[0])
			return nil
		},
	}
	t.serverFlag(cmd)
	return cmd
}

// rightWords names all rights, as "read, create or act".
func rightWords() string {
	var words []string
	for _, right := range dovetail.Rights() {
		words = append(words, string(right))
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// completeRightAndID suggests a right, and then ids.
func completeRightAndID(s *session, t *target) completion {
	ids := completing(s, t, func(ctx context.Context, st Store, _ []string, prefix string) ([]cobra.Completion, error) {
		return idsBelow(ctx, st, prefix)
	})
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			var found []cobra.Completion
			for _, right := range dovetail.Rights() {
				if strings.HasPrefix(string(right), prefix) {
					found = append(found, string(right))
				}
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		case 1:
			return ids(cmd, args, prefix)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}
