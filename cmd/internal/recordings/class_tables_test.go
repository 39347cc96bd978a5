package recordings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// labelled writes eight recordings, and a table of classes of so many samples.
func labelled(t *testing.T, samples int, name func(i int) string) (folder string, o Options) {
	t.Helper()
	folder = t.TempDir()
	for i := 1; i <= 8; i++ {
		put(t, folder, fmt.Sprintf("%03d.csv", i), "v\n1\n2\n3\n"+fmt.Sprintln(i))
	}
	var b strings.Builder
	b.WriteString("sample,label\n")
	for i := 1; i <= samples; i++ {
		fmt.Fprintf(&b, "%s,%c\n", name(i), 'a'+i%2)
	}
	return folder, Options{Labels: put(t, t.TempDir(), "labels.csv", b.String())}
}

// Labels without a recording are told of, and so is a name that has lost its leading zeros.
func TestLabelsAndRecordingsThatDoNotMeet(t *testing.T) {
	padded := func(i int) string { return fmt.Sprintf("%03d", i) }
	folder, o := labelled(t, 12, padded)
	result, _ := imported(t, o, folder)
	messagetest.OneNames(t, result.Notes, "4 labels … no recording … 009")

	folder, o = labelled(t, 8, padded)
	result, _ = imported(t, o, folder)
	assert.NotContains(t, strings.Join(result.Notes, "\n"), "no recording")

	folder, o = labelled(t, 8, func(i int) string { return fmt.Sprint(i) })
	messagetest.Names(t, refused(t, o, folder), `no label … "001.csv" … "1" … leading zeros`)
	folder, o = labelled(t, 7, padded)
	messagetest.Names(t, refused(t, o, folder), "no label … 008.csv,CLASS")
}

// Classes that are numbers to predict, or names of the samples, are refused with what to do. Many classes with several
// samples each are classes.
func TestClassesThatAreNone(t *testing.T) {
	table := func(class func(i int) string) string {
		var b strings.Builder
		b.WriteString("p,q,label\n")
		for i := range 80 {
			fmt.Fprintf(&b, "%d,%d,%s\n", i*i%17, i%5, class(i))
		}
		return put(t, t.TempDir(), "table.csv", b.String())
	}
	messagetest.Names(t, refused(t, Options{}, table(func(i int) string { return fmt.Sprintf("%.2f", float64(i)*1.37) })),
		"80 of 80 classes … numbers … --label")
	messagetest.Names(t, refused(t, Options{}, table(func(i int) string { return fmt.Sprint("patient", i) })),
		"80 of 80 classes … names of the samples … --label")
	result, _ := imported(t, Options{}, table(func(i int) string { return fmt.Sprint(i % 25) }))
	assert.Len(t, result.Classes, 25)
	assert.Empty(t, result.Notes)

	result, _ = imported(t, Options{}, table(func(i int) string {
		return []string{"walk;phone", "phone;walk", "sit"}[i%3]
	}))
	messagetest.OneNames(t, result.Notes, "walk;phone … phone;walk … another order", "phone;walk")
	result, _ = imported(t, Options{}, table(func(i int) string { return []string{"a+b", "a+c"}[i%2] }))
	assert.Empty(t, result.Notes)
}
