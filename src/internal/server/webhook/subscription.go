package webhook

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Subscription is a receiver of events.
type Subscription struct {
	Name    string
	URL     string
	Secrets [][]byte // each signs every request, so that a receiver may change from one to the next
	// As sees the events: they show what it may read. Nil is a principal without rights where the server has access control.
	As     *dovetail.Principal
	Events []string      // types, or the beginning of types and "*"
	Kinds  []string      // of documents whose transactions are events; none is all
	Under  []dovetail.ID // and that are these or below them; none is all
}

// validName is that of a subscription: it is part of metrics, paths and ids.
var validName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// Lengths of a secret, in bytes, as Standard Webhooks has them.
const (
	secretPrefix = "whsec_"
	minSecret    = 24
	maxSecret    = 64
)

// Parse reads a file of subscriptions:
//
//	webhooks:
//	  - name: release-bot
//	    url: https://hooks.example.org/dovetail
//	    secretFile: /run/secrets/release-bot
//	    as: {user: release-bot, groups: [auditors]}
//	    events: [transaction.committed, "change-set.*"]
//	    kinds: [environment]
//	    under: [cluster/prod]
//
// readFile reads the files of secrets; asNeeded says that every subscription has to name a principal. Errors, all together
// and with their places, have CodeInvalid.
func Parse(name string, text []byte, readFile func(string) ([]byte, error), asNeeded bool) ([]Subscription, error) {
	values, err := yaml.Parse(name, text, value.Limits{})
	if err != nil {
		return nil, err
	}
	r := &decode.Decoder{File: name, Complete: func(e *dovetail.Error) { e.Position.Path = "" }}
	root := value.NewMap()
	if len(values) > 0 && values[0].Kind != value.Null {
		root = values[0]
	}
	if len(values) > 1 {
		r.Root(values[1], "the second document", "").Fail("put all webhooks into one", "the file of webhooks has one document")
	}
	file := r.Root(root, "the file", "")
	file.Map("webhooks")
	var all []Subscription
	for _, item := range file.Get("webhooks").Items("a webhook") {
		s := readSubscription(item, readFile, asNeeded)
		if slices.ContainsFunc(all, func(other Subscription) bool { return other.Name == s.Name && s.Name != "" }) {
			item.Fail("give one of them another name", "duplicate webhook %s", decode.Quote(s.Name))
		}
		all = append(all, s)
	}
	return all, r.Err("the file of webhooks is invalid")
}

func readSubscription(f decode.Field, readFile func(string) ([]byte, error), asNeeded bool) Subscription {
	f.Map("as", "events", "kinds", "name", "secretFile", "under", "url")
	s := Subscription{Name: f.Get("name").Text(), URL: f.Get("url").Text(), Kinds: f.Get("kinds").Texts("a kind")}
	if s.Name != "" && !validName.MatchString(s.Name) {
		f.Get("name").Fail("use lower case letters, digits and dashes, at most 63", "the name is %s", decode.Quote(s.Name))
	}
	if u, err := url.Parse(s.URL); s.URL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "") {
		f.Get("url").Fail("write it as https://hooks.example.org/path, without credentials", "url is %s", decode.Quote(s.URL))
	}
	if file := f.Get("secretFile").Text(); file != "" {
		s.Secrets = readSecrets(f.Get("secretFile"), file, readFile)
	}
	for _, item := range f.Get("events").NonEmptyList("an event") {
		s.Events = append(s.Events, readEvent(item))
	}
	for _, item := range f.Get("under").Items("an id") {
		id, err := dovetail.ParseID(item.Text())
		if err != nil {
			item.Join(err)
		}
		s.Under = append(s.Under, id)
	}
	if as := f.Get("as"); as.Value != nil {
		as.Map("groups", "user")
		s.As = &dovetail.Principal{Name: as.Get("user").Text(), Groups: as.Get("groups").Texts("a group")}
		if strings.HasPrefix(strings.ToLower(s.As.Name), dovetail.SystemPrefix) {
			as.Get("user").Fail("name another user", "the user %s is a part of Dovetail, which may read everything", decode.Quote(s.As.Name))
		}
	} else if asNeeded {
		f.Fail("name the user, and groups, under whose rights it sees events: as: {user: NAME}", "as is missing")
	}
	return s
}

