package parameters

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Context is what parameters are for.
type Context string

// The contexts, as effective sets name them.
const (
	Deployment Context = "deployment"
	Runtime    Context = "runtime"
	Pipeline   Context = "pipeline"
)

// Contexts are all of them, in the order of the inventory.
func Contexts() []Context { return []Context{Deployment, Runtime, Pipeline} }

// tokenDeploy is what file names, ParamSets and associations call the deployment context.
const tokenDeploy = "deploy"

// ParseContext reads a context; deployment may also be called deploy. The error has the code CodeInvalid.
func ParseContext(text string) (Context, error) {
	switch c := Context(text); c {
	case Deployment, Runtime, Pipeline:
		return c, nil
	case tokenDeploy:
		return Deployment, nil
	}
	return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there is no context \"" + text + "\"",
		Remedy: "name one of deployment (or deploy), runtime and pipeline"}
}

// Token is the context as the names of overrides and the associations have it.
func (c Context) Token() string {
	if c == Deployment {
		return tokenDeploy
	}
	return string(c)
}

// Level is how far down the parameters of a ParamSet apply.
type Level string

// The levels, from the top.
const (
	LevelEnvironment Level = "environment" // all namespaces
	LevelNamespace   Level = "namespace"   // all applications of one
	LevelApplication Level = "application"
)

// Cloud is the associated object that stands for the whole environment.
const Cloud = "cloud"
