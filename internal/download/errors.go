package download

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

// passing is an error that another attempt may not meet.
type passing struct{ error }

func (p passing) Unwrap() error { return p.error }

// requestError judges an error of a request that had no answer: a name that is not known, or a certificate that is not
// trusted, will not be a moment later.
func requestError(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // it repeats the address, which explain gives
	}
	var name *net.DNSError
	if errors.As(err, &name) && name.IsNotFound || errors.As(err, new(*tls.CertificateVerificationError)) {
		return err
	}
	return passing{err}
}

// statusError is for an answer that is not the file.
func statusError(response *http.Response) error {
	err := httpError{response.StatusCode}
	switch response.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return passing{err}
	}
	return err
}

// httpError is an answer with a status that is not success.
type httpError struct{ status int }

func (e httpError) Error() string {
	return fmt.Sprintf("the server answers %d %s", e.status, http.StatusText(e.status))
}

// explain says what a fetch failed of and what to do about it.
func explain(err error, file File) error {
	var status httpError
	var name *net.DNSError
	var way string
	switch {
	case file.Temporary:
		return fmt.Errorf("fetch %s: %w", file.URL, err)
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		if have, stamp := resumable(file.Path + partSuffix); have > 0 && stamp != "" {
			return fmt.Errorf("stopped while fetching %s: %w; %d bytes are kept in %s: give the same command to go on",
				file.URL, err, have, file.Path+partSuffix)
		}
		return fmt.Errorf("stopped while fetching %s: %w", file.URL, err)
	case errors.As(err, &status) && !errors.As(err, new(passing)):
		way = "the file may have moved"
	case errors.As(err, &name):
		way = "is there a network, or a proxy to name in HTTPS_PROXY?"
	case errors.As(err, new(passing)):
		way = "give the same command to go on"
	default:
		return fmt.Errorf("fetch %s: %w", file.URL, err)
	}
	return fmt.Errorf("cannot fetch %s: %w; %s; or get it in another way and put it at %s", file.URL, err, way, file.Path)
}
