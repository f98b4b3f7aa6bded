package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/operate/lease"
	"github.com/dovetail-store/dovetail/src/internal/operate/telemetry"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/secret/sealing"
	"github.com/dovetail-store/dovetail/src/internal/server/flowcontrol"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/server/web"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// Serve runs a server for the command line until the context ends. given holds, by name, the
// settings that were given as flags; see Load for the others.
func Serve(ctx context.Context, given map[string]string) error {
	config, err := Load(given, os.LookupEnv)
	if err != nil {
		return err
	}
	server, err := Start(ctx, config, os.Stderr)
	if err != nil {
		return err
	}
	if _, set := os.LookupEnv("GOGC"); !set {
		tuneGC(server.bodies)
	}
	server.Greet(os.Stdout)
	return server.Run(ctx)
}

// Server is one running process of Dovetail: a store with its services behind one address.
type Server struct {
	config     Config
	log        *slog.Logger
	backend    store.Backend
	sealed     *sealing.Backend      // the same, which encrypts
	maintain   func(context.Context) // what the backend has to clear up now and then; nil if there is nothing
	announced  announced             // the backend, where several processes use it; nil otherwise
	works      []lease.Task          // that one of all processes does
	metrics    *metrics
	hard       *flowcontrol.Level // of work that takes long
	off        []string           // services that were off at the start
	tracing    *telemetry.Tracing // nil if there is none
	http       *http.Server
	bodies     func() int64 // bytes of those of requests that are being served
	listener   net.Listener
	metricsAt  net.Addr   // of --metrics-listen; nil if there is none
	failed     chan error // what ended the HTTP server, unasked
	background sync.WaitGroup
	stop       context.CancelFunc // of the background work

	credentialKeys *ciphertext.Keys // of --credential-keys; nil if there is none
	deckhandPolicy *deckhandPolicy  // of --deckhand-policy; nil if there is none
	temporary      string           // folder that is deleted at the end of the process; "" if there is none
}

// Start opens the store and begins to serve. Its errors name the configuration, the ref-schema or the system resource
// that prevents that. Call Run, which ends what Start began.
func Start(ctx context.Context, config Config, logs io.Writer) (*Server, error) {
	s := &Server{config: config, log: newLog(config, logs), failed: make(chan error, 1)}
	err := s.observe(ctx)
	if err == nil {
		if err = s.start(ctx); err == nil {
			return s, nil
		}
		_ = os.RemoveAll(s.temporary) // a clone without use
		err = closeAfter(s.backend, err)
	}
	if s.tracing != nil {
		_ = s.tracing.Close(ctx) // nothing was traced yet
	}
	return nil, err
}

func newLog(config Config, to io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: config.LogLevel}
	if config.LogFormat == "json" {
		return slog.New(telemetry.Handler(slog.NewJSONHandler(to, options)))
	}
	return slog.New(telemetry.Handler(slog.NewTextHandler(to, options)))
}

