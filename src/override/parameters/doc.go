// Package parameters has the rules of parameters: the chain of the ParamSets of an environment, its namespaces and
// applications, the merge of the files of a generated effective set, the set with the overrides of users applied,
// and the source of every value. It also has the names, the
// locations and the ids of ParamSets and their associations, and the structure of overrides.
//
// It is pure: the command line uses it on files, a service on stored documents.
package parameters
