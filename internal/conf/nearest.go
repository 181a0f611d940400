package conf

import "strings"

// Nearest returns the word in among that was probably meant by word, or "" if none is near. Case
// does not count. The nearest word has the smallest distance, the first one if several have it;
// near means a distance up to a third of the letters, or 1 for a short word.
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

// distance returns the optimal string alignment distance between a and b: the fewest insertions,
// deletions, changes and swaps of neighbours (Levenshtein's, with a swap counted once).
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
