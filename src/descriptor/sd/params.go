package sd

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// The parameters of a pipeline that say what to do with which SDs. The value of each is a text.
const (
	ParamVersion         = "SD_VERSION"          // artifacts, as application:version, separated by white space, commas or semicolons
	ParamVersionMultiple = "SD_VERSION_MULTIPLE" // the same
	ParamData            = "SD_DATA"             // an SD, or a list of them, as JSON or YAML
	ParamDataMultiple    = "SD_DATA_MULTIPLE"    // a list of SDs
	ParamSourceType      = "SD_SOURCE_TYPE"      // artifact or json
	ParamDelta           = "SD_DELTA"            // true or false
	ParamMergeMode       = "SD_MERGE_MODE"       // a Mode
	ParamRepoMergeMode   = "SD_REPO_MERGE_MODE"  // another name for it, which ParamDelta must not contradict
)

// ParamNames returns the names of all parameters.
func ParamNames() []string {
	return []string{ParamSourceType, ParamVersion, ParamVersionMultiple, ParamData, ParamDataMultiple, ParamDelta, ParamMergeMode, ParamRepoMergeMode}
}

// The values of ParamSourceType.
const (
	sourceArtifact = "artifact"
	sourceJSON     = "json"
)

// Request is what the parameters ask for.
type Request struct {
	Mode Mode
	// Delta says that what comes in is merged into the full SD and becomes the delta SD. Otherwise, and
	// in the mode Replace, it becomes the full SD, and the delta SD stays as it is.
	Delta bool
	// Artifacts are those to fetch, in order. Without any, Data has what came in.
	Artifacts []Artifact
	Data      []*Descriptor
	// EnforceNamespaces makes an error of the warning that a deploy postfix belongs to no namespace.
	EnforceNamespaces bool
}

// Replaces reports whether what comes in takes the place of the full SD, which then need not be read.
func (r *Request) Replaces() bool { return !r.Delta || r.Mode == Replace }

// ParseRequest reads the parameters by name. Those that are empty count as absent; unknown ones that
// begin with SD_ are refused, others ignored. All that is wrong with the parameters, and with the
// SDs in them, is reported together; positions have the parameter's name as file.
func ParseRequest(params map[string]string) (*Request, error) {
	return ParseRequestWithin(value.Limits{}, params)
}

