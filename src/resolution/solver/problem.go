package solver

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/resolution/window"
	"github.com/dovetail-store/dovetail/src/value"
)

// DefaultTimeout is the time limit of specs that have none.
const DefaultTimeout = 30 * time.Second

// Spec is what an ActiveResolution asks for. It is not changed after it was read.
type Spec struct {
	Sources     []string // in order of preference; nil means all
	Constraints []*Constraint
	Timeout     time.Duration    // 0 if it is not given
	Windows     []*window.Window // in one of which selections may be activated; none for always

	Approval bool // of the plan by another principal, before it is activated

	prereleases prereleases
	facts       *facts // of the cluster; nil where nothing is said of it
	planning

	listed bool
	places []*value.Value // of the names of sources
	errs   dovetail.Errors
}

// maxTimeout is the longest time limit, in seconds.
const maxTimeout = 3600

// ParseSpec reads {set?, sources?, constraints?, prereleases?, installed?, policy?, maxChanges?, approval?, windows?, facts?, timeoutSeconds?}. The error tells
// all that is wrong, in the order of the input, and has ReasonInvalidConstraint or ReasonInvalidSpec. The spec is not nil in
// any case, and NewProblem repeats the error.
func ParseSpec(v *value.Value) (*Spec, error) {
	s := &Spec{planning: planning{maxChanges: anyNumber}}
	var errs, constraints dovetail.Errors // those of constraints come last
	r := newReader(newTexts(), &errs)
	root := r.Root(v, "a spec", "")
	for name, m := range root.Members("set", "sources", "constraints", "prereleases", "installed", "policy", "maxChanges", "approval", "windows", "facts", "timeoutSeconds") {
		switch name {
		case "set": // says who keeps it
			m.Text()
		case "sources":
			s.listed = true
			for _, item := range m.List("a source") {
				s.Sources = append(s.Sources, item.Text())
				s.places = append(s.places, item.Value)
			}
		case "constraints":
			for i, item := range m.List("a constraint") {
				var wrong dovetail.Errors
				one := newReader(r.texts, &wrong)
				s.Constraints = append(s.Constraints, one.constraint(one.Root(item.Value, "a constraint", item.Path())))
				into(&constraints, ReasonInvalidConstraint, i, &wrong)
			}
		case "prereleases":
			s.readPrereleases(m)
		case "installed":
			s.installed, s.installedGiven = r.readInstalled(m), true
		case "policy":
			s.readPolicy(m)
		case "maxChanges":
			s.readMaxChanges(m)
		case "approval":
			s.Approval = oneOfTexts(m, "approval", "required") != ""
		case "windows":
			s.Windows = readWindows(m)
		case "facts":
			s.readFacts(m)
		case "timeoutSeconds":
			seconds, err := strconv.ParseFloat(m.Value.Text, 64)
			if m.Kind() != value.Number || err != nil || seconds <= 0 || seconds > maxTimeout {
				m.Fail("write a number of seconds up to 3600", "this must be a positive number of seconds")
			}
			s.Timeout = time.Duration(seconds * float64(time.Second))
		}
	}
	if s.maxChanges != anyNumber && v.Get("policy") == nil {
		root.Get("maxChanges").Fail("add policy: latest, minimal-change or frozen", "maxChanges needs a policy")
	}
	if s.Approval && v.Get("policy") == nil {
		root.Get("approval").Fail("add policy: latest, minimal-change or frozen", "approval needs a policy: what is approved is a plan")
	}
	if v.Get("policy") == nil {
		s.Constraints = append(s.Constraints, s.upgradesOnly()...)
	}
	into(&s.errs, ReasonInvalidSpec, -1, &errs)
	s.errs.Merge(&constraints)
	return s, s.errs.Err("the spec is refused")
}

// Listed reports whether the spec names its sources, if only none.
func (s *Spec) Listed() bool { return s.listed }

// Problem is a spec with the sources that it is resolved over.
type Problem struct {
	spec    *Spec
	whole   *Spec           // the spec with all of its constraints, which say what is withdrawn and which pre-releases count
	sources []*Source       // in order of preference
	needs   map[string]bool // the packages whose pre-releases count, where the policy says that not all do
}

