package scale

import (
	_ "embed" // costs.json
	"encoding/json"
	"fmt"
)

// Costs are what operations cost a database, as a test of src/store/mongo measures it on one.
type Costs struct {
	// Document is how many bytes a document of the workload has, as it is sent.
	Document   int         `json:"document"`
	Operations []Operation `json:"operations"`
	// Storage is what documents and versions take.
	Storage []Storage `json:"storage"`
}

// Operation is something that a client asks for, or that a process does now and then.
type Operation struct {
	Name     string    `json:"name"`
	Commands []Command `json:"commands"`
	// After are those that follow the answer.
	After []Command `json:"after,omitempty"`
}

// Command is one that a process sends to the database.
type Command struct {
	Name       string `json:"name"`
	Collection string `json:"collection"`
	// By is how its documents are found: by their ids, by a range of ids, or by the index over another member.
	By string `json:"by"`
	// IDs is how many ids it names, Written how many documents it writes, and Keys how many keys of indexes.
	IDs     int `json:"ids,omitempty"`
	Written int `json:"written,omitempty"`
	Keys    int `json:"keys,omitempty"`
	// Request and Reply are bytes of BSON.
	Request int `json:"request"`
	Reply   int `json:"reply"`
}

// How commands find their documents.
const (
	ByIDs   = "ids"
	ByRange = "range"
)

// Storage is what a document of a collection takes.
type Storage struct {
	Collection string `json:"collection"`
	Bytes      int    `json:"bytes"`
	// Indexes are the bytes that each index has for a document.
	Indexes map[string]int `json:"indexes"`
}

// Index returns the bytes of all indexes.
func (s Storage) Index() int {
	all := 0
	for _, bytes := range s.Indexes {
		all += bytes
	}
	return all
}

//go:embed costs.json
var measured []byte

// Measured returns the costs that the test has measured last.
func Measured() (Costs, error) {
	var c Costs
	err := json.Unmarshal(measured, &c)
	return c, err
}

// Operation returns what the operation of the name costs.
func (c Costs) Operation(name string) (Operation, error) {
	for _, o := range c.Operations {
		if o.Name == name {
			return o, nil
		}
	}
	return Operation{}, fmt.Errorf("costs.json has no operation %q", name)
}

// Of returns what a document takes in a collection.
func (c Costs) Of(collection string) (Storage, error) {
	for _, s := range c.Storage {
		if s.Collection == collection {
			return s, nil
		}
	}
	return Storage{}, fmt.Errorf("costs.json has no collection %q", collection)
}
