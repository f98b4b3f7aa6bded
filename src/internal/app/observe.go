package app

import (
	"context"
	"os"

	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/operate/telemetry"
	"github.com/dovetail-store/dovetail/src/internal/secret/sealing"
	"github.com/dovetail-store/dovetail/src/store/instrumented"
	"github.com/dovetail-store/dovetail/src/store/mongo"
	"github.com/dovetail-store/dovetail/src/store/mongo/doctor"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// observe opens the backend with metrics around it and, if they are configured, traces.
func (s *Server) observe(ctx context.Context) error {
	if telemetry.Wanted(s.config.TraceEndpoint, os.LookupEnv) {
		var err error
		s.tracing, err = telemetry.New(ctx, telemetry.Options{Endpoint: s.config.TraceEndpoint, Version: cli.ReadBuild().Version, Log: s.log})
		if err != nil {
			return err
		}
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	observers := []instrumented.Observer{s.metrics}
	if s.tracing != nil {
		observers = append(observers, s.tracing)
	}
	s.sealed = sealing.New(instrumented.New(s.backend, observers...), sealingOptions(s.config.EncryptionKeys))
	s.backend = s.sealed
	return nil
}

// open opens the backend. That of MongoDB tells of its work in more detail, and leaves its upkeep to the server.
func (s *Server) open(ctx context.Context) error {
	version := cli.ReadBuild().Version
	if !isMongo(s.config.Store) {
		backend, err := openBackend(ctx, s.config.Store, s.config, s.log)
		if err != nil {
			return err
		}
		s.backend, s.metrics = backend, newMetrics(backend.Capabilities().Name, version)
		return nil
	}
	const name = "mongo"
	s.metrics = newMetrics(name, version)
	results, err := doctor.Examine(ctx, s.config.Store, doctor.Options{Quick: true})
	if err != nil {
		return err
	}
	if err := doctor.Failure(results); err != nil {
		return err
	}
	options := mongo.Options{Version: version, Logger: s.log, ExternalMaintenance: true, Protocol: protocol.Settings{Resolved: s.metrics.resolvedIntents}}
	if s.tracing != nil {
		options.Command = s.tracing.Command
	}
	backend, err := mongo.Open(ctx, s.config.Store, options)
	if err != nil {
		return err
	}
	s.backend, s.maintain, s.announced = backend, backend.Maintain, backend
	s.metrics.showLevel(backend.Level)
	return nil
}