// NewProblem joins a spec with the sources that it uses: those that it lists, or all, by priority
// descending, then by name. sources are all that exist, in any order. The error tells all that is
// wrong: sources that are not found, what ParseSpec found, and the errors of sources that are used.
func NewProblem(spec *Spec, sources []*Source) (*Problem, error) {
	return NewProblemUntil(nil, spec, sources)
}

// NewProblemUntil is NewProblem that calls stop every few hundred sources, and ends with its error. A nil stop is none.
func NewProblemUntil(stop func() error, spec *Spec, sources []*Source) (*Problem, error) {
	p := &Problem{spec: spec, whole: spec}
	var errs dovetail.Errors
	if spec.listed {
		if err := p.choose(stop, spec, sources, &errs); err != nil {
			return nil, err
		}
	} else {
		p.sources = slices.Clone(sources)
		slices.SortStableFunc(p.sources, func(a, b *Source) int {
			return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Name, b.Name))
		})
	}
	errs.Merge(&spec.errs)
	names := make(map[string]bool, len(p.sources))
	for i, s := range p.sources {
		if err := every(stop, i); err != nil {
			return nil, err
		}
		found := clone(&s.errs)
		if s.Name != "" && names[s.Name] {
			fail(&found, nil, "", "keep one", "duplicate source")
		}
		names[s.Name] = true
		var named dovetail.Errors
		below(&named, "", "source "+decode.Quote(s.Name), &found)
		into(&errs, ReasonInvalidSource, i, &named)
	}
	p.addFacts(names, &errs)
	p.checkPolicies(&errs)
	if err := errs.Err("the resolution is refused"); err != nil {
		return nil, err
	}
	p.findNeeded()
	return p, nil
}

// addFacts takes in what the cluster has, beside sources of these names.
func (p *Problem) addFacts(names map[string]bool, errs *dovetail.Errors) {
	if p.spec.facts == nil {
		return
	}
	if names[FactsSource] {
		var taken dovetail.Errors
		fail(&taken, nil, "/facts", "give the source another name", "a source is called %s, too", decode.Quote(FactsSource))
		into(errs, ReasonInvalidSpec, -1, &taken)
	}
	p.sources = slices.Insert(p.sources, 0, p.spec.facts.source)
	p.spec = p.spec.withFacts()
	p.whole = p.spec
}

// choose takes the sources that the spec lists, each once.
func (p *Problem) choose(stop func() error, spec *Spec, sources []*Source, errs *dovetail.Errors) error {
	byName := make(map[string]*Source, len(sources))
	for _, s := range slices.Backward(sources) { // of several of one name the first
		byName[s.Name] = s
	}
	taken := make(map[*Source]bool, len(spec.Sources))
	for i, name := range spec.Sources {
		if err := every(stop, i); err != nil {
			return err
		}
		s := byName[name]
		switch {
		case s == nil && errs.Full():
			errs.Count(1)
		case s == nil:
			var missing dovetail.Errors
			fail(&missing, spec.places[i], "/sources"+index(i), insteadOf(name, sources), "there is no source %s", decode.Quote(name))
			into(errs, ReasonSourceNotFound, i, &missing)
		case !taken[s]:
			taken[s] = true
			p.sources = append(p.sources, s)
		}
	}
	return nil
}

// stopStep is after how many items stop is called.
const stopStep = 256

// every calls stop for some numbers of items.
func every(stop func() error, i int) error {
	if stop == nil || i%stopStep != 0 {
		return nil
	}
	return stop()
}

// insteadOf is the remedy for the name of a source that there is not.
func insteadOf(name string, sources []*Source) string {
	var names []string
	for _, s := range sources {
		names = append(names, s.Name)
	}
	if near := suggest.Nearest(name, names); near != "" {
		return "did you mean " + decode.Quote(near) + "?"
	}
	return "create it, or remove the name"
}

// Spec returns the spec.
func (p *Problem) Spec() *Spec { return p.spec }

// Sources returns the sources that are used, in order of preference.
func (p *Problem) Sources() []*Source { return p.sources }

// Digest is that of the problem's reach.
func (p *Problem) Digest() string { return p.Reach().Digest() }
