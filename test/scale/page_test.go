package scale

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the tables of docs/scale.md")

const page = "../../docs/scale.md"

// TestPage makes the tables of docs/scale.md and holds the page to them.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]func(*testing.T) string{
		"costs": costsTable, "site": siteTable, "stored": storedTable, "uses": usesTable, "polls": pollsTable, "growth": growthTable,
		"limits": limitsTable, "moves": movesTable, "regions": regionsTable,
	}
	made := make(map[string]string)
	var mutex sync.Mutex
	t.Run("tables", func(t *testing.T) {
		for name, table := range tables {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				text := table(t)
				mutex.Lock()
				defer mutex.Unlock()
				made[name] = text
			})
		}
	})
	result := string(text)
	for name, table := range made {
		begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		before, rest, found := strings.Cut(result, begin)
		_, after, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("%s has no place for the table %s", page, name)
		}
		result = before + begin + table + end + after
	}
	if *update {
		if err := os.WriteFile(page, []byte(result), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if result != string(text) {
		t.Errorf("%s is out of date: run go test ./test/scale -run TestPage -update, and look at what has changed", page)
	}
}

// table lays out rows.
func table(head string, rows ...[]string) string {
	columns := strings.Split(head, "|")
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(columns)
	align := make([]string, len(columns))
	for i := range align {
		align[i] = "--:"
	}
	align[0] = "---"
	fmt.Fprintf(&b, "|%s|\n", strings.Join(align, "|"))
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

func costsTable(t *testing.T) string {
	c := costs(t)
	var rows [][]string
	for _, o := range c.Operations {
		var count, keys, bytes [2]int
		var whole []string
		for i, commands := range [][]Command{o.Commands, o.After} {
			for _, command := range commands {
				count[i]++
				keys[i] += command.Keys
				bytes[i] += command.Request + command.Reply
				s := Reference()
				if s.where(command) == all && !slices.Contains(whole, "`"+command.By+"`") {
					whole = append(whole, "`"+command.By+"`")
				}
			}
		}
		rows = append(rows, []string{o.Name, fmt.Sprint(count[0]), fmt.Sprint(count[1]), fmt.Sprint(keys[0] + keys[1]), thousands(bytes[0] + bytes[1]), strings.Join(whole, ", ")})
	}
	return table("operation|commands before the response|after the response|index keys written|bytes|queries to all shards, by field", rows...)
}

func siteTable(*testing.T) string {
	s := Reference()
	row := func(name string, value any) []string { return []string{name, fmt.Sprint(value)} }
	return table("parameter|assumed value",
		row("documents", millions(s.Documents)),
		row("writes per second: creations, updates, deletions", fmt.Sprintf("%s: %s, %s, %s", thousands(s.Writes), thousands(s.Writes*s.Mix.Create), thousands(s.Writes*s.Mix.Update), thousands(s.Writes*s.Mix.Delete))),
		row("gets per second", thousands(s.Gets)),
		row("retention of the history", fmt.Sprintf("%.0f h", s.History.Hours())),
		row("processes; CPU cores of each", fmt.Sprintf("%d; %d", s.Processes, s.Host.Cores)),
		row("watches; processes with watches; changes that a watch selects", fmt.Sprintf("%s; %d; %.2f %%", thousands(s.Watches), s.Watching, 100*s.Selected)),
		row("shards; of each: CPU cores, cache, network, pages read from disk", fmt.Sprintf("%d; %d, %.0f GiB, %.2f GB/s, %s/s", s.Shards, s.Shard.Cores, s.Shard.Memory/(1<<30), s.Shard.Network/1e9, thousands(s.Shard.Disk))),
		row("round trip to a shard; round trip from a primary to a majority", fmt.Sprintf("%v; %v", s.Regions.Within, s.Regions.Acknowledged)),
		row("CPU time of the database per command, document read, document written, key written, kilobyte", fmt.Sprintf("%v, %v, %v, %v, %v", s.Prices.Command, s.Prices.Read, s.Prices.Write, s.Prices.Key, s.Prices.Kilobyte)),
		row("CPU time of a process per request, change read, check of a watch, change delivered", fmt.Sprintf("%v, %v, %v, %v", s.Prices.Request, s.Prices.Change, s.Prices.Check, s.Prices.Deliver)),
	)
}

func storedTable(t *testing.T) string {
	var rows [][]string
	for _, history := range []time.Duration{time.Hour, 24 * time.Hour, 7 * 24 * time.Hour} {
		s := Reference()
		s.History = history
		of, err := s.store(costs(t))
		if err != nil {
			t.Fatal(err)
		}
		missed, err := s.missing(costs(t))
		if err != nil {
			t.Fatal(err)
		}
		shards := float64(s.Shards)
		rows = append(rows, []string{fmt.Sprintf("%.0f h", history.Hours()), millions(of.documents), millions(of.versions),
			gigabytes(of.data), gigabytes(of.indexes), gigabytes(of.data / shards), gigabytes(of.indexes / shards), fmt.Sprintf("%.0f %%", 100*missed)})
	}
	return table("history|documents|versions|data|indexes|data per shard|indexes per shard|index pages not in the cache", rows...)
}

func usesTable(t *testing.T) string {
	s := Reference()
	model, err := Uses(s, costs(t))
	if err != nil {
		t.Fatal(err)
	}
	r := simulate(t, s, 1)
	s.Watching, s.Watches = 0, 0
	without, err := Uses(s, costs(t))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, resource := range Resources {
		rows = append(rows, []string{string(resource), percent(model[resource]), percent(r.Uses[resource]), percent(without[resource])})
	}
	return table("resource|utilization: model|simulation|model, without watches", rows...)
}

func pollsTable(t *testing.T) string {
	var rows [][]string
	for _, writes := range []float64{1_000, 10_000, 20_000} {
		s := Reference()
		s.Writes = writes
		plan, err := newPlan(&s, costs(t))
		if err != nil {
			t.Fatal(err)
		}
		of := s.polls(plan)
		bytes := of.changes * ((1-s.Mix.Delete)*plan.polled.change + s.Mix.Delete*plan.polled.entry)
		rows = append(rows, []string{thousands(writes), fmt.Sprintf("%.1f", of.rate), short(of.took), short(of.tookLong),
			fmt.Sprintf("%.1f", of.changes/s.Writes), fmt.Sprintf("%.0f MB", bytes/1e6), fmt.Sprintf("%.1f GB", bytes*float64(s.Watching)/1e9)})
	}
	return table("writes per second|polls per second|time of a poll|time of a full poll|reads of each change|read per second by a process|by all processes", rows...)
}

func growthTable(t *testing.T) string {
	var rows [][]string
	for _, writes := range []float64{1_000, 5_000, 10_000, 15_000, 20_000, 30_000} {
		s := Reference()
		s.Writes = writes
		r := simulate(t, s, 1)
		busiest := slices.MaxFunc(Resources, func(a, b Resource) int { return cmp.Compare(r.Uses[a], r.Uses[b]) })
		row := []string{thousands(writes), hundreds(r.Writes)}
		for _, name := range []string{"get", "create", "update", "delete"} {
			row = append(row, spread(r.Time(name)))
		}
		rows = append(rows, append(row, spread(r.Lag), fmt.Sprintf("%s, %s", busiest, percent(r.Uses[busiest]))))
	}
	return table("requested writes per second|completed per second|get|create|update|delete|commit to watch|busiest resource", rows...)
}

func limitsTable(t *testing.T) string {
	s := Reference()
	limits := make(map[Resource]float64)
	for _, resource := range Resources {
		limit, err := Limit(s, costs(t), resource)
		if err != nil {
			t.Fatal(err)
		}
		limits[resource] = limit
	}
	inOrder := slices.SortedFunc(slices.Values(Resources), func(a, b Resource) int { return cmp.Compare(limits[a], limits[b]) })
	var rows [][]string
	for _, resource := range inOrder {
		rows = append(rows, []string{string(resource), hundreds(limits[resource])})
	}
	return table("resource|limit, in writes per second", rows...)
}

// moves are what changes the lowest limit.
var moves = []struct {
	name   string
	change func(*Site)
}{
	{"none", func(*Site) {}},
	{"keep the history for one hour: `--history-time 1h`", func(s *Site) { s.History = time.Hour }},
	{"shard the log by hashed ids", func(s *Site) { s.SpreadLog = true }},
	{"send all watches to 10 of the 100 processes, with the load balancer", func(s *Site) { s.Watching = 10 }},
	{"all three of these", allThree},
	{"all three, and 16 shards", func(s *Site) { allThree(s); s.Shards = 16 }},
	{"only 16 shards", func(s *Site) { s.Shards = 16 }},
	{"shard documents by hashed ids", func(s *Site) { s.Hashed = true }},
	{"300 processes, with the same total number of watches", func(s *Site) { s.Processes, s.Watching = 300, 300 }},
	{"twice the CPU time for every operation", func(s *Site) {
		for _, price := range []*time.Duration{&s.Prices.Command, &s.Prices.Read, &s.Prices.Write, &s.Prices.Key, &s.Prices.Kilobyte,
			&s.Prices.Request, &s.Prices.Change, &s.Prices.Check, &s.Prices.Deliver} {
			*price *= 2
		}
	}},
	{"read each change only once, with change streams that contain the changes (not implemented)", func(s *Site) { s.Feed.UsualDelay, s.Feed.Window = 0, 0 }},
}

func allThree(s *Site) { s.History, s.SpreadLog, s.Watching = time.Hour, true, 10 }

func movesTable(t *testing.T) string {
	var rows [][]string
	for _, move := range moves {
		s := Reference()
		move.change(&s)
		var lowest Resource
		least := math.Inf(1)
		for _, resource := range Resources {
			if resource == PollTime && s.Feed.Window == 0 {
				continue
			}
			limit, err := Limit(s, costs(t), resource)
			if err != nil {
				t.Fatal(err)
			}
			if limit < least {
				lowest, least = resource, limit
			}
		}
		rows = append(rows, []string{move.name, string(lowest), hundreds(least)})
	}
	return table("change|first bottleneck|limit, in writes per second", rows...)
}

func regionsTable(t *testing.T) string {
	var rows [][]string
	for _, layout := range []struct {
		name   string
		change func(*Regions)
	}{
		{"everything in one region", func(r *Regions) { r.Number = 1 }},
		{"primaries and a majority of the members in the first region", func(*Regions) {}},
		{"primaries in the first region, majority across two regions", func(r *Regions) { r.Acknowledged = r.Between }},
		{"like the second row, but gets and polls read from the local member (not implemented)", func(r *Regions) { r.FollowerGets, r.FollowerPolls = true, true }},
		{"primaries in the regions of their documents (zones), 95 % of all operations are local, majority across two regions", func(r *Regions) { r.Zones, r.Local, r.Acknowledged = true, 0.95, r.Between }},
	} {
		s := ThreeRegions()
		layout.change(&s.Regions)
		r := simulate(t, s, 1)
		row := []string{layout.name}
		for _, name := range []string{"get", "create", "update", "delete"} {
			row = append(row, fmt.Sprintf("%s, %s", short(r.Time(name+" 0").Part(0.5)), short(r.Time(fmt.Sprint(name, " ", s.Regions.Number-1)).Part(0.5))))
		}
		rows = append(rows, append(row, spread(r.Lag)))
	}
	return table("layout|get|create|update|delete|commit to watch", rows...)
}

func spread(s *Spread) string { return short(s.Part(0.5)) + ", " + short(s.Part(0.99)) }

// short is a time with two digits.
func short(d time.Duration) string {
	switch {
	case d == 0:
		return "none"
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

func millions(n float64) string { return thousands(n/1e6) + " million" }

func gigabytes(n float64) string { return thousands(n/1e9) + " GB" }

func hundreds(n float64) string {
	if math.IsInf(n, 1) {
		return "never"
	}
	return thousands(math.Round(n/100) * 100)
}

// thousands writes a number with a comma in front of each three digits.
func thousands[T int | float64](n T) string {
	text := fmt.Sprintf("%.0f", float64(n))
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
