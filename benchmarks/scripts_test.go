package benchmarks

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets"
)

// compare.py asks our program for the workload, and measures ours and those that have the workload's model. Here the
// programs are a script, which taskset runs in their place. It answers in turn, and fails for pyg-blocks.
func TestPeers(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no python3, or no sh")
	}
	dir := t.TempDir()
	step, out := filepath.Join(dir, "step"), filepath.Join(dir, "out.csv")
	script := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o755))
	}
	script("step", `mkdir "$6" && echo '{"model": "'"${2#*-}"'"}' > "$6/network.json"`)
	script("taskset", `echo x >> `+dir+`/turns
case "$*" in *blocks*) echo compiling; exit 1;; esac
case "$*" in *peers*) shift 3;; *) shift 2;; esac
n=$(wc -l < `+dir+`/turns)
echo compiling
echo '{"median_ms": '$n', "cpu_ms": 2, "peak_rss_mb": 7.6, "versions": "'"$GOMLX_BACKEND $*"'"}'`)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd := exec.Command(python, "peers/compare.py", "--step", step, "--out", out, "--work", "x-ccp/train", "x-gcn/train",
		"--with", "ccp-*", "torch*", "pyg-*", "--rounds", "3", "--batch", "2", "--steps", "5", "--cpus", "0",
		"--backend", "xla:cpu")
	output, err := cmd.CombinedOutput()
	require.Error(t, err, "an implementation failed")
	assert.Contains(t, string(output), "x-gcn/train, pyg-blocks: failed")
	file, err := os.Open(out)
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	var found [][]string
	for _, row := range rows[1:] {
		found = append(found, append([]string{row[0]}, row[2:9]...))
		assert.Equal(t, []string{"batch 2, 5 steps", "0"}, []string{row[1], row[9]})
	}
	assert.Equal(t, [][]string{
		{"x-ccp/train", "ccp", "7.000", "1.000", "2.000", "1.000", "8", "3"}, // 1, 7, 13
		{"x-ccp/train", "ccp-bfloat16", "8.000", "0.875", "2.000", "1.000", "8", "3"},
		{"x-ccp/train", "torch", "9.000", "0.778", "2.000", "1.000", "8", "3"},
		{"x-ccp/train", "torch-bfloat16", "10.000", "0.700", "2.000", "1.000", "8", "3"},
		{"x-ccp/train", "torch-compiled", "11.000", "0.636", "2.000", "1.000", "8", "3"},
		{"x-ccp/train", "torch-bfloat16-compiled", "12.000", "0.583", "2.000", "1.000", "8", "3"},
		{"x-gcn/train", "ccp", "24.000", "1.000", "2.000", "1.000", "8", "3"}, // 19, 24, 28: one has dropped out
		{"x-gcn/train", "ccp-bfloat16", "25.000", "0.960", "2.000", "1.000", "8", "3"},
		{"x-gcn/train", "pyg-static", "26.000", "0.923", "2.000", "1.000", "8", "3"},
		{"x-gcn/train", "pyg-sparse", "27.000", "0.889", "2.000", "1.000", "8", "3"},
	}, found)
	assert.Equal(t, "xla:cpu "+step+" --arch x-ccp --batch 2 --mode train --steps 5 --warmup 3", rows[1][12])
	assert.Regexp(t, `^xla:cpu .*peers/ccp_torch.py --dtype bfloat16 --workload .*/0 --device cpu --mode train --steps 5 `+
		`--warmup 3$`, rows[4][12])
	output, err = exec.Command(python, "peers/compare.py", "--step", step, "--out", out).CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(output), "exists")
}

