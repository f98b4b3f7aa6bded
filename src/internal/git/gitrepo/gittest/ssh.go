package gittest

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
)

// SSH is a remote behind the sshd of this machine.
type SSH struct {
	URL, User  string
	Key        []byte // the private key that may log in, in PEM, encrypted with Passphrase
	Passphrase string
	KnownHosts string // the file with the key of the server
}

// ServeSSH puts the remote behind an sshd of its own, which lets one key in. It skips the test if there is none.
func (r *Remote) ServeSSH() SSH {
	r.t.Helper()
	sshd := "/usr/sbin/sshd" // not in the PATH of users
	if found, err := exec.LookPath("sshd"); err == nil {
		sshd = found
	} else if _, err := os.Stat(sshd); err != nil {
		r.t.Skip("there is no sshd on this machine")
	}
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		r.t.Skip("there is no ssh-keygen on this machine")
	}
	who, err := user.Current()
	if err != nil {
		r.t.Fatal(err)
	}
	dir := r.t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	served := SSH{User: who.Username, Passphrase: "a passphrase", KnownHosts: path("known_hosts")}
	hostKey := r.keygen(path("host"), "")
	r.keygen(path("other"), "", "-t", "ecdsa") // which the file of known hosts has not, as ssh writes it when it first meets a server
	clientKey := r.keygen(path("client"), served.Passphrase)
	if served.Key, err = os.ReadFile(path("client")); err != nil {
		r.t.Fatal(err)
	}
	port := r.freePort()
	served.URL = fmt.Sprintf("ssh://%s@127.0.0.1:%s%s", who.Username, port, r.Dir)
	r.write(served.KnownHosts, "[127.0.0.1]:"+port+" "+hostKey)
	r.write(path("authorized_keys"), clientKey)
	r.write(path("config"), strings.Join([]string{"Port " + port, "ListenAddress 127.0.0.1", "HostKey " + path("host"), "HostKey " + path("other"), "AuthorizedKeysFile " + path("authorized_keys"),
		"PidFile none", "StrictModes no", "UsePAM no", "PasswordAuthentication no", "PermitRootLogin prohibit-password", "MaxStartups 100", ""}, "\n"))
	if who.Uid == "0" { // where it separates its privileges
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { //nolint:gosec // as the system makes it
			r.t.Fatal(err)
		}
	}
	r.startSSH(sshd, path("config"))
	return served
}

// startSSH starts an sshd, and returns when it listens.
func (r *Remote) startSSH(sshd, config string) {
	r.t.Helper()
	server := exec.Command(sshd, "-D", "-e", "-f", config) //nolint:gosec // the machine's
	output, err := server.StderrPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		r.t.Fatal(err)
	}
	var log strings.Builder // read when ended is closed
	listens, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		isListening := false
		for lines := bufio.NewScanner(output); lines.Scan(); {
			log.WriteString(lines.Text() + "\n")
			if !isListening && strings.HasPrefix(lines.Text(), "Server listening on ") {
				isListening = true
				close(listens)
			}
		}
	}()
	r.t.Cleanup(func() {
		_ = server.Process.Kill()
		<-ended
		_ = server.Wait()
		if r.t.Failed() {
			r.t.Logf("sshd: %s", log.String())
		}
	})
	select {
	case <-listens:
	case <-ended:
		r.t.Fatalf("sshd ended: %s", log.String())
	}
}

// keygen makes a key pair, and returns the public key.
func (r *Remote) keygen(file, passphrase string, options ...string) string {
	r.t.Helper()
	if out, err := exec.Command("ssh-keygen", append([]string{"-q", "-t", "ed25519", "-N", passphrase, "-C", "", "-f", file}, options...)...).CombinedOutput(); err != nil { //nolint:gosec // the machine's
		r.t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	text, err := os.ReadFile(file + ".pub")
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

func (r *Remote) freePort() string {
	r.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		r.t.Fatal(err)
	}
	return port
}

func (r *Remote) write(file, text string) {
	r.t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}
