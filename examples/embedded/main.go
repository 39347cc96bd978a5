// Command embedded is a service in one file, with its classifier inside. It needs no cgo:
//
//	CGO_ENABLED=0 go build ./examples/embedded && ./embedded
//	curl -d '[0,0,5,13,9,1, … 64 numbers]' 127.0.0.1:8000
package main

import (
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"slices"

	"github.com/clusterpool/ccp/examples/digits"
	"github.com/clusterpool/ccp/models"
)

func main() {
	classifier, err := models.Read(digits.Checkpoint, models.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:8000", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var values []*float32 // null would be 0 as a number
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&values)
		if err == nil && slices.Contains(values, nil) {
			err = errors.New("a value is null; replace it by a number")
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		signal := make([]float32, len(values))
		for i, v := range values {
			signal[i] = *v
		}
		if predictions, err := classifier.Classify(r.Context(), [][]float32{signal}); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		} else {
			_ = json.NewEncoder(w).Encode(predictions[0])
		}
	})))
}
