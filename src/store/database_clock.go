package store

import (
	"context"
	"sync/atomic"
	"time"
)

// databaseClock tells the time of a database that several processes have open, from when it was read last and the time that has passed
// since by the local monotonic clock. What is kept for a time after it was written, as idempotency keys and audit records are, is
// forgotten by the clock of the database too: a process whose own clock is wrong, or is set while it runs, writes nothing that is
// forgotten at once.
type databaseClock struct {
	local func() time.Time
	last  atomic.Pointer[clockReading]
}

// clockReading is what the database said: at is its time at a local moment, which is not known better than within a duration.
type clockReading struct {
	at     time.Time
	local  time.Time
	within time.Duration
}

// maxReadingAge is for how long a reading is better than one that took longer.
const maxReadingAge = time.Minute

func newDatabaseClock(local func() time.Time) *databaseClock { return &databaseClock{local: local} }

// read asks for the time of the database.
func (c *databaseClock) read(ctx context.Context, backend Backend) (time.Time, error) {
	asked := c.local()
	at, err := backend.Time(ctx)
	if err != nil {
		return at, err
	}
	c.observe(clockReading{at: at, local: asked, within: c.local().Sub(asked)})
	return at, nil
}

// observe uses a reading if it is the better one, or the one before is old, or the two contradict each other: then the process, or its
// machine, was suspended between them.
func (c *databaseClock) observe(next clockReading) {
	last := c.last.Load()
	if last != nil {
		passed := next.local.Sub(last.local)
		apart := next.at.Sub(last.at.Add(passed)).Abs()
		if next.within > last.within && passed < maxReadingAge && apart <= next.within+last.within {
			return
		}
	}
	c.last.Store(&next)
}

// now is the time of the database.
func (c *databaseClock) now() time.Time {
	last := c.last.Load()
	return last.at.Add(c.local().Sub(last.local))
}
