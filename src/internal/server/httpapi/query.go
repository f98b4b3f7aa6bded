package httpapi

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/schema"
)

// parameters are those of the request's query.
type parameters url.Values

// parameters reads the query. A parameter that is not known is refused: it may be a misspelt dryRun, or one that another server
// selects by, and a client that gets more than it asked for may delete too much. Only reads of endpoints that say so pass it over with
// a warning.
func (x *requestContext) parameters(known ...string) (parameters, error) {
	if x.r.URL.RawQuery == "" {
		return nil, nil
	}
	query, err := url.ParseQuery(x.r.URL.RawQuery)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the query of the URL cannot be read", Remedy: "escape it", Err: err}
	}
	known = append(slices.Clip(known), changeSetParameter)
	if x.method.past {
		known = append(known, atParameter)
	}
	var errs dovetail.Errors
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(known, name) {
			if x.passesOver() {
				x.warn("unknown query parameter " + name + " was ignored")
				continue
			}
			errs.Add(unknownParameter(name, known))
		}
	}
	return parameters(query), errs.Err("the query of the URL has unknown parameters")
}

// passesOver reports whether the request may have parameters that are not known.
func (x *requestContext) passesOver() bool {
	return x.method.endpoint != nil && x.method.endpoint.OtherQuery && (x.r.Method == http.MethodGet || x.r.Method == http.MethodHead)
}

// checkQuery refuses a parameter that is there several times though it has one value, of which the first would count, what is no
// text, and an empty value that would count as none, as of a variable that is not set. It comes before anything is read by the query.
func (x *requestContext) checkQuery() error {
	if x.r.URL.RawQuery == "" {
		return nil
	}
	query := x.r.URL.Query() // of which parameters refuses what cannot be read
	var errs dovetail.Errors
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if x.passesOver() && !slices.ContainsFunc(x.method.endpoint.Query, func(q Parameter) bool { return q.Name == name }) {
			continue
		}
		if len(query[name]) > 1 && !x.repeats(name) {
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: "the query parameter " + strconv.Quote(name) + " is there " + strconv.Itoa(len(query[name])) + " times", Remedy: "give it once"})
		}
		if err := checkText(name, query[name]); err != nil {
			errs.Add(err)
		}
		if slices.Contains(query[name], "") && !x.allowsEmpty(name) {
			if x.passesOver() {
				x.warn("the query parameter " + name + " is empty and was ignored")
				continue
			}
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: "the query parameter " + name + " is empty", Remedy: "give it a value, or leave it out"})
		}
	}
	return errs.Err("the query of the URL is refused")
}

// allowsEmpty reports whether an empty value of a query parameter means something. What is not known is refused later, by its name.
func (x *requestContext) allowsEmpty(name string) bool {
	if e := x.method.endpoint; e != nil {
		if i := slices.IndexFunc(e.Query, func(q Parameter) bool { return q.Name == name }); i >= 0 {
			return e.Query[i].AllowEmpty
		}
	}
	if name == atParameter || name == changeSetParameter || x.route.kind != nil && slices.ContainsFunc(x.route.kind.Queries, func(q schema.Query) bool { return q.Name == name }) {
		return false
	}
	shared := commonParameters()
	for _, component := range x.method.parametersOn(x.route, x.r.Method) {
		if p := shared[component].(object); p["name"] == name && p["in"] == "query" {
			return p["allowEmptyValue"] == true
		}
	}
	return true
}

// repeats reports whether a query parameter may be given several times.
func (x *requestContext) repeats(name string) bool {
	if e := x.method.endpoint; e != nil && slices.ContainsFunc(e.Query, func(q Parameter) bool { return q.Name == name && q.Repeats }) {
		return true
	}
	return name == x.method.repeats ||
		x.route.kind != nil && slices.ContainsFunc(x.route.kind.Queries, func(q schema.Query) bool { return q.Name == name })
}

// checkText refuses text that no name, id or number has, so that nothing is found by it, or everything.
func checkText(name string, texts []string) *dovetail.Error {
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the query parameter " + strconv.Quote(name) + " is " + strconv.Quote(text) + ", which is no text in UTF-8", Remedy: "escape its bytes in UTF-8, as %C3%A4 for ä"}
		}
	}
	return nil
}

func unknownParameter(name string, known []string) *dovetail.Error {
	err := &dovetail.Error{Code: dovetail.CodeInvalid, Message: "unknown query parameter " + strconv.Quote(name), Remedy: "remove it; the parameters are " + strings.Join(known, ", ")}
	if near := suggest.Nearest(name, known); near != "" {
		err.Remedy = "did you mean " + near + "? The parameters are " + strings.Join(known, ", ")
	}
	return err
}

// checkKind refuses the name of a kind that there is not, "" for all: of a misspelt one nothing would be found.
func (x *requestContext) checkKind(name string) error {
	if _, known := x.routing.model.Kind(name); known || name == "" {
		return nil
	}
	var names []string
	for _, kind := range x.routing.model.Kinds() {
		names = append(names, kind.Name)
	}
	err := &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there is no kind " + strconv.Quote(name), Remedy: "see /v2/schema for the kinds"}
	if near := suggest.Nearest(name, names); near != "" {
		err.Remedy = "did you mean " + near + "? /v2/schema has all kinds"
	}
	return err
}

// only refuses parameters that an answer has no use for, though other answers of the endpoint have: what is passed over would not be
// what the client asked for. The answer is named as in "a list" or "view=tree".
func (p parameters) only(answer string, used ...string) error {
	var errs dovetail.Errors
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if name != changeSetParameter && name != atParameter && !slices.Contains(used, name) {
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: name + " has no effect on " + answer, Remedy: "leave it out; " + usable(used)})
		}
	}
	return errs.Err("the query of the URL has parameters without an effect")
}

// usable says which parameters an answer uses.
func usable(used []string) string {
	if len(used) == 0 {
		return "there are no parameters here"
	}
	return "the parameters here are " + strings.Join(used, ", ")
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

// count reads a whole number from least to most; missing it is byDefault.
func (p parameters) count(name string, byDefault, least, most int) (int, error) {
	if !p.has(name) {
		return byDefault, nil
	}
	n, err := strconv.Atoi(p.text(name))
	if err != nil || n < least || n > most {
		return 0, &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: name + " is \"" + p.text(name) + "\"", Remedy: "give a number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most)}
	}
	return n, nil
}

// pageSize reads how many items a page may have at most. Of more than maxPage pages have as many as that: the answer says how to go on.
func (p parameters) pageSize() (int, error) {
	if n, err := strconv.Atoi(p.text("limit")); err == nil && n > maxPage {
		return maxPage, nil
	}
	return p.count("limit", defaultPage, 1, maxPage)
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
