package store

import (
	"context"
	"iter"
	"maps"
	"slices"
)

// Service has what a service knows of its documents, whether a process runs the service or not. Every way that writes or checks a store has all services.
type Service struct {
	// Holders are the documents of the service that hold states of other documents, by kind.
	Holders map[string]Holder
	// Authors find, by kind, the author of what a document asks for.
	Authors map[string]AuthorOf
	Follow  Follow // nil if no documents follow
	Verify  Verify // nil if nothing is verified
}

// Verify yields a defect for each rule that the documents of a service break among each other. The store does not change while it is read.
type Verify func(ctx context.Context, then *Store) iter.Seq2[Defect, error]

// Defect is a finding of a service.
type Defect struct {
	Finding
	// Repair makes the documents what they must be; nil if that cannot be derived from what is stored. It is done by Check with repair.
	Repair []Operation
}

// With returns the configuration with services.
func (c Config) With(services ...Service) Config {
	c.Holders, c.Author = maps.Clone(c.Holders), maps.Clone(c.Author)
	for _, service := range services {
		for kind, holder := range service.Holders {
			if c.Holders == nil {
				c.Holders = make(map[string]Holder)
			}
			c.Holders[kind] = holder
		}
		for kind, author := range service.Authors {
			if c.Author == nil {
				c.Author = make(map[string]AuthorOf)
			}
			c.Author[kind] = author
		}
		if service.Follow != nil {
			c.Follow = append(slices.Clip(c.Follow), service.Follow)
		}
		if service.Verify != nil {
			c.Verify = append(slices.Clip(c.Verify), service.Verify)
		}
	}
	return c
}

// checkServices yields the defects that services find in their documents.
func (s *Store) checkServices(ctx context.Context, repair bool) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		for _, verify := range s.config.Verify {
			then, err := s.At(ctx, "")
			if err != nil {
				yield(Finding{}, err)
				return
			}
			for d, err := range verify(ctx, then) {
				if err == nil && repair && d.Repair != nil {
					_, err = s.Apply(ctx, d.Repair, Options{Managed: true, Needs: []Need{}, Message: "Repair: " + d.Message})
					d.Repaired = err == nil
				}
				if !yield(d.Finding, err) || err != nil {
					return
				}
			}
		}
	}
}
