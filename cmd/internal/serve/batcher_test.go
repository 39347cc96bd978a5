package serve

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func tinyClassifier(t *testing.T, answer int) *models.Classifier {
	t.Helper()
	dir := t.TempDir() + "/run"
	save(t, dir, 1, answer)
	c, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	return c
}

func someSignals(n int) [][]float32 {
	all := make([][]float32, n)
	for i := range all {
		all[i] = make([]float32, nodes*channels)
	}
	return all
}

// observed collects the sizes of batches.
type observed struct {
	mu    sync.Mutex
	sizes []int
}

func (o *observed) observe(signals int, _ time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sizes = append(o.sizes, signals)
}

// Requests that wait are one batch, unless they are of two classifiers.
func TestBatcherJoinsWhatWaits(t *testing.T) {
	red, green := tinyClassifier(t, 0), tinyClassifier(t, 1)
	synctest.Test(t, func(t *testing.T) {
		var o observed
		b := newBatcher(8, 100, time.Second, o.observe, nil)
		b.arriving.Add(1) // makes it wait for more
		var group sync.WaitGroup
		for i, c := range []*models.Classifier{red, red, green, green, green} {
			group.Go(func() {
				time.Sleep(time.Duration(i+1) * time.Millisecond)
				p, err := b.classify(t.Context(), c, someSignals(i+1), func() {})
				require.NoError(t, err)
				require.Len(t, p, i+1)
				for _, q := range p {
					assert.Equal(t, map[*models.Classifier]int{red: 0, green: 1}[c], q.Class)
				}
			})
		}
		group.Wait()
		b.close()
		assert.Equal(t, []int{3, 7, 5}, o.sizes)
	})
}

// A request that is alone does not wait for others.
func TestBatcherDoesNotDelayOne(t *testing.T) {
	red := tinyClassifier(t, 0)
	synctest.Test(t, func(t *testing.T) {
		b := newBatcher(8, 100, time.Hour, func(int, time.Duration) {}, nil)
		start := time.Now()
		for range 3 {
			_, err := b.classify(t.Context(), red, someSignals(1), func() {})
			require.NoError(t, err)
		}
		assert.Zero(t, time.Since(start))
		b.close()
	})
}

// A bad signal spoils no other request.
func TestBatcherKeepsBadSignalsApart(t *testing.T) {
	red := tinyClassifier(t, 0)
	synctest.Test(t, func(t *testing.T) {
		var o observed
		b := newBatcher(8, 100, time.Second, o.observe, nil)
		b.arriving.Add(1)
		var group sync.WaitGroup
		for i := range 3 {
			group.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				s := someSignals(2)
				if i == 1 {
					s = append(s, s[0][:2])
					s[1] = s[1][:3]
				}
				p, err := b.classify(t.Context(), red, s, func() {})
				if i == 1 {
					messagetest.Names(t, err, "signal 1 … 3 values … 4 nodes … 2 channels")
					return
				}
				require.NoError(t, err)
				assert.Len(t, p, 2)
			})
		}
		group.Wait()
		b.close()
		assert.Equal(t, []int{7}, o.sizes)
	})
}

// A full queue refuses, what nobody waits for is not computed, and then there is room again until the batcher is
// closed.
func TestBatcherQueue(t *testing.T) {
	red := tinyClassifier(t, 0)
	synctest.Test(t, func(t *testing.T) {
		var o observed
		b := newBatcher(8, 5, time.Minute, o.observe, nil)
		b.arriving.Add(1)
		var group sync.WaitGroup
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		group.Go(func() {
			_, err := b.classify(ctx, red, someSignals(3), func() {})
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		})
		group.Go(func() {
			time.Sleep(time.Millisecond)
			_, err := b.classify(t.Context(), red, someSignals(2), func() {})
			assert.NoError(t, err)
		})
		time.Sleep(2 * time.Millisecond)
		assert.EqualValues(t, 5, b.waiting.Load())
		_, err := b.classify(t.Context(), red, someSignals(1), func() {})
		require.ErrorIs(t, err, errFull)
		group.Wait()
		assert.Equal(t, []int{2}, o.sizes, "what nobody waits for is not computed")
		_, err = b.classify(t.Context(), red, someSignals(1), func() {})
		require.NoError(t, err, "there is room again")
		b.close()
		_, err = b.classify(t.Context(), red, someSignals(1), func() {})
		require.ErrorIs(t, err, models.ErrClosed)
	})
}

// A panic is an error of the requests, and its text is kept.
func TestBatcherPanic(t *testing.T) {
	red := tinyClassifier(t, 0)
	synctest.Test(t, func(t *testing.T) {
		var text string
		b := newBatcher(8, 100, 0, func(int, time.Duration) { panic("oh") }, func(s string) { text = s })
		_, err := b.classify(t.Context(), red, someSignals(1), func() {})
		require.EqualError(t, err, "the computation failed")
		assert.True(t, strings.HasPrefix(text, "oh\n"))
		b.close()
	})
}

// Where the queue is full the answer is 503, at once, and there is room again when it is computed.
func TestOverload(t *testing.T) {
	s, _ := newServer(t, func(c *Config) { c.Queue = 4 })
	url := listen(t, s) + "/v2/models/tiny/infer"
	b := s.models["tiny"].batcher
	computing, gate := make(chan bool, 100), make(chan bool)
	b.observe = func(int, time.Duration) { // the end of a computation
		computing <- true
		<-gate
	}
	var group sync.WaitGroup
	ask := func(n int) {
		group.Go(func() {
			code, _, body := send(t, "POST", url, inJSON(n))
			assert.Equal(t, 200, code, string(body))
		})
	}
	ask(1)
	<-computing
	ask(2)
	ask(2)
	require.Eventually(t, func() bool { return b.waiting.Load() == 4 }, 20*time.Second, time.Millisecond)
	for range 50 {
		code, header, body := send(t, "POST", url, inJSON(1))
		assert.Equal(t, 503, code)
		assert.Equal(t, "1", header.Get("Retry-After"))
		messagetest.Names(t, errorOf(t, body), "queue is full")
	}
	close(gate)
	group.Wait()
	code, _, _ := send(t, "POST", url, inJSON(1))
	assert.Equal(t, 200, code)
}

func TestDeadline(t *testing.T) {
	s, _ := newServer(t, func(c *Config) { c.MaxDelay = time.Hour })
	url := listen(t, s) + "/v2/models/tiny/infer"
	s.models["tiny"].arriving.Add(1)
	code, _, body := send(t, "POST", url, strings.Replace(inJSON(1), `"id"`, `"parameters":{"timeout":1000},"id"`, 1))
	assert.Equal(t, 504, code)
	messagetest.Names(t, errorOf(t, body), "not computed in time")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(inJSON(1)))
	require.NoError(t, err)
	_, err = http.DefaultTransport.RoundTrip(r) //nolint:bodyclose // there is none
	require.Error(t, err)
	assert.Eventually(t, func() bool {
		_, _, body := send(t, "GET", strings.TrimSuffix(url, "/v2/models/tiny/infer")+"/metrics", "")
		return strings.Contains(string(body), `ccp_requests_total{code="499",model="tiny"} 1`)
	}, 20*time.Second, time.Millisecond)
}
