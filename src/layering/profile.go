package layering

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/big"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// This file is what the profile deckhand changes in answers: what clients of Airship Deckhand depend on.

// deckhand reports whether clients of Airship Deckhand are answered.
func (r *Revisions) deckhand() bool { return r.options.Profile == rendering.ProfileDeckhand }

// asDeckhand makes the service answer with the headers that clients send to recognize their answers, and unknown paths in its form.
func asDeckhand(s *httpapi.Service) {
	s.Base, s.Problem = base, deckhandFailure
	for i := range s.Endpoints {
		handle := s.Endpoints[i].Handle
		s.Endpoints[i].Handle = func(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
			reply, err := handle(ctx, call)
			if err != nil || reply.Text == nil {
				return reply, err
			}
			if reply.Text.Header == nil {
				reply.Text.Header = make(http.Header)
			}
			for _, name := range []string{"X-Context-Marker", "X-End-User"} {
				if sent := call.Header.Get(name); sent != "" {
					reply.Text.Header.Set(name, sent)
				}
			}
			return reply, nil
		}
	}
}

// deckhandFailure is failure with the names that its validations have: D001 for a document that is not as its kind demands, D002
// for data that its DataSchema refuses.
func deckhandFailure(e *dovetail.Error) *httpapi.Text {
	if classOf(e) != rendering.ClassInvalidDocumentFormat {
		return failure(e)
	}
	body := failureBody(e)
	body.Set("reason", value.NewString("Validation"))
	for i, part := range leaves(e).Kept() {
		name := "D001"
		if rendering.IsAboutData(part) {
			name = "D002"
		}
		body.At("details", "messageList").Items[i].Set("name", value.NewString(name))
	}
	return &httpapi.Text{Status: statusOf(e.Code), MediaType: mediaType, Data: yaml.Marshal(body)}
}

// parse reads a body of YAML documents by the rules of the profile.
func (r *Revisions) parse(call *httpapi.Request) ([]*value.Value, error) {
	if !r.deckhand() {
		return yaml.Parse("", call.Text, call.Limits)
	}
	if header := call.Header.Get("Content-Type"); header == "" && len(call.Text) > 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: "HTTPMissingHeader", Message: "the header Content-Type is missing", Remedy: "send " + mediaType}
	} else if name, _, err := mime.ParseMediaType(header); header != "" && (err != nil || name != mediaType) {
		return nil, &dovetail.Error{Code: dovetail.CodeMediaType, Message: "the media type " + strconv.Quote(header) + " is not supported here", Remedy: "send " + mediaType}
	}
	return yaml.ParsePython("", call.Text, call.Limits)
}

// revisionOrder is the parameter of the order of revisions.
func (r *Revisions) revisionOrder() httpapi.Parameter {
	p := orderParameter
	if r.deckhand() {
		p.Values = nil
	}
	return p
}

// deckhandTime is how Deckhand writes times.
const deckhandTime = "2006-01-02T15:04:05.000000"

// deckhandURL is what Deckhand puts before the paths of revisions, whatever its address is.
const deckhandURL = "https://deckhand"

// describeAsDeckhand shows of a revision its tags with their data, one status of all policies, and the buckets that it wrote.
func (r *Revisions) describeAsDeckhand(ctx context.Context, body *value.Value, of *Revision, tags *value.Value) error {
	list, status := value.NewList(), statusSuccess
	sc := r.scope(ctx)
	for _, policy := range sc.policyRows(of) {
		status = "failed"
		url := urlOf(of.Number) // Deckhand writes the number of the row here, which tells how many documents there are
		if !sc.limited() {
			url = urlOf(policy.row)
		}
		list.Items = append(list.Items, value.NewMap(value.Member{Name: "name", Value: value.NewString(policy.id.Name)},
			value.Member{Name: memberStatus, Value: value.NewString("unknown")}, value.Member{Name: "url", Value: value.NewString(deckhandURL + url)}))
	}
	body.Set("createdAt", value.NewString(of.Created.UTC().Format(deckhandTime)))
	body.Set("url", value.NewString(deckhandURL+urlOf(of.Number)))
	body.Set("tags", tags)
	body.Set("validationPolicies", list)
	body.Set(memberStatus, value.NewString(status))
	if of.Number == 0 || sc.limited() {
		return nil
	}
	doc, err := r.store.Get(ctx, revisionID(of.Number))
	if err != nil {
		return err
	}
	buckets, err := bucketsOf(doc)
	body.Set("buckets", buckets)
	return err
}

// policyRows are the ValidationPolicies that a revision wrote, or took away, in the order of their rows.
func (sc scope) policyRows(of *Revision) (rows []tombstone) {
	for id, e := range of.index {
		if id.Schema == rendering.ValidationPolicySchema && e.put == of.Number && of.Number > 0 {
			rows = append(rows, tombstone{id, e.row})
		}
	}
	for _, t := range of.rows.tombstones {
		if t.id.Schema == rendering.ValidationPolicySchema && !sc.limited() {
			rows = append(rows, t)
		}
	}
	slices.SortFunc(rows, func(a, b tombstone) int { return a.row - b.row })
	return rows
}

