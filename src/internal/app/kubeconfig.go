package app

import (
	"net/http"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// ReadKubeconfig reads a kubeconfig as kubectl does, with all kinds of credentials that it may have. "" means the files, and the context,
// that kubectl uses without a flag.
func ReadKubeconfig(file, context string) (*cli.Kubeconfig, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath, rules.WarnIfAllMissing = file, false
	loaded := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context})
	config, err := loaded.ClientConfig()
	if err != nil {
		return nil, unreadableKubeconfig(err)
	}
	namespace, _, err := loaded.Namespace()
	if err != nil {
		return nil, unreadableKubeconfig(err)
	}
	address, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, unreadableKubeconfig(err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, unreadableKubeconfig(err)
	}
	return &cli.Kubeconfig{Namespace: namespace, Server: cli.Server{URL: address.String(), HTTP: &http.Client{Transport: credentialed{transport}}}}, nil
}

func unreadableKubeconfig(err error) error {
	if clientcmd.IsEmptyConfig(err) {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Err: err, Message: "no kubeconfig names a server",
			Remedy: "write one with `dovetail kubeconfig`, and name it with --kubeconfig or KUBECONFIG"}
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid, Err: err, Message: "the kubeconfig cannot be used: " + err.Error(),
		Remedy: "name another one with --kubeconfig, or a context of it with --context; `kubectl config view` shows what there is"}
}

// credentialed tells apart that a credential plug-in failed from a server that cannot be reached.
type credentialed struct{ http.RoundTripper }

// RoundTrip makes a request with the credentials of the kubeconfig.
func (c credentialed) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := c.RoundTripper.RoundTrip(request)
	if err != nil && strings.HasPrefix(err.Error(), "getting credentials: ") {
		return nil, &dovetail.Error{Code: dovetail.CodeUnauthenticated, Err: err, Message: err.Error()}
	}
	return answer, err
}

// CloseIdleConnections closes those of the transport below.
func (c credentialed) CloseIdleConnections() {
	(&http.Client{Transport: c.RoundTripper}).CloseIdleConnections()
}
