package mongo

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// The fields of the document identityID, which names the store and contains its registry, so that each step is atomic. Versions of
// Dovetail without levels read the name from identityName; from level 2 on it is in identityStore, so that they refuse to start.
const (
	identityName    = "name"
	identityStore   = "store"
	identityLevel   = "level"
	identityMembers = "members"
	identityChanges = "changes"

	processName    = "name"
	processVersion = "version"
	processKnows   = "knows"
	processSeen    = "seen"
)

var identity = bson.D{{Key: fieldID, Value: identityID}}

// registry stores the level of a store and its members.
type registry struct{ *server }

// name returns the name of the store, and sets it for a new store. It reads the name after the insertion, since another process may
// have been first. A new store is at the newest level; one with documents and without a name was created by a version of Dovetail
// without levels.
func (r registry) name(ctx context.Context) (string, error) {
	found, err := r.log.in(ctx).FindOne(noDeadline{ctx}, identity).Raw()
	if errors.Is(err, mongo.ErrNoDocuments) {
		created := append(slices.Clip(identity), bson.E{Key: identityStore, Value: rand.Text()}, bson.E{Key: identityLevel, Value: int(protocol.NewestLevel)})
		for _, err := range query(ctx, r.records.in(ctx), bson.D{{Key: fieldID, Value: below("")}}, options.Find().SetLimit(1).SetProjection(byID), raw) {
			if err != nil {
				return "", err
			}
			created = append(slices.Clip(identity), bson.E{Key: identityName, Value: rand.Text()})
		}
		if _, err = r.log.in(ctx).InsertOne(noDeadline{ctx}, created); err != nil && !mongo.IsDuplicateKeyError(err) {
			return "", writeError(ctx, err)
		}
		found, err = r.log.in(ctx).FindOne(noDeadline{ctx}, identity).Raw()
	}
	if err != nil {
		return "", readError(ctx, err)
	}
	for _, member := range []string{identityName, identityStore} {
		if name, ok := found.Lookup(member).StringValueOK(); ok {
			return name, nil
		}
	}
	return "", corrupt("the name of the store is damaged")
}

// Announce implements protocol.LevelServer.
func (r registry) Announce(ctx context.Context, m protocol.Member) (protocol.Registry, error) {
	own := identityMembers + "." + m.ID + "."
	update := bson.D{
		{Key: "$set", Value: bson.D{{Key: own + processName, Value: m.Name}, {Key: own + processVersion, Value: m.Version}, {Key: own + processKnows, Value: int(m.Knows)}}},
		{Key: "$currentDate", Value: bson.D{{Key: own + processSeen, Value: true}}},
		{Key: "$inc", Value: bson.D{{Key: identityChanges, Value: int64(1)}}},
	}
	raw, err := r.log.in(ctx).FindOneAndUpdate(noDeadline{ctx}, identity, update, options.FindOneAndUpdate().SetReturnDocument(options.After)).Raw()
	if err != nil {
		return protocol.Registry{}, readError(ctx, err) // retrying it is harmless
	}
	return decodeRegistry(raw)
}

// Leave implements protocol.LevelServer.
func (r registry) Leave(ctx context.Context, id string) error {
	_, err := r.log.in(ctx).UpdateOne(noDeadline{ctx}, identity, bson.D{{Key: "$unset", Value: bson.D{{Key: identityMembers + "." + id, Value: ""}}}})
	return writeError(ctx, err)
}

// RaiseLevel implements protocol.LevelServer. From level 1 it also moves the name to identityStore.
func (r registry) RaiseLevel(ctx context.Context, read protocol.Registry, to protocol.Level) (bool, error) {
	update := bson.D{{Key: "$set", Value: bson.D{{Key: identityLevel, Value: int(to)}}}, {Key: "$inc", Value: bson.D{{Key: identityChanges, Value: int64(1)}}}}
	if read.Level < protocol.Implicit {
		update = append(update, bson.E{Key: "$rename", Value: bson.D{{Key: identityName, Value: identityStore}}})
	}
	result, err := r.log.in(ctx).UpdateOne(noDeadline{ctx}, append(slices.Clip(identity), bson.E{Key: identityChanges, Value: read.Changes}), update)
	if err != nil {
		return false, writeError(ctx, err)
	}
	return result.MatchedCount == 1, nil
}

// forget removes members that expired long ago, unless the registry has changed since it was read.
func (r registry) forget(ctx context.Context, read protocol.Registry, now time.Time) error {
	const kept = 24 * time.Hour // for operators
	old := bson.D{}
	for _, m := range read.Members {
		if now.Sub(m.Seen) > kept {
			old = append(old, bson.E{Key: identityMembers + "." + m.ID, Value: ""})
		}
	}
	if len(old) == 0 {
		return nil
	}
	_, err := r.log.in(ctx).UpdateOne(noDeadline{ctx}, append(slices.Clip(identity), bson.E{Key: identityChanges, Value: read.Changes}),
		bson.D{{Key: "$unset", Value: old}, {Key: "$inc", Value: bson.D{{Key: identityChanges, Value: int64(1)}}}})
	return writeError(ctx, err)
}

func decodeRegistry(raw bson.Raw) (protocol.Registry, error) {
	registry := protocol.Registry{Level: protocol.ThreeSteps}
	d := decoder{}
	d.each(bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: raw}, func(name string, v bson.RawValue) {
		switch name {
		case identityLevel:
			registry.Level = protocol.Level(d.number(v))
		case identityChanges:
			registry.Changes = d.number(v)
		case identityMembers:
			d.each(v, func(id string, v bson.RawValue) { registry.Members = append(registry.Members, d.process(id, v)) })
		}
	})
	if d.err != nil {
		damaged := corrupt("the registry of processes is damaged")
		damaged.Err = d.err
		return registry, damaged
	}
	return registry, nil
}

func (d *decoder) process(id string, v bson.RawValue) protocol.Member {
	m := protocol.Member{ID: id}
	d.each(v, func(name string, v bson.RawValue) {
		switch name {
		case processName:
			m.Name = d.text(v)
		case processVersion:
			m.Version = d.text(v)
		case processKnows:
			m.Knows = protocol.Level(d.number(v))
		case processSeen:
			m.Seen = d.time(v)
		}
	})
	return m
}

// newMember returns the description of this process for others.
func newMember(o Options) protocol.Member {
	knows := o.knows
	if knows == 0 {
		knows = protocol.NewestLevel
	}
	return protocol.Member{ID: strings.ToLower(rand.Text()), Name: o.Name, Version: o.Version, Knows: knows}
}
