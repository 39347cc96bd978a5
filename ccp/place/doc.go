// Package place says where the nodes of a graph lie, by the graph alone, and orders neighbourhoods by it: in a filter's slots so that
// each slot lies in one direction from every centre. Everything here runs on the host.
package place
