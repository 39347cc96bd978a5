// Package text turns messages into bags of words: it strips what is not the author's own words ([Body]), cuts the rest
// into words ([Words]), numbers them ([Vocabulary]) and counts them ([Bags]). It knows nothing of graphs.
//
// Messages are Latin-1, one byte a character.
package text
