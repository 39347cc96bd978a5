"""Compares how ccp strips and cuts the messages of 20 Newsgroups with scikit-learn itself.

    go run ./benchmarks/paper/data/internal/newsgroups/compare FOLDER >ours.tsv
    python benchmarks/paper/data/internal/newsgroups/testdata/compare.py FOLDER ours.tsv

FOLDER holds 20news-bydate-train and 20news-bydate-test. scikit-learn's fetch_20newsgroups downloads an archive and keeps
it in a file of its own; here that file is made from the folder, so that both sides read the same messages. The words
are those of its CountVectorizer(stop_words="english"), after the replacements of the protocol. The exit status is 0 if
99.9% agree; with scikit-learn 1.7.2 all 18,846 messages do, byte for byte.
"""

import argparse
import codecs
import hashlib
import os
import pickle
import re
import sys
import tempfile

import sklearn
from sklearn.datasets import fetch_20newsgroups, load_files
from sklearn.feature_extraction.text import CountVectorizer


def sha256(text):
    return hashlib.sha256(text.encode("latin1")).hexdigest()


def cleaned(text):
    text = re.sub(r"\d+", " NUM ", text).replace("$", " dollar ").lower()
    return re.sub("[^a-z]", " ", text)


def theirs(folder):
    """Yields the path of each message and the text that scikit-learn leaves of it."""
    with tempfile.TemporaryDirectory() as home:
        splits = {
            split: load_files(os.path.join(folder, "20news-bydate-" + split), encoding="latin1")
            for split in ("train", "test")
        }
        with open(os.path.join(home, "20news-bydate_py3.pkz"), "wb") as cache:
            cache.write(codecs.encode(pickle.dumps(splits), "zlib_codec"))
        for split in splits:
            messages = fetch_20newsgroups(
                data_home=home, subset=split, remove=("headers", "footers", "quotes"),
                shuffle=False, download_if_missing=False,
            )
            for name, text in zip(messages.filenames, messages.data):
                yield os.path.relpath(name, folder).replace(os.sep, "/"), text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="holds 20news-bydate-train and 20news-bydate-test")
    parser.add_argument("ours", help="what the command compare of package newsgroups printed")
    args = parser.parse_args()

    with open(args.ours) as lines:
        ours = {path: (body, words) for path, body, words in (line.split() for line in lines)}
    analyse = CountVectorizer(stop_words="english").build_analyzer()
    total = bodies = words = 0
    for path, text in theirs(args.folder):
        total += 1
        body, counted = ours.pop(path, ("", ""))
        same_words = counted == sha256("".join(word + "\n" for word in analyse(cleaned(text))))
        same_body = body == sha256(text)
        bodies += same_body
        words += same_words
        if not (same_body and same_words):
            print(f"{path}: body {'agrees' if same_body else 'differs'}, words {'agree' if same_words else 'differ'}")
    print(f"scikit-learn {sklearn.__version__}: {total} messages, {bodies} bodies agree ({bodies / total:.3%}), "
          f"{words} lists of words agree ({words / total:.3%}), {len(ours)} messages of ours are unknown to it")
    return 0 if min(bodies, words) >= 0.999 * total and not ours else 1


if __name__ == "__main__":
    sys.exit(main())
