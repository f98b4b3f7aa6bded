package scale

import (
	"fmt"
	"time"
)

// shard draws the shard of a document that a client of the process concerns itself with.
func (h *process) shard() int {
	if h.Regions.Zones && h.random.Float64() < h.Regions.Local {
		return h.region + h.Regions.Number*h.random.IntN(h.Shards/h.Regions.Number)
	}
	return h.random.IntN(h.Shards)
}

// request does what the process does for a request, and then the rest.
func (h *process) request(then func()) {
	h.at(h.processor.serve(h.now, h.Prices.Request), then)
}

// answered notes how long an operation took.
func (h *process) answered(name string, began time.Duration) {
	if began < h.from {
		return
	}
	for _, name := range []string{name, fmt.Sprint(name, " ", h.region)} {
		h.result.Time(name).Add(h.now-began, 1)
	}
}

func (h *process) get() {
	began, shard := h.now, h.shard()
	h.request(func() {
		h.send(h.plan.get.before, []int{shard}, h.Regions.FollowerGets, func() { h.answered("get", began) })
	})
}

// write does an update or a deletion.
func (h *process) write(name string, o *operation) {
	began, shard := h.now, h.shard()
	h.request(func() {
		h.send(o.before, []int{shard}, false, func() {
			h.committed(1, 0)
			h.written(1)
			h.answered(name, began)
			h.leave(o, shard)
		})
	})
}

// written counts writes that have been answered.
func (h *process) written(n int) {
	if h.now >= h.from {
		h.result.Writes += float64(n)
	}
}

// leave has what follows the answer done, together with that of others that are waiting for it.
func (h *process) leave(o *operation, shard int) {
	if len(o.after) == 0 {
		return
	}
	q := h.left[o]
	if q == nil {
		q = new(queue)
		h.left[o] = q
	}
	q.shards = append(q.shards, shard)
	if q.busy {
		return
	}
	q.busy = true
	var next func()
	next = func() {
		n := min(len(q.shards), h.Feed.GroupSize)
		group := q.shards[:n:n]
		q.shards = q.shards[n:]
		if q.busy = n > 0; q.busy {
			h.send(o.after, group, false, func() { h.after(h.Feed.MaxKeep, next) })
		}
	}
	h.after(h.Feed.MaxKeep, next)
}

// create has a document created in a group.
func (h *process) create() {
	began, shard := h.now, h.shard()
	h.request(func() {
		h.waiting = append(h.waiting, creation{began, shard})
		h.group()
	})
}

// group begins a group if creations wait and it may.
func (h *process) group() {
	if h.pausing || h.groups == h.Feed.Groups || len(h.waiting) == 0 {
		return
	}
	h.pausing = true
	h.after(h.Feed.MaxGrouping, func() {
		h.pausing = false
		n := min(len(h.waiting), h.Feed.GroupSize)
		group := h.waiting[:n:n]
		h.waiting = h.waiting[n:]
		shards := make([]int, n)
		for i, c := range group {
			shards[i] = c.shard
		}
		h.groups++
		h.result.groups, h.result.created = h.result.groups+1, h.result.created+float64(n)
		h.send(h.plan.create.before, shards, false, func() {
			h.groups--
			h.committed(n, 0)
			h.written(n)
			for _, c := range group {
				h.answered("create", c.began)
			}
			h.group()
		})
		h.group()
	})
}

// send sends the commands of some documents one after the other.
func (h *process) send(steps []step, shards []int, follower bool, done func()) {
	if len(steps) == 0 {
		done()
		return
	}
	step := steps[0]
	loads := make(map[int]load)
	switch h.where(step.command) {
	case first:
		loads[0] = h.asked().plus(h.each(step.command, 1)).plus(h.each(step.more, float64(len(shards)-1)))
	case all:
		for shard := range h.Shards {
			loads[shard] = h.asked().plus(h.each(step.command, 1))
		}
	case theirs:
		for i, shard := range shards {
			work := h.each(step.more, 1)
			if i == 0 {
				work = h.each(step.command, 1)
			}
			ids := max(1, step.command.IDs)
			for n := range ids {
				if n > 0 || ids > 1 && h.Hashed {
					shard = h.shard() // that of a reference, or of a parent that is elsewhere
				}
				if _, there := loads[shard]; !there {
					loads[shard] = h.asked()
				}
				loads[shard] = loads[shard].plus(work.times(1 / float64(ids)))
			}
		}
	}
	h.ask(loads, step.command.writes(), follower, 0, func() { h.send(steps[1:], shards, follower, done) })
}

