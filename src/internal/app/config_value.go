package app

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	"github.com/dovetail-store/dovetail/src/internal/server/forwarded"
	"github.com/dovetail-store/dovetail/src/schema"
)

// The errors of these parsers say what the text must be.

func notEmpty(into *string, text string) error {
	if text == "" {
		return errors.New("given")
	}
	*into = text
	return nil
}

func parseCommitURL(text string) (string, error) {
	if text != "" && !gitrepo.IsCommitURL(text) {
		return "", errors.New("an http or https URL without user and password, and with {commit} once, after the host")
	}
	return text, nil
}

func oneOf(text string, words ...string) (string, error) {
	if !slices.Contains(words, text) {
		return "", errors.New(strings.Join(words, " or "))
	}
	return text, nil
}

// parseServices reads names separated by commas; "all" means all of them. named are those that the text names.
func parseServices(text string) (services, named []string, err error) {
	for name := range strings.SplitSeq(text, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "all":
			services = append(services, allServices...)
		case slices.Contains(allServices, name):
			services, named = append(services, name), append(named, name)
		default:
			return nil, nil, fmt.Errorf("all, or some of %s", strings.Join(allServices, ", "))
		}
	}
	slices.Sort(services)
	slices.Sort(named)
	return slices.Compact(services), slices.Compact(named), nil
}

func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, errors.New("a whole number from 1")
	}
	return n, nil
}

// parseBound reads a count, or 0 if there is no bound.
func parseBound(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, errors.New("a whole number from 0")
	}
	return n, nil
}

// parseOrigins reads origins of pages, separated by commas.
func parseOrigins(text string) ([]string, error) {
	var origins []string
	for origin := range strings.SplitSeq(text, ",") {
		if origin = strings.TrimSpace(origin); origin == "" {
			continue
		}
		if err := http.NewCrossOriginProtection().AddTrustedOrigin(origin); err != nil {
			return nil, errors.New("origins, as https://portal.example.org")
		}
		origins = append(origins, origin)
	}
	return origins, nil
}

// parseArtifactHosts reads patterns of hosts, separated by commas; registryHosts among them trusts stored registries.
func parseArtifactHosts(text string) (hosts outbound.Hosts, registries bool, err error) {
	var patterns []string
	for pattern := range strings.SplitSeq(text, ",") {
		switch pattern = strings.TrimSpace(pattern); pattern {
		case registryHosts:
			registries = true
		default:
			patterns = append(patterns, pattern)
		}
	}
	if len(patterns) == 1 && patterns[0] == "none" && !registries {
		return hosts, false, nil
	}
	if hosts, err = outbound.ParseHosts(patterns); err != nil {
		return hosts, false, fmt.Errorf("%s, none, or hosts: %w", registryHosts, err)
	}
	return hosts, registries, nil
}

// parseHosts reads hosts, separated by commas; "none" are none.
func parseHosts(text string) (hosts outbound.Hosts, err error) {
	if text == "none" {
		return hosts, nil
	}
	patterns := strings.Split(text, ",")
	for i := range patterns {
		patterns[i] = strings.TrimSpace(patterns[i])
	}
	if hosts, err = outbound.ParseHosts(patterns); err != nil {
		return hosts, fmt.Errorf("none, or hosts: %w", err)
	}
	return hosts, nil
}

// parseProxies reads networks, separated by commas.
func parseProxies(text string) (forwarded.Proxies, error) {
	proxies, err := forwarded.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("networks or addresses separated by commas, as 10.0.0.0/8: %w", err)
	}
	return proxies, nil
}

// forever is what settings of the history say for no bound.
const forever = schema.Forever

// historyOfDatabase is Config.HistoryTime where nothing is set.
const historyOfDatabase time.Duration = -1

// unless reads a value that may be one word instead.
func unless[T any](text, word string, meaning T, parse func(string) (T, error)) (T, error) {
	if text == word {
		return meaning, nil
	}
	return parse(text)
}

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, errors.New("a time, as 30s or 1m30s")
	}
	return d, nil
}

// parseSize reads a number of bytes, or of KiB, MiB or GiB.
func parseSize(text string) (int64, error) {
	number, shift := text, 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if n, ok := strings.CutSuffix(text, unit); ok {
			number, shift = strings.TrimSpace(n), 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	const most = 1 << 40
	if err != nil || n < 1 || n > most>>shift {
		return 0, errors.New("a size, as 16MiB or 65536")
	}
	return n << shift, nil
}
