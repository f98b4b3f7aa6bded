package gitsync

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// ReasonNotInFile is that of a write whose documents the repository's files cannot hold as they are.
const ReasonNotInFile = "REPO_CANNOT_HOLD"

// plan is the effect of operations: edits of files, and the operations of the store once they are pushed.
type plan struct {
	a        *Syncer
	asked    []store.Operation
	dry      *store.Result // what the asked operations would do by themselves
	touched  map[dovetail.ID]*touch
	region   *region
	files    map[string][]byte // those that are edited, as they were; nil for new ones
	edits    map[string][]byte // nil for those that go
	read     *surveyed         // the region after the edits
	apply    []store.Operation // those asked for, as the files say it, and then what follows from the edits
	position map[dovetail.ID]int
	before   map[dovetail.ID]*value.Value // of documents that change and share a file with others, as the files said it
	options  store.Options                // of the request
	// sensitive are the refusals of documents that would be committed in plaintext.
	sensitive []*dovetail.Error
	// unsealed are documents that must come out of the files encrypted.
	unsealed map[dovetail.ID]*unsealed
}

// touch is a document that the operations change.
type touch struct {
	data  *value.Value // nil when it is deleted
	isNew bool
}

// plan plans operations on the draft of a commit. It is refused with the errors of the store, or with
// CodeUnprocessable where files cannot hold what is asked for.
func (a *Syncer) plan(ctx context.Context, operations []store.Operation, options store.Options, draft *gitrepo.Draft) (*plan, error) {
	p := &plan{a: a, asked: operations, options: options, touched: make(map[dovetail.ID]*touch), region: newRegion(),
		files: make(map[string][]byte), unsealed: make(map[dovetail.ID]*unsealed), position: make(map[dovetail.ID]int)}
	var err error
	// The files need all that is written, also of a document that the principal may change and not read.
	if p.dry, err = a.store.Apply(ctx, operations, trialOf(options)); err != nil {
		return nil, err
	}
	if err := p.touch(ctx); err != nil {
		return nil, err
	}
	if err := p.refuse(p.sensitive, ReasonSensitive); err != nil {
		return nil, err
	}
	system := asSystem(ctx)
	if err := p.enclose(system); err != nil {
		return nil, err
	}
	if err := p.edit(draft); err != nil {
		return nil, p.concealed(ctx, err)
	}
	return p, a.concealed(ctx, p.derive(system))
}

// concealed is an error of the files as the principal may see it: whole where it is about what was asked for only.
func (p *plan) concealed(ctx context.Context, err error) error {
	e := dovetail.AsError(err)
	parts := e.Errors
	if len(parts) == 0 {
		parts = []*dovetail.Error{e}
	}
	if slices.ContainsFunc(parts, func(part *dovetail.Error) bool { _, asked := p.position[part.Key]; return !asked }) {
		return p.a.concealed(ctx, err)
	}
	return err
}

// touch notes the documents that change.
func (p *plan) touch(ctx context.Context) error {
	note := func(o store.Outcome) error {
		if !isHeld(o.Document.Kind) {
			return nil
		}
		if o.Effect != store.WasDeleted {
			inClear, err := p.a.mayCommit(ctx, o.Document) // also of what does not change: who cannot read it must not learn that
			switch {
			case err != nil:
				return err
			case inClear == nil:
			case p.a.options.Keys.CanEncrypt():
				p.unsealed[o.Document.ID] = inClear
			default:
				p.sensitive = append(p.sensitive, inClear.refusal)
			}
		}
		if o.Effect == store.WasUnchanged {
			return nil
		}
		t := &touch{isNew: o.Effect == store.WasCreated}
		if o.Effect != store.WasDeleted {
			d, err := instancerepo.FromStored(o.Document)
			if err != nil {
				return err
			}
			t.data = d.Data
		}
		p.touched[o.Document.ID] = t
		return nil
	}
	for i, o := range p.dry.Outcomes {
		p.position[o.Document.ID] = i
		if p.asked[i].Verb == store.PutStatus {
			continue // which no file holds
		}
		if err := note(o); err != nil {
			return err
		}
	}
	for _, o := range p.dry.Cascaded {
		if err := note(o); err != nil {
			return err
		}
	}
	return nil
}

