package cli

import (
	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/value"
)

// strategy is the member of the repository's configuration that reports whether sets are calculated in part.
const strategy = "effective_set_generation_strategy"

// calculate calculates the whole set, or with a delta SD its part of it.
func (o *generateOptions) calculate(s *session, in effectiveset.Input, before map[string][]byte) (*effectiveset.Set, error) {
	if o.delta == "" {
		return effectiveset.Calculate(in)
	}
	mode, err := sd.ParseMode(o.mode)
	if err != nil {
		return nil, inFlag(err, "--merge-mode")
	}
	text, err := s.readInput(o.delta)
	if err != nil {
		return nil, err
	}
	read, err := yaml.ParseClassic(o.delta, text, value.Limits{})
	if err == nil && (len(read) != 1 || read[0].Kind != value.Map) {
		err = &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: o.delta}, Message: "it is no solution descriptor", Remedy: "give one with applications"}
	}
	if err != nil {
		return nil, err
	}
	whole, err := o.wholeBy()
	switch {
	case err != nil:
		return nil, err
	case mode == sd.Replace:
		whole = "--merge-mode is replace"
	}
	if whole != "" {
		s.warn([]*dovetail.Error{{Message: "the whole set is calculated, since " + whole}})
		return effectiveset.Calculate(in)
	}
	in.Descriptor, in.DescriptorFile = read[0], o.delta
	session := sessionOf(before)
	if session == "" {
		session = in.Session
	}
	return effectiveset.CalculatePart(in, effectiveset.Partial{Before: before, Excluded: mode == sd.BasicExclusionMerge, Session: session})
}

// wholeBy says why the configuration of the repository has whole sets, "" where it does not.
func (o *generateOptions) wholeBy() (string, error) {
	config, err := o.config()
	if err != nil || config == nil {
		return "", err
	}
	switch v := config.Get(strategy); {
	case v == nil, v.Text == "partial":
		return "", nil
	case v.Text == "full":
		return "configuration/config.yml has " + strategy + ": full", nil
	default:
		return "", &dovetail.Error{Code: dovetail.CodeInvalid, Position: v.Position(), Message: strategy + " of configuration/config.yml is " + string(v.JSON()), Remedy: "write partial or full"}
	}
}
