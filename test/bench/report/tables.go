package main

import (
	"fmt"
	"strconv"
	"strings"
)

// table is one table of the document: its place is the name in the comments around it.
type table struct {
	place  string
	render func(*results) string // "" when its benchmarks are not among the results
}

var tables = []table{
	{"machine", machine},
	{"create", create},
	{"scale", scale},
	{"rest", rest},
	{"start", start},
	{"apply", apply},
}

// replace puts rows between <!-- place --> and <!-- /place -->.
func replace(text, place, rows string) (string, error) {
	begin, end := "<!-- "+place+" -->\n", "<!-- /"+place+" -->"
	before, rest, found := strings.Cut(text, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("the document has no place %q", place)
	}
	return before + begin + rows + end + after, nil
}

func machine(r *results) string {
	if r.facts["cpu"] == "" {
		return ""
	}
	text := fmt.Sprintf("%s, %d cores, %s/%s", r.facts["cpu"], r.processors, r.facts["goos"], r.facts["goarch"])
	if syncs, ok := r.median("Disk/sync", "syncs/s"); ok {
		text += fmt.Sprintf("; the disk does %s synced writes of 4 KiB a second, one after the other", count(syncs))
	}
	return text + ".\n"
}

// create has a row for each number of parents and writers. Beside a peer's number stands the smallest ratio of any
// round.
func create(r *results) string {
	peers := []struct{ name, title string }{{"postgresql", "PostgreSQL"}, {"etcd", "etcd"}, {"bbolt", "raw bbolt"}}
	var b strings.Builder
	b.WriteString("| parents | writers | Dovetail |")
	for _, peer := range peers {
		b.WriteString(" " + peer.title + " |")
	}
	b.WriteString("\n|--:|--:|--:|--:|--:|--:|\n")
	found := false
	for _, parents := range []int{1, 100} {
		for _, writers := range []int{1, 8, 64} {
			of := func(system string) string {
				return fmt.Sprintf("Create/%s/parents=%d/writers=%d", system, parents, writers)
			}
			own, ok := r.median(of("dovetail"), "creates/s")
			if !ok {
				continue
			}
			found = true
			fmt.Fprintf(&b, "| %d | %d | **%s** |", parents, writers, count(own))
			for _, peer := range peers {
				if theirs, ok := r.median(of(peer.name), "creates/s"); ok {
					ratio := r.ratios(of("dovetail"), of(peer.name), "creates/s")[0]
					fmt.Fprintf(&b, " %s (×%.2f) |", count(theirs), ratio)
				} else {
					b.WriteString(" not installed |")
				}
			}
			b.WriteString("\n")
		}
	}
	if !found {
		return ""
	}
	return b.String()
}

// scaleNames are the operations in words.
var scaleNames = map[string]string{"create": "create", "delete": "delete", "get": "get", "get-rest": "get over REST"}

// scale compares the median times of single operations in a small and in a large store. The ratio is the largest of
// any round.
func scale(r *results) string {
	var b strings.Builder
	b.WriteString("| operation | 1,000 documents | 1,000,000 documents | ratio |\n|---|--:|--:|--:|\n")
	found := false
	for _, operation := range []string{"create", "delete", "get", "get-rest"} {
		small, large := "Scale/documents=1000/"+operation, "Scale/documents=1000000/"+operation
		before, ok1 := r.median(small, "p50-µs")
		after, ok2 := r.median(large, "p50-µs")
		if !ok1 || !ok2 {
			continue
		}
		found = true
		ratios := r.ratios(large, small, "p50-µs")
		fmt.Fprintf(&b, "| %s | %s µs | %s µs | ×%.2f |\n", scaleNames[operation], short(before), short(after), ratios[len(ratios)-1])
	}
	if !found {
		return ""
	}
	return b.String()
}

func rest(r *results) string {
	var b strings.Builder
	b.WriteString("| request | a second | p50 | p99 |\n|---|--:|--:|--:|\n")
	found := false
	for _, request := range []string{"create", "get"} {
		rate, ok := r.median("REST/"+request, "requests/s")
		if !ok {
			continue
		}
		found = true
		p50, _ := r.median("REST/"+request, "p50-µs") // reported with the rate
		p99, _ := r.median("REST/"+request, "p99-µs")
		fmt.Fprintf(&b, "| %s | %s | %s µs | %s µs |\n", request, count(rate), count(p50), count(p99))
	}
	if !found {
		return ""
	}
	return b.String()
}

func start(r *results) string {
	const name = "Start/documents=1000000"
	ready, ok := r.median(name, "ready-ms")
	if !ok {
		return ""
	}
	heap, _ := r.median(name, "heap-MB") // reported with the time
	return fmt.Sprintf("| ready after | largest heap |\n|--:|--:|\n| %s ms | %s MB |\n", count(ready), count(heap))
}

func apply(r *results) string {
	took, ok := r.median("Apply/documents=10000", "ns/op")
	if !ok {
		return ""
	}
	return fmt.Sprintf("| documents | one transaction |\n|--:|--:|\n| 10,000 | %.2f s |\n", took/1e9)
}

// count writes a number in whole units, with commas between thousands.
func count(value float64) string {
	digits := strconv.FormatFloat(value, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// short writes a time with as many decimals as it needs to be distinguished.
func short(value float64) string {
	if value < 100 {
		return strconv.FormatFloat(value, 'f', 1, 64)
	}
	return count(value)
}