// request.py writes a target for Vegeta: the server's shape, the batch asked for, binary numbers after the JSON part.
func TestRequest(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"inputs": [{"name": "signals", "datatype": "FP32", "shape": [-1, 4, 2]}]}`))
	}))
	defer server.Close()
	for _, kind := range []string{"", "--json"} {
		output, err := exec.Command(python, slices.DeleteFunc([]string{"serving/request.py", "--batch", "3", kind,
			server.URL + "/v2/models/toy"}, func(arg string) bool { return arg == "" })...).Output()
		require.NoError(t, err)
		var target struct {
			Method, URL string
			Body        []byte
			Header      http.Header
		}
		require.NoError(t, json.Unmarshal(output, &target))
		assert.Equal(t, []string{"POST", server.URL + "/v2/models/toy/infer"}, []string{target.Method, target.URL})
		text := target.Body
		if kind == "" {
			length, err := strconv.Atoi(target.Header.Get("Inference-Header-Content-Length"))
			require.NoError(t, err)
			text = text[:length]
			assert.Len(t, target.Body[length:], 3*4*2*4)
		}
		var request struct {
			Inputs []struct {
				Shape      []int
				Data       []float32
				Parameters map[string]int
			}
		}
		require.NoError(t, json.Unmarshal(text, &request))
		assert.Equal(t, []int{3, 4, 2}, request.Inputs[0].Shape)
		if kind == "" {
			assert.Equal(t, 96, request.Inputs[0].Parameters["binary_data_size"])
		} else {
			assert.Len(t, request.Inputs[0].Data, 24)
		}
	}
}

// load.py lets servers take turns: a round to warm up, then those that count. Here the load is a script, which tells
// rates of 1, 2, 3 and so on. If requests fail, it stops.
func TestLoad(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("there is no python3, or no /proc")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"inputs": [{"name": "signals", "datatype": "FP32", "shape": [-1, 4, 2]}]}`))
	}))
	defer server.Close()
	dir, pid, success := t.TempDir(), strconv.Itoa(os.Getpid()), "1"
	load := func() (string, error) {
		script := `#!/bin/sh
cat > /dev/null
[ $1 = attack ] && exit
echo x >> ` + dir + `/turns
echo '{"success": ` + success + `, "throughput": '$(wc -l < ` + dir + `/turns)', "latencies": {"99th": 2500000}, "requests": 9, ' \
	'"status_codes": {"503": 1}, "errors": []}'
`
		require.NoError(t, os.WriteFile(filepath.Join(dir, "vegeta"), []byte(script), 0o755))
		output, err := exec.Command(python, "serving/load.py", server.URL+"/a", server.URL+"/b", "--pids", pid, pid,
			"--batch", "3",
			"--clients", "8", "--rounds", "3").CombinedOutput()
		return string(output), err
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	output, err := load()
	require.NoError(t, err, output)
	assert.Contains(t, output, "batch 3, 8 clients, "+server.URL+"/a: 5 (3 to 7) requests/s, p99 2.5 (2.5 to 2.5) ms, "+
		"processor ")
	assert.Contains(t, output, "batch 3, 8 clients, "+server.URL+"/b: 6 (4 to 8) requests/s")
	success = "0.9"
	output, err = load()
	require.Error(t, err)
	assert.Contains(t, output, "8 clients: {'503': 1}")
}

// table.py joins what compare and anchors.py wrote: a later file counts, seeds are averaged, a set without a model of
// ours is left out, ranks are among those that have the set, and means below are of whole columns only.
func TestSuiteTable(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	files := []string{"suite/table.py",
		file("1.csv", "set,model,runs,accuracy,deviation,seconds\nA,ccp,3,50,1.25,3\nA,fc,1,70,0,1\nA,gat,0,0,0,0\n"),
		file("2.csv", "set,model,runs,accuracy,deviation,loss,seconds\n"+
			"A,ccp,3,80,2,.5,5\nB,ccp,3,90,0,.25,7\nB,fc,1,90,0,,1\n"),
		file("anchors.csv", "set,model,seed,accuracy,seconds\nA,svm,,0.8,2\nB,svm,,0.7,4\nB,hydra,1,0.9,2\nB,hydra,2,1,4\n"+
			"C,svm,,1,1\n")}
	output, err := exec.Command(python, files...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	assert.Equal(t, `| set | ccp | fc | kernel SVM | HYDRA |
| --- | --- | --- | --- | --- |
| A | **80.0 ± 2.0** | 70.0 | **80.0** |  |
| B | 90.0 ± 0.0 | 90.0 | 70.0 | **95.0 ± 7.1** |
| mean accuracy, 2 sets | 85.0 | 80.0 | 75.0 |  |
| mean log-loss, 2 sets | 0.375 |  |  |  |
| mean rank, 2 sets | 2.00 | 2.75 | 2.75 |  |
| mean seconds, 2 sets | 6 | 1 | 3 |  |
| mean accuracy, 1 set | 90.0 | 90.0 | 70.0 | 95.0 |
| mean log-loss, 1 set | 0.250 |  |  |  |
| mean rank, 1 set | 2.50 | 2.50 | 4.00 | 1.00 |
| mean seconds, 1 set | 7 | 1 | 4 | 3 |
`, string(output))
	published := file("published.csv", "set,model,accuracy,loss\nA,else,0.9,0.5\nB,else,0.8,0.75\n")
	output, err = exec.Command(python, files[0], files[2], published, "--models", "ccp,else").Output()
	require.NoError(t, err)
	assert.Contains(t, string(output), "| mean accuracy, 2 sets | 85.0 | 85.0 |\n")
	assert.Contains(t, string(output), "| mean log-loss, 2 sets | 0.375 | 0.625 |\n")
	assert.Contains(t, string(output), "| mean seconds, 2 sets | 6 |  |\n")
	output, err = exec.Command(python, append(files, "--plain", "--models", "HYDRA,ccp", "--sets", "B")...).Output()
	require.NoError(t, err)
	assert.Contains(t, string(output), "| B | **95.0** | 90.0 |\n")
	output, err = exec.Command(python, append(files, "--models", "ccp,minirocket")...).CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(output), "no model minirocket; there are ccp, fc, kernel SVM, HYDRA")
	output, err = exec.Command(python, "suite/table.py", file("x.csv", "a,b\n1,2\n")).CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(output), "x.csv has no columns set, model and accuracy")
}

