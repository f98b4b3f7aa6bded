package httpapi

import (
	"net/http"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// ifMatch reads the header If-Match: the versions one of which the document must have, or that it
// must only exist ("*"). A tag that this server never gave is kept as one that no document has.
func ifMatch(h http.Header) (tags []dovetail.ETag, exists bool, err error) {
	texts, exists, err := ifMatchTexts(h)
	for _, text := range texts {
		tag, err := dovetail.ParseETag(text)
		isTag := strings.HasSuffix(text, `"`) && strings.ContainsAny(text[:1], `"W`)
		if err != nil && !isTag {
			return nil, false, err
		}
		if err != nil {
			tag = dovetail.ETag{UID: text}
		}
		tags = append(tags, tag)
	}
	return tags, exists, err
}

// ifMatchOwn is ifMatch for versions that are texts of a service's own. The quotes may be missing; a weak
// tag keeps its W/, and so is no version at all.
func ifMatchOwn(h http.Header) (versions []string, exists bool, err error) {
	texts, exists, err := ifMatchTexts(h)
	for _, text := range texts {
		if !strings.HasPrefix(text, "W/") {
			text = strings.Trim(text, `"`)
		}
		versions = append(versions, text)
	}
	return versions, exists, err
}

// ifMatchTexts splits the header If-Match into tags as they are written, without "*", which sets exists.
func ifMatchTexts(h http.Header) (texts []string, exists bool, err error) {
	lines := h["If-Match"]
	if len(lines) == 0 {
		return nil, false, nil
	}
	for _, text := range splitTags(strings.Join(lines, ",")) {
		if text == "*" {
			exists = true
			continue
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 && !exists {
		return nil, false, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the header If-Match is empty", Remedy: "give the ETag of a read, or *"}
	}
	return texts, exists, nil
}

// quoted makes an entity tag of a version.
func quoted(version string) string { return `"` + version + `"` }

// splitTags cuts a list of entity tags at the commas between them.
func splitTags(list string) []string {
	var tags []string
	quoted := false
	for _, text := range strings.FieldsFunc(list, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ',' && !quoted
	}) {
		if text = strings.TrimSpace(text); text != "" {
			tags = append(tags, text)
		}
	}
	return tags
}

// notModified says whether the header If-None-Match names the version, compared weakly.
func notModified(h http.Header, tag dovetail.ETag) bool { return matchesTag(h, tag.String()) }

func matchesTag(h http.Header, wanted string) bool {
	lines := h["If-None-Match"]
	if len(lines) == 0 {
		return false
	}
	for _, text := range splitTags(strings.Join(lines, ",")) {
		if text == "*" || strings.TrimPrefix(text, "W/") == wanted {
			return true
		}
	}
	return false
}

// onlyNew says whether a write shall only create: If-None-Match: *.
func onlyNew(h http.Header) bool {
	return strings.TrimSpace(h.Get("If-None-Match")) == "*"
}
