package conf

import "strings"

// Nearest returns the word of among that word most likely meant: the fewest insertions, deletions, changes and swaps of neighbours
// away, in any case, and no more than a third of its letters (one in a short word). It is "" if none is that near; of equals the first.
func Nearest(word string, among []string) string {
	best, near := "", 0
	for _, candidate := range among {
		if d := distance(strings.ToLower(word), strings.ToLower(candidate)); best == "" || d < near {
			best, near = candidate, d
		}
	}
	letters := min(len([]rune(word)), len([]rune(best)))
	if near > max(1, (letters+1)/3) || near >= letters {
		return ""
	}
	return best
}

// distance is the optimal string alignment distance of a and b: Levenshtein's, with a swap of two neighbours counting once.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			change := last[j-1]
			if s[i-1] != t[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
