package cli

import (
	"encoding/base64"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

type kubeconfigOptions struct {
	target
	name, authority string
	exec            bool
}

func newKubeconfigCommand(s *session) *cobra.Command {
	var o kubeconfigOptions
	cmd := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print a kubeconfig for the documents of a server",
		Long: `Print a kubeconfig with one context, for kubectl and other clients of the Kubernetes API. It contains the token in DOVETAIL_TOKEN, or that of the context, if there is one:
protect the file like the token. With --exec, and always with a login, it contains no token: kubectl calls "dovetail auth exec-credential" for it, which must be in PATH.`,
		Example: `  dovetail kubeconfig >dovetail.kubeconfig
  kubectl --kubeconfig dovetail.kubeconfig get environments -A
  dovetail kubeconfig --context prod --exec >prod.kubeconfig`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.run(s) },
	}
	o.serverFlag(cmd)
	cmd.Flags().StringVar(&o.name, "name", "dovetail", "name of the context")
	cmd.Flags().StringVar(&o.authority, "certificate-authority", "", "a `FILE` with the CA certificates for the server (default that of the context, or those of the system)")
	cmd.Flags().BoolVar(&o.exec, "exec", false, "let kubectl call this command for the token, instead of writing the token to the file")
	noFileCompletion(cmd, "name")
	return cmd
}

func (o *kubeconfigOptions) run(s *session) error {
	to, err := o.endpoint(s)
	if err != nil {
		return err
	}
	address := strings.TrimSuffix(to.URL, "/")
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the server " + address + " is no URL", Remedy: "write it as https://dovetail.example.org"}
	}
	object := func(members ...any) *value.Value {
		made := value.NewMap()
		for i := 0; i < len(members); i += 2 {
			made.Set(members[i].(string), members[i+1].(*value.Value))
		}
		return made
	}
	cluster := object("server", value.NewString(address))
	certificates := to.Authority
	if o.authority != "" {
		if certificates, err = s.readInput(o.authority); err != nil {
			return err
		}
	}
	if certificates != nil {
		cluster.Set("certificate-authority-data", value.NewString(base64.StdEncoding.EncodeToString(certificates)))
	}
	user := object()
	switch {
	case o.exec, to.login != nil, to.Token == "" && to.context.Issuer != "":
		if user, err = s.execUser(to); err != nil {
			return err
		}
	case to.Token != "":
		user.Set("token", value.NewString(to.Token))
	}
	if strings.HasPrefix(address, "http://") && len(user.Members) > 0 {
		s.warn([]*dovetail.Error{{Message: "kubectl and its like send no token to a server at http: serve it with TLS, with --tls-cert and --tls-key"}})
	}
	config := object("apiVersion", value.NewString("v1"), "kind", value.NewString("Config"),
		"clusters", value.NewList(object("name", value.NewString(o.name), "cluster", cluster)),
		"users", value.NewList(object("name", value.NewString(o.name), "user", user)),
		"contexts", value.NewList(object("name", value.NewString(o.name), "context", object("cluster", value.NewString(o.name), "user", value.NewString(o.name)))),
		"current-context", value.NewString(o.name))
	_, err = s.Out.Write(yaml.Marshal(config))
	return err
}
