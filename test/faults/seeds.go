package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// seedCase is a run that once failed: the same choices are made again, first of all.
type seedCase struct {
	Seed     uint64        `json:"seed"`
	Duration time.Duration `json:"duration"` // in nanoseconds
	Kinds    []string      `json:"kinds,omitempty"`
	Rolling  bool          `json:"rolling,omitempty"` // with the last supported version
	Why      string        `json:"why"`               // it failed
}

// seedFolder has the runs that failed, which are committed with what repairs them.
const seedFolder = "testdata/seeds"

// readSeeds returns the runs that once failed, in the order of their names.
func readSeeds(folder string, rolling bool) (cases []seedCase, err error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var c seedCase
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if c.Rolling == rolling {
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// keepSeed writes a run that failed, and returns the name of the file.
func keepSeed(folder string, c seedCase) (string, error) {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, fmt.Sprintf("%d.json", c.Seed))
	if c.Rolling {
		name = filepath.Join(folder, fmt.Sprintf("rolling-%d.json", c.Seed))
	}
	return name, os.WriteFile(name, append(text, '\n'), 0o600)
}
