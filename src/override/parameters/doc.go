// Package parameters is the rules of parameters: how the ParamSets of an environment, its namespaces and
// applications make a chain, how the files of a generated effective set are merged, what it becomes with
// the overrides of users laid over it, and which source gave every value. It also knows the names, the
// places and the ids of ParamSets and their associations, and what an override may hold.
//
// It is pure: the command line uses it on files, a service on stored documents. It may import the domain
// and value; it must not import a store, a service, or anything that reads files.
package parameters
