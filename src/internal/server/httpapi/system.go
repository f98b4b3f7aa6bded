package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/flowcontrol"
	"github.com/dovetail-store/dovetail/src/store"
)

// System is what operators ask of the processes that serve a store, beside /readyz and /metrics.
type System struct {
	Process string  `json:"process"` // the one that answers
	Store   string  `json:"store"`   // the technology: "bolt" or "mongodb"
	Leases  []Lease `json:"leases"`
	// Protocol is what processes of several versions may do on the store; nil for a store of one process.
	Protocol *Protocol `json:"protocol,omitempty"`
}

// Protocol is the protocol level of a store, as the process that answers uses it, and the newest that it knows.
type Protocol struct {
	Level  int `json:"level"`
	Newest int `json:"newest"`
}

// Lease is work that one of all processes does, and who does it.
type Lease struct {
	Work   string `json:"work"`
	Holder string `json:"holder,omitempty"` // no process has it where it is left out
	Term   uint64 `json:"term,omitempty"`   // how often the lease was taken
	// Since is when the holder took the lease, and Heartbeat when it last said that it is alive; a process that is alone says nothing.
	Since     *time.Time `json:"since,omitempty"`
	Heartbeat *time.Time `json:"heartbeat,omitempty"`
}

// limitsView are the limits of one principal; 0 is no limit.
type limitsView struct {
	PerSecond  float64 `json:"requestsPerSecond"`
	Burst      int     `json:"burst"`
	AtOnce     int     `json:"atOnce"`
	Watches    int     `json:"watches"`
	BodyBytes  int64   `json:"bodyBytes"`
	BatchBytes int64   `json:"batchBytes"`
	Queue      int     `json:"queue"`
	QueueWait  string  `json:"queueWait"`
}

// levelView is a level of flow control now.
type levelView struct {
	Name    string `json:"name"`
	Seats   int    `json:"seats"`
	Used    int    `json:"used"`
	Waiting int    `json:"waiting"`
	Refused uint64 `json:"refused"` // since the process started
}

// getSystem answers principals that may read everything, as metrics are for those.
func getSystem(x *requestContext) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	if err := x.api.store.Admit(x.ctx, store.Scope{Right: dovetail.RightRead, Everywhere: true}); err != nil {
		return err
	}
	answer := struct {
		System
		Version string      `json:"version,omitempty"`
		Limits  limitsView  `json:"limits"`
		Levels  []levelView `json:"levels"`
	}{System: System{Leases: []Lease{}}, Version: x.api.options.Version, Limits: x.api.limits.view()}
	if read := x.api.options.System; read != nil {
		system, err := read(x.ctx)
		if err != nil {
			return err
		}
		answer.System = system
	}
	answer.Levels = []levelView{viewOf("ordinary", x.api.ordinary), viewOf("hard", x.api.hard)}
	return x.answer(http.StatusOK, encodeJSON(answer))
}

func (l Limits) view() limitsView {
	return limitsView{PerSecond: l.PerSecond, Burst: l.Burst, AtOnce: l.AtOnce, Watches: l.Watches, BodyBytes: l.Body, BatchBytes: l.Batch, Queue: l.QueueLength, QueueWait: l.QueueWait.String()}
}

func viewOf(name string, level *flowcontrol.Level) levelView {
	stats := level.Stats()
	view := levelView{Name: name, Seats: stats.Seats, Used: stats.Taken, Waiting: stats.Waiting}
	for _, n := range stats.Refused {
		view.Refused += n
	}
	return view
}

// ReadSystem reads what operators ask for.
type ReadSystem func(ctx context.Context) (System, error)

func systemSchema() object {
	text, number, moment := object{"type": "string"}, object{"type": "integer"}, object{"type": "string", "format": "date-time"}
	limit := func(of string) object {
		return object{"type": "number", "description": of + " of one principal; 0 means no limit"}
	}
	return object{"type": "object", "required": list{"process", "store", "leases", "limits", "levels"}, "properties": object{
		"process": object{"type": "string", "description": "the process that responds"}, "version": text,
		"store": object{"type": "string", "description": "the type of the store"},
		"leases": object{"type": "array", "description": "tasks that only one process executes", "items": object{"type": "object", "required": list{"work"}, "properties": object{
			"work": text, "holder": object{"type": "string", "description": "omitted if no process holds the lease"}, "term": object{"type": "integer", "description": "how often the lease was acquired"},
			"since": moment, "heartbeat": moment}}},
		"protocol": object{"type": "object", "description": "for a store on MongoDB, its protocol level, which determines what processes may write", "required": list{"level", "newest"}, "properties": object{
			"level": object{"type": "integer", "description": "the level of the store, as used by the process that responds"}, "newest": object{"type": "integer", "description": "the newest level that the process supports"}}},
		"limits": object{"type": "object", "required": list{"requestsPerSecond", "burst", "atOnce", "watches", "bodyBytes", "batchBytes", "queue", "queueWait"}, "properties": object{
			"requestsPerSecond": limit("requests a second"), "burst": limit("requests in one burst"), "atOnce": limit("requests at the same time"), "watches": limit("watches at the same time"),
			"bodyBytes": number, "batchBytes": number, "queue": limit("requests that wait"), "queueWait": object{"type": "string", "description": "the maximum time that a request waits, such as 10s"}}},
		"levels": object{"type": "array", "description": "the current state of the flow control levels", "items": object{"type": "object", "required": list{"name", "seats", "used", "waiting", "refused"}, "properties": object{
			"name": text, "seats": number, "used": number, "waiting": number, "refused": object{"type": "integer", "description": "the number of refused requests since the process started"}}}}}}
}
