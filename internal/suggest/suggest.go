// Package suggest finds the word that a mistyped one was meant to be.
package suggest

import (
	"fmt"
	"strings"
)

// Nearest returns the known word that differs from word by the fewest changed, missing, added or swapped letters,
// regardless of case. If no word is near, it returns the first one that begins with word, and "" if none does.
func Nearest(word string, known []string) (nearest string) {
	if word == "" {
		return ""
	}
	least := (len(word)+2)/3 + 1
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least && d < len(k) {
			nearest, least = k, d
		}
	}
	for _, k := range known {
		if nearest == "" && strings.HasPrefix(strings.ToLower(k), strings.ToLower(word)) {
			nearest = k
		}
	}
	return nearest
}

// Among returns the end of an error about an unknown word: the nearest known word, if there is one, and all known
// words.
func Among(word string, known []string) string {
	all := "there are " + strings.Join(known, ", ")
	if nearest := Nearest(word, known); nearest != "" {
		return fmt.Sprintf("did you mean %s? T%s", nearest, all[1:])
	}
	return all
}

// distance returns the number of letters that must be changed, removed, added or swapped with their neighbour to turn a
// into b. It is the optimal string alignment distance.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1) // rows[i][j] is the distance of the first i letters of a from the first j of b
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
