// Package data registers the data sets of the paper and its follow-ups: images, skeletons and newsgroups.
package data

import "github.com/clusterpool/ccp/datasets"

func init() {
	for _, source := range []datasets.Source{cifar10, mnist, fashionMNIST, news, ntu, nwucla} { // in the order of a listing
		datasets.Register(source)
	}
}
