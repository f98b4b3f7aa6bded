package main

// What package db of EMCO has: the interface by which its services reach their database. It opens that on a server of Dovetail.

import (
	"context"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/emcostore"
)

// DBconn is the database of the service.
var DBconn Store

// Key is anything that is written as an object of texts in JSON.
type Key interface{}

// Store is the interface of the database.
type Store interface {
	HealthCheck(ctx context.Context) error
	Unmarshal(inp []byte, out interface{}) error
	Insert(ctx context.Context, coll string, key Key, query interface{}, tag string, data interface{}) error
	Find(ctx context.Context, coll string, key Key, tag string) ([][]byte, error)
	Remove(ctx context.Context, coll string, key Key) error
	RemoveAll(ctx context.Context, coll string, key Key) error
	RemoveTag(ctx context.Context, coll string, key Key, tag string) error
}

// InitializeDatabaseConnection opens the database.
func InitializeDatabaseConnection(ctx context.Context, server string) error {
	s, err := client.New(server, client.Options{})
	if err != nil {
		return err
	}
	model, err := s.Model(ctx)
	if err != nil {
		return err
	}
	if DBconn, err = emcostore.New[Key](s, model, emcostore.Options{Alone: true}); err != nil {
		return err
	}
	return DBconn.HealthCheck(ctx)
}