// deckhandCleartext reads whether to show secrets; byDefault is for a request that does not say.
func deckhandCleartext(query url.Values, byDefault bool) (bool, error) {
	switch text := query.Get(paramCleartext); text {
	case "":
		return byDefault, nil
	case "true", "True", "t", "yes", "y", "1", "on":
		return true, nil
	case "false", "False", "f", "no", "n", "0", "off":
		return false, nil
	default:
		return false, badParam(paramCleartext, text, "give true or false")
	}
}

// readSelection reads the parameters of the list of documents that is named.
func (r *Revisions) readSelection(query url.Values, of, list string) (selector, error) {
	if !r.deckhand() {
		return readSelection(query, of)
	}
	s := deckhandSelection{selection: selection{query: query}, limit: -1, rendered: list == listRendered}
	if values, given := query[paramLimit]; given {
		n, err := strconv.Atoi(strings.TrimSpace(values[0]))
		if err != nil || len(values) > 1 {
			return nil, badParam(paramLimit, strings.Join(values, ", "), "give one number")
		}
		s.limit = max(n, -n)
	}
	return &s, nil
}

// deckhandSelection chooses documents as Deckhand does: it sorts by any path, and in the order of creation otherwise.
type deckhandSelection struct {
	selection
	limit    int // -1 for all
	rendered bool
}

func (s *deckhandSelection) apply(all []chosen, _ string) (part []chosen, next string) {
	part = slices.DeleteFunc(all, func(c chosen) bool { return !s.fits(c) })
	desc := s.query.Get(paramOrder) == "desc"
	var keys []string
	for _, text := range s.query[paramSort] {
		keys = append(keys, strings.Split(text, ",")...)
	}
	switch {
	case len(keys) > 0:
		slices.SortStableFunc(part, func(a, b chosen) int {
			order := 0
			for _, key := range keys {
				order = cmp.Or(order, compareValues(a.member(key), b.member(key)))
			}
			if desc {
				return -order
			}
			return order
		})
	case desc:
		slices.Reverse(part)
	}
	if s.limit >= 0 {
		part = part[:min(s.limit, len(part))]
	}
	return part, ""
}

func (s *deckhandSelection) fits(c chosen) bool {
	if c.Schema == rendering.ValidationPolicySchema {
		return false // Deckhand does not show them
	}
	is := func(name, text string) bool {
		wanted, given := s.query[name]
		return !given || slices.Contains(wanted, text)
	}
	for _, text := range s.query[paramLabel] {
		for _, label := range strings.Split(text, ",") {
			name, to, is := strings.Cut(label, "=")
			if has, there := c.Labels().Get(name).Str(); !is || !there || has != to {
				return false
			}
		}
	}
	abstract, given := s.query[paramAbstract]
	given = given && !s.rendered
	return (!given || slices.ContainsFunc(abstract, func(text string) bool { return isPythonBool(text, c.Abstract) })) &&
		is(paramName, c.Name) && is(paramLayer, c.Layer) && is(paramBucket, c.Bucket) && s.fitsSchema(c.Schema)
}

// isPythonBool reports whether a text, as a Python literal, is equal to a boolean: True and 1 are.
func isPythonBool(text string, b bool) bool {
	if strings.EqualFold(text, "true") || strings.EqualFold(text, "false") {
		return strings.EqualFold(text, "true") == b
	}
	n, is := new(big.Float).SetString(text)
	want := 0.0
	if b {
		want = 1
	}
	return is && n.Cmp(big.NewFloat(want)) == 0
}

// member is the value at a path of the document as it is shown, nil if there is none.
func (c *chosen) member(path string) *value.Value {
	return c.shown(true).At(strings.Split(path, ".")...)
}

// compareValues orders values: what is missing first, then numbers, then texts.
func compareValues(a, b *value.Value) int {
	rank := func(v *value.Value) int {
		switch {
		case v == nil || v.Kind == value.Null:
			return 0
		case v.Kind == value.Number:
			return 1
		}
		return 2
	}
	if rank(a) != rank(b) || rank(a) == 0 {
		return rank(a) - rank(b)
	}
	if rank(a) == 1 {
		x, _ := new(big.Float).SetString(a.Text)
		y, _ := new(big.Float).SetString(b.Text)
		return x.Cmp(y)
	}
	return cmp.Compare(a.Text, b.Text)
}

// shape is a document as the profile shows it: Deckhand writes defaults out.
func (o *Options) shape(whole *value.Value) *value.Value {
	if o.Profile != rendering.ProfileDeckhand {
		return whole
	}
	metadata := copied(whole.Get("metadata"))
	definition := copied(metadata.Get("layeringDefinition"))
	setDefault(definition, "abstract", value.NewBool(false))
	metadata.Set("layeringDefinition", definition)
	setDefault(metadata, "replacement", value.NewBool(false))
	setDefault(metadata, "storagePolicy", value.NewString("cleartext"))
	shown := copied(whole)
	shown.Set("metadata", metadata)
	return shown
}

