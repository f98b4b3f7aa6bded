package chart_test

import (
	"fmt"
	"slices"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	registration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	security "k8s.io/pod-security-admission/api"
	restrictions "k8s.io/pod-security-admission/policy"
)

// workload is the common part of a Deployment, a StatefulSet and a Pod.
type workload struct {
	object
	selector *meta.LabelSelector // nil for a Pod
	pod      core.PodTemplateSpec
	volumes  []string // that do not stand in the template
}

// checker finds the problems of the objects of a release taken together.
type checker struct {
	objects   []object
	workloads []workload
	external  []string // config maps and secrets that the release does not bring
	problems  []string
}

// check returns the problems of objects: names, labels, and references. external
// are the config maps and secrets that are there already.
func check(objects []object, external ...string) []string {
	c := newChecker(objects)
	c.external = external
	seen := make(map[string]bool)
	for _, o := range objects {
		name := fmt.Sprintf("%T %s", o, o.GetName())
		if seen[name] {
			c.fail(o, "is a duplicate")
		}
		seen[name] = true
		c.checkObject(o)
	}
	for _, w := range c.workloads {
		c.checkWorkload(w)
	}
	return c.problems
}

func newChecker(objects []object) *checker {
	c := &checker{objects: objects}
	for _, o := range objects {
		switch o := o.(type) {
		case *apps.Deployment:
			c.workloads = append(c.workloads, workload{o, o.Spec.Selector, o.Spec.Template, nil})
		case *apps.StatefulSet:
			w := workload{o, o.Spec.Selector, o.Spec.Template, nil}
			for _, claim := range o.Spec.VolumeClaimTemplates {
				w.volumes = append(w.volumes, claim.Name)
			}
			c.workloads = append(c.workloads, w)
		case *core.Pod:
			c.workloads = append(c.workloads, workload{o, nil, core.PodTemplateSpec{ObjectMeta: o.ObjectMeta, Spec: o.Spec}, nil})
		}
	}
	return c
}

func (c *checker) fail(o object, format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf("%T %s ", o, o.GetName())+fmt.Sprintf(format, args...))
}

func (c *checker) checkObject(o object) {
	valid := validation.IsDNS1123Label
	if _, is := o.(*registration.APIService); is { // which is called after its group
		valid = validation.IsDNS1123Subdomain
	}
	for _, wrong := range valid(o.GetName()) {
		c.fail(o, "has a name that is wrong: %s", wrong)
	}
	for _, wrong := range metavalidation.ValidateLabels(o.GetLabels(), field.NewPath("labels")) {
		c.fail(o, "%v", wrong)
	}
	for _, label := range []string{"app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/version", "app.kubernetes.io/managed-by", "helm.sh/chart"} {
		if o.GetLabels()[label] == "" {
			c.fail(o, "has no label %s", label)
		}
	}
	switch o := o.(type) {
	case *core.Service:
		for _, port := range o.Spec.Ports {
			c.selects(o, labels.SelectorFromSet(o.Spec.Selector), port.TargetPort)
		}
	case *registration.APIService:
		if o.Name != o.Spec.Version+"."+o.Spec.Group || !c.has("Service", o.Spec.Service.Name) || o.Spec.InsecureSkipTLSVerify {
			c.fail(o, "is no registration of a service here: %+v", o.Spec)
		}
	case *policy.PodDisruptionBudget:
		c.selects(o, c.selector(o, o.Spec.Selector), intstr.IntOrString{})
	case *networking.NetworkPolicy:
		for _, rule := range o.Spec.Ingress {
			for _, port := range rule.Ports {
				c.selects(o, c.selector(o, &o.Spec.PodSelector), *port.Port)
			}
		}
	case *autoscaling.HorizontalPodAutoscaler:
		if !c.has(o.Spec.ScaleTargetRef.Kind, o.Spec.ScaleTargetRef.Name) {
			c.fail(o, "scales %s, which is not there", o.Spec.ScaleTargetRef.Name)
		}
	case *networking.Ingress:
		for _, rule := range o.Spec.Rules {
			for _, path := range rule.HTTP.Paths {
				if !c.has("Service", path.Backend.Service.Name) {
					c.fail(o, "leads to the service %s, which is not there", path.Backend.Service.Name)
				}
			}
		}
	}
}

func (c *checker) selector(o object, of *meta.LabelSelector) labels.Selector {
	selector, err := meta.LabelSelectorAsSelector(of)
	if err != nil {
		c.fail(o, "has a bad selector: %v", err)
		return labels.Nothing()
	}
	return selector
}

