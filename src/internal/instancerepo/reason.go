package instancerepo

// The reasons of the defects that Survey finds: what is wrong in a repository though every file of it
// may be well-formed.
const (
	ReasonFileMalformed               = "REPO_FILE_MALFORMED"                 // no YAML, or not the one map that the file must be
	ReasonFileTwice                   = "REPO_FILE_TWICE"                     // with the extensions yml and yaml
	ReasonFileEncrypted               = "REPO_FILE_ENCRYPTED"                 // with SOPS
	ReasonMemberTaken                 = "REPO_MEMBER_TAKEN"                   // which documents use for something else
	ReasonNamespaceTwice              = "REPO_NAMESPACE_TWICE"                // two namespaces of an environment have one name
	ReasonParamSetNameUnlikeFile      = "REPO_PARAMSET_NAME_UNLIKE_FILE"      // the file's name decides
	ReasonParamSetTooDeep             = "REPO_PARAMSET_TOO_DEEP"              // in a folder below that of ParamSets
	ReasonParamSetUnreferenced        = "REPO_PARAMSET_UNREFERENCED"          // no environment associates it
	ReasonAssociationWithoutParamSet  = "REPO_ASSOCIATION_WITHOUT_PARAMSET"   // none of the three locations has it
	ReasonAssociationWithoutNamespace = "REPO_ASSOCIATION_WITHOUT_NAMESPACE"  // the environment has no such deploy postfix
	ReasonAssociationTwice            = "REPO_ASSOCIATION_TWICE"              // in one list; the first counts
	ReasonOverrideNotLast             = "REPO_OVERRIDE_NOT_LAST"              // a ui-override with others after it
	ReasonPipelineOnNamespace         = "REPO_PIPELINE_ON_NAMESPACE"          // which the effective set does not use
	ReasonDescriptorWithoutNamespace  = "REPO_DESCRIPTOR_WITHOUT_NAMESPACE"   // an application of an SD goes nowhere
	ReasonDescriptorByDomain          = "REPO_DESCRIPTOR_BY_DOMAIN"           // an application goes where the blue-green domain says
	ReasonRefused                     = "REPO_REFUSED"                        // a document that the store cannot hold
	ReasonNotStored                   = "REPO_NOT_STORED"                     // a file of documents that a store does not have
	ReasonNoPlace                     = "REPO_NO_PLACE"                       // a document, or a part of it, that no file can hold
	ReasonDescriptorRepeats           = "REPO_DESCRIPTOR_REPEATS_APPLICATION" // twice to one deploy postfix
)
