package instancerepo

// The reasons of the defects that Survey finds: what is wrong in a repository though every file of it
// may be well-formed.
const (
	ReasonFileMalformed               = "REPO_FILE_MALFORMED"                 // no YAML, or not the one map that the file must be
	ReasonFileTwice                   = "REPO_FILE_TWICE"                     // with the extensions yml and yaml
	ReasonNamespaceTwice              = "REPO_NAMESPACE_TWICE"                // two namespaces of an environment have one name
	ReasonParamSetNameUnlikeFile      = "REPO_PARAMSET_NAME_UNLIKE_FILE"      // the file's name decides
	ReasonParamSetUnreferenced        = "REPO_PARAMSET_UNREFERENCED"          // no environment associates it
	ReasonAssociationWithoutParamSet  = "REPO_ASSOCIATION_WITHOUT_PARAMSET"   // none of the three locations has it
	ReasonAssociationWithoutNamespace = "REPO_ASSOCIATION_WITHOUT_NAMESPACE"  // the environment has no such deploy postfix
	ReasonOverrideNotLast             = "REPO_OVERRIDE_NOT_LAST"              // a ui-override with others after it
	ReasonPipelineOnNamespace         = "REPO_PIPELINE_ON_NAMESPACE"          // which the effective set does not use
	ReasonDescriptorWithoutNamespace  = "REPO_DESCRIPTOR_WITHOUT_NAMESPACE"   // an application of an SD goes nowhere
	ReasonDescriptorRepeats           = "REPO_DESCRIPTOR_REPEATS_APPLICATION" // twice to one deploy postfix
)
