package effectiveset

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Input is what a set is calculated from.
type Input struct {
	Repo    fs.FS  // the instance repository, with environments/ and configuration/
	Cluster string // the folders of the environment below environments/
	Name    string
	SBOMs   fs.FS // APP/APP-VERSION.sbom.json; nil if there is none
	// Session is the value of DEPLOYMENT_SESSION_ID.
	Session string
	// Custom are parameters for one run, as an object with deployment and runtime, or with namespaces; nil if there is none.
	Custom *value.Value
	// Consumers are the JSON Schemas of those that read the pipeline context, by name.
	Consumers map[string]*value.Value
	// Open opens an encrypted value of a credential; its error says why it cannot, and shows nothing of it. Nil opens none.
	Open func(text string) (plain string, err error)
	// OpenFile opens a file of credentials that SOPS encrypted. Nil opens none.
	OpenFile func(name string, text []byte) (*value.Value, error)
	// Seal encrypts a value of the files with credentials; nil leaves them in plaintext.
	Seal func(plain string) string
	// Hide writes "(secret)" in the place of every secret: the files are for readers, not for a pipeline.
	Hide bool
	// ChartValidation refuses applications without a chart.
	ChartValidation bool
	// Descriptor is used in place of the environment's solution descriptor, and DescriptorFile is what errors call it; nil for that one.
	Descriptor     *value.Value
	DescriptorFile string
	// Overlays are parameters of ParamSets that the instance was not built with yet.
	Overlays []Overlay
	// Origins keeps where values come from: see Set.Origin and Set.Explain.
	Origins bool
	// Values keeps the values of the files in place of their texts, for Set.Content and Differences.
	Values bool

	shared *shared // with another calculation from the same repository and SBOMs; nil if there is none
}

// Set is an effective set.
type Set struct {
	// Files are its files, by their paths. Those without content are empty.
	Files map[string][]byte
	// Findings are what a user should know about them, in order.
	Findings []Finding
	origins  map[string]*provenance // by folder
	// values are those that the files are written from, if there is no need to write them: then Files has their names.
	values map[string]*value.Value
}

// Finding is something to know about a set that is no error.
type Finding struct {
	Reason   Reason
	Position dovetail.Position
	Message  string
}

// Reason says what a finding is about.
type Reason string

// The reasons.
const (
	SecretLost         Reason = "secret-lost"          // a runtime parameter that the calculator drops
	CustomIgnored      Reason = "custom-ignored"       // a custom runtime parameter that a technical one hides
	SecretInPlainFile  Reason = "secret-in-plain-file" // a password that stands among plain parameters
	ValueReplaced      Reason = "value-replaced"       // a user's value that a calculated one replaces
	ListsUnited        Reason = "lists-united"         // a list of a later level that does not replace the one before
	LongInteger        Reason = "long-integer"         // an integer that becomes a string
	TokenNotFetched    Reason = "token-not-fetched"    // of Vault
	TemplateSyntax     Reason = "template-syntax"      // <% or <<, which EnvGene's templates may take for theirs
	AmbiguousFile      Reason = "ambiguous-file"       // an application named like another object
	FileTwice          Reason = "file-twice"           // with both endings, of which one counts
	FileLinked         Reason = "file-linked"          // a symbolic link in the repository
	FolderReserved     Reason = "folder-reserved"      // a folder with namespaces that is no environment, or of a namespace that is none, for its name
	DocumentEmpty      Reason = "document-empty"       // of several in a file, beside the one that counts
	NameTwice          Reason = "name-twice"           // of several objects, of which one counts
	NamespaceUnnamed   Reason = "namespace-unnamed"    // of another environment, which the topology cannot have
	NameNotText        Reason = "name-not-text"        // a name that YAML 1.1 reads as a number or a boolean
	NameWithBlanks     Reason = "name-with-blanks"     // at an end
	MemberMalformed    Reason = "member-malformed"     // a member that is no map, and counts as missing
	DescriptorEmpty    Reason = "descriptor-empty"     // a solution descriptor without applications
	RegistryUnknown    Reason = "registry-unknown"     // of an artifact, which has no URL then
	AmbiguousKey       Reason = "ambiguous-key"        // a key that YAML 1.1 reads as a boolean
	FileUnused         Reason = "file-unused"          // a file whose name says that it counts, and its content that it does not
	DuplicateKey       Reason = "duplicate-key"        // a value that a later one of the same key hides
	ReservedName       Reason = "reserved-name"        // a parameter that is lost since EnvGene uses its name
	ValueNotEntered    Reason = "value-not-entered"    // the placeholder for a value that was not entered yet
	PartOutdated       Reason = "part-outdated"        // what a partial set keeps is not what would be calculated now
	ProfileWithoutData Reason = "profile-without-data" // an override of a profile for a service whose SBOM has no such baseline
	ParameterUnused    Reason = "parameter-unused"     // of an overlay that is for no object of the environment
	NotCalculated      Reason = "not-calculated"       // what is shown is not calculated, since that is not possible
	ParameterLeft      Reason = "parameter-left"       // that no ParamSet sets any more: the value in the instance stays until it is built again
)