// selects requires the selector to find the pods of one workload, and these to have the port.
func (c *checker) selects(o object, selector labels.Selector, port intstr.IntOrString) {
	var found []string
	for _, w := range c.workloads {
		if !selector.Matches(labels.Set(w.pod.Labels)) {
			continue
		}
		found = append(found, w.GetName())
		named := slices.ContainsFunc(w.pod.Spec.Containers[0].Ports, func(p core.ContainerPort) bool { return p.Name == port.StrVal })
		if port.StrVal != "" && !named {
			c.fail(o, "wants the port %s, which %s has not", port.StrVal, w.GetName())
		}
	}
	if len(found) != 1 {
		c.fail(o, "selects the pods of %v, want those of one workload", found)
	}
}

func (c *checker) has(kind, name string) bool {
	if (kind == "ConfigMap" || kind == "Secret") && slices.Contains(c.external, name) {
		return true
	}
	return slices.ContainsFunc(c.objects, func(o object) bool {
		return o.GetObjectKind().GroupVersionKind().Kind == kind && o.GetName() == name
	})
}

func (c *checker) checkWorkload(w workload) {
	if w.selector != nil && !c.selector(w, w.selector).Matches(labels.Set(w.pod.Labels)) {
		c.fail(w, "does not select its own pods")
	}
	spec := w.pod.Spec
	volumes := slices.Clone(w.volumes)
	for _, v := range spec.Volumes {
		volumes = append(volumes, v.Name)
		if v.ConfigMap != nil && !c.has("ConfigMap", v.ConfigMap.Name) {
			c.fail(w, "mounts the config map %s, which is not there", v.ConfigMap.Name)
		}
		if v.Secret != nil && !c.has("Secret", v.Secret.SecretName) {
			c.fail(w, "mounts the secret %s, which is not there", v.Secret.SecretName)
		}
		if v.Projected != nil {
			for _, source := range v.Projected.Sources {
				if source.ConfigMap != nil && !c.has("ConfigMap", source.ConfigMap.Name) {
					c.fail(w, "mounts the config map %s, which is not there", source.ConfigMap.Name)
				}
			}
		}
	}
	if name := spec.ServiceAccountName; name != "" && name != "default" && !c.has("ServiceAccount", name) {
		c.fail(w, "uses the service account %s, which is not there", name)
	}
	for _, container := range spec.Containers {
		c.checkContainer(w, container, volumes)
	}
	evaluator, err := restrictions.NewEvaluator(restrictions.DefaultChecks())
	if err != nil {
		c.fail(w, "%v", err)
		return
	}
	for _, result := range evaluator.EvaluatePod(security.LevelVersion{Level: security.LevelRestricted, Version: security.LatestVersion()}, &w.pod.ObjectMeta, &spec) {
		if !result.Allowed {
			c.fail(w, "is not allowed where pods are restricted: %s: %s", result.ForbiddenReason, result.ForbiddenDetail)
		}
	}
	if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken {
		c.fail(w, "gives its pods a token of the cluster")
	}
}

func (c *checker) checkContainer(w workload, container core.Container, volumes []string) {
	for _, mount := range container.VolumeMounts {
		if !slices.Contains(volumes, mount.Name) {
			c.fail(w, "mounts the volume %s, which is not there", mount.Name)
		}
		if mount.SubPath != "" {
			c.fail(w, "mounts a part of %s, where changes do not arrive", mount.Name)
		}
	}
	for _, env := range container.Env {
		if env.ValueFrom != nil && env.ValueFrom.SecretKeyRef != nil && !c.has("Secret", env.ValueFrom.SecretKeyRef.Name) {
			c.fail(w, "reads the secret %s, which is not there", env.ValueFrom.SecretKeyRef.Name)
		}
	}
	if readOnly := container.SecurityContext.ReadOnlyRootFilesystem; readOnly == nil || !*readOnly {
		c.fail(w, "can write into its root file system")
	}
	if w.selector == nil {
		return // a test, which ends by itself
	}
	for name, probe := range map[string]*core.Probe{"startup": container.StartupProbe, "liveness": container.LivenessProbe, "readiness": container.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil || !slices.ContainsFunc(container.Ports, func(p core.ContainerPort) bool { return p.Name == probe.HTTPGet.Port.StrVal }) {
			c.fail(w, "has no %s probe on a port of its own", name)
		}
	}
}
