package instancerepo

// The reasons of the defects that Survey finds: what is wrong in a repository though every file of it
// may be well-formed.
const (
	ReasonFileMalformed               = "REPO_FILE_MALFORMED"                 // no YAML, or not the one map that the file must be
	ReasonFileTwice                   = "REPO_FILE_TWICE"                     // of one document: with several extensions, in several folders, or beside a template
	ReasonKeyTwice                    = "REPO_KEY_TWICE"                      // in one map of a file: the last value counts
	ReasonDocumentEmpty               = "REPO_DOCUMENT_EMPTY"                 // of several in a file, beside the one that counts
	ReasonApplicationNameUnlikeFile   = "REPO_APPLICATION_NAME_UNLIKE_FILE"   // so that the calculation of effective sets does not find the application
	ReasonFileIrregular               = "REPO_FILE_IRREGULAR"                 // a symbolic link, or a pipe
	ReasonFileEncrypted               = "REPO_FILE_ENCRYPTED"                 // with SOPS
	ReasonValueEncrypted              = "REPO_VALUE_ENCRYPTED"                // a value of a credential, stored as it is
	ReasonValueUnopened               = "REPO_VALUE_UNOPENED"                 // an encrypted value that no given key opens
	ReasonMetadataMalformed           = "REPO_METADATA_MALFORMED"             // of an environment, which the store refuses
	ReasonEnvironmentExpired          = "REPO_ENVIRONMENT_EXPIRED"            // its last day is over
	ReasonInClear                     = "REPO_SENSITIVE_IN_CLEAR"             // a value that would be written beside encrypted ones
	ReasonMemberTaken                 = "REPO_MEMBER_TAKEN"                   // which documents use for something else
	ReasonNamespaceTwice              = "REPO_NAMESPACE_TWICE"                // two namespaces of an environment have one name
	ReasonParamSetNameUnlikeFile      = "REPO_PARAMSET_NAME_UNLIKE_FILE"      // the file's name decides
	ReasonFileTemplate                = "REPO_FILE_TEMPLATE"                  // which the pipeline renders
	ReasonFileMisplaced               = "REPO_FILE_MISPLACED"                 // YAML in a folder of pipelines where it is not looked for
	ReasonFileOther                   = "REPO_FILE_OTHER"                     // not of a kind that is stored
	ReasonTemplateRepository          = "REPO_OF_TEMPLATES"                   // of which instance repositories are built
	ReasonMemberMisspelt              = "REPO_MEMBER_MISSPELT"                // so that it means nothing
	ReasonMemberMalformed             = "REPO_MEMBER_MALFORMED"               // of another form than the pipelines need
	ReasonParamSetMalformed           = "REPO_PARAMSET_MALFORMED"             // its parameters or applications are none
	ReasonFileMissing                 = "REPO_FILE_MISSING"                   // which an inventory names
	ReasonDefinitionWithoutRegistry   = "REPO_DEFINITION_WITHOUT_REGISTRY"    // of an application, which names a registry that has no definition
	ReasonAssociationOfTemplate       = "REPO_ASSOCIATION_OF_TEMPLATE"        // with a ParamSet that the pipeline renders
	ReasonParamSetUnreferenced        = "REPO_PARAMSET_UNREFERENCED"          // no environment associates it
	ReasonAssociationWithoutParamSet  = "REPO_ASSOCIATION_WITHOUT_PARAMSET"   // none of the three locations has it
	ReasonAssociationWithoutNamespace = "REPO_ASSOCIATION_WITHOUT_NAMESPACE"  // the environment has no such deploy postfix
	ReasonAssociationTwice            = "REPO_ASSOCIATION_TWICE"              // in one list; the first counts
	ReasonOverrideNotLast             = "REPO_OVERRIDE_NOT_LAST"              // a ui-override with others after it
	ReasonOverrideChanged             = "REPO_OVERRIDE_CHANGED"               // a ui-override that a generation created, changed or removed
	ReasonPipelineOnNamespace         = "REPO_PIPELINE_ON_NAMESPACE"          // which the effective set does not use
	ReasonDescriptorWithoutNamespace  = "REPO_DESCRIPTOR_WITHOUT_NAMESPACE"   // an application of an SD goes nowhere
	ReasonDescriptorByDomain          = "REPO_DESCRIPTOR_BY_DOMAIN"           // an application goes where the blue-green domain says
	ReasonRefused                     = "REPO_REFUSED"                        // a document that the store cannot hold
	ReasonNotStored                   = "REPO_NOT_STORED"                     // a file of documents that a store does not have
	ReasonNoPlace                     = "REPO_NO_PLACE"                       // a document, or a part of it, that no file can hold
	ReasonDescriptorRepeats           = "REPO_DESCRIPTOR_REPEATS_APPLICATION" // twice to one deploy postfix
)
