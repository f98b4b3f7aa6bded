package cli

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
)

// The parts of a SARIF 2.1.0 log that findings in files need.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
)

// sarifLevels are the levels of SARIF by severities.
var sarifLevels = map[instancerepo.Severity]string{instancerepo.Info: "note", instancerepo.Warning: "warning", instancerepo.Error: "error"}

func sarifOf(findings []*dovetail.Error) sarifLog {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "dovetail", Rules: []sarifRule{}}}, Results: []sarifResult{}}
	for _, e := range findings {
		rule := sarifRule{ID: sdCode(e)}
		i := slices.Index(run.Tool.Driver.Rules, rule)
		if i < 0 {
			i = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
		at := sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: e.Position.File}).EscapedPath()}}
		if e.Position.Line > 0 {
			at.Region = &sarifRegion{e.Position.Line, e.Position.Column}
		}
		run.Results = append(run.Results, sarifResult{RuleID: rule.ID, RuleIndex: i, Level: sarifLevels[instancerepo.SeverityOf(e)],
			Message: sarifMessage{withRemedy(e)}, Locations: []sarifLocation{{at}}})
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func withRemedy(e *dovetail.Error) string {
	if e.Remedy == "" {
		return e.Message
	}
	return e.Message + "; " + e.Remedy
}

// The parts of a JUnit report: each file is a test, which findings fail.
type (
	junitSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Suite    junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes the report. Findings below failOn are output of the tests.
func (s *session) writeJUnit(files []string, findings []*dovetail.Error, failOn severityFlag) error {
	of := make(map[string][]*dovetail.Error)
	for _, e := range findings {
		of[e.Position.File] = append(of[e.Position.File], e)
		files = append(files, e.Position.File)
	}
	slices.Sort(files)
	suite := junitSuite{Name: "instance-repo"}
	for _, file := range slices.Compact(files) {
		c := junitCase{Class: suite.Name, Name: file}
		for _, e := range of[file] {
			line := fmt.Sprintf("%s: %s: %s: %s\n", instancerepo.SeverityOf(e), sdCode(e), place(e.Position), withRemedy(e))
			switch {
			case !failOn.fails([]*dovetail.Error{e}):
				c.Output += line
			case c.Failure == nil:
				c.Failure = &junitFailure{Message: e.Message, Type: sdCode(e), Text: line}
				suite.Failures++
			default:
				c.Failure.Text += line
			}
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Tests = len(suite.Cases)
	text, err := xml.MarshalIndent(junitSuites{Tests: suite.Tests, Failures: suite.Failures, Suite: suite}, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s%s\n", xml.Header, text)
	return nil
}
