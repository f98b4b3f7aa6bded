package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// parameters are those of the request's query.
type parameters url.Values

// parameters reads the query. A parameter that is not known is refused on a write, where it may be
// a misspelt dryRun, and on a read passed over with a warning: older clients send their own.
func (x *requestContext) parameters(known ...string) (parameters, error) {
	if x.r.URL.RawQuery == "" {
		return nil, nil
	}
	query, err := url.ParseQuery(x.r.URL.RawQuery)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the query of the URL cannot be read", Remedy: "escape it", Err: err}
	}
	var unknown []string
	for name := range query {
		if !slices.Contains(known, name) && !(name == atParameter && x.method.past) && name != changeSetParameter {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return parameters(query), nil
	}
	slices.Sort(unknown)
	message := "unknown query parameter " + strings.Join(unknown, ", ")
	if x.r.Method == http.MethodGet || x.r.Method == http.MethodHead {
		x.warn(message + " was ignored")
		return parameters(query), nil
	}
	remedy := "remove it"
	if len(known) > 0 {
		remedy = "the parameters are " + strings.Join(known, ", ")
	}
	return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: remedy}
}

func (p parameters) text(name string) string { return url.Values(p).Get(name) }

func (p parameters) has(name string) bool { return url.Values(p).Has(name) }

// flag reads a parameter that is true or false; alone, without a value, it is true.
func (p parameters) flag(name string) (bool, error) {
	if !p.has(name) {
		return false, nil
	}
	switch text := p.text(name); text {
	case "", "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	default:
		return false, &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: name + " is \"" + text + "\", which is neither true nor false", Remedy: "write " + name + "=true"}
	}
}

// count reads a whole number from least to most; missing it is byDefault, above most it is most.
func (p parameters) count(name string, byDefault, least, most int) (int, error) {
	if !p.has(name) {
		return byDefault, nil
	}
	n, err := strconv.Atoi(p.text(name))
	if err != nil || n < least {
		return 0, &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: name + " is \"" + p.text(name) + "\"", Remedy: "give a number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most)}
	}
	return min(n, most), nil
}

// maxWarnings bounds how many warnings one answer carries in its header. Where there are more, the last one says how many.
const maxWarnings = 20

// warn adds a warning to the answer's header.
func (x *requestContext) warn(message string) {
	if x.warned++; x.warned <= maxWarnings {
		x.w.Header().Add("Warning", "299 - "+quoteHeader(message))
		return
	}
	x.warnMore(0)
}

// warnMore counts warnings that are not shown.
func (x *requestContext) warnMore(n int) {
	if x.warned += n; x.warned <= maxWarnings {
		return
	}
	h := x.w.Header()
	told := h["Warning"][:min(len(h["Warning"]), maxWarnings-1)]
	h["Warning"] = append(told, "299 - "+quoteHeader("and "+strconv.Itoa(x.warned-len(told))+" more warnings"))
}

// quoteHeader writes a quoted string of HTTP. What a header cannot carry becomes a question mark.
func quoteHeader(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r > '~':
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
