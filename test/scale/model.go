package scale

import (
	"math"
	"time"
)

// Resource is what may reach its limit.
type Resource string

// The resources. Those of a shard are those of any but the one with the log, where there is one.
const (
	ShardProcessor Resource = "CPU of a shard"
	ShardNetwork   Resource = "network of a shard"
	ShardDisk      Resource = "disk of a shard"
	LogProcessor   Resource = "CPU of the shard with the log"
	LogNetwork     Resource = "network of the shard with the log"
	HostProcessor  Resource = "CPU of a process"
	HostNetwork    Resource = "network of a process"
	PollTime       Resource = "time of a full poll"
)

// Resources are all of them.
var Resources = []Resource{ShardProcessor, ShardNetwork, ShardDisk, LogProcessor, LogNetwork, HostProcessor, HostNetwork, PollTime}

// polls are how a process reads changes, in the long run.
type polls struct {
	rate     float64 // a second, short ones and whole ones
	changes  float64 // that they read, a second
	took     time.Duration
	tookLong time.Duration // of a full poll
}

// Uses returns which part of each resource the site uses, by adding up what its operations cost: 1 is all that there is. The time of a poll is
// a part of the ten seconds after which a change may be missed.
func Uses(s Site, c Costs) (map[Resource]float64, error) {
	p, err := newPlan(&s, c)
	if err != nil {
		return nil, err
	}
	shards := float64(s.Shards)
	onPrimary := func(follower bool) float64 {
		if follower {
			return 1 / float64(s.Regions.Number)
		}
		return 1
	}
	var shard, log load // on each shard, and on the first one beside that
	add := func(rate float64, of []step, grouped float64) {
		for _, step := range of {
			// A group of n documents asks each shard once that has any of them.
			together := p.asked().times(rate / grouped)
			work := p.each(step.command, rate/grouped).plus(p.each(step.more, rate-rate/grouped))
			switch s.where(step.command) {
			case first:
				log = log.plus(together).plus(work)
			case all:
				shard = shard.plus(together).plus(p.each(step.command, rate/grouped))
			case theirs:
				n := grouped * float64(max(1, step.command.IDs))
				asked := shards * (1 - math.Pow(1-1/shards, n))
				shard = shard.plus(together.times(asked / shards)).plus(work.times(1 / shards))
			}
		}
	}
	add(s.Gets*onPrimary(s.Regions.FollowerGets), p.get.before, 1)
	create, update, remove := s.Writes*s.Mix.Create, s.Writes*s.Mix.Update, s.Writes*s.Mix.Delete
	add(create, p.create.before, s.grouped(create, s.createTime(p)))
	for _, o := range []struct {
		rate float64
		operation
	}{{update, p.update}, {remove, p.remove}} {
		add(o.rate, o.before, 1)
		if len(o.after) > 0 {
			add(o.rate, o.after, s.keptTogether(o.rate, p, o.after))
		}
	}
	add(float64(s.Processes)/2.5, p.sweep, 1)

	read := s.polls(p)
	watching := float64(s.Watching) * onPrimary(s.Regions.FollowerPolls)
	none, noneFirst := p.pollOf(0)
	some, someFirst := p.pollOf(1)
	minus := func(a, b load) load { return a.plus(b.times(-1)) }
	ofPolls := func(none, some load) load {
		return none.times(watching * read.rate).plus(minus(some, none).times(watching * read.changes))
	}
	each := ofPolls(none, some)
	shard = shard.plus(each)
	log = log.plus(minus(ofPolls(noneFirst, someFirst), each))
	log = log.plus(shard)

	watching = float64(max(s.Watching, 1))
	host := (s.Writes+s.Gets)/float64(s.Processes)*s.Prices.Request.Seconds() +
		read.changes*s.Prices.Change.Seconds() +
		s.Writes*float64(s.Watches)/watching*(s.Prices.Check.Seconds()+s.Selected*s.Prices.Deliver.Seconds())
	received := read.changes*((1-s.Mix.Delete)*p.polled.change+s.Mix.Delete*p.polled.entry) + s.Gets/float64(s.Processes)*float64(c.Document)
	of := func(l load, m Machine) (processor, network, disk float64) {
		return l.processor.Seconds() / float64(m.Cores), l.bytes / m.Network, l.pages / m.Disk
	}
	uses := make(map[Resource]float64)
	uses[ShardProcessor], uses[ShardNetwork], uses[ShardDisk] = of(shard, s.Shard)
	uses[LogProcessor], uses[LogNetwork], _ = of(log, s.Shard)
	uses[HostProcessor], uses[HostNetwork] = host/float64(s.Host.Cores), received/s.Host.Network
	uses[PollTime] = read.tookLong.Seconds() / s.Feed.Window.Seconds()
	return uses, nil
}

