package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// fetchTimeout bounds how long a file at a URL, or a build of kustomize, may take.
const fetchTimeout = time.Minute

// isOnWeb reports whether -f names a file on a web server.
func isOnWeb(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// fetch reads a file from a web server, which gets no credentials but those that the URL has.
func (s *session) fetch(name string) ([]byte, error) {
	at, err := url.Parse(name)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Err: err, Message: "-f has a URL that is none", Remedy: "write it as https://host/path"}
	}
	shown := at.Redacted()
	failed := func(why string, err error) error {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Err: err, Position: dovetail.Position{File: shown}, Message: "the manifests cannot be fetched: " + why,
			Remedy: "see whether the URL is that of the file itself, or fetch it and give it with -f -"}
	}
	client := http.Client{Timeout: fetchTimeout, CheckRedirect: func(to *http.Request, via []*http.Request) error {
		const most = 10
		if len(via) >= most || via[0].URL.Scheme == "https" && to.URL.Scheme != "https" {
			return fmt.Errorf("it leads to %s", to.URL.Redacted())
		}
		return nil
	}}
	response, err := client.Get(name) //nolint:noctx // the client has a timeout, and the command nothing else to do
	if err != nil {
		return nil, failed(err.Error(), err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, failed("the server answers "+response.Status, nil)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxManifests+1))
	switch {
	case err != nil:
		return nil, failed(err.Error(), err)
	case len(data) > maxManifests:
		return nil, failed(fmt.Sprintf("they have more than %d bytes", maxManifests), nil)
	}
	return data, nil
}

// builders are the programs that build a folder of kustomize, the first of which is there is run.
var builders = [][]string{{"kustomize", "build"}, {"kubectl", "kustomize"}}

// kustomized builds a folder with a kustomization.yaml. kustomize is no part of dovetail: its users have it, in the version that they build with.
func (s *session) kustomized(dir string) ([]byte, error) {
	for _, builder := range builders {
		path, err := exec.LookPath(builder[0])
		if err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
		defer cancel()
		var out, wrong bytes.Buffer
		build := exec.CommandContext(ctx, path, append(builder[1:], dir)...) //nolint:gosec // a program of the user, on the folder that the user names
		build.Stdout, build.Stderr = &out, &wrong
		if err := build.Run(); err != nil {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Err: err, Position: dovetail.Position{File: dir},
				Message: strings.Join(builder, " ") + " failed: " + strings.TrimSpace(wrong.String()), Remedy: "run it yourself, and correct what it says"}
		}
		return out.Bytes(), nil
	}
	return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: dir}, Message: "neither kustomize nor kubectl is there to build the folder",
		Remedy: "install one of them, or build it elsewhere: `kustomize build " + quoted(dir) + " | dovetail apply -f -`"}
}
