package chart_test

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	registration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"github.com/dovetail-store/dovetail/src/internal/server/kubeapi"
	"github.com/dovetail-store/dovetail/src/schema"
)

// registered are the APIServices.
func registered(objects []object) []*registration.APIService {
	var all []*registration.APIService
	for _, o := range objects {
		if service, is := o.(*registration.APIService); is {
			all = append(all, service)
		}
	}
	return all
}

// What the chart registers is what the server serves: the groups of the ref-schema that it mounts.
func TestRegisteredGroups(t *testing.T) {
	cases := []struct{ name, values string }{
		{name: "built in"},
		{name: "more kinds", values: `refSchemas: {extra: {a.yaml: "name: Shop Floor\nresources:\n  - name: shop\n---\nname: stock\nresources:\n  - name: item\n    service: __Goods\n  - name: bin\n", b.yaml: "- name: till\n"}}` + "\n"},
		{name: "nothing built in", values: `refSchemas: {builtIn: false, extra: {a.yaml: "name: shop\nresources:\n  - name: shop\n  - name: place\n    abstract: true\n    service: places\n"}}` + "\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			objects := rendered(t, c.values+"apiService: {enabled: true}")
			dir := t.TempDir()
			for name, text := range find[*core.ConfigMap](t, objects, "shop-dovetail-ref-schemas").Data {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			sources, err := schema.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			model, err := schema.Compile(sources)
			if err != nil {
				t.Fatal(err)
			}
			var groups []string
			for _, service := range registered(objects) {
				groups = append(groups, service.Spec.Group)
			}
			if served := kubeapi.NewNames(model).Groups(); !slices.Equal(groups, served) {
				t.Errorf("registered %v, served %v", groups, served)
			}
		})
	}
}

// The certificate that the chart makes is one that the API server accepts, and every service behind a gateway has it.
func TestCertificateOfAPIService(t *testing.T) {
	for _, c := range []struct{ name, values, service string }{
		{"single", "apiService: {enabled: true}", "shop-dovetail"},
		{"microservices", everything + "mode: microservices\napiService: {enabled: true, from: [{ipBlock: {cidr: 10.0.0.1/32}}]}\n", "shop-dovetail-resources"},
	} {
		t.Run(c.name, func(t *testing.T) {
			objects := rendered(t, c.values)
			secret := find[*core.Secret](t, objects, "shop-dovetail-api")
			pair, err := tls.X509KeyPair(secret.Data["tls.crt"], secret.Data["tls.key"])
			if err != nil {
				t.Fatal(err)
			}
			services := registered(objects)
			if len(services) == 0 {
				t.Fatal("nothing is registered")
			}
			for _, service := range services {
				roots := x509.NewCertPool()
				if service.Spec.Service.Name != c.service || !roots.AppendCertsFromPEM(service.Spec.CABundle) {
					t.Fatalf("%+v", service.Spec)
				}
				name := service.Spec.Service.Name + "." + service.Spec.Service.Namespace + ".svc"
				if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
					t.Error(err)
				}
			}
			for _, w := range newChecker(objects).workloads {
				args := strings.Join(w.pod.Spec.Containers[0].Args, " ")
				if serves := strings.HasPrefix(args, "serve "); serves != strings.Contains(args, "--tls-cert=") {
					t.Errorf("%s runs %s", w.GetName(), args)
				}
				if is := w.GetName() == c.service; is != strings.Contains(args, "--front-proxy=on") {
					t.Errorf("%s runs %s", w.GetName(), args)
				}
				if serves := strings.HasPrefix(args, "serve "); serves != strings.Contains(args, "--subject-access-review=on") {
					t.Errorf("%s runs %s", w.GetName(), args)
				}
				if strings.HasPrefix(args, "gateway ") && (!strings.Contains(args, "https://"+c.service) || !strings.Contains(args, "--upstream-ca=")) {
					t.Errorf("the gateway runs %s", args)
				}
			}
		})
	}
}

// The pods get what they need for front proxies, and no more.
func TestRightsOfAPIService(t *testing.T) {
	for _, o := range rendered(t, "") {
		switch o.(type) {
		case *rbac.RoleBinding, *registration.APIService:
			t.Errorf("there is a %T %s without apiService", o, o.GetName())
		}
	}
	objects := rendered(t, everything+"apiService: {enabled: true, from: [{ipBlock: {cidr: 10.0.0.1/32}}]}\n")
	binding := find[*rbac.RoleBinding](t, objects, "store-shop-dovetail-front-proxy")
	if binding.Namespace != "kube-system" || binding.RoleRef.Kind != "Role" || binding.RoleRef.Name != "extension-apiserver-authentication-reader" ||
		len(binding.Subjects) != 1 || binding.Subjects[0].Name != "shop-dovetail" || binding.Subjects[0].Namespace != "store" {
		t.Errorf("%+v", binding)
	}
	delegator := find[*rbac.ClusterRoleBinding](t, objects, "store-shop-dovetail-tokens")
	if delegator.RoleRef.Name != "system:auth-delegator" || len(delegator.Subjects) != 1 || delegator.Subjects[0].Name != "shop-dovetail" {
		t.Errorf("%+v", delegator)
	}
	for _, o := range rendered(t, "apiService: {enabled: true, subjectAccessReview: false}") {
		if _, is := o.(*rbac.ClusterRoleBinding); is {
			t.Error("there is a binding although the cluster is not asked")
		}
	}
	allowed := slices.ContainsFunc(find[*networking.NetworkPolicy](t, objects, "shop-dovetail").Spec.Ingress, func(rule networking.NetworkPolicyIngressRule) bool {
		return rule.Ports[0].Port.StrVal == "http" && len(rule.From) == 1 && rule.From[0].IPBlock != nil && rule.From[0].IPBlock.CIDR == "10.0.0.1/32"
	})
	if !allowed {
		t.Error("the network policy keeps the API server out")
	}
}

// With cert-manager the chart asks for the certificate, and has its CA written into the APIServices.
func TestCertManager(t *testing.T) {
	objects := rendered(t, "apiService: {enabled: true, certManager: {issuerRef: {name: internal, kind: ClusterIssuer}}}")
	certificate := find[*unstructured.Unstructured](t, objects, "shop-dovetail-api")
	secret, _, _ := unstructured.NestedString(certificate.Object, "spec", "secretName")
	issuer, _, _ := unstructured.NestedString(certificate.Object, "spec", "issuerRef", "name")
	names, _, _ := unstructured.NestedStringSlice(certificate.Object, "spec", "dnsNames")
	if secret != "shop-dovetail-api" || issuer != "internal" || !slices.Contains(names, "shop-dovetail.store.svc") {
		t.Errorf("%v", certificate.Object)
	}
	services := registered(objects)
	if len(services) == 0 {
		t.Fatal("nothing is registered")
	}
	for _, service := range services {
		if service.Annotations["cert-manager.io/inject-ca-from"] != "store/shop-dovetail-api" || len(service.Spec.CABundle) > 0 {
			t.Errorf("%+v", service)
		}
	}
	for _, o := range objects {
		if secret, is := o.(*core.Secret); is && secret.Name == "shop-dovetail-api" {
			t.Error("the chart makes the certificate, too")
		}
	}
}