func (s *Server) start(ctx context.Context) error {
	model, refusal, err := s.startingModel(ctx)
	if err != nil {
		return err
	}
	if err := checkExposure(s.config); err != nil {
		return err
	}
	if err := checkIdentities(s.config); err != nil {
		return err
	}
	var own *certificate
	if s.config.TLSCert != "" || s.config.TLSKey != "" {
		if own, err = newCertificate(s.config.TLSCert, s.config.TLSKey, s.log); err != nil {
			return err
		}
	}
	if file := s.config.EncryptionKeys; file != "" {
		if _, err := envelope.ReadKeyFile(file); err != nil {
			return err
		}
	}
	if file := s.config.CredentialKeys; file != "" {
		if s.credentialKeys, err = ciphertext.ReadKeys(file); err != nil {
			return err
		}
	}
	audit, err := s.audit(model)
	if err != nil {
		return err
	}
	config := withServices(store.Config{WeakReferences: s.config.WeakReferences, Audit: audit, MaxDocument: int(s.config.MaxBody),
		OnBehalf: map[string]store.OnBehalf{fleet.Kind: fleet.Needs}}, s.config.EncryptionKeys)
	var gate *gatekeeper
	var resources *store.Store
	if s.config.Access != "" {
		inForce := func() *schema.Model { // the store has it once it is open
			if resources == nil {
				return model
			}
			return resources.Model()
		}
		if gate, err = newGatekeeper(ctx, s.config, inForce, s.log); err != nil {
			return err
		}
		config.Guard, s.deckhandPolicy = gate, gate.deckhand
	}
	var misfit error
	if resources, misfit, err = s.openStore(system(ctx, "start"), model, config); err != nil {
		return err
	}
	if err := s.checkEncryption(ctx); err != nil {
		return err
	}
	if gate != nil {
		gate.ended = newEndedSessions(s.backend, gate.sessions, s.log)
		if err := gate.ended.load(ctx); err != nil {
			return err
		}
	}
	repository, err := s.attach(system(ctx, repositoryWork), resources, gate)
	if err != nil {
		return err
	}
	if _, err = readSourceCredentials(s.config.SourceCredentials); err != nil { // read again for each use
		return err
	}
	s.listener, err = net.Listen("tcp", s.config.Listen)
	if err != nil {
		return cannotListen(s.config.Listen, "--listen", err)
	}
	background, stop := context.WithCancel(system(context.WithoutCancel(ctx), "server"))
	s.stop = stop
	checks := []httpapi.Check{s.integrity(resources), {Name: "encryption", Run: s.encryption}}
	if s.announced != nil {
		if err := s.announced.SetName(ctx, s.holder()); err != nil {
			return s.giveUp(err)
		}
		checks = append(checks, httpapi.Check{Name: "protocol", Run: s.protocolLevel})
	}
	reloader := newReloader(s.config.refSchemas(), resources, s.log, s.metrics)
	reloader.started(cmp.Or(refusal, misfit))
	checks = append(checks, httpapi.Check{Name: "ref-schema", Run: reloader.check})
	if s.config.RefSchemas != "" {
		s.background.Go(func() { reloader.run(background) })
	}
	follower := &refSchemaFollower{resources: resources, files: reloader, log: s.log, unused: s.onlyKeepsUp}
	if err := s.listenBeside(background); err != nil {
		return s.giveUp(err)
	}
	s.keepUp(resources, s.maintain)
	if repository != nil {
		checks = append(checks, repository.checks()...)
		s.follow(background, repository)
	}
	gitHosts, err := s.gitWebhook(background, repository)
	if err != nil {
		return s.giveUp(err)
	}
	hooks, err := s.webhooks(background, resources)
	if err != nil {
		return s.giveUp(err)
	}
	s.hard = httpapi.HardLevel(s.config.QueueLength, s.config.QueueWait)
	memory := availableMemory(goMemoryLimit, os.ReadFile)
	most := boundConnections(s.config.MaxConnections, serverSockets, s.log)
	onlyServices := !slices.Contains(s.config.Services, ServiceResources)
	changeSets := s.changeSets(resources, gate, repository)
	services := s.services(background, resources, repository, changeSets)
	if err := s.checkServices(services, resources.Model()); err != nil {
		return s.giveUp(err)
	}
	s.lead(background)
	s.background.Go(func() { follower.run(background) })
	options := httpapi.Options{
		Log: s.log, Metrics: s.metrics.Registry, Checks: checks, Version: cli.ReadBuild().Version, Encryption: resources.Encryption,
		Services: services, ChangeSet: changeSets.View, OnlyServices: onlyServices, Hard: s.hard,
		Limits: httpapi.Limits{Body: s.config.MaxBody, Batch: s.config.MaxBatch, Bodies: cmp.Or(s.config.MaxBodies, bodiesOf(memory)), Request: s.config.RequestTimeout,
			Concurrency: cmp.Or(s.config.Concurrency, httpapi.DefaultConcurrency(availableMemory(debug.SetMemoryLimit(-1), os.ReadFile))),
			QueueLength: s.config.QueueLength, QueueWait: s.config.QueueWait,
			Refusals: float64(s.config.Refusals), PerSecond: float64(s.config.Rate), Burst: s.config.Burst, AtOnce: s.config.AtOnce, Watches: watchLimit(most, len(resources.Model().Kinds()))},
	}
	options.System, options.Commits = s.system, repository.commits(s.config.RepositoryCommitURL)
	options.Proxies, options.Profile = s.config.Proxies, s.config.APIProfile
	if gitHosts != nil {
		options.GitWebhook = gitHosts
	}
	if hooks != nil {
		options.Webhooks = hooks
		options.Checks = append(options.Checks, httpapi.Check{Name: "webhooks", Run: hooks.check})
	}
	if s.tracing != nil {
		options.Trace = s.tracing.Request
	}
	if gate != nil {
		options.Authenticate, options.Access, options.Login = gate.authenticate, gate, loginOf(s.config)
		logins := &refusedLogins{record: resources.RecordLogin, now: time.Now, since: make(map[string]*loginWindow)}
		options.LoginRefused = logins.refused
		options.Checks = append(options.Checks, gate.checks()...)
		s.background.Go(func() { gate.run(background) })
	}
	api := httpapi.New(repository.documents(resources), options)
	s.http, s.bodies = api.Server(), api.Bodies
	if !onlyServices {
		provider := ""
		if options.Login != nil {
			provider = options.Login.Issuer
		}
		s.http.Handler = web.Over(api, provider)
	}
	s.http.Handler = guarded(follower.over(s.http.Handler), s.config.Origins)
	s.http.ConnState = newConnections(most, s.metrics.connections, s.metrics.closed).changed
	serve := s.http.Serve
	if own != nil {
		s.http.TLSConfig = own.config()
		if gate != nil {
			gate.askClients(s.http.TLSConfig)
		}
		s.background.Go(func() { own.run(background) })
		serve = func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }
	}
	go func() {
		if err := serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
	return nil
}

