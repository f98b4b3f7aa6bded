package httpapi

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/flowcontrol"
	"github.com/dovetail-store/dovetail/src/internal/server/ratelimit"
)

// Authenticate says whose a request is; nil where that does not matter. Errors have CodeUnauthenticated, or
// CodeUnavailable when it cannot be said now.
type Authenticate func(ctx context.Context, r *http.Request) (Caller, error)

// Caller is whose a request is.
type Caller interface {
	Principal() *dovetail.Principal
	// Self is what the caller is notified of itself.
	Self() dovetail.CallerIdentity
	// Decide returns a context for the request. It ends when it cannot be decided what the caller may do, and undecided, nil for
	// never, says why: then nothing else is answered.
	Decide(ctx context.Context) (deciding context.Context, undecided func() error)
	// Stream returns a context for an answer that lasts. It ends when the identity of the caller holds no longer, with
	// a *dovetail.Error as its cause. done must be called when the answer has ended.
	Stream(ctx context.Context) (streaming context.Context, done func())
}

// Known returns the caller of a name whose identity always holds.
func Known(p *dovetail.Principal) Caller { return known{p} }

type known struct{ who *dovetail.Principal }

// Principal implements Caller.
func (k known) Principal() *dovetail.Principal { return k.who }

// Self implements Caller.
func (k known) Self() dovetail.CallerIdentity {
	return dovetail.CallerIdentity{Principal: k.who.Name, Groups: k.who.Groups}
}

// Decide implements Caller.
func (k known) Decide(ctx context.Context) (context.Context, func() error) { return ctx, nil }

// Stream implements Caller.
func (k known) Stream(ctx context.Context) (context.Context, func()) { return ctx, func() {} }

// public are the paths without authentication: they disclose nothing of what is stored.
var public = map[string]bool{api.Index: true, api.Live: true, api.Ready: true, api.Health: true}

// admit asks who sent the request, and whether that one may send it now. leave is called when it was served.
func (x *requestContext) admit() (leave func(), err error) {
	if x.route != nil && public[x.route.template] {
		x.exempt = true
		return func() {}, nil
	}
	if x.route != nil && x.route.template == api.GitPush {
		return x.admitGitHost()
	}
	if err := x.authenticate(); err != nil {
		leave, refused := x.enter("")
		if refused != nil {
			return nil, refused // guessing tokens is not for free
		}
		leave()
		if refused := x.api.options.LoginRefused; refused != nil && dovetail.CodeOf(err) == dovetail.CodeUnauthenticated && x.r.Header.Get("Authorization") != "" {
			if failed := refused(x.ctx, x.api.options.Proxies.Source(x.r), err); failed != nil {
				return nil, failed
			}
		}
		return nil, err
	}
	name := ""
	if x.principal != nil {
		name = x.principal.Name
	}
	x.flow = flowcontrol.Flow{Name: name}
	if name == "" {
		x.flow = flowcontrol.Flow{Anonymous: true, Name: x.api.options.Proxies.Source(x.r)}
	}
	return x.enter(name)
}

// enter counts the request among those of a principal, or of the address that it comes from.
func (x *requestContext) enter(name string) (leave func(), err error) {
	if x.api.limiter == nil { // no rate limits
		return func() {}, nil
	}
	user := "principal " + name
	if name == "" {
		name = x.api.options.Proxies.Source(x.r)
		user = "address " + name
	}
	leave, refused := x.api.limiter.Enter(user)
	if refused == nil {
		return leave, nil
	}
	message := name + " sends requests too often"
	if refused.Bound == ratelimit.AtOnce {
		message = name + " has too many requests under way"
	}
	seconds := max(1, int64(math.Ceil(refused.Wait.Seconds())))
	x.w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
	return nil, &dovetail.Error{Code: dovetail.CodeRateLimited, Message: message, Remedy: "wait for the duration in Retry-After, and send fewer"}
}

// authenticate puts the principal of the request into its context. Everything but public needs one, also
// what does not exist; what it may do then is the store's to say.
func (x *requestContext) authenticate() error {
	if x.api.options.Authenticate == nil {
		return nil
	}
	caller, err := x.api.options.Authenticate(x.ctx, x.r)
	if err != nil {
		if dovetail.CodeOf(err) == dovetail.CodeUnauthenticated {
			x.w.Header().Set("WWW-Authenticate", `Bearer realm="dovetail"`)
		}
		return err
	}
	if caller == nil {
		return nil
	}
	x.caller, x.principal = caller, caller.Principal()
	x.ctx, x.undecided = caller.Decide(dovetail.WithPrincipal(x.ctx, x.principal))
	return nil
}

// doubt returns why it cannot be decided what the caller may do, nil while it can.
func (x *requestContext) doubt() error {
	if x.undecided == nil {
		return nil
	}
	return x.undecided()
}

// lasting makes the context of the request end when the identity of its caller holds no longer. done must be called when
// the answer has ended.
func (x *requestContext) lasting() (done func()) {
	if x.caller == nil {
		return func() {}
	}
	x.ctx, done = x.caller.Stream(x.ctx)
	return done
}

// revoked returns why the identity of the caller holds no longer, nil while it does: see lasting.
func (x *requestContext) revoked() error {
	var why *dovetail.Error
	if x.caller != nil && x.ctx.Err() != nil && errors.As(context.Cause(x.ctx), &why) {
		return why
	}
	return nil
}
