package httpapi

import (
	"mime"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// format is how an answer is written.
type format uint8

const (
	formatJSON format = iota
	formatYAML
	formatMultipart
	formatEvents
	formatFile
)

// offers are the formats that an answer may have, as bits.
type offers uint8

const (
	resources     offers = 1<<formatJSON | 1<<formatYAML
	multipartForm offers = 1 << formatMultipart
	eventStream   offers = 1 << formatEvents
	fileContent   offers = 1 << formatFile
	files         offers = 1 << 7 // files have formats of their own
	anything      offers = 0      // the answer has one format, whatever is asked for
)

// mediaTypes are the names of the formats, the best one first.
var mediaTypes = [...][]string{
	formatJSON:      {"application/json"},
	formatYAML:      {"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"},
	formatMultipart: {"multipart/form-data"},
	formatEvents:    {"text/event-stream"},
	formatFile:      {"application/octet-stream"},
}

// negotiate chooses the format that the header Accept likes best (RFC 9110, section 12.5.1), of
// equals the first of the offers. No header means JSON. The error has the code CodeNotAcceptable.
func negotiate(accept []string, offers offers) (format, error) {
	if offers == anything || offers&files != 0 || len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == "application/json" || accept[0] == "") {
		return formatJSON, nil
	}
	ranges := parseAccept(strings.Join(accept, ","))
	best, quality := formatJSON, 0.0
	var known []string
	for f := range format(len(mediaTypes)) {
		if offers&(1<<f) == 0 {
			continue
		}
		known = append(known, mediaTypes[f][0])
		for _, name := range mediaTypes[f] {
			if q := ranges.quality(name); q > quality {
				best, quality = f, q
			}
		}
	}
	if quality > 0 {
		return best, nil
	}
	return formatJSON, &dovetail.Error{Code: dovetail.CodeNotAcceptable,
		Message: "none of the media types in the header Accept can be served", Remedy: "accept " + strings.Join(known, " or ")}
}

// mediaRange is one part of an Accept header.
type mediaRange struct {
	kind, subtype string
	quality       float64
}

type mediaRanges []mediaRange

// parseAccept reads what it can; parts that make no sense are left out.
func parseAccept(header string) mediaRanges {
	var ranges mediaRanges
	for _, text := range strings.Split(header, ",") {
		name, parameters, err := mime.ParseMediaType(text)
		if err != nil {
			continue
		}
		r := mediaRange{quality: 1}
		r.kind, r.subtype, _ = strings.Cut(name, "/")
		if q, has := parameters["q"]; has {
			if r.quality, err = strconv.ParseFloat(q, 64); err != nil {
				continue
			}
		}
		ranges = append(ranges, r)
	}
	return ranges
}

// quality is that of the most specific range that the media type is in.
func (m mediaRanges) quality(name string) float64 {
	kind, subtype, _ := strings.Cut(name, "/")
	quality, most := 0.0, -1
	for _, r := range m {
		specific := 0
		switch {
		case r.kind == kind && r.subtype == subtype:
			specific = 2
		case r.kind == kind && r.subtype == "*":
			specific = 1
		case r.kind != "*" || r.subtype != "*":
			continue
		}
		if specific > most {
			quality, most = r.quality, specific
		}
	}
	return quality
}
