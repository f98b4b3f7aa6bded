package load

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Plan is a load: Requests requests over Connections connections, each sending its next one when the last is answered.
type Plan struct {
	Address     string // host:port
	Connections int
	Requests    int
	// Request appends request n, from 0, to buffer. It is called from many goroutines.
	Request func(buffer []byte, n int) []byte
	// Status is what every answer must have.
	Status int
}

// Result is what was measured.
type Result struct {
	Elapsed   time.Duration
	latencies []time.Duration // in order
}

// PerSecond is the number of requests answered each second.
func (r *Result) PerSecond() float64 { return float64(len(r.latencies)) / r.Elapsed.Seconds() }

// Quantile is the time within which that part of the requests, from 0 to 1, was answered.
func (r *Result) Quantile(part float64) time.Duration {
	if len(r.latencies) == 0 {
		return 0
	}
	return r.latencies[min(int(part*float64(len(r.latencies))), len(r.latencies)-1)]
}

// Run sends the requests. It fails at the first answer that is not as planned.
func (p Plan) Run(ctx context.Context) (*Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	connections := make([]net.Conn, p.Connections)
	for i := range connections {
		var err error
		if connections[i], err = (&net.Dialer{}).DialContext(ctx, "tcp", p.Address); err != nil {
			closeAll(connections[:i])
			return nil, err
		}
	}
	defer closeAll(connections)
	stop := context.AfterFunc(ctx, func() { closeAll(connections) })
	defer stop()

	var next atomic.Int64
	latencies := make([][]time.Duration, p.Connections)
	var group sync.WaitGroup
	start := time.Now()
	for i, connection := range connections {
		group.Go(func() {
			var err error
			if latencies[i], err = p.drive(connection, &next); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	result := &Result{Elapsed: time.Since(start), latencies: slices.Concat(latencies...)}
	slices.Sort(result.latencies)
	return result, context.Cause(ctx)
}

// drive sends requests over one connection until there are no more.
func (p Plan) drive(connection net.Conn, next *atomic.Int64) ([]time.Duration, error) {
	latencies := make([]time.Duration, 0, p.Requests/p.Connections*2)
	answers := bufio.NewReader(connection)
	var buffer []byte
	for {
		n := int(next.Add(1)) - 1
		if n >= p.Requests {
			return latencies, nil
		}
		buffer = p.Request(buffer[:0], n)
		start := time.Now()
		if _, err := connection.Write(buffer); err != nil {
			return nil, err
		}
		status, err := readAnswer(answers)
		if err != nil {
			return nil, err
		}
		latencies = append(latencies, time.Since(start))
		if status != p.Status {
			return nil, fmt.Errorf("request %d was answered %d, not %d: %.200s", n, status, p.Status, buffer)
		}
	}
}

// closeAll ends the connections, and with them what waits on one.
func closeAll(connections []net.Conn) {
	for _, c := range connections {
		c.Close()
	}
}
