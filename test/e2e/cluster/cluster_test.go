package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dovetail-store/dovetail/src/test/e2e/load"
)

// TestEmbedded installs the chart with its defaults: tested with the token that it made, then opened to every client, killed
// and removed.
func TestEmbedded(t *testing.T) {
	i := newInstallation(t)
	i.makeVolume()
	i.install("{}")
	i.test()
	if status, _ := i.do(http.MethodGet, i.service()+"/v2/clusters", ""); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d, want %d", status, http.StatusUnauthorized)
	}
	i.upgrade("{access: {anonymous: true}}")
	if status, answer := i.do(http.MethodPost, i.service()+"/v2/clusters", `{"metadata":{"name":"c1"}}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, answer)
	}
	i.killPod("server")
	if status, answer := i.do(http.MethodGet, i.service()+"/v2/clusters/c1", ""); status != http.StatusOK {
		t.Errorf("the document is gone with the pod: %d %s", status, answer)
	}
	i.uninstall()
}

// makeVolume makes a volume for the store where the cluster makes none by itself: a folder of its node.
func (i *installation) makeVolume() {
	i.Helper()
	classes, err := i.clients.StorageV1().StorageClasses().List(i.Context(), meta.ListOptions{})
	i.must(err)
	if len(classes.Items) > 0 {
		return
	}
	kind := core.HostPathDirectory
	volume := &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: i.namespace},
		Spec: core.PersistentVolumeSpec{
			Capacity:    core.ResourceList{core.ResourceStorage: resource.MustParse("8Gi")},
			AccessModes: []core.PersistentVolumeAccessMode{core.ReadWriteOnce},
			ClaimRef:    &core.ObjectReference{Namespace: i.namespace, Name: "data-" + name + "-0"},
			PersistentVolumeSource: core.PersistentVolumeSource{HostPath: &core.HostPathVolumeSource{
				Path: writableFolder(i.T), Type: &kind}},
		},
	}
	_, err = i.clients.CoreV1().PersistentVolumes().Create(i.Context(), volume, meta.CreateOptions{})
	i.must(err)
	i.Cleanup(func() {
		_ = i.clients.CoreV1().PersistentVolumes().Delete(context.WithoutCancel(i.Context()), i.namespace, meta.DeleteOptions{})
	})
}

// TestReplicas installs the chart in both modes on a MongoDB-compatible server and does to it what happens to installations.
func TestReplicas(t *testing.T) {
	cases := []struct{ mode, component, values string }{
		{"single", "server", ""},
		{"microservices", "resources", `
services: {descriptor: {replicas: 1, autoscaling: {enabled: true, minReplicas: 1}}, override: {replicas: 1}, layering: {replicas: 1}, resolution: {replicas: 1}, changeset: {replicas: 1}}
gateway: {replicas: 1}
ingress: {enabled: true}
`},
	}
	for _, c := range cases {
		t.Run(c.mode, func(t *testing.T) {
			i := newInstallation(t)
			i.startDatabase()
			values := "mode: " + c.mode + "\naccess: {anonymous: true}\nstore: {type: mongodb, mongodb: {uri: 'mongodb://database/dovetail'}}\nreplicas: 2\n" + c.values
			i.install(values)
			i.reachServices()
			i.test()
			t.Run("integrity", func(*testing.T) { i.testIntegrity(c.component) })
			t.Run("ref-schema", func(*testing.T) { i.testSchema(c.component) })
			t.Run("upgrade and rollback", func(*testing.T) {
				before := i.pods(c.component)[0].Name
				i.underLoad(func() { i.upgrade(values + "config: {log-level: warn}\n") })
				for _, pod := range i.pods(c.component) {
					if pod.Name == before {
						t.Error("the upgrade replaced no pod")
					}
				}
				i.underLoad(i.rollback)
			})
			t.Run("killed pod", func(*testing.T) { i.underLoad(func() { i.killPod(c.component) }) })
			i.reachServices()
			i.fsck()
			found := i.objects()
			for _, kind := range []string{"deployments", "poddisruptionbudgets", "networkpolicies", "serviceaccounts", "configmaps"} {
				if found[kind] == 0 {
					t.Errorf("there are no %s", kind)
				}
			}
			if c.mode == "microservices" && (found["horizontalpodautoscalers"] != 1 || found["ingresses"] != 1 || found["deployments"] != 7) {
				t.Errorf("objects %v", found)
			}
			i.uninstall()
		})
	}
}

// reachServices waits until the paths of every service are served.
func (i *installation) reachServices() {
	i.Helper()
	for _, path := range []string{"/v2/clusters", "/api/sd", "/api/paramset/none", "/api/v1.0/revisions", "/api/resolve", "/api/change-sets"} {
		i.eventually(path+" is served", func() error {
			if status, answer := i.do(http.MethodGet, i.service()+path, ""); status == http.StatusServiceUnavailable {
				return fmt.Errorf("%d %s", status, answer)
			}
			return nil
		})
	}
}

// startDatabase runs a MongoDB-compatible server beside the release.
func (i *installation) startDatabase() {
	i.Helper()
	labels := map[string]string{"app": "database"}
	ctx := i.Context()
	_, err := i.clients.AppsV1().Deployments(i.namespace).Create(ctx, &apps.Deployment{
		ObjectMeta: meta.ObjectMeta{Name: "database"},
		Spec: apps.DeploymentSpec{
			Selector: &meta.LabelSelector{MatchLabels: labels},
			Template: core.PodTemplateSpec{
				ObjectMeta: meta.ObjectMeta{Labels: labels},
				Spec: core.PodSpec{Containers: []core.Container{{
					Name: "database", Image: databaseImage, ImagePullPolicy: core.PullIfNotPresent,
					ReadinessProbe: &core.Probe{PeriodSeconds: 1, ProbeHandler: core.ProbeHandler{TCPSocket: &core.TCPSocketAction{Port: intstr.FromInt32(27017)}}},
				}}},
			},
		},
	}, meta.CreateOptions{})
	i.must(err)
	_, err = i.clients.CoreV1().Services(i.namespace).Create(ctx, &core.Service{
		ObjectMeta: meta.ObjectMeta{Name: "database"},
		Spec:       core.ServiceSpec{Selector: labels, Ports: []core.ServicePort{{Port: 27017}}},
	}, meta.CreateOptions{})
	i.must(err)
	i.eventually("the database is ready", func() error {
		d, err := i.clients.AppsV1().Deployments(i.namespace).Get(ctx, "database", meta.GetOptions{})
		if err == nil && d.Status.ReadyReplicas == 0 {
			err = errors.New("no replica is ready")
		}
		return err
	})
}

// testIntegrity lets two replicas do what excludes each other: one creates a child while the other deletes its parent.
func (i *installation) testIntegrity(component string) {
	i.Helper()
	const rounds = 20
	pods := i.pods(component)
	if len(pods) != 2 {
		i.Fatalf("there are %d pods of %s, want 2", len(pods), component)
	}
	for round := range rounds {
		parent := fmt.Sprintf("/v2/clusters/race-%d", round)
		if status, answer := i.do(http.MethodPut, i.pod(pods[0])+parent, fmt.Sprintf(`{"metadata":{"name":"race-%d"}}`, round)); status != http.StatusCreated {
			i.Fatalf("%d %s", status, answer)
		}
		var both sync.WaitGroup
		var created, deleted int
		both.Go(func() {
			created, _ = i.do(http.MethodPost, i.pod(pods[0])+parent+"/environments", `{"metadata":{"name":"e"}}`)
		})
		both.Go(func() { deleted, _ = i.do(http.MethodDelete, i.pod(pods[1])+parent, "") })
		both.Wait()
		if (created == http.StatusCreated) == (deleted == http.StatusNoContent) {
			i.Errorf("round %d: the child %d, its parent %d: want one of them to win", round, created, deleted)
		}
	}
}

// testSchema changes the ConfigMap of ref-schemas: a new kind takes effect in the running pods, an invalid file does not.
func (i *installation) testSchema(component string) {
	i.Helper()
	before := i.pods(component)
	change := func(text string) {
		maps := i.clients.CoreV1().ConfigMaps(i.namespace)
		schemas, err := maps.Get(i.Context(), name+"-ref-schemas", meta.GetOptions{})
		i.must(err)
		schemas.Data["more.yaml"] = text
		_, err = maps.Update(i.Context(), schemas, meta.UpdateOptions{})
		i.must(err)
	}
	each := func(path string, holds func(status int, answer string) bool) func() error {
		return func() error {
			for _, pod := range before {
				if status, answer := i.do(http.MethodGet, i.pod(pod)+path, ""); !holds(status, answer) {
					return fmt.Errorf("%s: %d %s", pod.Name, status, answer)
				}
			}
			return nil
		}
	}
	known := each("/v2/crates", func(status int, _ string) bool { return status == http.StatusOK })
	change("resources:\n  - name: crate\n")
	i.eventually("the new kind is served", known)
	change("resources:\n  - name: crate\n    parent: nowhere\n")
	i.eventually("the invalid one is refused", each("/readyz", func(status int, answer string) bool {
		return status == http.StatusOK && strings.Contains(answer, "are refused")
	}))
	if err := known(); err != nil {
		i.Error("the last good one does not stay: ", err)
	}
	change("resources:\n  - name: crate\n")
	for n, pod := range i.pods(component) {
		if pod.UID != before[n].UID || pod.Status.ContainerStatuses[0].RestartCount != 0 {
			i.Errorf("%s was restarted", pod.Name)
		}
	}
}

// underLoad calls do under write load, and requires that no write is lost or fails.
func (i *installation) underLoad(do func()) {
	i.Helper()
	l, err := load.Start(i.Context(), load.Options{Server: i.service(), Cluster: "load", Writers: 2, HTTP: i.client()})
	i.must(err)
	more := func() {
		before := l.Acknowledged()
		i.eventually("30 more writes", func() error {
			if l.Acknowledged() < before+30 {
				return fmt.Errorf("%d", l.Acknowledged()-before)
			}
			return nil
		})
	}
	more()
	do()
	more()
	report := l.Stop(i.Context(), "")
	i.Log(report)
	for _, wrong := range append(report.Failed, report.Lost...) {
		i.Error(wrong)
	}
}

// killPod ends a pod at once and waits until there are as many as before.
func (i *installation) killPod(component string) {
	i.Helper()
	before := i.pods(component)
	now := int64(0)
	i.must(i.clients.CoreV1().Pods(i.namespace).Delete(i.Context(), before[0].Name, meta.DeleteOptions{GracePeriodSeconds: &now}))
	i.eventually("another pod is ready", func() error {
		ready := 0
		for _, pod := range i.pods(component) {
			for _, condition := range pod.Status.Conditions {
				if pod.UID != before[0].UID && condition.Type == core.PodReady && condition.Status == core.ConditionTrue {
					ready++
				}
			}
		}
		if ready < len(before) {
			return fmt.Errorf("%d of %d are ready", ready, len(before))
		}
		return nil
	})
}

// fsck checks the database with a pod of its own.
func (i *installation) fsck() {
	i.Helper()
	pods := i.clients.CoreV1().Pods(i.namespace)
	_, err := pods.Create(i.Context(), &core.Pod{
		ObjectMeta: meta.ObjectMeta{Name: "fsck"},
		Spec: core.PodSpec{RestartPolicy: core.RestartPolicyNever, Containers: []core.Container{{
			Name: "fsck", Image: image, ImagePullPolicy: core.PullIfNotPresent, Args: []string{"fsck", "--store=mongodb://database/dovetail"}}}},
	}, meta.CreateOptions{})
	i.must(err)
	i.eventually("fsck ends", func() error {
		pod, err := pods.Get(i.Context(), "fsck", meta.GetOptions{})
		if err == nil && pod.Status.Phase != core.PodSucceeded && pod.Status.Phase != core.PodFailed {
			err = errors.New(string(pod.Status.Phase))
		}
		if err == nil && pod.Status.Phase == core.PodFailed {
			text, _ := pods.GetLogs("fsck", &core.PodLogOptions{}).DoRaw(i.Context())
			i.Errorf("fsck: %s", text)
		}
		return err
	})
}
