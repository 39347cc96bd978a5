package wordvec

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// maxWord is the most bytes of a word in a binary file: the original programs write up to some 2,000.
const maxWord = 4096

// readBinary reads the words of a word2vec binary file after its header. The line end that the original program, but not
// every other, writes after a vector is passed over. The vectors of words that are not wanted are skipped.
func readBinary(in *bufio.Reader, k *keeper) error {
	vector := make([]byte, 4*k.Dim)
	for !k.complete() {
		word, err := in.ReadSlice(' ')
		end := errors.Is(err, io.EOF) && len(bytes.TrimLeft(word, "\n")) == 0
		if end {
			return nil
		}
		number := k.read + 1
		if len(word) > maxWord {
			return fmt.Errorf("word %d is longer than %d bytes; the file is damaged, or its header gives a wrong number of values, %d", number, maxWord, k.Dim)
		}
		if err != nil {
			return fmt.Errorf("word %d: %w", number, cutShort(err))
		}
		word = bytes.TrimLeft(word[:len(word)-1], "\n")
		if !k.wants(word) {
			if _, err := in.Discard(len(vector)); err != nil {
				return fmt.Errorf("word %d: %w", number, cutShort(err))
			}
			k.read++
			continue
		}
		word = bytes.Clone(word) // reading on overwrites it
		if _, err := io.ReadFull(in, vector); err != nil {
			return fmt.Errorf("word %d: %w", number, cutShort(err))
		}
		for at := 0; at < len(vector); at += 4 {
			k.Values = append(k.Values, math.Float32frombits(binary.LittleEndian.Uint32(vector[at:])))
		}
		if err := k.keep(word); err != nil {
			return fmt.Errorf("word %d: %w", number, err)
		}
		k.read++
	}
	return nil
}
