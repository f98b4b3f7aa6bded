// Package override stores the parameters of environments: ParamSets, their associations, and the
// overrides that users set for an environment, a namespace or an application; and it shows the effective
// set, as generated, as it would be, and with the origin of each value. It uses the
// rules of package parameters and serves all this over HTTP.
//
// It reads and writes documents through an interface of its own, Documents, so that an instance repository
// can be in between: each change is one list of operations, which becomes one transaction or one commit.
package override
