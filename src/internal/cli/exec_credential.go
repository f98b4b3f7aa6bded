package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/login"
	"github.com/dovetail-store/dovetail/src/value"
)

// execInfoVariable has what clients of Kubernetes tell a credential plug-in.
const execInfoVariable = "KUBERNETES_EXEC_INFO"

// execVersions are those of ExecCredential that are known, the default first. They differ in what clients tell only.
var execVersions = []string{"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"}

func newExecCredentialCommand(s *session) *cobra.Command {
	var t target
	cmd := &cobra.Command{
		Use:   "exec-credential",
		Short: "Print the token for kubectl, as its credential plugin",
		Long: `Print the token of the context, or that of the login, as an ExecCredential: the credential plug-in of kubectl and other clients
of the Kubernetes API. "dovetail kubeconfig" writes a configuration that calls it. A login is refreshed where that is due.`,
		Example: `  dovetail kubeconfig --exec >dovetail.kubeconfig
  dovetail auth exec-credential --context prod`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.execCredential(cmd, &t) },
	}
	t.serverFlag(cmd)
	return cmd
}

func (s *session) execCredential(cmd *cobra.Command, t *target) error {
	if err := s.only(cmd, formatJSON); err != nil {
		return err
	}
	version, err := execVersion(s.env(execInfoVariable))
	if err != nil {
		return err
	}
	to, err := t.endpoint(s)
	if err != nil {
		return err
	}
	s.reached = to
	status := value.NewMap(value.Member{Name: "token", Value: value.NewString(to.Token)})
	switch {
	case to.login != nil:
		l, err := to.login.fresh(cmd.Context())
		if err != nil {
			return err
		}
		until := l.Expires.Add(-login.Leeway) // when this command would refresh it
		status = value.NewMap(value.Member{Name: "token", Value: value.NewString(l.ID)},
			value.Member{Name: "expirationTimestamp", Value: value.NewString(until.UTC().Format(time.RFC3339))})
	case to.Token == "":
		return &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "there is no token for " + to.URL}
	}
	s.showJSON(shown{single: true, items: []*value.Value{value.NewMap(
		value.Member{Name: "apiVersion", Value: value.NewString(version)},
		value.Member{Name: "kind", Value: value.NewString("ExecCredential")},
		value.Member{Name: "status", Value: status})}})
	return nil
}

// execVersion is the version of ExecCredential that a client asks for.
func execVersion(info string) (string, error) {
	if info == "" {
		return execVersions[0], nil
	}
	var asked struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	err := json.Unmarshal([]byte(info), &asked)
	if err == nil && asked.Kind != "ExecCredential" {
		err = fmt.Errorf("its kind is %q", asked.Kind)
	}
	if err == nil && !slices.Contains(execVersions, asked.APIVersion) {
		err = fmt.Errorf("its apiVersion is %q", asked.APIVersion)
	}
	if err != nil {
		return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: execInfoVariable + " has no ExecCredential that is known: " + err.Error(),
			Remedy: "use a client of " + strings.Join(execVersions, " or ") + ", or unset it", Err: err}
	}
	return asked.APIVersion, nil
}

// execUser is the user of a kubeconfig whose token this command gives when it is needed.
func (s *session) execUser(to *endpoint) (*value.Value, error) {
	text := value.NewString
	args := value.NewList(text("auth"), text("exec-credential"))
	if to.context.Name != "" {
		args.Items = append(args.Items, text("--context"), text(to.context.Name))
	} else {
		args.Items = append(args.Items, text("--server"), text(to.URL))
	}
	plugin := value.NewMap(value.Member{Name: "apiVersion", Value: text(execVersions[0])}, value.Member{Name: "command", Value: text("dovetail")},
		value.Member{Name: "args", Value: args})
	if name, given := s.contextsFile(); given {
		name, err := absolute(name)
		if err != nil {
			return nil, err
		}
		plugin.Set("env", value.NewList(value.NewMap(value.Member{Name: "name", Value: text(contextsVariable)}, value.Member{Name: "value", Value: text(name)})))
	}
	plugin.Set("interactiveMode", text("Never"))
	plugin.Set("installHint", text("Put the command dovetail into a folder of PATH."))
	return value.NewMap(value.Member{Name: "exec", Value: plugin}), nil
}
