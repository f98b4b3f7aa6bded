package gateway

import (
	"crypto/sha256"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/forwarded"
	"github.com/dovetail-store/dovetail/src/internal/server/ratelimit"
)

// Limits bound what one request may cost, and how many there may be. A zero field means its default.
type Limits struct {
	Body   int64 // bytes of a request's body; default 64 MiB
	Header int   // bytes of a request's header; default 64 KiB

	// PerSecond is how many requests may come from one address, and with one token, in a second, in the long run, and
	// Burst how many in one burst; AtOnce is how many may be under way, watches included. Default no bound,
	// and for Burst PerSecond.
	PerSecond     float64
	Burst, AtOnce int

	ReadHeader time.Duration // for the header of a request; default 10 s
	Read       time.Duration // for a whole request; default 60 s
	Idle       time.Duration // for an unused connection; default 2 min
	Request    time.Duration // for the servers' work on a request until their answer begins; default 30 s
	Write      time.Duration // for one write of an answer, after which its reader is cut off; default 10 s
}

// answerIn is how long the gateway waits for an answer to begin: a little longer than a server, whose own answer to a
// request that takes too long says more.
func (l Limits) answerIn() time.Duration {
	const grace = 5 * time.Second
	return l.Request + min(grace, l.Request)
}

func (l Limits) withDefaults() Limits {
	defaultTo(&l.Body, 64<<20)
	defaultTo(&l.Header, 64<<10)
	defaultTo(&l.ReadHeader, 10*time.Second)
	defaultTo(&l.Read, time.Minute)
	defaultTo(&l.Idle, 2*time.Minute)
	defaultTo(&l.Request, 30*time.Second)
	defaultTo(&l.Write, 10*time.Second)
	return l
}

func defaultTo[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Server returns an HTTP server of the handler, which leads to the gateway, with the timeouts of its Limits.
func (g *Gateway) Server(handler http.Handler) *http.Server {
	l := g.limits
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: l.ReadHeader,
		ReadTimeout:       l.Read,
		WriteTimeout:      l.Read + l.answerIn() + l.Write,
		IdleTimeout:       l.Idle,
		MaxHeaderBytes:    l.Header,
		ErrorLog:          slog.NewLogLogger(g.options.Log.Handler(), slog.LevelDebug),
	}
}

// enter counts the request among those of its address, and of its token where it has one, which is not checked
// yet. leave is called when it was answered.
func (g *Gateway) enter(r *http.Request) (leave func(), refused *refusal) {
	if g.limiter == nil {
		return func() {}, nil
	}
	source := g.options.Proxies.Source(r)
	leaveAddress, full := g.limiter.Enter("address " + source)
	if full != nil {
		return nil, g.tooMany(full, source)
	}
	credentials := forwarded.Authorization(r.Header)
	if credentials == "" {
		return leaveAddress, nil
	}
	_, token, _ := strings.Cut(credentials, " ") // the scheme may be written in small and capital letters
	digest := sha256.Sum256([]byte(token))
	leaveToken, full := g.limiter.Enter("token " + string(digest[:]))
	if full != nil {
		leaveAddress()
		return nil, g.tooMany(full, "the token")
	}
	return func() { leaveToken(); leaveAddress() }, nil
}

// tooMany describes a request over a rate limit.
func (g *Gateway) tooMany(full *ratelimit.Refusal, who string) *refusal {
	message := who + " sends requests too often"
	if full.Bound == ratelimit.AtOnce {
		message = who + " has too many requests under way"
	}
	return &refusal{code: dovetail.CodeRateLimited, message: message,
		remedy: "wait for the duration in Retry-After, and send fewer", reason: "rate",
		retryAfter: strconv.FormatInt(max(1, int64(math.Ceil(full.Wait.Seconds()))), 10)}
}

// tooLarge describes a request whose body is over the limit.
func (g *Gateway) tooLarge() *refusal {
	return &refusal{code: dovetail.CodeTooLarge, reason: "body",
		message: "the body has more than " + strconv.FormatInt(g.limits.Body, 10) + " bytes", remedy: "send less at once, or raise --max-batch of the gateway"}
}
