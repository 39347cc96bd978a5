package serve

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// worthPacking is the least length of an answer that is packed: below, it fits a network packet anyway.
const worthPacking = 1400

// document is what is answered to everything but requests for classifications.
type document map[string]any

// write answers with a document as JSON.
func (s *Server) write(w http.ResponseWriter, r *http.Request, code int, d document) {
	raw, err := json.Marshal(d)
	if err != nil {
		panic(err) // our own documents
	}
	w.Header().Set("Content-Type", "application/json")
	s.send(w, r, code, append(raw, '\n'))
}

// fail answers with an error and returns its code.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, code int, text string) int {
	s.write(w, r, code, document{"error": text})
	return code
}

var packers = sync.Pool{New: func() any {
	packer, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err)
	}
	return packer
}}

// send sends the answer, packed if it is long and the client can unpack it. A client that has gone is none of our concern.
func (s *Server) send(w http.ResponseWriter, r *http.Request, code int, body []byte) {
	if len(body) >= worthPacking && acceptsGzip(r) {
		var packed bytes.Buffer
		packer := packers.Get().(*gzip.Writer)
		packer.Reset(&packed)
		_, _ = packer.Write(body) // to memory
		_ = packer.Close()
		packers.Put(packer)
		body = packed.Bytes()
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Add("Vary", "Accept-Encoding")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") && (err != nil || q > 0) {
			return true
		}
	}
	return false
}
