// Command kubernetes is the control plane and the node of a Kubernetes cluster in one program, which the tests of the
// Helm chart start on one machine. Its first argument says which part to be:
//
//	kubernetes kube-apiserver|kube-controller-manager|kube-scheduler|kubelet|kube-proxy [FLAG...]
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // their metrics are part of the programs
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// parts are the programs. Each is made only when it is asked for, since making one sets its features for the process.
var parts = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kube-proxy":              proxy.NewProxyCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubelet":                 kubelet.NewKubeletCommand,
}

func main() {
	var names []string
	for name, part := range parts {
		if len(os.Args) > 1 && os.Args[1] == name {
			os.Args = os.Args[1:]
			os.Exit(cli.Run(part()))
		}
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Fprintln(os.Stderr, "usage: kubernetes", strings.Join(names, "|"), "[FLAG...]")
	os.Exit(2)
}
