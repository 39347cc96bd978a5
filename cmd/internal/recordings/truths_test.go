package recordings

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/clusterpool/ccp/internal/npz"
)

// A truth value is one class, whatever format it comes in and in whatever case a program writes it.
func TestTruthValuesAreTheSameClassesInAllFormats(t *testing.T) {
	folder := t.TempDir()
	table := func(yes, no string) string {
		return fmt.Sprintf("x,y,label\n1,2,%s\n3,4,%s\n1,3,%[1]s\n3,5,%[2]s\n", yes, no)
	}
	inputs := map[string][]string{
		"pandas":   {put(t, folder, "pandas.csv", table("True", "False"))},
		"R":        {put(t, folder, "r.csv", table("TRUE", "FALSE"))},
		"small":    {put(t, folder, "small.csv", table("true", "false"))},
		"a mix":    {put(t, folder, "mix.csv", "x,y,label\n1,2,True\n3,4,False\n1,3,TRUE\n3,5,false\n")},
		"parquet":  {filepath.Join(folder, "r.parquet")},
		"workbook": {filepath.Join(folder, "r.xlsx")},
		"arff": {put(t, folder, "r.arff",
			"@relation r\n@attribute x numeric\n@attribute y numeric\n@attribute label {True,False}\n@data\n"+
				"1,2,True\n3,4,False\n1,3,True\n3,5,False\n")},
	}
	put(t, folder, "classes/True/1.csv", "x,y\n1,2\n1,3\n")
	put(t, folder, "classes/False/1.csv", "x,y\n1,2\n1,3\n")
	inputs["folders"] = []string{filepath.Join(folder, "classes")}
	type row struct {
		X     float64 `parquet:"x"`
		Y     float64 `parquet:"y"`
		Label bool    `parquet:"label"`
	}
	rows := []row{{1, 2, true}, {3, 4, false}, {1, 3, true}, {3, 5, false}}
	require.NoError(t, parquet.WriteFile(inputs["parquet"][0], rows))
	f := excelize.NewFile()
	require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"x", "y", "label"}))
	for i, r := range rows {
		require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &[]any{r.X, r.Y, r.Label}))
	}
	require.NoError(t, f.SaveAs(inputs["workbook"][0]))
	for name, input := range inputs {
		made := filepath.Join(t.TempDir(), "made.npz")
		result, err := Import(t.Context(), input, made, Options{})
		require.NoError(t, err, name)
		assert.ElementsMatch(t, []string{"false", "true"}, []string{result.Classes[0].Name, result.Classes[1].Name}, name)
		assert.NotContains(t, fmt.Sprint(result.Notes), "may be one", name)
		file, err := npz.Open(made)
		require.NoError(t, err)
		array, err := file.Array("class_names")
		require.NoError(t, err)
		names, err := array.Strings()
		require.NoError(t, err)
		assert.ElementsMatch(t, []string{"false", "true"}, names, name)
		require.NoError(t, file.Close())
	}
}
