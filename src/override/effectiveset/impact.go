package effectiveset

import (
	"context"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Pair has the inputs from which the effective set of one environment is calculated before and after a change.
type Pair struct {
	Before, After *Input // nil if the environment does not exist at that time
	// Same says that Before and After differ only in their overlays.
	Same bool
	// Known is the impact if it is already known, for instance from a cache; otherwise Keep is called with it. Both may be nil.
	Known    *EnvironmentImpact
	Keep     func(*EnvironmentImpact)
	Found    []Finding         // findings that the change brings, beside those of the calculation
	Unusable []*dovetail.Error // inputs of the environment that neither calculation can use
}

// Problem says why a set is incomplete: before a change, after it, or both.
type Problem struct {
	Err           *dovetail.Error
	Before, After bool
}

// EnvironmentImpact is what a change does to the set of one environment.
type EnvironmentImpact struct {
	Environment string
	Differences []Difference
	Problems    []Problem
	Findings    []Finding // that the change brings
	// Total is how many differences, problems and findings there are.
	Total int
	// Compared says that the complete files of both sets were compared. If it is false, Problems say why.
	Compared bool
	// Created says that the change creates the environment.
	Created bool
}

// Impact is what a change does to the sets of environments.
type Impact struct {
	// Environments are those with differences, problems or findings, in the order of Measurement.Environments, up to Measurement.Limit.
	Environments []EnvironmentImpact
	Calculated   int // how many environments the change may reach
	Changed      int // how many have differences
	Failed       int // how many have problems
	Differences  int // how many there are in all environments
	Omitted      int // how many differences, problems and findings are not listed in Environments
	Unmeasured   int // how many environments were not calculated, because Measurement.Enough returned true
	kept         int // how many are listed
}

// portion is how many environments are calculated at a time, before their results are added in order.
const portion = 16

// Measurement configures the calculation of an impact.
type Measurement struct {
	Environments []string
	Workers      int // how many goroutines calculate
	Limit        int // how many differences, problems and findings are listed, in total
	// Enough is called before each group of environments. If it returns true, the remaining environments are counted as Unmeasured.
	// It may be nil.
	Enough func() bool
	// Each is called with the impact on each environment that the change may reach, in their order and without a limit. An error ends the
	// calculation. It may be nil.
	Each func(*EnvironmentImpact) error
	// Progress is called after each group of environments with how many were examined so far and the impact on them. An error ends the
	// calculation. It may be nil.
	Progress func(examined int, found *Impact) error
	// LoadPair reads the inputs of an environment; nil means that the change does not reach it. It is called concurrently. Errors with
	// CodeForbidden, CodeInvalid, CodeCorrupt or CodeNotFound become problems of the environment; any other error ends the calculation.
	LoadPair func(ctx context.Context, environment string) (*Pair, error)
}

// Impact calculates the sets of the environments before and after a change, and returns the leaves in which they differ.
func (m *Measurement) Impact(ctx context.Context) (*Impact, error) {
	impact := &Impact{}
	examined := 0
	for names := range slices.Chunk(m.Environments, portion) {
		if m.Enough != nil && m.Enough() {
			impact.Unmeasured = len(m.Environments) - examined
			break
		}
		examined += len(names)
		measured, errs := make([]*EnvironmentImpact, len(names)), make([]error, len(names))
		var group sync.WaitGroup
		next := make(chan int)
		for range min(m.Workers, len(names)) {
			group.Go(func() {
				for i := range next {
					measured[i], errs[i] = measure(ctx, names[i], m.LoadPair)
				}
			})
		}
		for i := range names {
			next <- i
		}
		close(next)
		group.Wait()
		for i, one := range measured {
			switch {
			case ctx.Err() != nil:
				return nil, dovetail.AsError(ctx.Err())
			case errs[i] != nil:
				return nil, errs[i]
			case one == nil:
				continue
			}
			if m.Each != nil {
				if err := m.Each(one); err != nil {
					return nil, err
				}
			}
			impact.add(one, m.Limit)
		}
		if m.Progress != nil {
			if err := m.Progress(examined, impact); err != nil {
				return nil, err
			}
		}
	}
	return impact, nil
}

// measure compares the sets of one environment; nil when the change does not reach it.
func measure(ctx context.Context, environment string, loadPair func(context.Context, string) (*Pair, error)) (*EnvironmentImpact, error) {
	if err := ctx.Err(); err != nil {
		return nil, dovetail.AsError(err)
	}
	pair, err := loadPair(ctx, environment)
	if err == nil && pair == nil {
		return nil, nil
	}
	var one *EnvironmentImpact
	if err == nil && pair.Known != nil {
		known := *pair.Known
		return &known, nil
	}
	if err == nil {
		one, err = Compare(*pair)
	}
	switch dovetail.CodeOf(err) {
	case dovetail.CodeForbidden, dovetail.CodeInvalid, dovetail.CodeCorrupt, dovetail.CodeNotFound:
		one, err = &EnvironmentImpact{Problems: problems(err, err)}, nil
	}
	if err != nil {
		return nil, err
	}
	one.Environment = environment
	one.Total = len(one.Differences) + len(one.Problems) + len(one.Findings)
	if pair != nil && pair.Keep != nil {
		known := *one
		pair.Keep(&known)
	}
	return one, nil
}

// add counts what a change does to an environment, and keeps of it what there is room for: problems first.
func (i *Impact) add(one *EnvironmentImpact, limit int) {
	i.Calculated++
	i.Differences += len(one.Differences)
	if len(one.Differences) > 0 {
		i.Changed++
	}
	if len(one.Problems) > 0 {
		i.Failed++
	}
	if one.Total == 0 {
		return
	}
	room := limit - i.kept
	kept := min(room, one.Total)
	i.kept, i.Omitted = i.kept+kept, i.Omitted+one.Total-kept
	if kept == 0 {
		return
	}
	one.Problems = first(one.Problems, &room)
	one.Differences = first(one.Differences, &room)
	one.Findings = first(one.Findings, &room)
	i.Environments = append(i.Environments, *one)
}

// first are the first of a list that there is room for.
func first[T any](all []T, room *int) []T {
	n := min(len(all), *room)
	*room -= n
	return slices.Clone(all[:n])
}

// Compare calculates a set before and after a change. Files that a set lacks since it is not complete are not compared.
func Compare(pair Pair) (*EnvironmentImpact, error) {
	if pair.Same {
		before, after := *pair.Before, *pair.After
		before.shared = newShared()
		after.shared = before.shared
		pair.Before, pair.After = &before, &after
	}
	was, failedBefore := setOf(pair.Before)
	is, failedAfter := setOf(pair.After)
	made := &EnvironmentImpact{Problems: problems(failedBefore, failedAfter), Findings: pair.Found, Created: pair.Before == nil}
	for _, err := range pair.Unusable {
		made.Problems = append(made.Problems, problems(err, err)...)
	}
	if was == nil || is == nil {
		return made, nil
	}
	made.Compared = true
	made.Findings = append(made.Findings, is.FoundSince(was)...)
	if failedBefore != nil || failedAfter != nil {
		was, is = inBoth(was, is), inBoth(is, was)
	}
	var err error
	made.Differences, err = Differences(was, is)
	return made, err
}

// FoundSince are the findings of a set that an earlier one did not have, wherever in the same file.
func (s *Set) FoundSince(earlier *Set) []Finding {
	return slices.DeleteFunc(slices.Clone(s.Findings), func(f Finding) bool {
		return slices.ContainsFunc(earlier.Findings, func(b Finding) bool {
			return b.Reason == f.Reason && b.Message == f.Message && b.Position.File == f.Position.File
		})
	})
}

// setOf is the set of an environment, an empty one if there is none.
func setOf(in *Input) (*Set, error) {
	if in == nil {
		return &Set{}, nil
	}
	with := *in
	with.Origins, with.Values = true, true
	return Calculate(with)
}

// inBoth is a set without the files that another lacks, and without those that say which files there are.
func inBoth(set, other *Set) *Set {
	some := *set
	some.Files = maps.Clone(set.Files)
	maps.DeleteFunc(some.Files, func(name string, _ []byte) bool {
		_, both := other.Files[name]
		return !both || path.Base(name) == "mapping.yaml"
	})
	return &some
}

// problems are the errors of the sets before and after a change, those of both once.
func problems(before, after error) []Problem {
	var all []Problem
	var add func(err *dovetail.Error, isAfter bool)
	add = func(err *dovetail.Error, isAfter bool) {
		for _, part := range err.Errors {
			add(part, isAfter)
		}
		if n := err.Omitted(); len(err.Errors) > 0 && n > 0 {
			err = &dovetail.Error{Code: err.Code, Message: "there are more errors, which are not shown", Remedy: "correct those that are shown first"}
		} else if len(err.Errors) > 0 {
			return
		}
		if isAfter {
			if i := slices.IndexFunc(all, func(p Problem) bool { return p.Before && p.Err.Error() == err.Error() }); i >= 0 {
				all[i].After = true
				return
			}
		}
		all = append(all, Problem{err, !isAfter, isAfter})
	}
	if before != nil {
		add(dovetail.AsError(before), false)
	}
	if after != nil {
		add(dovetail.AsError(after), true)
	}
	return all
}
