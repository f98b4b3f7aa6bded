package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/test/bench/load"
	"github.com/dovetail-store/dovetail/src/test/bench/peer"
)

// crowded is how many connections a crowd has.
const crowded = 10_000

// BenchmarkCrowd measures what 10,000 connections that are idle, or send a byte a second of a header or of a body,
// cost a fast client of the same server, in time and in the server's memory.
func BenchmarkCrowd(b *testing.B) {
	const items, rounds, requests = 1000, 2, 10_000
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur < crowded+1000 {
		b.Skipf("a process may have %d files open here, too few for %d connections", files.Cur, crowded)
	}
	s := serve(b, filled(b, items))
	defer s.stop(b)
	measure := func() time.Duration {
		plan := load.Plan{Address: s.address, Connections: 1, Requests: requests, Status: 200,
			Request: func(buffer []byte, n int) []byte { return s.getRequest(buffer, peer.ItemOf(n%items)) }}
		result, err := plan.Run(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		return result.Quantile(.99)
	}
	measure() // warms up
	for b.Loop() {
		var alone, among time.Duration
		var most int
		for range rounds {
			alone = better(alone, measure())
			c, err := newCrowd(b.Context(), s.address)
			if err != nil {
				b.Fatal(err)
			}
			among = better(among, measure())
			most = max(most, s.resident(b))
			if err := c.end(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(alone.Microseconds()), "p99-µs-alone")
		b.ReportMetric(float64(among.Microseconds()), "p99-µs-crowd")
		b.ReportMetric(float64(among)/float64(alone), "p99-ratio")
		b.ReportMetric(float64(most)/(1<<20), "resident-MiB")
	}
}

// better is the shorter of two times, the first of which may not be known yet.
func better(before, now time.Duration) time.Duration {
	if before == 0 || now < before {
		return now
	}
	return before
}

// resident is the memory of the server that is in the machine's, in bytes.
func (s *server) resident(tb testing.TB) int {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.process.Process.Pid))
	if err != nil {
		tb.Skip("this machine does not tell how much memory a process has")
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		tb.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// crowd is many idle and slow connections, which connect again when the server closes them.
type crowd struct {
	address string
	members []*member
	stop    context.CancelFunc
	done    sync.WaitGroup
	failed  error
}

// member is one of them.
type member struct {
	conn  net.Conn
	begin string // what it sends at first
	byte  byte   // what it sends each second; 0 if there is nothing
}

// newCrowd opens the connections: idle after a request, silent from the start, slow with a header, slow with a body.
func newCrowd(ctx context.Context, address string) (*crowd, error) {
	ctx, stop := context.WithCancel(ctx)
	c := &crowd{address: address, stop: stop}
	kinds := []member{
		{begin: "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"},
		{},
		{begin: "GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ", byte: 'x'},
		{begin: "POST /v2/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n", byte: ' '},
	}
	for i := range crowded {
		m := kinds[i%len(kinds)]
		if err := c.open(ctx, &m); err != nil {
			return nil, errors.Join(err, c.end())
		}
		c.members = append(c.members, &m)
	}
	c.done.Go(func() { c.stayOpen(ctx) })
	return c, nil
}

func (c *crowd) open(ctx context.Context, m *member) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.address)
	if err != nil {
		return err
	}
	m.conn = conn
	if m.begin != "" {
		_, err = conn.Write([]byte(m.begin))
	}
	return err
}

// stayOpen makes every member send its byte once a second, spread over the second, and opens closed connections again:
// the server closes the silent and the slow ones after some seconds.
func (c *crowd) stayOpen(ctx context.Context) {
	const steps = 1000
	ticker := time.NewTicker(time.Second / steps)
	defer ticker.Stop()
	for step := 0; ; step++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for i := step % steps; i < len(c.members); i += steps {
			m := c.members[i]
			broken := isClosed(m.conn)
			if !broken && m.byte != 0 {
				_, err := m.conn.Write([]byte{m.byte})
				broken = err != nil
			}
			if !broken {
				continue
			}
			_ = m.conn.Close()
			if err := c.open(ctx, m); err != nil && ctx.Err() == nil {
				c.failed = err
				return
			}
		}
	}
}

// isClosed reports whether the other end closed a connection. What it answered is thrown away.
func isClosed(conn net.Conn) bool {
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return true
	}
	closed := false
	err = raw.Read(func(fd uintptr) bool {
		var answer [4096]byte
		n, err := syscall.Read(int(fd), answer[:])
		closed = n == 0 || err != nil && !errors.Is(err, syscall.EAGAIN)
		return true
	})
	return closed || err != nil
}

func (c *crowd) end() error {
	c.stop()
	c.done.Wait()
	for _, m := range c.members {
		_ = m.conn.Close()
	}
	return c.failed
}
