// Command serving puts load on a model that `ccp serve` serves, and prints throughput and latencies as CSV. Usage:
//
//	ccp serve --checkpoint runs/digits-ccp-1 &
//	go run ./benchmarks/serving --model http://127.0.0.1:8080/v2/models/digits
//
// Each connection sends a request when the one before is answered. With --rate requests come at that rate, answered or
// not, which shows what an overloaded server does. Latency then counts from the moment when a request was due.
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	model := flag.String("model", "http://127.0.0.1:8080/v2/models/digits", "`URL` of the model")
	connections := flag.String("connections", "1,2,4,8,16,32,64", "`NUMBERS` of connections, one line of the table each")
	seconds := flag.Float64("seconds", 5, "`TIME` of each, after a warm-up of a tenth of it")
	batch := flag.Int("batch", 1, "`SIGNALS` in a request")
	format := flag.String("format", "binary", "binary or json")
	rate := flag.Float64("rate", 0, "requests a second, on as many connections as needed; 0: by --connections")
	flag.Parse()
	if err := run(*model, *connections, *format, *batch, *seconds, *rate); err != nil {
		fmt.Fprintln(os.Stderr, "serving:", err)
		os.Exit(1)
	}
}

func run(model, connections, format string, batch int, seconds, rate float64) error {
	request, err := newRequest(model, format, batch)
	if err != nil {
		return err
	}
	fmt.Println("model,format,batch,connections,offered_per_s,requests_per_s,signals_per_s," +
		"p50_ms,p95_ms,p99_ms,max_ms,ok,refused,failed")
	length := time.Duration(seconds * float64(time.Second))
	name := model[strings.LastIndex(model, "/")+1:]
	if rate > 0 {
		fmt.Printf("%s,%s,%d,,%.1f,%s\n", name, format, batch, rate, request.load(0, rate, length))
		return nil
	}
	for part := range strings.SplitSeq(connections, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return fmt.Errorf("--connections: %q is not a number from 1", part)
		}
		request.load(n, 0, length/10)
		fmt.Printf("%s,%s,%d,%d,,%s\n", name, format, batch, n, request.load(n, 0, length))
	}
	return nil
}

// request is the request that is sent again and again.
type request struct {
	url    string
	batch  int // signals in it
	body   []byte
	header string // length of the JSON part, "" if all is JSON
	client *http.Client
}

// newRequest asks the server for the model's shape and draws signals of this shape.
func newRequest(model, format string, batch int) (*request, error) {
	answer, err := http.Get(model)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var metadata struct {
		Inputs []struct{ Shape []int }
	}
	err = json.NewDecoder(answer.Body).Decode(&metadata)
	if err != nil || len(metadata.Inputs) != 1 || len(metadata.Inputs[0].Shape) != 3 {
		return nil, errors.Join(fmt.Errorf("%s is not the metadata of a model of ccp: %s", model, answer.Status), err)
	}
	shape := metadata.Inputs[0].Shape
	shape[0] = batch
	values := make([]float32, shape[0]*shape[1]*shape[2])
	random := rand.New(rand.NewPCG(1, 1))
	for i := range values {
		values[i] = float32(random.IntN(256))
	}
	input := map[string]any{"name": "signals", "shape": shape, "datatype": "FP32"}
	document := map[string]any{"inputs": []any{input}}
	var raw []byte
	switch format {
	case "binary":
		if raw, err = binary.Append(nil, binary.LittleEndian, values); err != nil {
			return nil, err
		}
		input["parameters"] = map[string]int{"binary_data_size": len(raw)}
		document["parameters"] = map[string]bool{"binary_data_output": true}
	case "json":
		input["data"] = values
	default:
		return nil, fmt.Errorf("--format %q is neither binary nor json", format)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 1 << 16, DisableCompression: true}
	r := &request{url: model + "/infer", batch: batch, client: &http.Client{Transport: transport}}
	if r.body, err = json.Marshal(document); err != nil {
		return nil, err
	}
	if raw != nil {
		r.header = strconv.Itoa(len(r.body))
		r.body = append(r.body, raw...)
	}
	return r, nil
}

// send sends the request. It returns the HTTP status code, 0 if there was no answer.
func (r *request) send() int {
	post, err := http.NewRequest(http.MethodPost, r.url, bytes.NewReader(r.body))
	if err != nil {
		return 0
	}
	if r.header != "" {
		post.Header.Set("Inference-Header-Content-Length", r.header)
	}
	answer, err := r.client.Do(post)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return 0
	}
	return answer.StatusCode
}

// load sends requests for a time. Each connection sends one when the one before is answered. With a rate, so many
// requests begin in a second, on as many connections as needed. It returns the last columns of the table, from
// requests_per_s on.
func (r *request) load(connections int, rate float64, length time.Duration) string {
	var mu sync.Mutex
	var group sync.WaitGroup
	var latencies []float64 // of answers 200, in ms
	count := map[int]int{}  // by status code
	send := func(due time.Time) {
		code := r.send()
		latency := 1e3 * time.Since(due).Seconds()
		mu.Lock()
		defer mu.Unlock()
		if count[code]++; code == http.StatusOK {
			latencies = append(latencies, latency)
		}
	}
	begin := time.Now()
	for range connections {
		group.Go(func() {
			for time.Since(begin) < length {
				send(time.Now())
			}
		})
	}
	for i := 0; rate > 0; i++ {
		due := begin.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		if due.Sub(begin) > length {
			break
		}
		time.Sleep(time.Until(due))
		group.Go(func() { send(due) })
	}
	group.Wait()
	perSecond := float64(len(latencies)) / time.Since(begin).Seconds()
	row := fmt.Sprintf("%.1f,%.1f", perSecond, perSecond*float64(r.batch))
	slices.Sort(latencies)
	for _, q := range []float64{0.5, 0.95, 0.99, 1} {
		quantile := math.NaN()
		if n := len(latencies); n > 0 {
			quantile = latencies[min(n-1, int(q*float64(n)))]
		}
		row += fmt.Sprintf(",%.3f", quantile)
	}
	ok, refused, failed := count[http.StatusOK], count[http.StatusServiceUnavailable], 0
	for _, n := range count {
		failed += n
	}
	return row + fmt.Sprintf(",%d,%d,%d", ok, refused, failed-ok-refused)
}