// createTime is how long a group of creations is under way where nothing waits.
func (s *Site) createTime(p *plan) (took time.Duration) {
	for _, step := range p.create.before {
		took += s.Regions.Within + p.asked().processor + p.each(step.command, 1).processor
		if step.command.writes() {
			took += s.Regions.Acknowledged
		}
	}
	return took
}

// grouped is how many creations of a process go together.
func (s *Site) grouped(rate float64, took time.Duration) float64 {
	waiting := rate / float64(s.Processes) * (took.Seconds()/float64(s.Feed.Groups) + s.Feed.MaxGrouping.Seconds())
	return min(max(1, waiting), float64(s.Feed.GroupSize))
}

// keptTogether is of how many operations of a process what follows the answer goes together.
func (s *Site) keptTogether(rate float64, p *plan, after []step) float64 {
	took := s.Feed.MaxKeep
	took += time.Duration(len(after)) * (s.Regions.Within + s.Regions.Acknowledged + p.asked().processor)
	return min(1+rate/float64(s.Processes)*took.Seconds(), float64(s.Feed.GroupSize))
}

// polls finds how often a process that has watches polls: a poll takes the longer the more has changed since the one before.
func (s *Site) polls(p *plan) (of polls) {
	if s.Watching == 0 || s.Watches == 0 {
		return of
	}
	const rounds, longest = 200, time.Minute // of a poll: a process whose polls grow for ever has no time left
	short, long := s.Regions.Within, s.Regions.Within
	for range rounds {
		wait := s.wait(short)
		every := s.everyLong(short)
		short = min(s.pollTime(p, s.Writes*s.lookback(short+wait).Seconds()), longest)
		long = min(s.pollTime(p, s.Writes*(s.Feed.Window+every).Seconds()), longest)
	}
	wait, every := s.wait(short), max(s.everyLong(short), long+s.wait(long))
	shorts := max(0, (every-long-s.wait(long)).Seconds()/(short+wait).Seconds())
	of.took, of.tookLong = short, long
	of.rate = (1 + shorts) / every.Seconds()
	of.changes = s.Writes * ((s.Feed.Window + every).Seconds() + shorts*s.lookback(short+wait).Seconds()) / every.Seconds()
	return of
}

// lookback is how long ago the changes begin that a poll reads, where one follows another after so long: with what was seen by the last poll that
// began a usual delay before the one before.
func (s *Site) lookback(period time.Duration) time.Duration {
	return min(maxLookback+period, period*time.Duration(1+math.Ceil(s.Feed.UsualDelay.Seconds()/period.Seconds())))
}

// pollTime is how long a poll of n changes takes where nothing waits.
func (s *Site) pollTime(p *plan, n float64) time.Duration {
	_, first := p.pollOf(n)
	took := s.Regions.Within + first.processor + seconds(first.bytes/s.Shard.Network) + time.Duration(n*float64(s.Prices.Change))
	if n > firstBatch {
		took += s.Regions.Within
	}
	return took
}

// firstBatch is how many documents a first answer has; the others take another round trip.
const firstBatch = 101

// How polls follow one another; see package protocol.
const (
	restPerPoll = 9
	busyRest    = 3 // a part of Feed.Poll
	longEvery   = 2 * time.Second
	maxLookback = time.Second
)

// wait is how long a process waits after a poll that took so long, while there are always news.
func (s *Site) wait(took time.Duration) time.Duration {
	if s.Writes/float64(s.Processes)*s.Feed.Poll.Seconds() < 1 {
		return s.Feed.Poll
	}
	return min(max(restPerPoll*took, s.Feed.Poll/busyRest), s.Feed.Poll)
}

// everyLong is how far apart full polls are.
func (s *Site) everyLong(took time.Duration) time.Duration { return max(longEvery, restPerPoll*took) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Limit is at how many writes a second, with all else as it is, a resource is used up; infinity where it never is.
func Limit(s Site, c Costs, r Resource) (float64, error) {
	const most = 1e7
	low, high := 0.0, most
	for range 60 {
		s.Writes = (low + high) / 2
		uses, err := Uses(s, c)
		if err != nil {
			return 0, err
		}
		if uses[r] < 1 {
			low = s.Writes
		} else {
			high = s.Writes
		}
	}
	if high == most {
		return math.Inf(1), nil
	}
	return low, nil
}
