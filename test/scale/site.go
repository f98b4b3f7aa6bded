package scale

import "time"

// Site is a deployment and what is asked of it.
type Site struct {
	Documents, Writes, Gets float64 // documents, and writes and gets a second
	Mix                     Mix
	History                 time.Duration

	Processes int // each has as many writers and readers as the others
	Watching  int // processes that have watches
	Watches   int
	// Selected is which part of all changes a watch selects.
	Selected float64

	Shards      int
	Hashed      bool // the shard key of documents is hashed: ranges of ids are on all shards
	SpreadLog   bool // the log is sharded by hashed ids; otherwise it is on the first shard
	Shard, Host Machine
	Prices      Prices
	Feed        Feed
	Regions     Regions
}

// Mix are the parts that kinds of writes have.
type Mix struct{ Create, Update, Delete float64 }

// Machine is that of a server of a shard, or of a process.
type Machine struct {
	Cores   int
	Memory  float64 // bytes of a server's cache
	Network float64 // bytes a second that leave it
	Disk    float64 // pages a second that it reads
}

// Prices are what work takes of a processor. They are assumptions: the other costs are measured.
type Prices struct {
	Command  time.Duration // of the database: to take a command and answer it
	Read     time.Duration // to read a document by its id or another index
	Write    time.Duration // to write a document and its entry of the journal
	Key      time.Duration // to write a key of an index
	Kilobyte time.Duration // to receive or send

	Request time.Duration // of a process: a request from HTTP to the commands and back
	Change  time.Duration // to decode a change that a poll has read
	Check   time.Duration // to look whether a watch selects a change
	Deliver time.Duration // to send a change to a watch
}

// Feed are the times of protocol.Settings.
type Feed struct {
	Poll        time.Duration // how far apart polls are where nothing changes
	UsualDelay  time.Duration // how long before the last poll that one began which had seen what need not be read again
	Window      time.Duration // what one in some seconds reads again
	MaxKeep     time.Duration // how long what follows an answer waits for that of others
	MaxGrouping time.Duration // how long a creation waits for others
	Groups      int           // of creations that a process has under way
	GroupSize   int
}

// Regions are where processes and the members of shards are. Processes are spread over all of them.
type Regions struct {
	Number  int
	Within  time.Duration // round trip in a region
	Between time.Duration // round trip between two
	// Zones says that the primary of a shard is in the region whose documents it has; otherwise all are in the first.
	Zones bool
	// Local is which part of all operations concern documents of the region of the process, with zones.
	Local float64
	// Acknowledged is the round trip from a primary to the members that a majority needs beside it.
	Acknowledged time.Duration
	// FollowerGets has gets read from the member in the region of the process, FollowerPolls polls of changes. Neither is built.
	FollowerGets, FollowerPolls bool
}

// Reference is the site of docs/scale.md.
func Reference() Site {
	return Site{
		Documents: 1e8, Writes: 10_000, Gets: 20_000,
		Mix: Mix{Create: 0.1, Update: 0.8, Delete: 0.1}, History: 24 * time.Hour,
		Processes: 100, Watching: 100, Watches: 10_000, Selected: 0.0001,
		Shards: 8,
		Shard:  Machine{Cores: 16, Memory: 96 << 30, Network: 1.25e9, Disk: 20_000},
		Host:   Machine{Cores: 4, Network: 1.25e9},
		Prices: Prices{
			Command: 60 * time.Microsecond, Read: 3 * time.Microsecond, Write: 30 * time.Microsecond, Key: 8 * time.Microsecond, Kilobyte: time.Microsecond,
			Request: 150 * time.Microsecond, Change: 5 * time.Microsecond, Check: 100 * time.Nanosecond, Deliver: 30 * time.Microsecond,
		},
		Feed: Feed{
			Poll: 250 * time.Millisecond, UsualDelay: 100 * time.Millisecond, Window: 10 * time.Second,
			MaxKeep: 10 * time.Millisecond, MaxGrouping: 200 * time.Microsecond, Groups: 2, GroupSize: 500,
		},
		Regions: Regions{Number: 1, Within: 500 * time.Microsecond, Between: 30 * time.Millisecond, Local: 1, Acknowledged: time.Millisecond},
	}
}

// ThreeRegions is the reference with processes in three regions and all primaries, with a majority of the members, in the first.
func ThreeRegions() Site {
	s := Reference()
	s.Shards = 9
	s.Regions.Number = 3
	return s
}

// home is the region where the primary of a shard is.
func (s *Site) home(shard int) int {
	if s.Regions.Zones {
		return shard % s.Regions.Number
	}
	return 0
}

// roundTrip is that between a region and another one.
func (s *Site) roundTrip(from, to int) time.Duration {
	if from == to {
		return s.Regions.Within
	}
	return s.Regions.Between
}

// stored is what the documents and their history take.
type stored struct{ documents, versions, data, indexes float64 }

// store returns what the site stores once its history is full.
func (s *Site) store(c Costs) (stored, error) {
	documents, err := c.Of("documents")
	if err != nil {
		return stored{}, err
	}
	versions, err := c.Of("versions")
	if err != nil {
		return stored{}, err
	}
	// An update keeps a version, and a deletion two.
	kept := s.Writes * (s.Mix.Update + 2*s.Mix.Delete) * s.History.Seconds()
	return stored{
		documents: s.Documents, versions: kept,
		data:    s.Documents*float64(documents.Bytes) + kept*float64(versions.Bytes),
		indexes: s.Documents*float64(documents.Index()) + kept*float64(versions.Index()),
	}, nil
}

// missing is which part of the pages of indexes is not in the caches of the shards.
func (s *Site) missing(c Costs) (float64, error) {
	all, err := s.store(c)
	if err != nil {
		return 0, err
	}
	cached := float64(s.Shards) * s.Shard.Memory
	return max(0, 1-cached/all.indexes), nil
}
