package serve

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program that started the server asks it by a pipe, and ends it by closing that, or by silence.
func TestPipe(t *testing.T) {
	for name, idle := range map[string]time.Duration{"closed": 0, "idle": 300 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			s, _ := newServer(t, func(c *Config) { c.Idle = idle })
			in, to := io.Pipe()
			from, out := io.Pipe()
			ended := make(chan error, 1)
			go func() { ended <- s.Run(t.Context(), NewPipe(in, out)) }()
			answers := bufio.NewReader(from)
			for range 3 {
				body := inJSON(2)
				_, err := fmt.Fprintf(to, "POST /v2/models/tiny/infer HTTP/1.1\r\nHost: ccp\r\nContent-Length: %d\r\n\r\n%s",
					len(body), body)
				require.NoError(t, err)
				answer, err := http.ReadResponse(answers, nil)
				require.NoError(t, err)
				raw, err := io.ReadAll(answer.Body)
				require.NoError(t, err)
				assert.Equal(t, http.StatusOK, answer.StatusCode)
				assert.Equal(t, []int{2, classes}, read(t, raw).Outputs[0].Shape)
			}
			if idle == 0 {
				require.NoError(t, to.Close())
			}
			require.NoError(t, <-ended)
			require.NoError(t, to.Close())
		})
	}
}

// A server is idle once its requests are answered.
func TestIdleCountsFromTheLastAnswer(t *testing.T) {
	s := &Server{Config: Config{Idle: 50 * time.Millisecond}}
	ended, answering := make(chan bool, 1), make(chan bool)
	handler := s.untilIdle(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-answering }),
		func() { ended <- true })
	go handler.ServeHTTP(nil, nil)
	answering <- true
	<-ended
	go handler.ServeHTTP(nil, nil)
	time.Sleep(100 * time.Millisecond)
	assert.Empty(t, ended, "a request is under way")
	answering <- true
	<-ended
}
