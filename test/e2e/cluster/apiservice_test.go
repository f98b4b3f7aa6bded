package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

const group = "inventory.dovetail.dev"

var (
	registrations = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	clusters      = schema.GroupVersionResource{Group: group, Version: "v1", Resource: "clusters"}
	environments  = schema.GroupVersionResource{Group: group, Version: "v1", Resource: "environments"}
)

// TestAPIService installs the chart so that the cluster serves its kinds: an administrator sees them beside those of the cluster, the
// cluster's RBAC decides what others may do, and the cluster's own controllers leave the documents alone.
func TestAPIService(t *testing.T) {
	i := newInstallation(t)
	i.makeVolume()
	admin := i.as("")
	i.Cleanup(func() { // while a group cannot be reached, no namespace goes
		_ = admin.Resource(registrations).DeleteCollection(context.WithoutCancel(i.Context()), meta.DeleteOptions{}, meta.ListOptions{LabelSelector: "app.kubernetes.io/instance=" + name})
	})
	const values = "{apiService: {enabled: true}}"
	i.install(values)
	i.test()
	i.eventually("the API groups are available", func() error { return i.available(admin) })

	i.put(admin, clusters, "", "Cluster", i.namespace)
	i.put(admin, environments, i.namespace, "Environment", "shop")
	t.Run("kubectl beside kinds of the cluster", func(t *testing.T) {
		found := i.kubectl(t, "get", "environments,pods,configmaps", "-n", i.namespace, "-o", "name")
		for _, line := range []string{"environment." + group + "/shop", "pod/dovetail-0", "configmap/dovetail-settings"} {
			if !slices.Contains(strings.Split(found, "\n"), line) {
				t.Errorf("%s is not in\n%s", line, found)
			}
		}
		if resources := i.kubectl(t, "api-resources", "--api-group", group, "-o", "name"); !strings.Contains(resources, "environments."+group) {
			t.Errorf("kubectl api-resources:\n%s", resources)
		}
		if told := i.kubectl(t, "explain", "environments.spec"); !strings.Contains(told, "definition\t<Object>") {
			t.Errorf("kubectl explain:\n%s", told)
		}
		if labeled := i.kubectl(t, "label", "environment", "shop", "-n", i.namespace, "tier=test"); !strings.Contains(labeled, "labeled") {
			t.Error(labeled)
		}
	})
	t.Run("a user without rights", func(t *testing.T) {
		_, err := i.as("nobody").Resource(environments).Namespace(i.namespace).List(t.Context(), meta.ListOptions{})
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `User "nobody" cannot list resource "environments"`) {
			t.Errorf("got %v", err)
		}
		if _, err := i.as("nobody").Resource(environments).Namespace(i.namespace).Get(t.Context(), "shop", meta.GetOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("rights in a namespace", func(t *testing.T) {
		i.grant("ann", i.namespace, rbac.PolicyRule{APIGroups: []string{group}, Resources: []string{"environments"}, Verbs: []string{"get", "list", "watch"}})
		ann := i.as("ann").Resource(environments).Namespace(i.namespace)
		i.eventually("ann may list", func() error {
			list, err := ann.List(t.Context(), meta.ListOptions{})
			if err == nil && len(list.Items) != 1 {
				err = fmt.Errorf("%d items", len(list.Items))
			}
			return err
		})
		if err := ann.Delete(t.Context(), "shop", meta.DeleteOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("a deletion: %v", err)
		}
		if _, err := i.as("ann").Resource(environments).List(t.Context(), meta.ListOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("all namespaces: %v", err)
		}
	})
	t.Run("rights that the API server does not look at", func(t *testing.T) {
		i.grant("bob", "", rbac.PolicyRule{APIGroups: []string{group}, Resources: []string{"clusters"}, Verbs: []string{"get", "delete"}})
		foreground := meta.DeletePropagationForeground
		i.eventually("bob may not delete what is in a cluster", func() error {
			err := i.as("bob").Resource(clusters).Delete(t.Context(), i.namespace, meta.DeleteOptions{PropagationPolicy: &foreground})
			if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "k8s:bob may not") {
				return fmt.Errorf("got %w", err)
			}
			return nil
		})
		if _, err := admin.Resource(environments).Namespace(i.namespace).Get(t.Context(), "shop", meta.GetOptions{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a watch", func(t *testing.T) { i.watches(t, admin) })
	t.Run("a namespace of the cluster that goes", func(t *testing.T) { i.leaves(t, admin) })
	t.Run("an upgrade keeps the certificate", func(t *testing.T) {
		before := i.certificate(t)
		i.upgrade(values)
		if !bytes.Equal(before, i.certificate(t)) {
			t.Error("it is another one")
		}
		i.eventually("the API groups are available", func() error { return i.available(admin) })
	})
	i.uninstall()
	i.eventually("nothing is registered", func() error {
		if list, err := i.registered(admin); err != nil || len(list) > 0 {
			return fmt.Errorf("%d APIServices, %w", len(list), err)
		}
		return nil
	})
}

// as is a client of a user, "" for the administrator.
func (i *installation) as(user string) dynamic.Interface {
	i.Helper()
	config := rest.CopyConfig(i.config)
	config.Impersonate.UserName = user
	client, err := dynamic.NewForConfig(config)
	i.must(err)
	return client
}

func (i *installation) registered(admin dynamic.Interface) ([]unstructured.Unstructured, error) {
	list, err := admin.Resource(registrations).List(i.Context(), meta.ListOptions{LabelSelector: "app.kubernetes.io/instance=" + name})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// available says which APIService is not.
func (i *installation) available(admin dynamic.Interface) error {
	list, err := i.registered(admin)
	if err == nil && len(list) == 0 {
		err = errors.New("there is no APIService")
	}
	for _, service := range list {
		conditions, _, _ := unstructured.NestedSlice(service.Object, "status", "conditions")
		is := slices.ContainsFunc(conditions, func(c any) bool {
			condition, _ := c.(map[string]any)
			return condition["type"] == "Available" && condition["status"] == "True"
		})
		if !is {
			err = errors.Join(err, fmt.Errorf("%s: %v", service.GetName(), conditions))
		}
	}
	return err
}

// put creates an object.
func (i *installation) put(client dynamic.Interface, resource schema.GroupVersionResource, namespace, kind, name string) {
	i.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": resource.Group + "/" + resource.Version, "kind": kind, "metadata": map[string]any{"name": name}}}
	_, err := client.Resource(resource).Namespace(namespace).Create(i.Context(), object, meta.CreateOptions{})
	i.must(err)
}

// grant gives a user rights, in one namespace or in all for "".
func (i *installation) grant(user, namespace string, rule rbac.PolicyRule) {
	i.Helper()
	called := meta.ObjectMeta{Name: i.namespace + "-" + user}
	subjects := []rbac.Subject{{APIGroup: rbac.GroupName, Kind: rbac.UserKind, Name: user}}
	if namespace != "" {
		_, err := i.clients.RbacV1().Roles(namespace).Create(i.Context(), &rbac.Role{ObjectMeta: called, Rules: []rbac.PolicyRule{rule}}, meta.CreateOptions{})
		i.must(err)
		_, err = i.clients.RbacV1().RoleBindings(namespace).Create(i.Context(), &rbac.RoleBinding{ObjectMeta: called, Subjects: subjects,
			RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "Role", Name: called.Name}}, meta.CreateOptions{})
		i.must(err)
		return
	}
	_, err := i.clients.RbacV1().ClusterRoles().Create(i.Context(), &rbac.ClusterRole{ObjectMeta: called, Rules: []rbac.PolicyRule{rule}}, meta.CreateOptions{})
	i.must(err)
	_, err = i.clients.RbacV1().ClusterRoleBindings().Create(i.Context(), &rbac.ClusterRoleBinding{ObjectMeta: called, Subjects: subjects,
		RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: called.Name}}, meta.CreateOptions{})
	i.must(err)
	i.Cleanup(func() {
		_ = i.clients.RbacV1().ClusterRoles().Delete(context.WithoutCancel(i.Context()), called.Name, meta.DeleteOptions{})
		_ = i.clients.RbacV1().ClusterRoleBindings().Delete(context.WithoutCancel(i.Context()), called.Name, meta.DeleteOptions{})
	})
}

// kubectl runs the command of the machine.
func (i *installation) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	program, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("needs kubectl")
	}
	command := exec.CommandContext(t.Context(), program, args...) //nolint:gosec // of the test
	command.Env = append(os.Environ(), "HOME="+t.TempDir())
	text, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return string(text)
}

// watches follows the environments of the namespace as ann, who may only read there.
func (i *installation) watches(t *testing.T, admin dynamic.Interface) {
	ann := i.as("ann").Resource(environments).Namespace(i.namespace)
	list, err := ann.List(t.Context(), meta.ListOptions{})
	must(t, err)
	watching, err := ann.Watch(t.Context(), meta.ListOptions{ResourceVersion: list.GetResourceVersion(), AllowWatchBookmarks: true})
	must(t, err)
	defer watching.Stop()
	time.Sleep(15 * time.Second) // longer than one write of a watch may take: a quiet watch stays open, and its deadlines know no other clock
	i.put(admin, environments, i.namespace, "Environment", "lab")
	must(t, admin.Resource(environments).Namespace(i.namespace).Delete(t.Context(), "lab", meta.DeleteOptions{}))
	var told []string
	for deadline := time.After(timeout); len(told) < 2; {
		select {
		case event, open := <-watching.ResultChan():
			if !open {
				t.Fatalf("the watch ended after %v", told)
			}
			if event.Type == watch.Bookmark {
				continue
			}
			object, _ := event.Object.(*unstructured.Unstructured)
			if object == nil {
				t.Fatalf("%+v", event)
			}
			told = append(told, string(event.Type)+" "+object.GetName())
		case <-deadline:
			t.Fatalf("the watch told %v", told)
		}
	}
	if !slices.Equal(told, []string{"ADDED lab", "DELETED lab"}) {
		t.Errorf("the watch told %v", told)
	}
}

// leaves deletes a namespace of the cluster that is called as a document: it goes, and what is in the document stays.
func (i *installation) leaves(t *testing.T, admin dynamic.Interface) {
	called := i.namespace + "-gone"
	_, err := i.clients.CoreV1().Namespaces().Create(t.Context(), &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: called}}, meta.CreateOptions{})
	must(t, err)
	i.put(admin, clusters, "", "Cluster", called)
	i.put(admin, environments, called, "Environment", "kept")
	must(t, i.clients.CoreV1().Namespaces().Delete(t.Context(), called, meta.DeleteOptions{}))
	i.eventually("the namespace is gone", func() error {
		namespace, err := i.clients.CoreV1().Namespaces().Get(t.Context(), called, meta.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("%+v, %w", namespace.Status, err)
	})
	if _, err := admin.Resource(environments).Namespace(called).Get(t.Context(), "kept", meta.GetOptions{}); err != nil {
		t.Errorf("what is in the document: %v", err)
	}
}

// certificate is that of the Secret that the chart makes.
func (i *installation) certificate(t *testing.T) []byte {
	t.Helper()
	secret, err := i.clients.CoreV1().Secrets(i.namespace).Get(t.Context(), "dovetail-api", meta.GetOptions{})
	must(t, err)
	return secret.Data["tls.crt"]
}
