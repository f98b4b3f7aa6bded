package follow

import (
	"net/url"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// Type is what a source follows.
type Type string

// The types.
const (
	Image    Type = "image"    // an OCI image with a file-based catalog in /configs, or where its label says
	Helm     Type = "helm"     // a Helm repository: its index.yaml
	Charts   Type = "charts"   // a repository of OCI charts: its tags
	Git      Type = "git"      // a folder of a Git repository, with a file-based catalog or sources
	File     Type = "file"     // a file at a URL: a file-based catalog or a source
	Dovetail Type = "dovetail" // a source of another Dovetail
)

// DefaultInterval is how long it takes until what is followed is examined again.
const DefaultInterval = 10 * time.Minute

// Spec says what a source follows.
type Spec struct {
	Type     Type
	URL      *url.URL
	Interval time.Duration
	Branch   string // of Git; "" for main
	Path     string // of Git: the folder; "" for all
	Source   string // of Dovetail: the name there; "" for the same
	// PublicKey, in PEM, is that of the signature which an image or a chart must have, as cosign makes them; "" if there is none.
	PublicKey string
}

// SpecOf reads what a document of a source follows; nil if there is nothing. The schema of the kind has checked the members and their types.
func SpecOf(name string, doc *value.Value) (*Spec, error) {
	given := doc.At("spec", "follow")
	if given == nil {
		return nil, nil //nolint:nilnil // it follows nothing
	}
	var d decode.Decoder
	s := &Spec{Interval: DefaultInterval, Source: name}
	f := d.Root(given, "follow", "/spec/follow")
	for member, m := range f.Members("type", "url", "interval", "branch", "path", "source", "publicKey") {
		switch member {
		case "type":
			s.Type = Type(m.Text())
		case "url":
			parsed, err := url.Parse(m.Text())
			if err != nil || parsed.Host == "" {
				m.Fail("write https://HOST/PATH, or oci://HOST/REPOSITORY", "%s is no URL of a host", decode.Quote(m.Text()))
				continue
			}
			if parsed.User != nil {
				m.Fail("have the operator put them into the file of --source-credentials", "the URL has credentials, which would be stored in clear")
				continue
			}
			s.URL = parsed
		case "interval":
			interval, err := time.ParseDuration(m.Text())
			if err != nil || interval < time.Second {
				m.Fail("write a duration as 30s, 10m or 12h", "%s is no interval of a second or more", decode.Quote(m.Text()))
				continue
			}
			s.Interval = interval
		case "branch":
			s.Branch = m.Text()
		case "path":
			s.Path = strings.Trim(m.Text(), "/")
		case "source":
			s.Source = m.Text()
		case "publicKey":
			s.PublicKey = m.Text()
			if _, err := parsePublicKey(s.PublicKey); err != nil {
				m.Fail("give the key that cosign generate-key-pair wrote to cosign.pub", "this is no public key in PEM: %v", err)
			}
		}
	}
	f.Require("type", "url")
	if s.URL != nil {
		isImage := s.Type == Image || s.Type == Charts
		switch {
		case isImage && s.URL.Scheme != "oci":
			f.Fail("write oci://HOST/REPOSITORY", "%s follows oci://, not %s://", s.Type, s.URL.Scheme)
		case !isImage && s.URL.Scheme != "https" && s.URL.Scheme != "http":
			f.Fail("write https://HOST/PATH", "%s follows https://, not %s://", s.Type, s.URL.Scheme)
		}
		if s.PublicKey != "" && !isImage {
			f.Fail("leave publicKey out", "only images and charts have signatures that are checked, not %s", s.Type)
		}
		if s.Type != Git && (s.Branch != "" || s.Path != "") {
			f.Fail("leave them out", "branch and path are of git, not of %s", s.Type)
		}
	}
	return s, d.Err("the source cannot be followed")
}
