package app

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/resolution/follow"
	"github.com/dovetail-store/dovetail/src/store"
)

// holder names this process in its leases and in logs.
func (s *Server) holder() string { return processName(s.listener.Addr().String()) }

// processName names a process that listens on an address, or, for "", one that does not.
func processName(address string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return host + " " + cmp.Or(address, "process "+strconv.Itoa(os.Getpid()))
}

// resolution makes the service of resolutions, whose controller runs until the background work ends, in one of
// all processes on the database.
func (s *Server) resolution(background context.Context, resources *store.Store) httpapi.Service {
	options := resolution.Options{PublicURL: cmp.Or(s.config.PublicURL, s.URL()), Log: s.log, Clock: resources.Now,
		Answered: s.metrics.answered, Hard: s.hard}
	resolutions := resolution.New(resources, options)
	follower := &follow.Follower{Store: resources, Fetcher: s.fetcher(background), Clock: resources.Now, Log: s.log}
	sets := &fleet.Controller{Store: resources, Principal: &dovetail.Principal{Name: dovetail.SystemPrefix + resolution.ServiceName}, Clock: resources.Now, Log: s.log}
	s.inOne(resolution.ServiceName, func(ctx context.Context, fence store.Condition) {
		ctx, cancel := context.WithCancel(ctx) // where one of them fails, all begin again
		var all sync.WaitGroup
		for what, run := range map[string]func(context.Context, store.Condition) error{"the controller of resolutions": resolutions.Control,
			"the follower of sources": follower.Run, "the controller of sets of resolutions": sets.Run} {
			all.Go(func() {
				defer cancel()
				if err := run(ctx, fence); err != nil && ctx.Err() == nil {
					s.log.Error(what+" failed and restarts", "error", err)
				}
			})
		}
		all.Wait()
		cancel()
	})
	service := resolutions.Service()
	service.At = func(then *store.Store) httpapi.Service { return resolution.New(then, options).Service() }
	return service
}

// fetcher reads what sources follow, until the background work ends.
func (s *Server) fetcher(background context.Context) *follow.Fetcher {
	fetcher := follow.NewFetcher(follow.Options{Policy: outbound.NewPolicy(s.config.SourceHosts, "--source-hosts"), Credentials: func() (follow.Credentials, error) { return readSourceCredentials(s.config.SourceCredentials) }, MaxBytes: s.config.MaxSource})
	s.background.Go(func() {
		<-background.Done()
		if err := fetcher.Close(); err != nil {
			s.log.Warn("clones of followed repositories were left behind", "error", err)
		}
	})
	return fetcher
}

// readSourceCredentials reads the file of --source-credentials; none for "".
func readSourceCredentials(file string) (follow.Credentials, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the file of --source-credentials cannot be read: " + err.Error(), Remedy: "correct its name or its permissions", Err: err}
	}
	return follow.ParseCredentials(file, text)
}
