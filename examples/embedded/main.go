// Command embedded is a service in one file of 16 MB, with its classifier inside. It needs no cgo:
//
//	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' ./examples/embedded && ./embedded
//	curl -d '[0,0,5,13,9,1, … 64 numbers]' 127.0.0.1:8000
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"log"
	"net/http"

	"github.com/clusterpool/ccp/examples/digits"
	"github.com/clusterpool/ccp/models"
)

func main() {
	classifier, err := models.Read(digits.Checkpoint, models.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:8000", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var signal []float32
		raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		err = cmp.Or(err, json.Unmarshal(raw, &signal))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		} else if bytes.Contains(raw, []byte("null")) { // which would be 0
			http.Error(w, "a value is null; replace it by a number", http.StatusBadRequest)
		} else if predictions, err := classifier.Classify(r.Context(), [][]float32{signal}); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		} else {
			_ = json.NewEncoder(w).Encode(predictions[0])
		}
	})))
}
