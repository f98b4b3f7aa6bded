package api

import "encoding/json"

// Change is a changed value. From is nil if it was added, To if it was removed.
type Change struct {
	Op     ChangeOp        `json:"op"`
	File   string          `json:"file,omitempty" doc:"the file that contains the path, for results that consist of files"`
	Path   string          `json:"path" doc:"a JSON Pointer; empty for the whole"`
	From   json.RawMessage `json:"from,omitempty"`
	To     json.RawMessage `json:"to,omitempty"`
	Secret bool            `json:"secret,omitempty" doc:"whether the values are credentials, which are not shown"`
	Source string          `json:"source,omitempty" doc:"the origin of the value"`
}

// ChangeOp is what happened to a value.
type ChangeOp string

// What happens to a value.
const (
	Added    ChangeOp = "add"
	Removed  ChangeOp = "remove"
	Replaced ChangeOp = "replace"
)

// Values returns all of them.
func (ChangeOp) Values() []string { return texts(Added, Removed, Replaced) }

// ImpactItem is a derived result, such as an effective set, with what would change of it.
type ImpactItem struct {
	Service string `json:"service"`
	ID      string `json:"id"` // unique among the items of the service
	Title   string `json:"title"`
	Basis   string `json:"basis,omitempty" doc:"for effective sets: calculation or generated-files"`
	// Changes are the first changes.
	Changes []Change `json:"changes"`
	More    int      `json:"more,omitempty" doc:"how many more changes there are"`
	// Findings are the first findings.
	Findings     []Finding `json:"findings,omitempty"`
	MoreFindings int       `json:"moreFindings,omitempty" doc:"how many more findings there are"`
	Error        string    `json:"error,omitempty" doc:"the reason why the result can no longer be derived"`
}

// Finding is a finding about a result.
type Finding struct {
	Severity Severity `json:"severity"`
	Reason   string   `json:"reason,omitempty"`
	Location string   `json:"location,omitempty" doc:"the file, line and column"`
	Message  string   `json:"message"`
	Remedy   string   `json:"remedy,omitempty"`
}

// Severity is the severity of a finding.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"   // something is missing in the result
	SeverityWarning Severity = "warning" // everything else
)

// Values returns both severities.
func (Severity) Values() []string { return texts(SeverityError, SeverityWarning) }
