// Package override keeps the parameters of environments: ParamSets, what they are associated with, and the
// overrides that users set for an environment, a namespace or an application; and it shows the effective
// set, as it was generated, as it will be, and where each value comes from. It carries that out with the
// rules of package parameters and serves it over HTTP.
//
// It reads and writes documents through an interface of its own, Documents, so that an instance repository
// can stand between: each change is one list of operations, which becomes one transaction or one commit.
//
// It may import the domain, value, parameters, schema, store and httpapi; it must not import a backend,
// another service, the client or the command line.
package override
