package activator

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// ParameterPrefix begins the annotations that say more about what is made.
const ParameterPrefix = "activator.dovetail.dev/"

// Parameters are what is made of selections with, by the names of the annotations without their prefix.
type Parameters map[string]string

// The parameters.
const (
	paramNamespace      = "namespace"         // where packages are installed
	paramControl        = "control-namespace" // where the objects for Argo CD and Flux are
	paramServiceAccount = "service-account"   // that installs
	paramProject        = "project"           // of Argo CD
	paramServer         = "server"            // the API server of the cluster, for Argo CD
	paramInterval       = "interval"          // at which Flux looks again
)

// label and duration are what Kubernetes and Flux allow.
var (
	label    = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	duration = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`)
)

// known are the parameters of each class, with what they are by default.
var known = map[Class]Parameters{
	ClusterExtension: {paramNamespace: "default", paramServiceAccount: ""},
	Application:      {paramNamespace: "default", paramControl: "argocd", paramProject: "default", paramServer: "https://kubernetes.default.svc"},
	HelmRelease:      {paramNamespace: "default", paramControl: "flux-system", paramServiceAccount: "", paramInterval: "10m"},
	OCIRepository:    {paramControl: "flux-system", paramInterval: "10m"},
}

// ParametersOf returns those of the annotations of a resolution; annotation values are given by name.
func ParametersOf(annotations map[string]string) Parameters {
	p := make(Parameters)
	for name, text := range annotations {
		if rest, is := strings.CutPrefix(name, ParameterPrefix); is {
			p[rest] = text
		}
	}
	return p
}

// String gives all of them, in the order of names.
func (p Parameters) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p)) {
		b.WriteString(name + "=" + strconv.Quote(p[name]) + "\n")
	}
	return b.String()
}

// complete adds those that are not given. The error has the reason ReasonParameter and all that are unknown or wrong.
func (p Parameters) complete(class Class) (Parameters, error) {
	made := maps.Clone(known[class])
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		text := p[name]
		_, has := made[name]
		switch {
		case !has:
			wrong = append(wrong, ParameterPrefix+name+" is none of the class "+string(class)+parametersOf(class))
			continue
		case (name == paramNamespace || name == paramControl || name == paramProject) && !label.MatchString(text),
			name == paramServiceAccount && !resourceName.MatchString(text),
			name == paramInterval && !duration.MatchString(text),
			name == paramServer && !strings.HasPrefix(text, "https://"):
			wrong = append(wrong, ParameterPrefix+name+" cannot be "+strconv.Quote(text))
			continue
		}
		made[name] = text
	}
	if len(wrong) > 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: ReasonParameter, Message: strings.Join(wrong, "; "), Remedy: "correct the annotations"}
	}
	return made, nil
}

// parametersOf lists the parameters of a class for a message.
func parametersOf(class Class) string {
	if len(known[class]) == 0 {
		return ", which has none"
	}
	return ", which are " + strings.Join(slices.Sorted(maps.Keys(known[class])), ", ")
}
