package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestService(t *testing.T) {
	backend := backendtest.Go(t)
	dir := filepath.Join(t.TempDir(), "digits")
	config := training.Patch{"levels": "8x4/9,1x8/8", "hidden": 16, "epochs": 1}
	_, err := training.Train(t.Context(), backend, config, training.Options{Dir: dir})
	require.NoError(t, err)
	classifier, err := models.NewReloader(t.Context(), dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	ask := func(body string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		handler(classifier)(answer, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
		return answer
	}
	answer := ask("[" + strings.Repeat("3,", 63) + "3]")
	require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	var p models.Prediction
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &p))
	assert.Len(t, p.Probabilities, 10)
	assert.Equal(t, p.Probability, p.Probabilities[p.Class])
	for body, want := range map[string]string{
		"[" + strings.Repeat("3,", 63) + "null]": "a value is null",
		"[1,2]":                                  "signal 0 … 2 values … 64 nodes … 1 channels",
		"{}":                                     "cannot unmarshal object",
		"":                                       "unexpected end of JSON",
	} {
		answer = ask(body)
		assert.Equal(t, http.StatusBadRequest, answer.Code)
		messagetest.Names(t, answer.Body.String(), want)
	}
	answer = httptest.NewRecorder()
	handler(classifier)(answer, httptest.NewRequest(http.MethodPost, "/recording", strings.NewReader(`{"values":[[1]]}`)))
	assert.Equal(t, http.StatusBadRequest, answer.Code)
	messagetest.Names(t, answer.Body.String(), "signals … recordings")
	require.NoError(t, classifier.Close())
	assert.Equal(t, http.StatusServiceUnavailable, ask("["+strings.Repeat("3,", 63)+"3]").Code)
}
