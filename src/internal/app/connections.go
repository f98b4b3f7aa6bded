package app

import (
	"container/list"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// connections bounds how many connections are open: one more closes the one that has been unused for longest,
// and is itself closed when all are in use. So idle ones block no client.
type connections struct {
	most   int
	open   prometheus.Gauge
	closed prometheus.Counter

	mu    sync.Mutex
	all   map[net.Conn]*list.Element // in order
	order *list.List                 // of *connection: of those that are not in use, the longest unused first
}

type connection struct {
	net.Conn
	used bool // it has a request, or is being closed
}

// reserveFiles is how many file descriptors connections leave to the store, to other servers and to files that are read
// now and then, beside those that are open already: an eighth of all, and this at least.
const reserveFiles = 16

// A connection with a request, such as a watch, takes about so much memory; all of them together may take the share.
const (
	connectionMemory      = 48 << 10
	connectionMemoryShare = 3
	leastConnections      = 100 // however little memory there is
)

// watchShare is the part of all connections that the watches of one principal may take, and leastWatches how many they may be in any case.
const (
	watchShare   = 64
	leastWatches = 16
)

// watchLimit is the maximum number of watches of one principal: low enough that dozens of principals do not use up the
// connections, and enough for a program that watches every kind, as the controllers of a Kubernetes cluster do, and is just replaced
// by another one.
func watchLimit(connections, kinds int) int {
	return max(leastWatches, connections/watchShare, 2*kinds)
}

// What one client's connection takes: a gateway has one to a server as well while it has a request.
const (
	serverSockets  = 1
	gatewaySockets = 2
)

// boundConnections is how many connections of clients the process may have, each of which takes so many sockets. It logs
// that it is fewer than configured.
func boundConnections(configured, sockets int, log *slog.Logger) int {
	files, open := fileLimit()
	memory := availableMemory(goMemoryLimit, os.ReadFile)
	most := connectionLimit(configured, sockets, files, open, memory)
	if most < configured {
		log.Info("fewer connections than --max-connections: the process may not open more files or take more memory", limitsOf(most, files, memory)...)
	}
	return most
}

// What is more than any machine has stands for no limit: cgroups say the largest number of pages.
const (
	noFileLimit   = 1 << 30
	noMemoryLimit = 1 << 60
)

// limitsOf are the attributes of a record about the limits of a process, without those that there are not.
func limitsOf(connections int, files uint64, memory int64) []any {
	all := []any{"connections", connections}
	if files < noFileLimit {
		all = append(all, "files", files)
	}
	if memory < noMemoryLimit {
		all = append(all, "memory", memory)
	}
	return all
}

// connectionLimit is how many connections there may be: as many as are configured, or as the limit of the process on open
// files and the memory that it may take leave room for, where that is less.
func connectionLimit(configured, sockets int, files uint64, open int, memory int64) int {
	if fit := max(leastConnections, memory/connectionMemoryShare/connectionMemory/int64(sockets)); fit < int64(configured) {
		configured = int(fit)
	}
	if files >= noFileLimit { // there is none
		return configured
	}
	reserve := max(reserveFiles, int(files)/8)
	return max(1, min(configured, (int(files)-open-reserve)/sockets))
}

func newConnections(most int, open prometheus.Gauge, closed prometheus.Counter) *connections {
	return &connections{most: most, open: open, closed: closed, all: make(map[net.Conn]*list.Element), order: list.New()}
}

// changed is http.Server.ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	if surplus := c.note(conn, state); surplus != nil {
		c.closed.Inc()
		if secured, ok := surplus.(*tls.Conn); ok {
			surplus = secured.NetConn() // without the farewell, for which all who connect would wait when its peer reads nothing
		}
		_ = surplus.Close() // its client connects again
	}
}

// note records the state, and returns the connection to close, nil if there is none. It is called twice for each request; so a
// connection that becomes used keeps its place in the order until unused moves it.
func (c *connections) note(conn net.Conn, state http.ConnState) (surplus net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.all[conn]
	switch {
	case state == http.StateNew:
		own := &connection{Conn: conn}
		if len(c.all) >= c.most {
			goes := c.unused()
			if goes == nil {
				goes = own
			}
			goes.used = true
			surplus = goes.Conn
		}
		c.all[conn] = c.order.PushBack(own)
		c.open.Set(float64(len(c.all)))
	case at == nil:
	case state == http.StateActive:
		at.Value.(*connection).used = true
	case state == http.StateIdle:
		at.Value.(*connection).used = false
		c.order.MoveToBack(at)
	default: // closed, or no longer ours
		c.order.Remove(at)
		delete(c.all, conn)
		c.open.Set(float64(len(c.all)))
	}
	return surplus
}

// unused returns the one that has been unused for longest, nil when there is none among the first. Those in use go to the
// end, so that the next who looks need not pass them.
func (c *connections) unused() *connection {
	const looks = 100
	for range min(looks, c.order.Len()) {
		first := c.order.Front()
		if own := first.Value.(*connection); !own.used {
			return own
		}
		c.order.MoveToBack(first)
	}
	return nil
}
