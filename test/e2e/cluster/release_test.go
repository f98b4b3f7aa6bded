package cluster_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/cli"
	"helm.sh/helm/v3/pkg/release"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	name    = "dovetail" // of the release, and so of its objects
	timeout = 10 * time.Minute
)

// The images, as the cluster knows them.
var (
	image         = or(os.Getenv("DOVETAIL_IMAGE"), "dovetail:latest")
	databaseImage = or(os.Getenv("DOVETAIL_DATABASE_IMAGE"), "dovetail-documentdb:latest")
)

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func TestMain(m *testing.M) {
	if os.Getenv("KUBECONFIG") == "" {
		fmt.Println("skipped: KUBECONFIG names no cluster; scripts/cluster makes one")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// installation is a namespace with a release of the chart in it.
type installation struct {
	*testing.T
	namespace string
	config    *rest.Config
	clients   kubernetes.Interface
	helm      *action.Configuration
	chart     *chart.Chart
}

// newInstallation makes a namespace that goes with the test. Nothing is in it yet.
func newInstallation(t *testing.T) *installation {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(t, err)
	config.QPS, config.Burst = 1000, 1000
	clients, err := kubernetes.NewForConfig(config)
	must(t, err)
	made, err := clients.CoreV1().Namespaces().Create(t.Context(), &core.Namespace{ObjectMeta: meta.ObjectMeta{GenerateName: "dovetail-test-",
		Labels: map[string]string{"pod-security.kubernetes.io/enforce-version": "latest"}}}, meta.CreateOptions{})
	must(t, err)
	t.Cleanup(func() {
		_ = clients.CoreV1().Namespaces().Delete(context.WithoutCancel(t.Context()), made.Name, meta.DeleteOptions{})
	})
	i := &installation{T: t, namespace: made.Name, config: config, clients: clients, helm: new(action.Configuration)}
	settings := cli.New()
	settings.SetNamespace(i.namespace)
	must(t, i.helm.Init(settings.RESTClientGetter(), i.namespace, "secret", func(string, ...any) {}))
	i.chart, err = loader.Load("../../../deployments/helm/dovetail")
	must(t, err)
	return i
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// uncounted takes ephemeral storage out of the resources: the kubelet of these tests does not count it, so that a pod which
// requests some finds no node.
var uncounted = map[string]any{"requests": map[string]any{"ephemeral-storage": nil}, "limits": map[string]any{"ephemeral-storage": nil}}

// values reads YAML and adds what every installation of the tests has.
func (i *installation) values(text string) map[string]any {
	i.Helper()
	values, err := chartutil.ReadValues([]byte(text))
	must(i.T, err)
	repository, tag, _ := strings.Cut(image, ":")
	return chartutil.MergeTables(values, map[string]any{"image": map[string]any{"repository": repository, "tag": tag}, "preStopSeconds": 2, "resources": uncounted})
}

func (i *installation) install(values string) *release.Release {
	i.Helper()
	install := action.NewInstall(i.helm)
	install.ReleaseName, install.Namespace, install.Wait, install.Timeout = name, i.namespace, true, timeout
	r, err := install.RunWithContext(i.Context(), i.chart, i.values(values))
	i.must(err)
	return r
}

func (i *installation) upgrade(values string) {
	i.Helper()
	upgrade := action.NewUpgrade(i.helm)
	upgrade.Namespace, upgrade.Wait, upgrade.Timeout = i.namespace, true, timeout
	_, err := upgrade.RunWithContext(i.Context(), name, i.chart, i.values(values))
	i.must(err)
}

func (i *installation) rollback() {
	i.Helper()
	rollback := action.NewRollback(i.helm)
	rollback.Wait, rollback.Timeout = true, timeout
	i.must(rollback.Run(name))
}

// test does what `helm test` does.
func (i *installation) test() {
	i.Helper()
	test := action.NewReleaseTesting(i.helm)
	test.Namespace, test.Timeout = i.namespace, timeout
	r, err := test.Run(name)
	i.must(err)
	for _, hook := range r.Hooks {
		if hook.LastRun.Phase != release.HookPhaseSucceeded {
			i.Errorf("the test %s: %s", hook.Name, hook.LastRun.Phase)
		}
	}
}

// uninstall removes the release and requires that none of its objects stay.
func (i *installation) uninstall() {
	i.Helper()
	uninstall := action.NewUninstall(i.helm)
	uninstall.Wait, uninstall.Timeout = true, timeout
	_, err := uninstall.Run(name)
	i.must(err)
	i.eventually("nothing is left", func() error {
		if left := i.objects(); len(left) > 0 {
			return fmt.Errorf("left: %v", left)
		}
		return nil
	})
}

// kinds are those of which the chart makes objects.
var kinds = []schema.GroupVersionResource{
	{Group: "apps", Version: "v1", Resource: "deployments"}, {Group: "apps", Version: "v1", Resource: "statefulsets"},
	{Version: "v1", Resource: "pods"}, {Version: "v1", Resource: "services"}, {Version: "v1", Resource: "configmaps"},
	{Version: "v1", Resource: "secrets"}, {Version: "v1", Resource: "serviceaccounts"},
	{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"}, {Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
	{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"}, {Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"},
}

// objects counts what there is of the release, by kind.
func (i *installation) objects() map[string]int {
	i.Helper()
	client, err := dynamic.NewForConfig(i.config)
	i.must(err)
	found := make(map[string]int)
	for _, kind := range kinds {
		list, err := client.Resource(kind).Namespace(i.namespace).List(i.Context(), meta.ListOptions{LabelSelector: "app.kubernetes.io/instance=" + name})
		i.must(err)
		if len(list.Items) > 0 {
			found[kind.Resource] = len(list.Items)
		}
	}
	return found
}

func (i *installation) must(err error) {
	i.Helper()
	if err != nil {
		i.explain()
		i.Fatal(err)
	}
}

// explain shows what the pods are at.
func (i *installation) explain() {
	pods, err := i.clients.CoreV1().Pods(i.namespace).List(context.WithoutCancel(i.Context()), meta.ListOptions{})
	if err != nil {
		return
	}
	for _, pod := range pods.Items {
		text, _ := i.clients.CoreV1().Pods(i.namespace).GetLogs(pod.Name, &core.PodLogOptions{}).DoRaw(context.WithoutCancel(i.Context()))
		i.Logf("%s is %s %+v\n%s", pod.Name, pod.Status.Phase, pod.Status.ContainerStatuses, text[max(0, len(text)-1500):])
	}
}

// pods are those of a component that are not about to end.
func (i *installation) pods(component string) (running []core.Pod) {
	i.Helper()
	pods, err := i.clients.CoreV1().Pods(i.namespace).List(i.Context(), meta.ListOptions{LabelSelector: "app.kubernetes.io/instance=" + name + ",app.kubernetes.io/component=" + component})
	i.must(err)
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp == nil {
			running = append(running, pod)
		}
	}
	return running
}

// service and pod are URLs for the proxy of the API server.
func (i *installation) service() string {
	return i.config.Host + "/api/v1/namespaces/" + i.namespace + "/services/http:" + name + ":8080/proxy"
}

func (i *installation) pod(p core.Pod) string {
	return i.config.Host + "/api/v1/namespaces/" + i.namespace + "/pods/http:" + p.Name + ":8080/proxy"
}

// client may use the proxy.
func (i *installation) client() *http.Client {
	i.Helper()
	transport, err := rest.TransportFor(i.config)
	i.must(err)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// do makes a request and returns the answer.
func (i *installation) do(method, url, body string) (status int, answer string) {
	i.Helper()
	request, err := http.NewRequestWithContext(i.Context(), method, url, strings.NewReader(body))
	i.must(err)
	request.Header.Set("Content-Type", "application/json")
	got, err := i.client().Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return 0, err.Error()
	}
	return got.StatusCode, string(text)
}

// eventually waits until there is no error.
func (i *installation) eventually(what string, holds func() error) {
	i.Helper()
	var last error
	err := wait.PollUntilContextTimeout(i.Context(), 300*time.Millisecond, timeout, true, func(context.Context) (bool, error) {
		last = holds()
		return last == nil, nil
	})
	if err != nil {
		i.explain()
		i.Fatalf("not within %s: %s: %v", timeout, what, last)
	}
}

// writableFolder is a directory of this machine that pods can write into.
func writableFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o777)) //nolint:gosec // pods have another user
	return dir
}
