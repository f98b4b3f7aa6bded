package faults

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// Proxy stands between a process and the database. It passes whole messages, so that it can lose a request before the database
// executes it, or the answer after that.
type Proxy struct {
	listener net.Listener
	target   string
	count    func(kind string)

	mutex        sync.Mutex
	lie          func(request message) message
	random       *rand.Rand
	cut          bool
	frozen       chan struct{} // closed when it thaws; nil while it is not frozen
	delay        time.Duration // each message waits up to this long
	loseRequests int           // so many of the next writes do not reach the database
	loseAnswers  int           // so many of the next writes are executed, but not answered
	connections  map[net.Conn]bool
}

// NewProxy listens on a port of its own. count is called for every message that is lost, or delivered after its client has gone.
func NewProxy(target string, random *rand.Rand, count func(kind string)) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: listener, target: target, count: count, random: random, connections: make(map[net.Conn]bool)}
	go p.serve()
	return p, nil
}

// Address is where the proxy listens.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Close ends the proxy and all its connections.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.Cut(true)
	p.Freeze(false)
}

// Cut closes all connections and refuses new ones, until the next call says otherwise.
func (p *Proxy) Cut(cut bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.cut = cut; cut {
		for c := range p.connections {
			_ = c.Close()
		}
	}
}

// Freeze holds all messages back, in both directions, until the next call says otherwise. Then requests reach the database
// whose clients have given up.
func (p *Proxy) Freeze(freeze bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch {
	case freeze && p.frozen == nil:
		p.frozen = make(chan struct{})
	case !freeze && p.frozen != nil:
		close(p.frozen)
		p.frozen = nil
	}
}

// Delay has each message wait for a random time up to the one given.
func (p *Proxy) Delay(most time.Duration) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.delay = most
}

// Lose loses the next writes: their requests, or their answers.
func (p *Proxy) Lose(requests, answers int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.loseRequests, p.loseAnswers = requests, answers
}

// Lie has requests answered instead of the database, which never sees them, where the answer is not nil: for tests that must find that.
func (p *Proxy) Lie(lie func(request message) message) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.lie = lie
}

func (p *Proxy) lied(request message) message {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.lie == nil {
		return nil
	}
	return p.lie(request)
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		if !p.join(client, server) {
			continue
		}
		l := &link{proxy: p, client: client, server: server, lost: make(map[uint32]bool)}
		go l.requests()
		go l.answers()
	}
}

func (p *Proxy) join(pair ...net.Conn) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, c := range pair {
		if p.cut {
			_ = c.Close()
		} else {
			p.connections[c] = true
		}
	}
	return !p.cut
}

// hold waits as long as a message has to. It reports whether the network was frozen meanwhile.
func (p *Proxy) hold() (frozen bool) {
	p.mutex.Lock()
	thaws, wait := p.frozen, time.Duration(0)
	if p.delay > 0 {
		wait = time.Duration(p.random.Int64N(int64(p.delay)))
	}
	p.mutex.Unlock()
	if wait > 0 {
		p.count("message delayed")
		time.Sleep(wait)
	}
	if thaws != nil {
		<-thaws
	}
	return thaws != nil
}

// loses reports whether this write is lost, and counts down.
func (p *Proxy) loses() (request, answer bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch {
	case p.loseRequests > 0:
		p.loseRequests--
		return true, false
	case p.loseAnswers > 0:
		p.loseAnswers--
		return false, true
	}
	return false, false
}

// link is one connection of the process, and the one to the database that belongs to it.
type link struct {
	proxy          *Proxy
	client, server net.Conn

	mutex sync.Mutex
	lost  map[uint32]bool // requests whose answers are lost
}

func (l *link) close() {
	_, _ = l.client.Close(), l.server.Close()
	l.proxy.mutex.Lock()
	defer l.proxy.mutex.Unlock()
	delete(l.proxy.connections, l.client)
	delete(l.proxy.connections, l.server)
}

func (l *link) requests() {
	defer l.close()
	for {
		m, err := readMessage(l.client)
		if err != nil {
			return
		}
		if l.proxy.hold() && m.writes() {
			l.proxy.count("write after a freeze")
		}
		if m.writes() {
			request, answer := l.proxy.loses()
			if request {
				l.proxy.count("request lost")
				return
			}
			if answer {
				l.mutex.Lock()
				l.lost[m.id()] = true
				l.mutex.Unlock()
			}
		}
		if answer := l.proxy.lied(m); answer != nil {
			if _, err := l.client.Write(answer); err != nil {
				return
			}
			continue
		}
		if _, err := l.server.Write(m); err != nil {
			return
		}
	}
}

func (l *link) answers() {
	defer l.close()
	for {
		m, err := readMessage(l.server)
		if err != nil {
			return
		}
		l.mutex.Lock()
		lost := l.lost[m.answers()]
		l.mutex.Unlock()
		if lost {
			l.proxy.count("answer lost")
			return
		}
		l.proxy.hold()
		if _, err := l.client.Write(m); err != nil {
			return
		}
	}
}
