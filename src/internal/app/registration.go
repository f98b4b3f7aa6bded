package app

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/server/kubeapi"
	"github.com/dovetail-store/dovetail/src/schema"
)

// registration finds API groups of the ref-schema in force that the Kubernetes cluster does not know: those of a ref-schema that
// changed since the cluster was told which there are.
type registration struct {
	cluster *access.Cluster
	model   func() *schema.Model
	log     *slog.Logger

	mu      sync.Mutex
	finding string // "" if there is none
	asked   bool
}

// run looks again and again until the context ends.
func (r *registration) run(ctx context.Context) {
	const every = 30 * time.Second
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		r.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// look compares what is served with what the cluster knows.
func (r *registration) look(ctx context.Context) {
	finding, cause := "", ""
	known, err := r.cluster.Groups(ctx)
	if err != nil {
		finding = "the cluster does not say which API groups it has, see the log"
		cause = err.Error()
	} else {
		missing := slices.DeleteFunc(slices.Clone(kubeapi.NewNames(r.model()).Groups()), func(group string) bool { return slices.Contains(known, group) })
		if len(missing) > 0 {
			finding = "the ref-schema has API groups that the cluster does not know: " + strings.Join(missing, ", ") +
				"; upgrade the release with the same files in refSchemas, or with these in apiService.groups"
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if finding != "" && finding != r.finding && ctx.Err() == nil {
		r.log.Warn(finding, "error", cause)
	}
	r.finding, r.asked = finding, true
}

// check is the detail for /readyz.
func (r *registration) check(context.Context) (detail string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.finding != "":
		return r.finding, httpapi.Degraded(dovetail.Errorf(dovetail.CodeUnavailable, "the cluster does not serve all API groups"))
	case !r.asked:
		return "not asked yet", nil
	}
	return "the cluster knows all API groups", nil
}
