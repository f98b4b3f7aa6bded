package krm

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// The lists of Kubernetes' own kinds that are merged by a key: those with the patch strategy merge and a patch merge key in the
// reference of the Kubernetes API (x-kubernetes-patch-merge-key in its OpenAPI description), except those of the status and of
// owner references. Ports are identified by their protocol, too, as in server-side apply, since one port may have several.
var (
	byName = keyed("name", nil)

	podSpec = members(map[string]*rendering.ListKeys{
		"containers": keyed("name", container), "initContainers": keyed("name", container), "ephemeralContainers": keyed("name", container),
		"volumes": byName, "imagePullSecrets": byName, "resourceClaims": byName, "schedulingGates": byName, "evictionResponders": byName,
		"hostAliases": keyed("ip", nil), "topologySpreadConstraints": keyed("topologyKey", nil)})
	container = members(map[string]*rendering.ListKeys{
		"env": byName, "volumeMounts": keyed("mountPath", nil), "volumeDevices": keyed("devicePath", nil),
		"ports": {Key: rendering.ListKey{Name: "containerPort", Also: "protocol", Otherwise: "TCP"}}})

	podTemplate = members(map[string]*rendering.ListKeys{"template": members(map[string]*rendering.ListKeys{"spec": podSpec})})
	workload    = members(map[string]*rendering.ListKeys{"spec": podTemplate})
	claims      = members(map[string]*rendering.ListKeys{"resourceClaims": byName})
	job         = members(map[string]*rendering.ListKeys{"spec": members(map[string]*rendering.ListKeys{"template": podTemplate.Members["template"], "scheduling": claims})})
	conditions  = members(map[string]*rendering.ListKeys{"matchConditions": byName})
	webhooks    = members(map[string]*rendering.ListKeys{"webhooks": keyed("name", conditions)})
	admission   = members(map[string]*rendering.ListKeys{"spec": members(map[string]*rendering.ListKeys{"matchConditions": byName, "variables": byName})})

	kindKeys = map[string]*rendering.ListKeys{
		"core/Pod":                   members(map[string]*rendering.ListKeys{"spec": podSpec}),
		"core/PodTemplate":           podTemplate,
		"core/ReplicationController": workload,
		"apps/DaemonSet":             workload,
		"apps/Deployment":            workload,
		"apps/ReplicaSet":            workload,
		"apps/StatefulSet":           workload,
		"batch/Job":                  job,
		"batch/CronJob":              members(map[string]*rendering.ListKeys{"spec": members(map[string]*rendering.ListKeys{"jobTemplate": job})}),
		"core/Service": members(map[string]*rendering.ListKeys{"spec": members(map[string]*rendering.ListKeys{
			"ports": {Key: rendering.ListKey{Name: "port", Also: "protocol", Otherwise: "TCP"}}})}),
		"core/ServiceAccount":                                         members(map[string]*rendering.ListKeys{"secrets": byName}),
		"scheduling.k8s.io/PodGroup":                                  members(map[string]*rendering.ListKeys{"spec": claims}),
		"storage.k8s.io/CSINode":                                      members(map[string]*rendering.ListKeys{"spec": members(map[string]*rendering.ListKeys{"drivers": byName})}),
		"admissionregistration.k8s.io/MutatingAdmissionPolicy":        members(map[string]*rendering.ListKeys{"spec": conditions}),
		"admissionregistration.k8s.io/MutatingWebhookConfiguration":   webhooks,
		"admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhooks,
		"admissionregistration.k8s.io/ValidatingAdmissionPolicy":      admission,
	}
)

func keyed(name string, items *rendering.ListKeys) *rendering.ListKeys {
	return &rendering.ListKeys{Key: rendering.ListKey{Name: name}, Items: items}
}

func members(all map[string]*rendering.ListKeys) *rendering.ListKeys {
	return &rendering.ListKeys{Members: all}
}

// listKeysOf are the keys of the lists of an object with a schema, in any version.
func listKeysOf(schema string) *rendering.ListKeys {
	return kindKeys[schema[:max(strings.LastIndexByte(schema, '/'), 0)]]
}