// giveUp ends what was begun in the background, and returns the error for which the server does not start.
func (s *Server) giveUp(err error) error {
	s.stop()
	s.background.Wait()
	_ = s.listener.Close() // err tells why it is given up
	return err
}

// URL is where the server answers.
func (s *Server) URL() string {
	scheme := "http://"
	if s.config.TLSCert != "" {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(s.listener.Addr().String())
	if err != nil {
		return scheme + s.listener.Addr().String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + net.JoinHostPort(host, port)
}

// Greet says where what is served.
func (s *Server) Greet(to io.Writer) {
	at := s.URL()
	schemas := s.config.RefSchemas
	if schemas == "" {
		schemas = "built in"
	}
	page := at + "/ui/"
	if !slices.Contains(s.config.Services, ServiceResources) {
		page = "none, as the resources are not served here"
	}
	services := slices.Clone(s.config.Services)
	for i, name := range services {
		if slices.Contains(s.off, name) {
			services[i] += " (off: the ref-schema lacks its kinds)"
		}
	}
	fmt.Fprintf(to, `Dovetail is ready.
  Page     %s
  API      %s/v2
  OpenAPI  %s/openapi.json
  Metrics  %s/metrics
  Store    %s
  Schema   %s
  Services %s
`, page, at, at, at, withoutPassword(s.config.Store), schemas, strings.Join(services, ", "))
}

// Run serves until the context ends or the HTTP server fails. Then it finishes the requests under
// way, for as long as the configuration allows, and closes the store.
func (s *Server) Run(ctx context.Context) error {
	var failure error
	select {
	case <-ctx.Done():
		s.log.Info("ending: requests under way are finished")
	case err := <-s.failed:
		failure = &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the HTTP server ended: " + plainCause(err), Err: err}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.ShutdownTimeout)
	defer cancel()
	if err := s.http.Shutdown(last); err != nil {
		s.log.Warn("requests were cut off", "after", s.config.ShutdownTimeout.Round(time.Second), "error", err)
		_ = s.http.Close() // cuts what is left; Shutdown said why
	}
	s.stop()
	s.background.Wait()
	_ = os.RemoveAll(s.temporary) // a clone, made again the next time
	if err := s.backend.Close(); err != nil && failure == nil {
		failure = err
	}
	if s.tracing != nil {
		if err := s.tracing.Close(last); err != nil {
			s.log.Warn("the last traces were lost", "error", err)
		}
	}
	return failure
}

func cannotListen(address, flag string, err error) error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "cannot listen on " + address + ": " + plainCause(err),
		Remedy: "name a free address with " + flag + ", or end the program that holds this one", Err: err}
}

// plainCause is the innermost text of a network error: "address already in use".
func plainCause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
