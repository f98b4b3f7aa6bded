package suggest

import "strings"

// longest is up to which length a name is compared, in bytes.
const longest = 64

// mostCandidates is how many names are compared.
const mostCandidates = 2000

// Nearest returns the first of the candidates with the fewest changes of a letter, at most a third
// of the letters (letters of the other case count as equal), or "" when none of the first
// 2,000 is near.
func Nearest(written string, candidates []string) string {
	if len(written) > longest {
		return ""
	}
	best, most := "", max(1, len(written)/3)+1
	for _, candidate := range candidates[:min(len(candidates), mostCandidates)] {
		if d := distance(strings.ToLower(written), strings.ToLower(candidate), most); d < most {
			best, most = candidate, d
		}
	}
	return best
}

// distance counts the insertions, deletions and replacements of a byte, and the swaps of neighbours,
// that lead from a to b, up to the limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
