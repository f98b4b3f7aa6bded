package api

import (
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// SourceImpact is the impact that new content of a source would have on ActiveResolutions.
type SourceImpact struct {
	Resolutions []ResolutionImpact `json:"resolutions" doc:"the first of them, in the order of ids"`
	Total       int                `json:"total"`
	Unreadable  int                `json:"unreadable,omitempty" doc:"the number of ActiveResolutions whose selections the caller may not read"`
	Unknown     int                `json:"unknown,omitempty" doc:"the number of those that were not calculated, because the time limit was reached"`
}

// ResolutionImpact is the impact on one ActiveResolution.
type ResolutionImpact struct {
	Resolution dovetail.ID      `json:"resolution"`
	Effect     ResolutionEffect `json:"effect"`
	// Selections are the changed ones, by source and package.
	Selections []SelectionChange `json:"selections,omitempty"`
	Message    string            `json:"message,omitempty" doc:"why it cannot be resolved, if the effect is breaks"`
}

// ResolutionEffect is the effect of changed sources on a resolution.
type ResolutionEffect string

// The effects.
const (
	Changes ResolutionEffect = "changes" // something else is selected
	Breaks  ResolutionEffect = "breaks"  // it can no longer be resolved
	Repairs ResolutionEffect = "repairs" // it can be resolved again
)

// Values returns all effects.
func (ResolutionEffect) Values() []string { return texts(Changes, Breaks, Repairs) }

// SelectionChange is a package whose selected version changes. Nil means that none is selected.
type SelectionChange struct {
	Package string  `json:"package" doc:"source:name"`
	From    *string `json:"from" doc:"version:channel"`
	To      *string `json:"to" doc:"version:channel"`
}

// PlanApproval is the approval of a plan by another principal than the one who asked for it.
type PlanApproval struct {
	By   string    `json:"by"`
	Time time.Time `json:"time"`
	Plan string    `json:"plan" doc:"the digest of the plan"`
}