// deletes reports whether documents of the repository go.
func (p *plan) deletes() bool {
	for _, t := range p.touched {
		if t.data == nil {
			return true
		}
	}
	return false
}

// enclose finds the region that the documents that change are in.
func (p *plan) enclose(ctx context.Context) error {
	var changing []dovetail.ID // that come or go
	for _, id := range sortedIDs(p.touched) {
		t := p.touched[id]
		kind := kindOf(id)
		if cluster, ok := id.Key().Value(clusterKind); ok && t.data == nil && (kind == environmentKind || kind == clusterKind) {
			p.region.clusters[cluster] = true // the folder of the cluster may go
		}
		p.region.addDocument(id)
		if t.data == nil || t.isNew {
			if err := p.a.affected(ctx, p.region, id); err != nil {
				return err
			}
			changing = append(changing, id)
		}
	}
	return p.a.naming(ctx, p.region, changing)
}

// edit renders the documents into files and reads them again as every other reader of the repository will.
func (p *plan) edit(draft *gitrepo.Draft) error {
	if len(p.touched) == 0 {
		p.read = &surveyed{byID: make(map[dovetail.ID]*instancerepo.Document)}
		return nil
	}
	listed, err := draft.Files(p.a.ownPart(p.region.part()))
	if err != nil {
		return err
	}
	files := make([]instancerepo.File, len(listed))
	for i, f := range listed {
		files[i] = fileOfGit(f)
	}
	before, err := p.region.survey(each(files), nil)
	if err != nil {
		return err
	}
	p.before = make(map[dovetail.ID]*value.Value)
	for id := range p.touched {
		if d := before.byID[id]; d != nil && instancerepo.SharesFile(id) {
			p.before[id] = d.Data
		}
	}
	regular := slices.DeleteFunc(slices.Clone(files), func(f instancerepo.File) bool { return f.Irregular || f.Large > 0 })
	edits, problems := instancerepo.Edits(regular, p.after(before.documents), instancerepo.Sealing{Keys: p.a.options.Keys, Clear: p.a.options.Clear})
	if i := slices.IndexFunc(problems, func(e *dovetail.Error) bool { return e.Reason == ReasonSensitive }); i >= 0 {
		return p.refuse(problems[i:i+1], ReasonSensitive)
	}
	if err := p.refuse(problems, ReasonNotInFile); err != nil {
		return err
	}
	if err := p.refuse(p.inPlaceOfLarge(files), ReasonNotInFile); err != nil {
		return err
	}
	p.edits = edits
	for _, f := range files {
		if _, edited := edits[f.Path]; edited {
			p.files[f.Path] = f.Data
		}
	}
	if named, ok := p.region.named(); ok { // which come from the draft before its edits
		for f, err := range unread(draft.Names(p.a.ownPart(named))) {
			if err != nil {
				return err
			}
			files = append(files, f)
		}
	}
	if p.read, err = p.region.survey(each(edited(files, edits)), p.a.options.Keys); err != nil {
		return err
	}
	if err := p.keepClusters(draft); err != nil {
		return err
	}
	if err := p.checkSealed(); err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	for path, data := range edits {
		if data == nil {
			err = draft.Remove(path)
		} else {
			err = draft.Write(path, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keepClusters adds the documents of clusters that have files outside of the region.
func (p *plan) keepClusters(draft *gitrepo.Draft) error {
	for _, cluster := range slices.Sorted(maps.Keys(p.region.clusters)) {
		document := instancerepo.ClusterDocument(cluster)
		if p.read.byID[document.ID] != nil {
			continue
		}
		is, err := isCluster(func(yield func(gitrepo.File, error) bool) {
			for f, err := range draft.Names(clusterPart(cluster)) {
				if data, edited := p.edits[f.Path]; (!edited || data != nil) && !yield(f, err) {
					return
				}
			}
		})
		if err != nil {
			return err
		}
		if is {
			p.read.documents = append(p.read.documents, document)
			p.read.index()
		}
	}
	return nil
}

// after is what the region is to say.
func (p *plan) after(before []instancerepo.Document) []instancerepo.Document {
	var all []instancerepo.Document
	known := make(map[dovetail.ID]bool)
	for _, d := range before {
		known[d.ID] = true
		if t := p.touched[d.ID]; t != nil {
			if t.data == nil {
				continue
			}
			d.Data = t.data
		}
		all = append(all, d)
	}
	for _, id := range sortedIDs(p.touched) {
		if t := p.touched[id]; t.data != nil && !known[id] {
			all = append(all, instancerepo.Document{ID: id, Data: t.data, Position: dovetail.Position{File: fileOf(id)}})
		}
	}
	return all
}

// edited are the files with their edits.
func edited(files []instancerepo.File, edits map[string][]byte) []instancerepo.File {
	var all []instancerepo.File
	for _, f := range files {
		if _, changes := edits[f.Path]; !changes {
			all = append(all, f)
		}
	}
	for path, data := range edits {
		if data != nil {
			all = append(all, instancerepo.File{Path: path, Data: data})
		}
	}
	slices.SortFunc(all, func(a, b instancerepo.File) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) })
	return all
}

func each(files []instancerepo.File) func(yield func(instancerepo.File, error) bool) {
	return func(yield func(instancerepo.File, error) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// checkSealed refuses documents that the files have in plaintext all the same.
func (p *plan) checkSealed() error {
	var refusals []*dovetail.Error
	for _, id := range sortedIDs(p.unsealed) {
		u := p.unsealed[id]
		if got := p.read.byID[id]; got == nil || addsClear(got.Data, u.before, u.sensitive) {
			refusals = append(refusals, u.refusal)
		}
	}
	return p.refuse(refusals, ReasonSensitive)
}

// check compares what the files say now with what was asked for.
func (p *plan) check() error {
	var problems []*dovetail.Error
	for _, id := range sortedIDs(p.touched) {
		t, got := p.touched[id], p.read.byID[id]
		problem := &dovetail.Error{Code: dovetail.CodeUnprocessable, Key: id}
		switch {
		case t.data == nil && got == nil:
			continue
		case t.data == nil:
			problem.Message, problem.Remedy = string(id)+" would still be in the instance repository", "first delete what it belongs to, such as the other documents of its folder"
		case got == nil:
			problem.Message, problem.Remedy = string(id)+" would not be found in the instance repository again", "create it together with what belongs to it, as a cluster with its first environment"
		default:
			path, lost := p.lostIn(t.data, got.Data, "")
			if !lost {
				continue
			}
			problem.Position.Path = path
			problem.Message, problem.Remedy = "the files of the instance repository cannot hold "+path+" of "+string(id)+" as it is", "leave it out, or write what they can hold"
		}
		problems = append(problems, problem)
	}
	return p.refuse(problems, ReasonNotInFile)
}

// refuse makes the refusal of problems, in the terms of the operations.
func (p *plan) refuse(problems []*dovetail.Error, reason string) error {
	for _, e := range problems {
		e.Reason = reason
		if !strings.Contains(e.Message, string(e.Key)) {
			e.Message = string(e.Key) + ": " + e.Message
		}
		if i, ok := p.position[e.Key]; ok {
			e.Index = i + 1
			path := e.Position.Path
			e.Position = p.asked[i].Position
			e.Position.Path += path
		}
	}
	return dovetail.Join("the instance repository cannot represent it", problems)
}

// inPlaceOfLarge are refusals of documents whose files are too large to be read.
func (p *plan) inPlaceOfLarge(files []instancerepo.File) (problems []*dovetail.Error) {
	for _, f := range files {
		if f.Large == 0 {
			continue
		}
		for _, id := range sortedIDs(p.touched) {
			if slices.Contains(instancerepo.Paths(id), f.Path) {
				problems = append(problems, &dovetail.Error{Code: dovetail.CodeUnprocessable, Key: id, Position: dovetail.Position{File: f.Path},
					Message: fmt.Sprintf("its file has %d bytes, more than the %d that are allowed", f.Large, gitrepo.MaxListed), Remedy: "split the file, or take it out of the repository"})
			}
		}
	}
	return problems
}

// lostIn finds the first value that is not the same in another one. What is empty may be missing there, and
// the other may say more.
func (p *plan) lostIn(v, in *value.Value, path string) (string, bool) {
	switch {
	case in != nil && in.Kind == value.String && ciphertext.Scheme(in.Text) == "SOPS" && !ciphertext.Is(v.Text) && v.Kind != value.Map && v.Kind != value.List:
		return "", false // instancerepo.Edits opened it again
	case in != nil && in.Kind == value.String && ciphertext.Is(in.Text) && v.Kind != value.Map && v.Kind != value.List:
		if plain, err := p.a.options.Keys.Open(in.Text); err == nil && plain == v.Text {
			return "", false // it was encrypted on its way
		}
		return path, !value.Equal(v, in)
	case isGivenBack(path), in == nil && isEmpty(v), value.Equal(v, in):
		return "", false
	case in == nil || v.Kind != value.Map || in.Kind != value.Map:
		return path, true
	}
	there := value.IndexOf(in)
	for _, m := range v.Members {
		if at, lost := p.lostIn(m.Value, there.Get(m.Name), path+value.Pointer(m.Name)); lost {
			return at, true
		}
	}
	return "", false
}

// isGivenBack reports whether a path is that of something that files need not say as it is asked for: when a part
// of an effective set was generated, which only the store knows, and the order of an association, which
// is its place in a list, and so never has gaps.
func isGivenBack(path string) bool { return path == "/spec/generated" || path == "/spec/order" }

func isEmpty(v *value.Value) bool {
	return v == nil || v.Kind == value.Null || (v.Kind == value.Map || v.Kind == value.List) && len(v.Members)+len(v.Items) == 0
}

// derive makes the operations: those asked for with the data that the files give, and those of other
// documents that the files make others.
func (p *plan) derive(ctx context.Context) error {
	same := true
	for i, op := range p.asked {
		t := p.touched[op.ID]
		if got := p.read.byID[op.ID]; t != nil && t.data != nil && got != nil && op.Verb != store.PutStatus {
			data := keepGenerated(got.Data, t.data)
			same = same && value.Equal(data, p.asked[i].Data)
			op.Data = data
			if err := p.putting(i, &op); err != nil {
				return err
			}
		}
		p.apply = append(p.apply, op)
	}
	if len(p.touched) == 0 {
		return nil
	}
	have, err := p.a.stored(ctx, p.region, p.read)
	if err != nil {
		return err
	}
	others, err := p.region.differences(p.read, have)
	if err != nil {
		return err
	}
	others, elsewhere := p.a.own(p.a.now, p.region, others)
	p.read.defects = append(p.read.defects, elsewhere...)
	for _, op := range others {
		if p.touched[op.ID] == nil {
			p.apply = append(p.apply, op)
		}
	}
	if same && len(p.apply) == len(p.asked) {
		return nil // which was tried already
	}
	return p.try(ctx)
}

// putting makes an operation that was asked for one that puts data as a whole.
func (p *plan) putting(i int, op *store.Operation) error {
	switch op.Verb {
	case store.Patch:
		op.IfExists = len(op.IfMatch) == 0
	case store.ApplyFields:
		var err error
		if op.FieldManagers, err = store.ManagedFields(p.dry.Outcomes[i].Document); err != nil {
			return err
		}
	default:
		return nil
	}
	op.Verb = store.Put
	return nil
}

// try leaves out what follows from the edits and the store cannot hold; it is a defect.
func (p *plan) try(ctx context.Context) error {
	for {
		options := trialOf(p.options)
		options.Approved = p.approved()
		_, err := p.a.store.Apply(ctx, p.apply, options)
		if err == nil {
			return nil
		}
		rest, refused := withoutRefused(p.apply, err)
		if refused == nil || slices.ContainsFunc(p.asked, func(op store.Operation) bool {
			return !slices.ContainsFunc(rest, func(left store.Operation) bool { return left.ID == op.ID })
		}) {
			return err
		}
		p.apply = rest
		p.read.refused = append(p.read.refused, refused...)
	}
}
