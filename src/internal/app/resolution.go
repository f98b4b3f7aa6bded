package app

import (
	"cmp"
	"context"
	"os"

	"github.com/dovetail-store/dovetail/src/internal/httpapi"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/store"
)

// holder names this process in its leases and in logs.
func (s *Server) holder() string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return host + " " + s.listener.Addr().String()
}

// resolution makes the service of resolutions, whose controller runs until the background work ends, in one of
// all processes on the database.
func (s *Server) resolution(background context.Context, resources *store.Store) httpapi.Service {
	options := resolution.Options{PublicURL: cmp.Or(s.config.PublicURL, s.URL()), Log: s.log, Clock: resources.Now,
		Answered: s.metrics.answered, Hard: s.hard}
	resolutions := resolution.New(resources, options)
	s.inOne(background, resolution.ServiceName, func(ctx context.Context, fence store.Condition) {
		if err := resolutions.Control(ctx, fence); err != nil && ctx.Err() == nil {
			s.log.Error("the controller of resolutions failed and restarts", "error", err)
		}
	})
	service := resolutions.Service()
	service.At = func(then *store.Store) httpapi.Service { return resolution.New(then, options).Service() }
	return service
}
