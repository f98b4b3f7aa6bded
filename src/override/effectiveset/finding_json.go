package effectiveset

import "github.com/dovetail-store/dovetail/src/dovetail"

// ShownFinding is something to know of a set, as answers and commands give it.
type ShownFinding struct {
	Severity string `json:"severity"` // error: something is missing in the set; warning otherwise
	Reason   string `json:"reason,omitempty"`
	Location string `json:"location,omitempty"` // the file, line and column, of an instance repository
	Message  string `json:"message"`
	Remedy   string `json:"remedy,omitempty"`
}

// ShowFindings are findings as answers give them.
func ShowFindings(all []Finding) []ShownFinding {
	var shown []ShownFinding
	for _, f := range all {
		shown = append(shown, ShownFinding{Severity: "warning", Reason: string(f.Reason), Location: f.Position.String(), Message: f.Message})
	}
	return shown
}

// ShowError is an error that keeps something out of a set, as answers give it.
func ShowError(err *dovetail.Error) ShownFinding {
	return ShownFinding{"error", err.Reason, err.Position.String(), err.Message, err.Remedy}
}