// ask has members of shards do their parts of a command, and goes on when all have answered.
func (h *process) ask(loads map[int]load, writes, follower bool, more time.Duration, done func()) {
	left := len(loads)
	for shard := range h.Shards { // in this order, so that a seed always gives the same
		work, asked := loads[shard]
		if !asked {
			continue
		}
		region := h.home(shard)
		if follower {
			region = h.region
		}
		m, way := h.members[region][shard], h.roundTrip(h.region, region)/2
		h.received += work.bytes
		h.after(way, func() {
			h.at(m.processor.serve(h.now, work.processor), func() {
				ready := m.network.serve(h.now, seconds(work.bytes/h.Shard.Network))
				if work.pages > 0 {
					ready = max(ready, m.disk.serve(h.now, seconds(work.pages/h.Shard.Disk)))
				}
				if writes {
					ready += h.Regions.Acknowledged
					h.copy(shard, work)
				}
				h.at(ready+way+more, func() {
					if left--; left == 0 {
						done()
					}
				})
			})
		})
	}
}

// copy has the members of a shard in other regions write what the primary has written, where they have other work.
func (h *process) copy(shard int, work load) {
	if !h.Regions.FollowerGets && !h.Regions.FollowerPolls {
		return
	}
	for region, members := range h.members {
		if region != h.home(shard) {
			members[shard].processor.serve(h.now, work.processor-h.asked().processor)
		}
	}
}

// lookback is when the last poll began that had begun a usual delay before the last.
func (h *process) lookback() time.Duration {
	if len(h.polls) == 0 {
		return 0
	}
	last := h.polls[len(h.polls)-1]
	latest := last - h.Feed.UsualDelay
	for len(h.polls) > 1 && h.polls[1] <= latest {
		h.polls = h.polls[1:]
	}
	return max(last-maxLookback, min(h.polls[0], latest))
}

// poll reads what has changed, has the watches look at it, and goes on.
func (h *process) poll(until time.Duration) {
	if h.now > until {
		return
	}
	began, since := h.now, h.lookback()
	long := began-h.lastLong >= h.everyLong(h.lastTook)
	if long {
		since, h.lastLong = h.lastLong-h.Feed.Window, began
	}
	h.polls = append(h.polls, began)
	visible := h.now
	if h.Regions.FollowerPolls {
		visible -= h.Regions.Between / 2
	}
	upTo := h.index(visible)
	total := h.committed(0, upTo)
	changes := max(0, total-h.committed(0, h.index(since)))
	loads := make(map[int]load, h.Shards)
	each, first := h.pollOf(changes)
	for shard := range h.Shards {
		loads[shard] = each
	}
	loads[0] = first
	more := time.Duration(0)
	if changes > firstBatch {
		more = h.roundTrip(h.region, h.home(0))
	}
	h.ask(loads, false, h.Regions.FollowerPolls, more, func() {
		h.at(h.processor.serve(h.now, time.Duration(changes*float64(h.Prices.Change))), func() {
			h.lastTook = h.now - began
			spread := h.result.Poll
			if long {
				spread = h.result.LongPoll
			}
			if began >= h.from {
				spread.Add(h.lastTook, 1)
			}
			h.show(upTo)
			h.after(h.wait(h.lastTook), func() { h.poll(until) })
		})
	})
}

// show has the watches look at what they have not seen, up to a moment.
func (h *process) show(upTo int) {
	fresh := h.commits[upTo] - h.commits[h.seen]
	each := fresh * float64(h.watches) / float64(h.Host.Cores) * (float64(h.Prices.Check) + h.Selected*float64(h.Prices.Deliver))
	shown := h.now
	for range h.Host.Cores {
		shown = max(shown, h.processor.serve(h.now, time.Duration(each)))
	}
	for i := h.seen + 1; i <= upTo; i++ {
		if at := time.Duration(i)*moment - 3*h.Feed.Window; at >= h.from {
			h.result.Lag.Add(shown-at, h.commits[i]-h.commits[i-1])
		}
	}
	h.seen = max(h.seen, upTo)
}
