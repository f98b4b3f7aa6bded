package inventory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Environment names an environment of a cluster.
type Environment struct{ Cluster, Name string }

// ParseEnvironment reads <cluster>/<environment>, the id of an environment in requests, commands and files. Both names may be
// any value of a key element without a slash. The error has the code CodeInvalid.
func ParseEnvironment(text string) (Environment, error) {
	cluster, name, _ := strings.Cut(text, "/")
	if dovetail.CheckValue(cluster) != "" || dovetail.CheckValue(name) != "" || strings.Contains(name, "/") {
		return Environment{}, &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("the environment %q is not of the form <cluster>/<environment>", text),
			Remedy: "name the cluster and the environment, with a slash between"}
	}
	return Environment{Cluster: cluster, Name: name}, nil
}

// String gives <cluster>/<environment>.
func (e Environment) String() string { return e.Cluster + "/" + e.Name }

// ID returns the id of the environment's document.
func (e Environment) ID() dovetail.ID {
	return dovetail.ID("").Child("cluster", e.Cluster).Child("environment", e.Name)
}

// otherFolders are those of an instance repository beside those of clusters and environments.
var otherFolders = []string{"parameters", "resource_profiles", "cloud-passport", "credentials", "shared-template-variables", "shared_template_variables", "app-deployer"}

// IsFolder reports whether a folder of an instance repository can be that of a cluster or an environment: those for parameters, credentials and such, and hidden
// ones cannot.
func IsFolder(name string) bool {
	return !strings.HasPrefix(name, ".") && !slices.Contains(otherFolders, name)
}
