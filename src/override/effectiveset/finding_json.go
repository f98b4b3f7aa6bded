package effectiveset

import (
	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// ShowFindings are findings as answers give them.
func ShowFindings(all []Finding) []api.Finding {
	var shown []api.Finding
	for _, f := range all {
		shown = append(shown, api.Finding{Severity: api.SeverityWarning, Reason: string(f.Reason), Location: f.Position.String(), Message: f.Message})
	}
	return shown
}

// ShowError is an error that keeps something out of a set, as answers give it.
func ShowError(err *dovetail.Error) api.Finding {
	return api.Finding{Severity: api.SeverityError, Reason: err.Reason, Location: err.Position.String(), Message: err.Message, Remedy: err.Remedy}
}
