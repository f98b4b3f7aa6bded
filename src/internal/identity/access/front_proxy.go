package access

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// FrontProxies are the proxies that authenticate users and say in headers of a request whose it is, as the API server of a Kubernetes
// cluster does for the APIs of an APIService. They are known by their client certificates. They are immutable, and safe for
// concurrent use.
type FrontProxies struct {
	CAs   *Clients // of their certificates
	names []string // common names that they may have; none is any

	user, group []string // names of headers, the first that is there counts
	extra       []string // prefixes of names of headers
}

// The headers, where a cluster says nothing else.
var (
	userHeaders   = []string{"X-Remote-User"}
	groupHeaders  = []string{"X-Remote-Group"}
	extraPrefixes = []string{"X-Remote-Extra-"}
)

// NewFrontProxies returns those with certificates of these CAs and one of these common names, which send the usual headers.
func NewFrontProxies(cas *Clients, names []string) *FrontProxies {
	return &FrontProxies{CAs: cas, names: names, user: userHeaders, group: groupHeaders, extra: extraPrefixes}
}

// The ConfigMap in which a Kubernetes cluster says how its API server shows itself, and the role that reads it.
const (
	frontProxyNamespace = "kube-system"
	frontProxyMap       = "extension-apiserver-authentication"
	frontProxyRole      = "extension-apiserver-authentication-reader in " + frontProxyNamespace
)

// FrontProxies reads those of the cluster: its API servers. Errors: CodeUnavailable when the cluster does not answer, CodeInvalid
// when it says nothing usable.
func (c *Cluster) FrontProxies(ctx context.Context) (*FrontProxies, error) {
	var found struct {
		Data map[string]string `json:"data"`
	}
	if err := c.ask(ctx, http.MethodGet, "/api/v1/namespaces/"+frontProxyNamespace+"/configmaps/"+frontProxyMap, frontProxyRole, nil, &found); err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the Kubernetes API server does not say which proxies it trusts: " + err.Error(), Err: err,
			Remedy: "give the service account the role " + frontProxyRole + ", or name the CA certificates with --front-proxy-ca"}
	}
	return ParseFrontProxies(found.Data)
}

// ParseFrontProxies reads the data of the ConfigMap extension-apiserver-authentication. Errors have CodeInvalid.
func ParseFrontProxies(data map[string]string) (*FrontProxies, error) {
	const file = "ConfigMap " + frontProxyNamespace + "/" + frontProxyMap
	ca := data["requestheader-client-ca-file"]
	if ca == "" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file}, Message: "the cluster has no CA of front proxies",
			Remedy: "configure its aggregation layer: kube-apiserver --requestheader-client-ca-file, --proxy-client-cert-file and --proxy-client-key-file"}
	}
	cas, err := ParseClients(file, []byte(ca))
	if err != nil {
		return nil, err
	}
	f := &FrontProxies{CAs: cas}
	var errs dovetail.Errors
	for key, to := range map[string]*[]string{"requestheader-allowed-names": &f.names, "requestheader-username-headers": &f.user,
		"requestheader-group-headers": &f.group, "requestheader-extra-headers-prefix": &f.extra} {
		if text := data[key]; text != "" {
			if err := json.Unmarshal([]byte(text), to); err != nil {
				errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file}, Message: key + " is no list of texts in JSON", Err: err})
			}
		}
	}
	if len(f.user) == 0 && errs.Total() == 0 {
		errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file}, Message: "requestheader-username-headers names no header",
			Remedy: "set kube-apiserver --requestheader-username-headers=X-Remote-User"})
	}
	return f, errs.Err("the front proxies of the cluster are invalid")
}

// Equal reports whether these are the same proxies as others, which may be nil.
func (f *FrontProxies) Equal(other *FrontProxies) bool {
	return other != nil && slices.EqualFunc(f.CAs.all, other.CAs.all, (*x509.Certificate).Equal) && slices.Equal(f.names, other.names) &&
		slices.Equal(f.user, other.user) && slices.Equal(f.group, other.group) && slices.Equal(f.extra, other.extra)
}

// identify returns the identity that the front proxy of a connection gives a request, nil where no front proxy shows itself: then the
// headers mean nothing. clients are those who may show certificates of their own.
func (f *FrontProxies) identify(header http.Header, connection *tls.ConnectionState, clients *Clients, now time.Time) (*Identity, error) {
	if f == nil || connection == nil || len(connection.VerifiedChains) == 0 {
		return nil, nil //nolint:nilnil // there is nothing to identify, which is no error
	}
	leaf := connection.VerifiedChains[0][0]
	who := &Identity{Method: MethodFrontProxy, proxy: leaf.Subject.CommonName}
	if who.roots, who.Expires = f.CAs.standing(connection); !f.trusts(who) {
		return nil, nil //nolint:nilnil // as above
	}
	users := values(header, f.user)
	switch {
	case len(users) == 0 && (header.Get("Authorization") != "" || clients.trust(who.roots)):
		return nil, nil //nolint:nilnil // it speaks for itself
	case len(f.names) == 0 && clients.trust(who.roots):
		return nil, unauthenticated("the CA of front proxies is one of clients too, and any of its certificates would be that of a front proxy",
			"name the common names of front proxies, or use a CA of their own")
	case !now.Before(who.Expires):
		return nil, unauthenticated("the certificate of the front proxy "+who.proxy+" expired", "connect with a new one")
	case len(users) == 0:
		return nil, unauthenticated("the front proxy "+who.proxy+" says nothing of whose the request is", "send the header "+f.user[0])
	case len(users) > 1:
		return nil, unauthenticated("the front proxy "+who.proxy+" names several users of one request", "send one header "+f.user[0])
	}
	var err error
	if who.Principal, err = clusterUser(users[0], values(header, f.group), f.extras(header)); err != nil {
		return nil, err
	}
	who.Digest = sha256.Sum256(encodeUser(who.Principal))
	return who, nil
}

// trusts reports whether an identity comes from one of the proxies.
func (f *FrontProxies) trusts(who *Identity) bool {
	return f != nil && f.CAs.trust(who.roots) && (len(f.names) == 0 || slices.Contains(f.names, who.proxy))
}

// values are those of the first of the headers that has any.
func values(header http.Header, names []string) []string {
	for _, name := range names {
		if found := slices.DeleteFunc(slices.Clone(header.Values(name)), func(text string) bool { return text == "" }); len(found) > 0 {
			return found
		}
	}
	return nil
}

// extras are what headers say of a user besides, by names that are escaped in them.
func (f *FrontProxies) extras(header http.Header) map[string][]string {
	var all map[string][]string
	for name, found := range header {
		for _, prefix := range f.extra {
			if len(name) <= len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) {
				continue
			}
			key := strings.ToLower(name[len(prefix):])
			if plain, err := url.PathUnescape(key); err == nil {
				key = plain
			}
			if all == nil {
				all = make(map[string][]string)
			}
			all[key] = append(all[key], found...)
			break
		}
	}
	return all
}

// encodeUser is all that a cluster says of a user, as one text.
func encodeUser(who *dovetail.Principal) []byte {
	text, err := json.Marshal([]any{who.Name, who.Groups, who.Extra})
	if err != nil {
		panic(err) // texts can be written
	}
	return text
}
