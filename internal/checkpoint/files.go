package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// CheckDirectory says whether dir is, or can become, a directory: not when there is a file of that name.
func CheckDirectory(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	}
	return nil
}

// WriteJSON writes v to path, indented, as WriteFile does.
func WriteJSON(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return WriteFile(path, append(raw, '\n'))
}

// WriteFile writes a file all or nothing: a temporary file, flushed to disk, then renamed. Where that fails, as on a full disk, the
// temporary file is removed.
func WriteFile(path string, content []byte) error {
	work := path + ".writing"
	err := os.WriteFile(work, content, 0o644)
	if err == nil {
		err = flush(work)
	}
	if err == nil {
		err = os.Rename(work, path)
	}
	if err != nil {
		_ = os.Remove(work)
		return err
	}
	return flush(filepath.Dir(path))
}

// ReadJSON reads what WriteJSON wrote; an error names the file.
func ReadJSON(path string, v any) error { return readJSON(path, v) }

func readJSON(path string, v any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// flush makes a file's or directory's content survive a power cut.
func flush(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
