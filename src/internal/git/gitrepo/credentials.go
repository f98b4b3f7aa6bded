package gitrepo

import (
	"cmp"
	"net"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/plumbing/transport/ssh"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Credentials authenticate to the remote. The zero value leaves it to the URL, and for ssh to the agent of the machine.
type Credentials struct {
	User     string // of https, or of ssh, where it is "git" when empty
	Password string // or token; of https, or of an ssh user
	// Key is a private key of ssh, in PEM, and Passphrase what it is encrypted with, if it is.
	Key        []byte
	Passphrase string
	// KnownHosts is a file with the keys of hosts for ssh; "" for those of the machine's user.
	KnownHosts string
}

// auth returns the authentication of go-git for a URL; nil for that of the URL itself.
func (c Credentials) auth(url string) (transport.AuthMethod, error) {
	refused := func(message, remedy string, err error) error {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: remedy, Err: err}
	}
	endpoint, err := transport.NewEndpoint(url)
	none := c.User == "" && c.Password == "" && c.Key == nil && c.KnownHosts == ""
	if none && (err != nil || endpoint.Protocol != "ssh") {
		return nil, nil //nolint:nilerr // who opens the repository says what is wrong with the URL
	}
	if err != nil {
		return nil, refused("the URL of the repository cannot be read", "give an https, ssh or file URL, or the path of a folder", nil)
	}
	if endpoint.Protocol != "ssh" {
		if !strings.HasPrefix(endpoint.Protocol, "http") {
			return nil, refused("there are credentials, which "+endpoint.Protocol+" does not take", "leave them out", nil)
		}
		user := c.User
		if user == "" {
			user = "git" // servers that take tokens take any name
		}
		return &http.BasicAuth{Username: user, Password: c.Password}, nil
	}
	user := cmp.Or(c.User, endpoint.User, "git")
	c.Password = cmp.Or(c.Password, endpoint.Password)
	hosts, err := c.hosts(endpoint)
	if err != nil {
		return nil, refused("the file of known hosts cannot be read", "name one as ssh-keyscan writes it", err)
	}
	switch {
	case c.Key == nil && c.Password == "":
		agent, err := ssh.NewSSHAgentAuth(user)
		if err != nil {
			return nil, refused("there is neither a private key nor an agent of ssh", "give a private key", err)
		}
		agent.HostKeyCallbackHelper = hosts
		return agent, nil
	case c.Key == nil:
		return &ssh.Password{User: user, Password: c.Password, HostKeyCallbackHelper: hosts}, nil
	}
	keys, err := ssh.NewPublicKeys(user, c.Key, c.Passphrase)
	if err != nil {
		return nil, refused("the private key cannot be read", "give one in PEM, with its passphrase if it has one", err)
	}
	keys.HostKeyCallbackHelper = hosts
	return keys, nil
}

// hosts knows the keys of servers, and has the server asked for one of those that are known of it: it may have others, too.
func (c Credentials) hosts(endpoint *transport.Endpoint) (ssh.HostKeyCallbackHelper, error) {
	var files []string
	if c.KnownHosts != "" {
		files = append(files, c.KnownHosts)
	}
	known, err := ssh.NewKnownHostsDb(files...)
	if err != nil {
		return ssh.HostKeyCallbackHelper{}, err
	}
	port := cmp.Or(endpoint.Port, 22)
	return ssh.HostKeyCallbackHelper{HostKeyCallback: known.HostKeyCallback(),
		HostKeyAlgorithms: known.HostKeyAlgorithms(net.JoinHostPort(endpoint.Host, strconv.Itoa(port)))}, nil
}
