package faults

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a program that is started again whenever it ends, until it is closed.
type Process struct {
	Address string

	command []string
	clock   string // path of the file with the seconds that its clock is off
	log     string
	closed  chan struct{}
	ended   sync.WaitGroup

	mutex   sync.Mutex
	running *os.Process
	pause   time.Duration // before the next start
}

// StartProcess runs a command in the background. Its output goes to the log, its clock is in the file clock, if that is given.
func StartProcess(address, log, clock string, command ...string) *Process {
	p := &Process{Address: address, command: command, clock: clock, log: log, closed: make(chan struct{})}
	p.ended.Go(p.supervise)
	return p
}

func (p *Process) supervise() {
	for {
		if err := p.run(); err != nil {
			_ = appendLine(p.log, "supervisor: "+err.Error()) // what ended it, for who reads the log
		}
		p.mutex.Lock()
		pause := max(p.pause, 100*time.Millisecond)
		p.pause = 0
		p.mutex.Unlock()
		select {
		case <-p.closed:
			return
		case <-time.After(pause):
		}
	}
}

func (p *Process) run() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	p.mutex.Lock()
	command := p.command
	p.mutex.Unlock()
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec // ours
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = os.Environ()
	if p.clock != "" {
		cmd.Env = append(cmd.Env, clockVariable+"="+p.clock)
	}
	p.mutex.Lock()
	select {
	case <-p.closed:
		p.mutex.Unlock()
		return nil
	default:
	}
	err = cmd.Start()
	if err == nil {
		p.running = cmd.Process
	}
	p.mutex.Unlock()
	if err != nil {
		return err
	}
	err = cmd.Wait()
	p.mutex.Lock()
	p.running = nil
	p.mutex.Unlock()
	return err
}

func appendLine(path, line string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintln(file, line)
	return err
}

// Signal sends a signal, if the process runs.
func (p *Process) Signal(s syscall.Signal) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.running != nil && p.running.Signal(s) == nil
}

// Kill ends the process at once. It starts again after a pause.
func (p *Process) Kill(pause time.Duration) bool {
	p.mutex.Lock()
	p.pause = pause
	p.mutex.Unlock()
	return p.Signal(syscall.SIGKILL)
}

// Exchange ends the process gracefully, and has another program started in its place.
func (p *Process) Exchange(program string) bool {
	p.mutex.Lock()
	p.command = append([]string{program}, p.command[1:]...)
	p.mutex.Unlock()
	return p.Signal(syscall.SIGTERM)
}

// Close ends the process for good.
func (p *Process) Close() {
	p.mutex.Lock()
	close(p.closed)
	p.mutex.Unlock()
	p.Signal(syscall.SIGKILL)
	p.ended.Wait()
}

// defects are lines of its log that no fault excuses.
func (p *Process) defects() (lines []string) {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return []string{err.Error()}
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, "runtime error") ||
			strings.Contains(line, "code=internal") || strings.Contains(line, "code=corrupt") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// freeAddress is an address at which nothing listens. It is below the ports of outgoing connections, so that it stays free while the
// process is not there.
func freeAddress(ctx context.Context, from int) (string, error) {
	for port := from; port < from+1000; port++ {
		address := fmt.Sprintf("127.0.0.1:%d", port)
		if probe, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address); err == nil {
			return address, probe.Close()
		}
	}
	return "", fmt.Errorf("no port from %d on is free", from)
}
