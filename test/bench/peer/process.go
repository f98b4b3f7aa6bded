package peer

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// process is a server that runs beside the benchmark.
type process struct {
	cmd    *exec.Cmd
	output bytes.Buffer
	ended  chan struct{}
}

// start runs a server, as the given user when this process is root and user is not nil.
func start(user *syscall.Credential, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(name, args...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	// A group of its own, so that Ctrl-C reaches the benchmark only, which then stops the server.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: user}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // how it ended shows in its output
		close(p.ended)
	}()
	return p, nil
}

// await calls ready until it returns nil, for at most half a minute, or until the process ends.
func (p *process) await(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended: %s", p.cmd.Path, p.output.Bytes())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w", p.cmd.Path, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop asks the process to end, and kills it when it has not after ten seconds.
func (p *process) stop(ask os.Signal) error {
	if err := p.cmd.Process.Signal(ask); err != nil {
		return err
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(10 * time.Second):
		return p.cmd.Process.Kill()
	}
}

// FreeAddress returns a loopback address that no process listens on.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