// make.py says which package holds a set's data.
func TestSuiteNeedsPackage(t *testing.T) {
	python := os.Getenv("CCP_PYTHON")
	if python == "" {
		t.Skip("CCP_PYTHON names no Python with numpy")
	}
	if exec.Command(python, "-c", "import aeon").Run() == nil {
		t.Skip("it has the package")
	}
	output, err := exec.Command(python, "suite/make.py", "--out", t.TempDir(), "ArrowHead").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(output), "no Python package aeon, which this set needs: pip install -r")
}

// generated.py writes files that need no mending. Noise has no split: the program draws it.
func TestGenerated(t *testing.T) {
	python := os.Getenv("CCP_PYTHON")
	if python == "" {
		t.Skip("CCP_PYTHON names no Python with numpy")
	}
	for kind, samples := range map[string][2]int{"waves": {320, 160}, "orders": {300, 180}, "incidents": {100, 300},
		"frequencies": {120, 200}, "regions": {400, 300},
		"wear": {320, 160}, "lengths": {120, 120}, "counts": {3100, 1400}, "factors": {600, 300},
		"noise": {100, 20}} {
		path := filepath.Join(t.TempDir(), kind+".npz")
		output, err := exec.Command(python, "generated.py", kind, path, "3").CombinedOutput()
		require.NoError(t, err, "%s", output)
		report, err := datasets.CheckNPZ(path, datasets.Options{})
		require.NoError(t, err)
		require.Empty(t, report.Errors, kind)
		assert.Equal(t, samples[:], []int{len(report.Data.Train), len(report.Data.Test)}, kind)
		if kind != "incidents" && kind != "noise" { // 1,500 sensors at 6 time points look as if they were transposed
			assert.Empty(t, report.Warnings, kind)
		}
	}
	output, err := exec.Command(python, "generated.py", "noise", "--baseline").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(output), "none: what ccp prints")
}

// heldout_noise.py passes figures that are chance or absent, and ends with 1 for others. Here the program is a script,
// which answers with figures around chance, or those of one that has seen what it judges.
func TestHeldOutNoise(t *testing.T) {
	python := os.Getenv("CCP_PYTHON")
	if python == "" || runtime.GOOS == "windows" {
		t.Skip("CCP_PYTHON names no Python with numpy, or there is no sh")
	}
	dir := t.TempDir()
	of := func(accuracy, loss string) string { // by the seed, $6
		return fmt.Sprintf(`{"members": [{"name": "all", "accuracy": %s, "loss": %s, "samples": 16}],
			"test": {"accuracy": 0.5}}`, accuracy, loss)
	}
	for name, c := range map[string]struct {
		kind, result, want string
		right              bool
	}{
		"chance":  {"few", of("0.$((40 + 4 * $6))", "0.69$6"), "few,all,4,4,50.0,", true},
		"seen":    {"few", of("0.9$6", "0.69$6"), ",no", false},
		"sure":    {"few", of("0.5", "0.19$6"), ",no", false},
		"absent":  {"lone", `{"members": [{"name": "all"}], "test": {"accuracy": 0.05}}`, "lone,none,4,0,", true},
		"present": {"lone", of("0.05", "3"), ",no", false},
	} {
		ccp, out := filepath.Join(dir, name), filepath.Join(dir, name+".csv")
		script := "#!/bin/sh\ntest -s $3 && mkdir -p $8 && cat > $8/result.json <<END\n" + c.result + "\nEND\n"
		require.NoError(t, os.WriteFile(ccp, []byte(script), 0o755))
		output, err := exec.Command(python, "heldout_noise.py", "--ccp", ccp, "--kinds", c.kind, "--seeds", "4",
			"--out", out).CombinedOutput()
		assert.Equal(t, c.right, err == nil, "%s: %s", name, output)
		table, err := os.ReadFile(out)
		require.NoError(t, err, "%s: %s", name, output)
		assert.Contains(t, string(table), c.want, name)
	}
}

