package parameters

// The reasons of errors, beside their codes.
const (
	ReasonPipelineOfApplication = "OVERRIDE_PIPELINE_OF_APPLICATION" // applications have no pipeline parameters
	ReasonLevel                 = "PARAMSET_LEVEL"                   // parameters or applications that a ParamSet of this level must not have, or lacks
	ReasonStructure             = "PARAMSET_STRUCTURE"               // parameters that are no map, or applications that are no list of them
	ReasonOverlap               = "EFFECTIVE_SET_OVERLAP"            // several files of an effective set give the same parameter
)
