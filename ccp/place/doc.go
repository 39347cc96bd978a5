// Package place finds positions for the nodes of a graph, by the graph alone. It orders neighbourhoods by positions:
// each slot of a filter then has one direction from every centre. Everything here runs on the host.
package place
