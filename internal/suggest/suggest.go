// Package suggest finds the word that a mistyped one was meant to be, and shows what somebody wrote in an error.
package suggest

import (
	"cmp"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gomlx/gomlx/support/xslices"
	edlib "github.com/hbollon/go-edlib"
	"golang.org/x/text/unicode/norm"
)

// longest is the greatest length in bytes of a word. A longer text is compared with nothing, and shown in part.
const longest = 100

// renamed has the old and the new name of options and of their values, one pair in a line.
//
//go:embed renamed.txt
var renamed string

// Nearest returns the known word that was once called word, or else the one that differs from word by the fewest
// changed, missing, added or swapped letters, regardless of case. If no word is near, it returns the first one that
// begins with word, and "" if none does. It passes over texts of more than a hundred bytes.
func Nearest(word string, known []string) (nearest string) {
	if word == "" || len(word) > longest {
		return ""
	}
	for line := range strings.Lines(renamed) {
		if before, now, _ := strings.Cut(strings.TrimSpace(line), " "); before == word && slices.Contains(known, now) {
			return now
		}
	}
	known = slices.DeleteFunc(slices.Clone(known), func(k string) bool { return len(k) > longest })
	least := (len([]rune(word))+2)/3 + 1
	for _, k := range known {
		if d := edlib.OSADamerauLevenshteinDistance(strings.ToLower(word), strings.ToLower(k)); d < least &&
			d < len([]rune(k)) {
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

// Meant returns the end of an error about an unknown word: the nearest known word, or nothing if none is near.
func Meant(word string, known []string) string {
	if nearest := Nearest(word, known); nearest != "" {
		return fmt.Sprintf("; did you mean %s?", nearest)
	}
	return ""
}

// Beside returns the end of an error about a path that is missing: the path in the same folder with the nearest name.
// With holding it is a folder that holds a file of that name.
func Beside(path, holding string) string {
	beside, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*", holding))
	for i, at := range beside {
		beside[i] = filepath.Base(strings.TrimSuffix(at, holding))
	}
	if nearest := Nearest(filepath.Base(path), beside); nearest != "" && nearest != filepath.Base(path) {
		return fmt.Sprintf("; did you mean %s?", filepath.Join(filepath.Dir(path), nearest))
	}
	return ""
}

// Among returns the end of an error about an unknown word: the nearest known word, if there is one, and all known
// words.
func Among(word string, known []string) string {
	all := "there are " + strings.Join(xslices.Map(known, Clip), ", ")
	if nearest := Nearest(word, known); nearest != "" {
		return fmt.Sprintf("did you mean %s? T%s", nearest, all[1:])
	}
	return all
}

// Import says what a program lacks that has not registered a model.
const Import = `import the package that registers it, such as _ "github.com/clusterpool/ccp/models/baselines"`

// Model returns the end of an error about an unknown model: what Among returns, and Import in a program without the
// baselines.
func Model(word string, known []string) string {
	if slices.Contains(known, "gcn") {
		return Among(word, known)
	}
	return Among(word, known) + "; for another, " + Import
}

// Clip returns the beginning of a text that somebody wrote, for an error.
func Clip(text string) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}

// Few lists the first of some names.
func Few(names []string) string {
	shown := strings.Join(xslices.Map(names[:min(8, len(names))], Clip), ", ")
	if len(names) > 8 {
		return fmt.Sprintf("%s, … (%d in all)", shown, len(names))
	}
	return shown
}

// Match finds the wanted names among names. It returns the place of each wanted name, -1 if it is missing. others are
// the names that nobody wants. turned reports another order.
func Match(wanted, names []string) (at []int, missing, others []string, turned bool) {
	positions := make(map[string]int, len(names))
	for i, name := range names {
		positions[Tidy(name)] = i
	}
	last := -1
	for _, name := range wanted {
		key := Tidy(name)
		place, ok := positions[key]
		delete(positions, key)
		if !ok {
			at, missing = append(at, -1), append(missing, name)
			continue
		}
		at, turned, last = append(at, place), turned || place < last, place
	}
	for i, name := range names {
		if place, left := positions[Tidy(name)]; left && place == i {
			others = append(others, name)
		}
	}
	return at, missing, others, turned
}

// Tidy returns a name in composed letters, and without blanks and marks around it that nobody sees, as names that look
// alike are one.
func Tidy(name string) string {
	return norm.NFC.String(strings.TrimFunc(name,
		func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' }))
}

// Truth returns true or false for a truth value in any case, such as the True of pandas or the TRUE of R, and other
// names as they are.
func Truth(name string) string {
	for _, truth := range []string{"false", "true"} {
		if strings.EqualFold(name, truth) {
			return truth
		}
	}
	return name
}

// Class returns the number of a class among names; -1 if it is none. Truth values are the same in any case, and numbers
// however they are written: pandas writes 1.0 where a workbook or Parquet has 1.
func Class(name string, names []string) int {
	if at := slices.Index(names, name); at >= 0 {
		return at
	}
	value, err := strconv.ParseFloat(name, 64)
	return slices.IndexFunc(names, func(other string) bool {
		if number, wrong := strconv.ParseFloat(other, 64); err == nil && wrong == nil {
			return number == value
		}
		return Truth(other) == Truth(name)
	})
}

// Alike returns notes on names that are two and look like one, as they differ in case alone, or in how a number is
// written. A name that looks like a missing value has its note, too. The notes call what is named by the word in what,
// such as class or group.
func Alike(what string, names []string) (notes []string) {
	first := map[string]string{}
	for _, name := range names {
		key := strings.ToLower(name)
		switch number, err := strconv.ParseFloat(name, 64); {
		case slices.Contains([]string{"", "?", "na", "n/a", "nan", "null", "none", "nil"}, key):
			notes = append(notes, fmt.Sprintf("%s %q looks like a missing value; name it otherwise, or leave those samples out",
				what, name))
		case err == nil:
			key = strconv.FormatFloat(number, 'g', -1, 64)
		}
		if other, known := first[key]; known {
			notes = append(notes, fmt.Sprintf("%s %q and %q may be one; write both alike", what, other, name))
		}
		first[key] = cmp.Or(first[key], name)
	}
	return notes
}
