package app

import (
	"context"
	"net"
	"net/http"
	"net/http/pprof"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// profiles serves /debug/pprof on an address of its own until the context ends. It shows the memory of
// the process, with secrets, to every client that reaches it: so it is refused except on loopback, which `ssh -L` and
// `kubectl port-forward` reach.
func (s *Server) profiles(background context.Context) error {
	host, _, err := net.SplitHostPort(s.config.Pprof)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "profiles on " + s.config.Pprof + " would show the memory of the process to others", Err: err,
			Remedy: "name an address of loopback: --pprof 127.0.0.1:6060"}
	}
	listener, err := net.Listen("tcp", s.config.Pprof)
	if err != nil {
		return cannotListen(s.config.Pprof, "--pprof", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	serveUntil(background, &s.background, listener, mux, s.log)
	s.log.Info("profiles are served", "at", "http://"+listener.Addr().String()+"/debug/pprof/")
	return nil
}