// readSecrets reads a file with a secret a line, the newest first.
func readSecrets(f decode.Field, file string, readFile func(string) ([]byte, error)) [][]byte {
	text, err := readFile(file)
	if err != nil {
		f.Fail("name a file that the server can read", "the secret cannot be read: %s", err)
		return nil
	}
	var secrets [][]byte
	for _, line := range strings.Fields(string(text)) {
		secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(line, secretPrefix))
		if !strings.HasPrefix(line, secretPrefix) || err != nil || len(secret) < minSecret || len(secret) > maxSecret {
			f.Fail(`make one with: echo "whsec_$(openssl rand -base64 32)"`,
				"%s has a line that is not %s and %d to %d bytes in base64", decode.Quote(file), secretPrefix, minSecret, maxSecret)
			return nil
		}
		secrets = append(secrets, secret)
	}
	if len(secrets) == 0 {
		f.Fail(`write one: echo "whsec_$(openssl rand -base64 32)"`, "%s is empty", decode.Quote(file))
	}
	return secrets
}

// readEvent reads the type of an event, or the beginning of some and "*".
func readEvent(f decode.Field) string {
	pattern := f.Text()
	if pattern != "" && !slices.ContainsFunc(Types(), func(known string) bool { return matches(pattern, known) }) {
		remedy := fmt.Sprintf("use %s, change-set.* or *", strings.Join(Types(), ", "))
		if near := suggest.Nearest(pattern, Types()); near != "" {
			remedy = "did you mean " + near + "?"
		}
		f.Fail(remedy, "there is no event %s", decode.Quote(pattern))
	}
	return pattern
}

func matches(pattern, event string) bool {
	beginning, wild := strings.CutSuffix(pattern, "*")
	return pattern == event || wild && strings.HasPrefix(event, beginning)
}

// wants reports whether the subscription is for events of a type. That events were lost is for all.
func (s *Subscription) wants(event string) bool {
	return event == EventsLost || slices.ContainsFunc(s.Events, func(pattern string) bool { return matches(pattern, event) })
}

// wantsChangeSets reports whether the subscription is for events of change sets.
func (s *Subscription) wantsChangeSets() bool {
	return slices.ContainsFunc(Types(), func(event string) bool { return event != TransactionCommitted && s.wants(event) })
}

// concerns reports whether a transaction, of which some changes may be omitted, may have an event for the subscription.
func (s *Subscription) concerns(set store.Transaction) bool {
	return slices.ContainsFunc(set.Changes, func(c store.Change) bool {
		return !store.IsInternal(c.ID) && (s.wants(TransactionCommitted) && s.selects(c.Kind, c.ID) || c.Kind == changeSetKind && s.wantsChangeSets())
	})
}

// selects reports whether a change is one of those that the subscription is for.
func (s *Subscription) selects(kind string, id dovetail.ID) bool {
	return (len(s.Kinds) == 0 || slices.Contains(s.Kinds, kind)) &&
		(len(s.Under) == 0 || slices.ContainsFunc(s.Under, func(above dovetail.ID) bool { return id == above || id.IsDescendantOf(above) }))
}

// CheckKinds returns an error for each kind that a subscription names and the ref-schema does not have.
func CheckKinds(all []Subscription, known []string) error {
	var errs dovetail.Errors
	for _, s := range all {
		for _, kind := range s.Kinds {
			if slices.Contains(known, kind) {
				continue
			}
			remedy := "see `dovetail schema show` for the kinds"
			if near := suggest.Nearest(kind, known); near != "" {
				remedy = "did you mean " + near + "?"
			}
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: "the webhook " + s.Name + " names the unknown kind " + kind, Remedy: remedy})
		}
	}
	return errs.Err("the webhooks do not fit the ref-schema")
}
