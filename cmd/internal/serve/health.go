package serve

import (
	"fmt"
	"net/http"

	"github.com/clusterpool/ccp/models"
)

func (s *Server) metadata(w http.ResponseWriter, r *http.Request) {
	s.write(w, r, http.StatusOK, serverMetadata{Name: "ccp", Version: s.Version, Extensions: []string{"binary_tensor_data", "classification"}})
}

// ready is no longer so once the server is ending, for new requests to be sent elsewhere.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	code := http.StatusOK
	if s.draining.Load() {
		code = http.StatusServiceUnavailable
	}
	s.write(w, r, code, map[string]bool{"ready": code == http.StatusOK})
}

func (s *Server) modelReady(w http.ResponseWriter, r *http.Request) {
	m, _, release, code := s.model(w, r)
	if code != http.StatusOK {
		return
	}
	defer release()
	if s.draining.Load() {
		code = http.StatusServiceUnavailable
	}
	s.write(w, r, code, modelReady{m.name, code == http.StatusOK})
}

func (s *Server) modelMetadata(w http.ResponseWriter, r *http.Request) {
	m, c, release, code := s.model(w, r)
	if code != http.StatusOK {
		return
	}
	defer release()
	s.write(w, r, http.StatusOK, metadataOf(m.name, c))
}

// model gives the model that the request's path names and its newest classifier, to be released, and 200; or it answers that there is
// none, and gives the code of that.
func (s *Server) model(w http.ResponseWriter, r *http.Request) (m *served, c *models.Classifier, release func(), code int) {
	m = s.models[r.PathValue("name")]
	if m == nil {
		return nil, nil, nil, s.fail(w, r, http.StatusNotFound, fmt.Sprintf("there is no model %q", clip(r.PathValue("name"))))
	}
	c, free, err := m.Acquire()
	if err != nil {
		return nil, nil, nil, s.busy(w, r, "the server is ending")
	}
	release = func() {
		if err := free(); err != nil {
			s.Log.Warn("closing a model", "model", m.name, "error", err)
		}
	}
	if asked := r.PathValue("version"); asked != "" && asked != version(c) {
		release()
		return nil, nil, nil, s.fail(w, r, http.StatusNotFound, fmt.Sprintf("model %q has no version %q; its version is %q", m.name, clip(asked), version(c)))
	}
	return m, c, release, http.StatusOK
}