// golden.py compares figures exactly, and costs within 2%. It does not run again what its file has.
func TestGolden(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no python3, or no sh")
	}
	dir := t.TempDir()
	build := func(loss, seconds string) {
		for name, text := range map[string]string{
			"ccp": `case $1 in train) echo '{"test": {"loss": ` + loss + `}, "seconds": ` + seconds + `}';;
export) mkdir -p "$3" && echo network > "$5";; esac`,
			"step": `echo '{"last": 1, "median_ms": ` + seconds + `, "peak_rss_mb": 5}'`,
		} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
		}
	}
	run := func(name string) string {
		output, err := exec.Command(python, "golden.py", "run", "--build", dir, "--out",
			filepath.Join(dir, name)).CombinedOutput()
		require.NoError(t, err, "%s", output)
		return string(output)
	}
	compare := func(name string) (string, error) {
		output, err := exec.Command(python, "golden.py", "compare", filepath.Join(dir, "a"),
			filepath.Join(dir, name)).CombinedOutput()
		return string(output), err
	}
	build("0.5", "100")
	assert.Contains(t, run("a"), "digits learned 2 ")
	assert.Empty(t, run("a"))

	build("0.5", "101")
	run("alike")
	output, err := compare("alike")
	assert.NoError(t, err)
	assert.Contains(t, output, "; 0 figures differ")

	build("0.50000001", "103")
	run("other")
	output, err = compare("other")
	assert.Error(t, err)
	assert.Contains(t, output, "digits learned 2: test loss 0.5 -> 0.50000001\n")
	assert.Contains(t, output, "digits learned 2: seconds 100 -> 103 (1.030), a cost\n")
}

// gpu.py trains on both backends, again, and killed and resumed, and ends with 1 where the losses are not the CPU's.
// Here the program is a script: a training that is killed has saved a checkpoint, and all but that of the backend
// "wrong" have one loss.
func TestGPU(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no python3, or no sh")
	}
	build := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(build, "ccp"), []byte(`#!/bin/sh
[ $1 = doctor ] && echo "chosen $3" && exit
mkdir -p "$5"
case "$5" in *killed) [ -d "$5/last-1" ] || { mkdir "$5/last-1"; exec sleep 60; };; esac
loss=2; [ "$3" = wrong ] && loss=3
printf 'epoch,train_loss\n1,'$loss'\n2,1\n' > "$5/history.csv"
echo '{"test": {"accuracy": 0.5, "loss": 0.7}, "compile_seconds": 1, "seconds": 2}'`), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(build, "step"), []byte("#!/bin/sh\necho '{\"median_ms\": 7}'"), 0o755))
	for backend, figure := range map[string]string{"right": "0.0e+00", "wrong": "5.0e-01"} {
		out := filepath.Join(t.TempDir(), "out")
		output, err := exec.Command(python, "gpu.py", "--build", build, "--out", out, "--backend", backend).CombinedOutput()
		assert.Equal(t, backend == "wrong", err != nil, string(output))
		table, err := os.ReadFile(filepath.Join(out, "gpu.md"))
		require.NoError(t, err)
		for _, row := range []string{
			"| doctor | chosen " + backend + "  |  |  |",
			"| digits, float32, killed and resumed | 50.00%, loss 0.7000  | 1.0 | 2.0 |",
			"| loss of the first epoch, from the CPU's | " + figure + "  |  |  |",
			"| losses of digits, float32, again, furthest from the first time's | 0.0e+00  |  |  |",
			"| step of cifar10, train, bfloat16 | 7.00 ms  |  |  |",
		} {
			assert.Contains(t, string(table), row)
		}
		lines, err := os.ReadFile(filepath.Join(out, "gpu.jsonl"))
		require.NoError(t, err)
		assert.Contains(t, string(lines), `"killed": true`)
	}
}
