package gitops

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const mergedBase = `spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      imagePullSecrets: [{name: registry}]
      hostAliases: [{ip: 10.0.0.1, hostnames: [one]}]
      initContainers: [{name: wait, image: 'wait:1'}]
      containers:
        - name: web
          image: web:1
          args: [serve]
          env: [{name: LEVEL, value: info}, {name: MODE, value: fast}]
          ports: [{containerPort: 80, name: http}]
          resources: {limits: {cpu: '1', memory: 1Gi}}
          volumeMounts: [{mountPath: /etc/web, name: config}, {mountPath: /tmp, name: scratch}]
        - {name: proxy, image: 'proxy:1'}
        - {name: log, image: 'log:1'}
      volumes:
        - {name: config, configMap: {name: web}}
        - {name: scratch, emptyDir: {}}
`

const mergedPatch = `spec:
  replicas: 3
  template:
    spec:
      imagePullSecrets: [{name: mirror}]
      hostAliases: [{ip: 10.0.0.2, hostnames: [two]}, {ip: 10.0.0.1, hostnames: [other]}]
      initContainers: [{name: wait, image: 'wait:2'}]
      containers:
        - {name: proxy, image: 'proxy:2', args: [fast]}
        - name: web
          args: [serve, quickly]
          env: [{name: MODE, value: safe}, {name: ZONE, value: north}, {name: LEVEL, $patch: delete}]
          ports: [{containerPort: 443, name: https}]
          resources: {limits: {cpu: null, memory: 2Gi}}
          volumeMounts: [{mountPath: /tmp, name: scratch, readOnly: true}]
        - {name: log, $patch: delete}
        - {name: metrics, image: 'metrics:1'}
      volumes:
        - {name: config, configMap: {name: web-north}}
        - {name: cache, emptyDir: {sizeLimit: 1Gi}}
`

// byKeys puts the items of lists of maps in the order of their first members: kustomize puts those of the patch first, and
// Dovetail those of the parent.
func byKeys(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = byKeys(v[name])
		}
	case []any:
		for i := range v {
			v[i] = byKeys(v[i])
		}
		if slices.ContainsFunc(v, func(item any) bool { _, ok := item.(map[string]any); return ok }) {
			slices.SortFunc(v, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return v
}

// TestStrategicMerge shows that a layer makes of its parent what the same patch makes of a base in kustomize.
func TestStrategicMerge(t *testing.T) {
	const head = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n"
	patched, err := build(t, map[string]string{"base.yaml": head + mergedBase, "patch.yaml": head + mergedPatch,
		"kustomization.yaml": "resources: [base.yaml]\npatches: [{path: patch.yaml}]\n"})
	if err != nil {
		t.Fatal(err)
	}
	files := kustomizeExample(t)
	files["web.yaml"] = strings.Replace(head, "name: web", "name: base", 1) +
		"  annotations: {layering.dovetail.dev/layer: base, layering.dovetail.dev/abstract: 'true', layering.dovetail.dev/labels: '{base: web}'}\n" + mergedBase + "---\n" + head +
		"  annotations: {layering.dovetail.dev/layer: site, layering.dovetail.dev/parent-selector: '{base: web}', layering.dovetail.dev/actions: '[{method: merge, path: .}]'}\n" + mergedPatch
	layered, err := build(t, files)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := yaml.Unmarshal([]byte(patched), &want); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(layered), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(byKeys(got), byKeys(want)) {
		t.Errorf("layered\n%s\npatched by kustomize\n%s", layered, patched)
	}
	proxyFirst := func(text string) bool {
		return strings.Index(text, "proxy:2") < strings.Index(text, "web:1")
	}
	if !proxyFirst(patched) || proxyFirst(layered) || strings.Contains(layered, "log:1") {
		t.Errorf("the containers of the patch come first in kustomize, and those of the base here:\n%s\nlayered\n%s", patched, layered)
	}
}
