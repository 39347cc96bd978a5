// Command service is a Go program that classifies in its own process. POST a JSON array of numbers, get the class. POST
// a recording to /recording if the model was trained on recordings. If a training writes a better snapshot into the
// checkpoint's directory, the service uses it without a restart. Try:
//
//	ccp train --checkpoint runs/digits
//	go run ./examples/service runs/digits
//	curl -d '[0,0,5,13,9,1, … 64 numbers]' localhost:8000
//	curl -d '{"sensors": ["hip", "head"], "values": [[0.1, 1.2], [0.3, null]]}' localhost:8000/recording
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models"
)

func main() {
	classifier, err := models.NewReloader(context.Background(), os.Args[1], models.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	go classifier.Watch(context.Background(), 5*time.Second, func(err error) {
		log.Println("a newer classifier; error:", err)
	})
	server := http.Server{Addr: "127.0.0.1:8000", Handler: handler(classifier), ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// handler answers with the prediction: its class, name and probabilities.
func handler(classifier *models.Reloader) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var signal []float32
		var whole recording.Recording // in any order of its sensors, with gaps, of any length
		isRecording := r.URL.Path == "/recording"
		var into any = &signal
		if isRecording {
			into = &whole
		}
		raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		err = cmp.Or(err, json.Unmarshal(raw, into))
		if err == nil && !isRecording && bytes.Contains(raw, []byte("null")) {
			err = errors.New("a value is null; replace it by a number") // it would be 0
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var predictions []models.Prediction
		newest, release, err := classifier.Acquire()
		if err == nil && !isRecording {
			predictions, err = newest.Classify(r.Context(), [][]float32{signal})
		} else if err == nil {
			predictions, err = newest.ClassifyRecording(r.Context(), whole)
		}
		if newest != nil {
			err = errors.Join(err, release())
		}
		unusable, wrong := errors.AsType[*models.SignalError](err)
		switch {
		case wrong: // the error says what
			http.Error(w, unusable.Error(), http.StatusBadRequest)
		case err != nil:
			log.Println(err)
			http.Error(w, "try again later", http.StatusServiceUnavailable)
		default:
			_ = json.NewEncoder(w).Encode(predictions[0]) // the client has gone if this fails
		}
	}
}
