package newsgroups

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// token is what becomes a word. Only ASCII letters count, since messages do not say their encoding.
var token = regexp.MustCompile(`[a-zA-Z]+|[0-9]+|\$`)

// cut cuts a text into its words, in order. Letters become lower case, a run of digits becomes the word "num", and
// `$` the word "dollar". Everything else separates words. Single letters and stop words are included; see [isCounted].
func cut(body []byte) []string {
	words := []string{}
	for _, word := range token.FindAll(body, -1) {
		switch {
		case word[0] == '$':
			words = append(words, "dollar")
		case word[0] <= '9':
			words = append(words, "num")
		default:
			words = append(words, strings.ToLower(string(word)))
		}
	}
	return words
}

// isCounted reports whether a word counts in a bag: it has two letters or more and is no stop word.
func isCounted(word string) bool {
	_, stop := slices.BinarySearch(stopWords, word)
	return len(word) > 1 && !stop
}

// Counted returns a message without header, footer and quotes, and the words of it that count in a bag, in order.
func Counted(message []byte) (text []byte, words []string) {
	text = body(message)
	return text, slices.DeleteFunc(cut(text), func(word string) bool { return !isCounted(word) })
}

// vocabulary numbers words from 0, in the order of their first occurrence. The zero value is empty and ready for use.
type vocabulary struct {
	// Words holds the word of each number.
	Words   []string
	numbers map[string]int32
}

// Number returns the number of each word. A new word gets the next number.
func (v *vocabulary) Number(words []string) []int32 {
	if v.numbers == nil {
		v.numbers = map[string]int32{}
	}
	numbers := make([]int32, len(words))
	for i, word := range words {
		number, known := v.numbers[word]
		if !known {
			number = int32(len(v.Words))
			v.numbers[word] = number
			v.Words = append(v.Words, word)
		}
		numbers[i] = number
	}
	return numbers
}

// Count returns how often each word of the vocabulary occurs in the documents.
func (v *vocabulary) Count(documents [][]int32) []int {
	counts := make([]int, len(v.Words))
	for _, document := range documents {
		for _, number := range document {
			counts[number]++
		}
	}
	return counts
}

// englishStopWords is the sorted list of 318 stop words of the Glasgow Information Retrieval Group, as scikit-learn has
// it for stop_words="english". Its oddities ("fire", a misspelt "amongst") are kept.
//
//nolint:misspell // the list is what it is
const englishStopWords = `
a about above across after afterwards again against all almost alone along already also although always am among
amongst amoungst amount an and another any anyhow anyone anything anyway anywhere are around as at back be became
because become becomes becoming been before beforehand behind being below beside besides between beyond bill both
bottom but by call can cannot cant co con could couldnt cry de describe detail do done down due during each eg eight
either eleven else elsewhere empty enough etc even ever every everyone everything everywhere except few fifteen fifty
fill find fire first five for former formerly forty found four from front full further get give go had has hasnt have
he hence her here hereafter hereby herein hereupon hers herself him himself his how however hundred i ie if in inc
indeed interest into is it its itself keep last latter latterly least less ltd made many may me meanwhile might mill
mine more moreover most mostly move much must my myself name namely neither never nevertheless next nine no nobody
none noone nor not nothing now nowhere of off often on once one only onto or other others otherwise our ours ourselves
out over own part per perhaps please put rather re same see seem seemed seeming seems serious several she should show
side since sincere six sixty so some somehow someone something sometime sometimes somewhere still such system take ten
than that the their them themselves then thence there thereafter thereby therefore therein thereupon these they thick
thin third this those though three through throughout thru thus to together too top toward towards twelve twenty two
un under until up upon us very via was we well were what whatever when whence whenever where whereafter whereas
whereby wherein whereupon wherever whether which while whither who whoever whole whom whose why will with within
without would yet you your yours yourself yourselves
`

var stopWords = strings.Fields(englishStopWords)

// body returns a message without its header, its footer and the lines that quote others, stripped in this order. This
// is what scikit-learn documents for fetch_20newsgroups(remove=("headers", "footers", "quotes")). The order matters:
// the blank line before a signature may lie among quoted lines.
func body(message []byte) []byte {
	return stripQuotes(stripFooter(stripHeader(message)))
}

// stripHeader drops everything up to the first blank line and that line. A message without one is all header.
func stripHeader(message []byte) []byte {
	_, body, _ := bytes.Cut(message, []byte("\n\n"))
	return body
}

// stripFooter drops the signature: the last line that is blank or has hyphens only, and all that comes after it. Blank
// lines and space at the ends of the text are trimmed before, and do not count. If no line below the first is such a
// line, the text stays as it is, with them.
func stripFooter(body []byte) []byte {
	trimmed := trimSpace(body)
	for end := len(trimmed); ; { // from the last line to the second
		start := bytes.LastIndexByte(trimmed[:end], '\n') + 1
		if start == 0 {
			return body
		}
		line := trimSpace(trimmed[start:end])
		if len(bytes.Trim(line, "-")) == 0 {
			return trimmed[:start-1]
		}
		end = start - 1
	}
}

var newline = []byte("\n")

// quoteStarts begin a line that quotes or names who is quoted; quoteMarks are anywhere in it.
var (
	quoteStarts = [][]byte{[]byte(">"), []byte("|"), []byte("In article"), []byte("Quoted from")}
	quoteMarks  = [][]byte{[]byte("writes in"), []byte("writes:"), []byte("wrote:"), []byte("says:"), []byte("said:")}
)

// stripQuotes drops the lines that start with ">", "|", "In article" or "Quoted from". It also drops the lines that
// hold "writes in", "writes:", "wrote:", "says:" or "said:". Upper and lower case differ.
func stripQuotes(body []byte) []byte {
	return bytes.Join(slices.DeleteFunc(bytes.Split(body, newline), quotes), newline)
}

func quotes(line []byte) bool {
	return slices.ContainsFunc(quoteStarts, func(start []byte) bool { return bytes.HasPrefix(line, start) }) ||
		slices.ContainsFunc(quoteMarks, func(mark []byte) bool { return bytes.Contains(line, mark) })
}

// trimSpace trims the characters of Latin-1 that Unicode calls space; bytes.TrimSpace would read UTF-8.
func trimSpace(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

func isSpace(character byte) bool {
	return character == ' ' || '\t' <= character && character <= '\r' || 0x1c <= character && character <= 0x1f ||
		character == 0x85 || character == 0xa0
}

// wordsOf lists the words of each document.
func wordsOf(documents []document) [][]int32 {
	lists := make([][]int32, len(documents))
	for i, d := range documents {
		lists[i] = d.words
	}
	return lists
}