// ParseRequestWithin is ParseRequest of parameters each of which is within the limits.
func ParseRequestWithin(limits value.Limits, params map[string]string) (*Request, error) {
	p := paramReader{params: params, limits: limits}
	p.refuseUnknown()
	r := &Request{Mode: p.mode(), Delta: p.delta()}
	p.refuseContradiction(r)
	switch p.sourceType() {
	case sourceArtifact:
		r.Artifacts = p.artifacts()
	case sourceJSON:
		r.Data = p.data()
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return r, nil
}

type paramReader struct {
	params map[string]string
	limits value.Limits
	faults
}

func (p *paramReader) text(name string) string { return strings.TrimSpace(p.params[name]) }

func (p *paramReader) refuse(reason, name, remedy, message string) {
	p.add(reason, dovetail.Position{File: name}, remedy, "%s", message)
}

func (p *paramReader) refuseUnknown() {
	for _, name := range slices.Sorted(maps.Keys(p.params)) {
		if strings.HasPrefix(name, "SD_") && !slices.Contains(ParamNames(), name) {
			p.refuse(ReasonParamInvalid, name, "use one of "+strings.Join(ParamNames(), ", "), "there is no such parameter")
		}
	}
}

func (p *paramReader) mode() Mode {
	text, other := p.text(ParamMergeMode), p.text(ParamRepoMergeMode)
	name := ParamMergeMode
	switch {
	case text == "":
		text, name = other, ParamRepoMergeMode
	case other != "" && !strings.EqualFold(other, text):
		p.refuse(ReasonParamConflict, ParamRepoMergeMode, "give one of the two", ParamMergeMode+" names another merge mode")
	}
	if text == "" {
		return BasicMerge
	}
	mode, err := ParseMode(text)
	if err != nil {
		e := *dovetail.AsError(err)
		e.Position.File = name
		p.Join(&e)
	}
	return mode
}

func (p *paramReader) delta() bool {
	switch text := p.text(ParamDelta); strings.ToLower(text) {
	case "", "true":
		return true
	case "false":
	default:
		p.refuse(ReasonParamInvalid, ParamDelta, "give true or false", "it is neither true nor false")
	}
	return false
}

// refuseContradiction refuses that one parameter keeps what is stored and the other replaces it. ParamMergeMode does not
// contradict SD_DELTA=false: it also says how several SDs become one.
func (p *paramReader) refuseContradiction(r *Request) {
	if p.text(ParamDelta) == "" || p.text(ParamRepoMergeMode) == "" || p.Total() > 0 || r.Delta != (r.Mode == Replace) {
		return
	}
	does := "replaces the stored SD"
	if r.Delta {
		does = "merges into the stored SD"
	}
	p.refuse(ReasonParamConflict, ParamDelta, "give one of the two", fmt.Sprintf("%s=%t %s, and %s=%s does not", ParamDelta, r.Delta, does, ParamRepoMergeMode, r.Mode))
}

// sourceType returns how SDs are passed; when no parameter says so, it is seen from those that have a
// value.
func (p *paramReader) sourceType() string {
	artifact := p.text(ParamVersion) != "" || p.text(ParamVersionMultiple) != ""
	json := p.text(ParamData) != "" || p.text(ParamDataMultiple) != ""
	switch text := strings.ToLower(p.text(ParamSourceType)); {
	case text == sourceArtifact || text == sourceJSON:
		return text
	case text != "":
		p.refuse(ReasonParamInvalid, ParamSourceType, "give artifact or json", "it is neither artifact nor json")
	case artifact && json:
		p.refuse(ReasonParamConflict, ParamSourceType, "give artifact or json", "artifacts and data are both given, and SD_SOURCE_TYPE is not")
	case artifact:
		return sourceArtifact
	case json:
		return sourceJSON
	default:
		p.refuse(ReasonParamMissing, ParamSourceType, "give artifacts in "+ParamVersion+" or data in "+ParamData, "there is no solution descriptor")
	}
	return ""
}

// either returns the name and the text of the one of two parameters that has a value.
func (p *paramReader) either(single, multiple, source string) (name, text string) {
	one, many := p.params[single], p.params[multiple]
	hasOne, hasMany := strings.TrimSpace(one) != "", strings.TrimSpace(many) != ""
	switch {
	case hasOne && hasMany:
		p.refuse(ReasonParamConflict, multiple, "give one of the two", single+" has a value, too")
	case hasOne:
		return single, one
	case hasMany:
		return multiple, many
	default:
		p.refuse(ReasonParamMissing, single, "give it a value, or "+multiple, "it has no value, which the source type "+source+" needs")
	}
	return "", ""
}

// artifacts are separated by white space, which may be a line break written as \n, by commas or by semicolons.
func (p *paramReader) artifacts() []Artifact {
	name, text := p.either(ParamVersion, ParamVersionMultiple, sourceArtifact)
	var artifacts []Artifact
	for _, item := range strings.FieldsFunc(strings.ReplaceAll(text, `\n`, "\n"), isSeparator) {
		a, err := ParseArtifact(item)
		if err != nil {
			e := *dovetail.AsError(err)
			e.Position.File = name
			p.Join(&e)
		}
		artifacts = append(artifacts, a)
	}
	if name != "" && len(artifacts) == 0 {
		p.refuse(ReasonParamMissing, name, "give application:version", "it names no artifact")
	}
	return artifacts
}

func isSeparator(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) }

func (p *paramReader) data() []*Descriptor {
	name, text := p.either(ParamData, ParamDataMultiple, sourceJSON)
	var sds []*Descriptor
	var err error
	switch name {
	case ParamData:
		sds, err = parseOneOrList(name, []byte(text), p.limits)
	case ParamDataMultiple:
		sds, err = parseList(name, []byte(text), p.limits)
	}
	p.Join(err)
	return sds
}