func copied(v *value.Value) *value.Value {
	c := value.NewMap()
	if v != nil {
		c.Members = slices.Clone(v.Members)
	}
	return c
}

func setDefault(v *value.Value, name string, to *value.Value) {
	if v.Get(name) == nil {
		v.Set(name, to)
	}
}

// shaped makes a document show itself by the profile. With digests what is hidden is shown by its SHA-256, as Deckhand does; only
// who may read secrets gets them, since others could try guesses.
func (o *Options) shaped(c *chosen, digests bool) {
	if o.Profile != rendering.ProfileDeckhand {
		return
	}
	data, rendered := c.data, c.rendered
	c.data = func(cleartext bool) *value.Value {
		if cleartext || !digests || rendered == nil || !rendered.Secret() {
			return o.shape(data(cleartext))
		}
		return digested(o.shape(data(true)), rendered)
	}
}

// digested shows a document that holds secrets by digests of its data and of the paths of its substitutions.
func digested(whole *value.Value, of *rendering.Rendered) *value.Value {
	shown, metadata := copied(whole), copied(whole.Get("metadata"))
	metadata.Set("storagePolicy", value.NewString("encrypted"))
	if substitutions := metadata.Get("substitutions"); substitutions != nil && substitutions.Kind == value.List {
		list := value.NewList()
		for i, item := range substitutions.Items {
			item = copied(item)
			withDigestedPath := func(v *value.Value) *value.Value { return withDigestedPath(v, of.FromSecret(i)) }
			item.Set("src", withDigestedPath(item.Get("src")))
			if dest := item.Get("dest"); dest != nil && dest.Kind == value.List {
				all := value.NewList()
				for _, d := range dest.Items {
					all.Items = append(all.Items, withDigestedPath(d))
				}
				item.Set("dest", all)
			} else {
				item.Set("dest", withDigestedPath(dest))
			}
			list.Items = append(list.Items, item)
		}
		metadata.Set("substitutions", list)
	}
	shown.Set("metadata", metadata)
	shown.Set("data", digest(whole.Get("data")))
	return shown
}

// withDigestedPath replaces a path by its digest, of a secret source by that of its digest, as Deckhand does.
func withDigestedPath(v *value.Value, secret bool) *value.Value {
	c := copied(v)
	path := digest(c.Get("path"))
	if secret {
		path = digest(path)
	}
	c.Set("path", path)
	return c
}

func digest(v *value.Value) *value.Value {
	sum := sha256.Sum256(appendPython(nil, v))
	return value.NewString(hex.EncodeToString(sum[:]))
}

// appendPython writes JSON as Python's json.dumps does: with blanks after commas and colons, and in ASCII.
func appendPython(dst []byte, v *value.Value) []byte {
	switch {
	case v != nil && v.Kind == value.List:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendPython(dst, item)
		}
		return append(dst, ']')
	case v != nil && v.Kind == value.Map:
		dst = append(dst, '{')
		for i, m := range v.Members {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(appendPython(dst, value.NewString(m.Name)), ": "...)
			dst = appendPython(dst, m.Value)
		}
		return append(dst, '}')
	case v == nil:
		return append(dst, "null"...)
	}
	for _, r := range string(v.JSON()) {
		switch {
		case r < 0x80:
			dst = append(dst, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
	}
	return dst
}

// withPolicy is the site of a revision with the newest layering policy of any revision, if it has none itself and the principal
// may read that one: Deckhand renders with it.
func (r *Revisions) withPolicy(ctx context.Context, sc scope, of *Revision, s *site) (*site, error) {
	if s.links.Policy() != nil || len(s.all) == 0 {
		return s, nil
	}
	newest, err := r.head(ctx)
	if err != nil {
		return nil, err
	}
	for number := newest.Number; number > 0; number-- {
		other, err := r.Revision(own(ctx), number)
		if dovetail.CodeOf(err) == dovetail.CodeNotFound {
			continue // numbers that were taken over may have gaps
		}
		if err != nil {
			return nil, err
		}
		for id, e := range other.index {
			if id.Schema != rendering.PolicySchema {
				continue
			}
			documents, err := r.contents(ctx, index{id: e})
			if err != nil || !sc.knows(e, documents[e.content]) {
				return s, err
			}
			whole := &site{documents: maps.Clone(s.documents), options: s.options}
			whole.documents[e.content] = documents[e.content]
			return whole.policed(of.index, e), nil
		}
	}
	return s, nil
}

// policed is the site of an index with a policy that it does not have. It is not kept.
func (s *site) policed(x index, policy entry) *site {
	all := []*rendering.Document{s.documents[policy.content]}
	for _, e := range x.sorted() {
		all = append(all, s.documents[e.content])
	}
	p := unrendered(all, s.options)
	p.documents, p.policy = s.documents, policy
	return p
}
