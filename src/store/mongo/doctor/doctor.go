package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo"
)

// Result says how a check came out.
type Result struct {
	Name     string        // of the check, such as "compare-and-set"
	Required bool          // whether Dovetail keeps its promises only where the check holds
	Holds    bool          // whether it does
	Detail   string        // what was seen
	Effect   string        // what then changes, where it does not hold
	Took     time.Duration // by the clock of this process
}

// Options say how to examine. The zero value is ready to use.
type Options struct {
	// Quick leaves out checks that take long and those of what Dovetail can do without: what a server does at its start.
	Quick bool
}

// connections is how many clients, each with connections of its own, compete in a check.
const connections = 4

// Examine runs the checks one after another on the database that the connection string names, in a collection that it removes afterwards.
// An error is of the examination: the connection string is not valid (CodeInvalid), or the server cannot be reached or refused the user
// (CodeUnavailable). What the server does wrong or cannot do is in the results.
func Examine(ctx context.Context, uri string, o Options) ([]Result, error) {
	all, err := connect(uri, connections)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, c := range all {
			c.close(context.WithoutCancel(ctx))
		}
	}()
	clients := make([]client, len(all))
	for i, c := range all {
		clients[i] = c
	}
	return examine(ctx, clients, o)
}

// examine runs the checks on open connections.
func examine(ctx context.Context, clients []client, o Options) ([]Result, error) {
	s := &scratch{clients: clients, name: scratchName(time.Now())}
	var err error
	if s.facts, err = s.hello(ctx); err != nil {
		return nil, mongo.ReadError(ctx, err)
	}
	if !o.Quick {
		s.removeOld(ctx)
	}
	if err := s.create(ctx); err != nil {
		return nil, mongo.ReadError(ctx, err)
	}
	defer s.drop(context.WithoutCancel(ctx))
	var results []Result
	for _, c := range checks {
		if o.Quick && !c.quick {
			continue
		}
		began := time.Now()
		detail, err := c.run(ctx, s)
		if ctx.Err() != nil {
			return nil, dovetail.AsError(ctx.Err())
		}
		if lost(err) {
			return nil, mongo.ReadError(ctx, err)
		}
		r := Result{Name: c.name, Required: c.required, Holds: err == nil, Detail: detail, Took: time.Since(began)}
		if c.requiredOf != nil {
			r.Required = c.requiredOf(s.facts)
		}
		if err != nil {
			r.Detail, r.Effect = firstLine(err), c.effect
		}
		results = append(results, r)
	}
	return results, nil
}

// Failure is the error of results in which something required does not hold, nil where all of it does.
func Failure(results []Result) error {
	var missing []string
	for _, r := range results {
		if r.Required && !r.Holds {
			missing = append(missing, fmt.Sprintf("%s (%s)", r.Name, r.Detail))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid,
		Message: "the database server does not do what Dovetail relies on: " + strings.Join(missing, "; "),
		Remedy:  "use another server; `dovetail doctor --store` with the same connection string examines it in full"}
}

// check is one thing to prove.
type check struct {
	name string
	// required says that Dovetail keeps its promises only where the check holds; requiredOf, where that depends on the server.
	required   bool
	requiredOf func(facts) bool
	quick      bool
	// effect is what changes where the check does not hold.
	effect string
	// run returns what was seen, or, as an error, what was seen instead.
	run func(ctx context.Context, s *scratch) (detail string, err error)
}

// instead is what a check saw where that is not what Dovetail needs.
func instead(format string, args ...any) error { return fmt.Errorf(format, args...) }

// firstLine is an error in one line.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

const scratchPrefix = "doctor_"

// scratchName is that of a collection which tells when it was made.
func scratchName(now time.Time) string {
	return scratchPrefix + strconv.FormatInt(now.Unix(), 10) + "_" + bson.NewObjectID().Hex()
}

// abandoned reports whether a collection is one of an examination that did not end.
func abandoned(name string, now time.Time) bool {
	const longest = time.Hour
	rest, found := strings.CutPrefix(name, scratchPrefix)
	seconds, _, _ := strings.Cut(rest, "_")
	at, err := strconv.ParseInt(cmp.Or(seconds, "-"), 10, 64)
	return found && err == nil && now.Sub(time.Unix(at, 0)) > longest
}
