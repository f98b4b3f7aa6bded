package override

// The reasons of errors, beside their codes and those of package parameters.
const (
	ReasonPushConflict     = "PUSH_CONFLICT"         // another user changed the repository at the same time
	ReasonVersion          = "VERSION_CONFLICT"      // the ParamSet has changed since it was read
	ReasonExists           = "PARAMSET_EXISTS"       // there is one of that name and location
	ReasonNoEnvironment    = "NO_ENVIRONMENT"        // the environment does not exist
	ReasonNoNamespace      = "NO_NAMESPACE"          // the environment has no namespace of that name
	ReasonNoParamSet       = "NO_PARAMSET"           // the ParamSet, or the override, does not exist
	ReasonNoEffectiveSet   = "NO_EFFECTIVE_SET"      // none was generated for that
	ReasonAssociated       = "ASSOCIATION_EXISTS"    // the ParamSet is associated with that already
	ReasonUnreachable      = "ASSOCIATION_TOO_FAR"   // the environment does not look where the ParamSet is
	ReasonOtherTarget      = "OVERRIDE_OTHER_TARGET" // the name of an override says that it is for something else
	ReasonRequestInvalid   = "REQUEST_INVALID"       // something is missing in the request, or not what it must be
	ReasonVersionRequired  = "VERSION_REQUIRED"      // If-Match is missing
	ReasonMoveConflict     = "MOVE_CONFLICT"         // overrides do not agree about a parameter that is to be moved, or the ParamSet gives it another value
	ReasonMoveDiffers      = "MOVE_DIFFERS"          // values would be others after a move
	ReasonLocationImmobile = "PARAMSET_IMMOBILE"     // name and location of a ParamSet cannot change
)
