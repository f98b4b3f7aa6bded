package cli

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/value"
)

// ServerCheck says how a check of a database server came out.
type ServerCheck struct {
	Name     string        `json:"name"`             // of the check, such as "compare-and-set"
	Required bool          `json:"required"`         // whether Dovetail keeps its promises only where the check holds
	Holds    bool          `json:"holds"`            // whether it does
	Detail   string        `json:"detail"`           // what was seen
	Effect   string        `json:"effect,omitempty"` // what then changes, where it does not hold
	Took     time.Duration `json:"-"`
}

// RaisedLevel is the protocol level of a store before it was raised, and since.
type RaisedLevel struct {
	From int `json:"from"`
	To   int `json:"to"`
}

type doctorOptions struct {
	store string
	quick bool
	raise bool
}

func newDoctorCommand(s *session) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor --store mongodb://HOST/DATABASE",
		Short: "Test that a database server has the properties that Dovetail relies on",
		Long: `Test that a MongoDB server, or a compatible one, has the properties that Dovetail relies on. The tests use several concurrent
connections, and a collection doctor_... of the database, which is removed afterwards. Documents are neither read nor changed,
and servers of Dovetail may keep running.

Required properties must hold for the guarantees of Dovetail; "dovetail serve" runs the quick checks at its start and
refuses a server that fails one. If an optional property is missing, the output describes the effect.

The protocol level of a store determines which steps of the protocol its processes may use; the check protocol-level shows it, and the running
processes. A store that an earlier version created stays at the level of that version, so that processes of both versions can run at the same time.
--raise-protocol raises it to the newest level that this version supports. This is refused while a process of an earlier version seems to be running,
and it cannot be undone: earlier versions refuse the store afterwards.

The exit code is 0 when all required properties hold, and 1 otherwise.`,
		Example: `  dovetail doctor --store 'mongodb://user:password@host1,host2/dovetail?tls=true'
  dovetail doctor --quick -o json
  dovetail doctor --raise-protocol`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, s) },
	}
	cmd.Flags().StringVar(&o.store, "store", "", "the connection string of the database (default $DOVETAIL_STORE)")
	cmd.Flags().BoolVar(&o.quick, "quick", false, "run only the checks that a server runs at startup")
	cmd.Flags().BoolVar(&o.raise, "raise-protocol", false, "raise the protocol level of the store to the newest permanently, instead of testing the server")
	cmd.MarkFlagsMutuallyExclusive("quick", "raise-protocol")
	noFileCompletion(cmd, "store")
	return acceptsTemplates(cmd)
}

func (o *doctorOptions) run(cmd *cobra.Command, s *session) error {
	location := cmp.Or(o.store, s.env(EnvironmentName("store")))
	if location == "" {
		return usagef(cmd, "no database server is named: --store or $%s", EnvironmentName("store"))
	}
	if o.raise {
		return raiseProtocol(cmd, s, location)
	}
	checks, err := s.Examine(cmd.Context(), location, o.quick)
	if err != nil {
		return err
	}
	result := shown{table: table{header: []string{"CHECK", "NEED", "RESULT", "DETAIL", "TOOK"}, wide: 1}}
	missing := 0
	for _, c := range checks {
		item, err := valueOf(c)
		if err != nil {
			return err
		}
		required, holds := "optional", "holds"
		if c.Required {
			required = "required"
		}
		if !c.Holds {
			holds = "missing"
		}
		if c.Required && !c.Holds {
			missing++
		}
		result.items, result.names = append(result.items, item), append(result.names, c.Name)
		result.table.add(c.Name, required, holds, c.Detail, c.Took.Round(time.Millisecond).String())
	}
	s.show(result)
	if s.output == formatTable || s.output == formatWide {
		showEffects(s, checks)
		fmt.Fprintln(s.Out, serverVerdict(missing))
	}
	return different(missing > 0)
}

func raiseProtocol(cmd *cobra.Command, s *session, location string) error {
	raised, err := s.RaiseProtocol(cmd.Context(), location)
	if err != nil {
		return err
	}
	if s.output != formatTable && s.output != formatWide {
		item, err := valueOf(raised)
		if err != nil {
			return err
		}
		s.show(shown{single: true, items: []*value.Value{item}})
		return nil
	}
	if raised.From == raised.To {
		fmt.Fprintf(s.Out, "the protocol level is %d, the newest that this version knows\n", raised.To)
		return nil
	}
	fmt.Fprintf(s.Out, "the protocol level was raised from %d to %d; processes that run use it within five minutes\n", raised.From, raised.To)
	return nil
}

// showEffects says what changes where something does not hold.
func showEffects(s *session, checks []ServerCheck) {
	for _, c := range checks {
		if !c.Holds {
			fmt.Fprintf(s.Out, "%s: %s\n", c.Name, c.Effect)
		}
	}
}

func serverVerdict(missing int) string {
	if missing == 0 {
		return "all that Dovetail requires holds"
	}
	return fmt.Sprintf("%s that Dovetail requires: do not run it on this server", count(missing, "check")+" failed")
}