// notEntered is the placeholder for values that were not entered yet.
const notEntered = "envgeneNullValue"

// calculation is one run.
type calculation struct {
	Input
	repo     *repository
	secrets  map[*value.Value]bool       // strings in which a credential takes part
	literal  map[*value.Value]bool       // calculated values, in which a dollar is a dollar
	external map[*value.Value]*reference // maps that stand for external credentials
	flow     flow
	space    string                     // the name of the namespace whose levels are read
	sboms    map[*value.Value]string    // the SBOMs that values are from
	replaced map[*value.Value]parameter // what values of overlays replace
	set      *Set
	budget   budget
	errs     dovetail.Errors
	unread   dovetail.Errors // of what cannot be listed or followed
	links    *links          // of the repository
	ofSBOMs  *links
	absent   map[string]*absent
	found    map[Finding]bool
}

// Calculate calculates the set of an environment. An application that fails does not keep the others from being calculated: the set has what
// could be, and the error, CodeInvalid or CodeNotFound, all that is wrong. Without a set nothing could be calculated.
func Calculate(in Input) (*Set, error) {
	c := &calculation{Input: in, secrets: make(map[*value.Value]bool), literal: make(map[*value.Value]bool), external: make(map[*value.Value]*reference),
		sboms: make(map[*value.Value]string), replaced: make(map[*value.Value]parameter), found: make(map[Finding]bool), absent: make(map[string]*absent),
		set: &Set{Files: make(map[string][]byte), origins: make(map[string]*provenance), values: make(map[string]*value.Value)}}
	c.links, c.ofSBOMs = c.linksOf(in.Repo), c.linksOf(in.SBOMs)
	var err error
	if c.repo, err = c.read(); err != nil {
		return nil, err
	}
	if err := c.checkCustom(); err != nil {
		return nil, err
	}
	c.topology()
	c.externalCredentials()
	if c.errs.Total() > 0 {
		c.countPlaces()
		return nil, c.errs.Err("the effective set cannot be calculated")
	}
	c.pipeline()
	c.applications()
	slices.SortStableFunc(c.set.Findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Position.File, b.Position.File), a.Position.Line-b.Position.Line, strings.Compare(a.Message, b.Message))
	})
	c.countPlaces()
	return c.set, c.errs.Err("the effective set is not complete")
}

// find notes a finding, once.
func (c *calculation) find(reason Reason, at dovetail.Position, message string) {
	f := Finding{reason, at, message}
	if !c.found[f] {
		c.found[f] = true
		c.set.Findings = append(c.set.Findings, f)
	}
}

// fail notes an error.
func (c *calculation) fail(err error) { tellOnce(&c.errs, err) }

// applications calculates deployment, runtime and cleanup.
func (c *calculation) applications() {
	if c.repo.entries == nil {
		return
	}
	mapped := map[string]map[string]string{"deployment": {}, "runtime": {}, "cleanup": {}}
	cleaned := make(map[string]error)
	last := make(map[string]int) // of several entries of one application and namespace the last one counts
	for i, e := range c.repo.entries {
		if ns, err := c.repo.folder(e); err == nil {
			last[ns.folder+"/"+e.name] = i
		}
	}
	for i, e := range c.repo.entries {
		ns, err := c.repo.folder(e)
		if err != nil {
			c.fail(err)
			continue
		}
		if last[ns.folder+"/"+e.name] != i {
			continue
		}
		if err := c.application(e, ns); err != nil {
			c.fail(err)
			continue
		}
		mapped["deployment"][ns.name], mapped["runtime"][ns.name] = ns.folder, ns.folder
		if _, done := cleaned[ns.folder]; !done {
			cleaned[ns.folder] = c.cleanup(ns)
			c.fail(cleaned[ns.folder])
		}
		if cleaned[ns.folder] == nil {
			mapped["cleanup"][ns.name] = ns.folder
		}
	}
	for context, folders := range mapped {
		c.write(context+"/mapping.yaml", c.mapping(context, folders))
	}
}

// mapping says where the files of namespaces are.
func (c *calculation) mapping(context string, folders map[string]string) *value.Value {
	m := value.NewMap()
	for name, folder := range folders {
		m.Set(name, value.NewString("/environments/"+c.Cluster+"/"+c.Name+"/effective-set/"+context+"/"+folder))
	}
	return sorted(m)
}
