package state

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/activator"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

// The file parts of an ActiveResolution, which the class ResolveSet fills:
const (
	partBundle  = "bundle"
	partWrapper = "wrapper"
	// and the other classes
	partManifests = "manifests"
	partLock      = "lock"
)

// Bundle is the part of the status about the bundle of the class ResolveSet.
type Bundle struct {
	Path   string `json:"path"`   // of the tar, in this API
	Digest string `json:"digest"` // of its bytes
}

// activate puts what the class makes of the selections into the status, and returns the files of it. Where the selections have to wait
// what was activated before stays.
func (s *Status) activate(req *Request, selections []solver.Selection, selected []activator.Selected, before *Status, in Surroundings) []dovetail.File {
	files := []dovetail.File{}
	entities, err := activator.Entities(req.Class, selected)
	var manifests []byte
	if err == nil {
		manifests, err = activator.Objects(req.Class, selected, req.Parameters)
	}
	if err != nil {
		e := dovetail.AsError(err)
		s.Conditions = append(s.Conditions, Condition{Type: ConditionActivated, Status: statusFalse, Reason: e.Reason, Message: e.Error()})
		return files
	}
	next := s.next(selections, before, entities, in.Now)
	if why := s.waits(req, next, before, in.Now); why != nil {
		s.Entities, s.Bundle = before.Entities, before.Bundle
		s.Conditions = append(s.Conditions, *why)
		return nil
	}
	s.Entities, s.Activation = entities, next
	s.Conditions = append(s.Conditions, Condition{Type: ConditionActivated, Status: statusTrue, Reason: ReasonActivated,
		Message: count(len(entities), "entity") + " by activator " + string(req.Class)})
	switch req.Class {
	case activator.ResolveSet:
	case activator.LockFile:
		return []dovetail.File{{Name: partLock, Filename: req.Name + ".lock.yaml", MediaType: "application/yaml", Data: activator.Lock(req.Name, s.InputDigest, selected)}}
	default:
		if len(manifests) == 0 {
			return files
		}
		return []dovetail.File{{Name: partManifests, Filename: req.Name + ".yaml", MediaType: "application/yaml", Data: manifests}}
	}
	path := "/v2/active-resolutions/" + url.PathEscape(req.Name) + "/content/" + partBundle
	tar := activator.Bundle(entities)
	sum := sha256.Sum256(tar)
	s.Bundle = &Bundle{Path: path, Digest: "sha256:" + hex.EncodeToString(sum[:])}
	return []dovetail.File{
		{Name: partBundle, Filename: req.Name + ".tar", MediaType: "application/x-tar", Data: tar},
		{Name: partWrapper, Filename: req.Name + "-bd.yaml", MediaType: "application/yaml", Data: activator.Wrapper(req.Name, in.PublicURL+path)},
	}
}
