package download

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
)

// failure says why the network did not bring a file.
type failure struct {
	error
	passing bool   // another attempt may succeed
	advice  string // for people
}

func (f failure) Unwrap() error { return f.error }

const tryAgain = "give the same command to go on"

func isPassing(err error) bool {
	f, ok := errors.AsType[failure](err)
	return ok && f.passing
}

// requestError classifies the error of a request without an answer. Unknown names and untrusted certificates do not pass.
func requestError(err error) error {
	if request, ok := errors.AsType[*url.Error](err); ok {
		err = request.Err // It repeats the address, which explain gives.
	}
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		return failure{err, !name.IsNotFound, "is there a network, or a proxy to name in HTTPS_PROXY?"}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return err
	}
	return failure{err, true, tryAgain}
}

// statusError is for an answer that is not the file.
func statusError(status int) error {
	err := fmt.Errorf("the server answers %d %s", status, http.StatusText(status))
	if slices.Contains([]int{http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout}, status) {
		return failure{err, true, tryAgain}
	}
	return failure{err, false, "the file may have moved"}
}

// explain says why a fetch failed and what to do about it.
func explain(ctx context.Context, err error, file File) error {
	if file.Temporary {
		return fmt.Errorf("fetch %s: %w", file.URL, err)
	}
	if ctx.Err() != nil {
		kept := ""
		if have := sizeOf(file.Path + partSuffix); have > 0 && file.Sum != Unpublished {
			kept = fmt.Sprintf("; %d bytes are kept in %s: %s", have, file.Path+partSuffix, tryAgain)
		}
		return fmt.Errorf("stopped while fetching %s: %w%s", file.URL, context.Cause(ctx), kept)
	}
	if f, ok := errors.AsType[failure](err); ok {
		return fmt.Errorf("cannot fetch %s: %w; %s; or get it in another way and put it at %s", file.URL, err, f.advice, file.Path)
	}
	return fmt.Errorf("fetch %s: %w", file.URL, err)
}
