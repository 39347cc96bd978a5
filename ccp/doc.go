// Package ccp is convolutional cluster pooling (Porrello, Abati, Calderara and Cucchiara, AISTATS 2019): a layer that
// pools the nodes of a graph into learned clusters and convolves a signal over each cluster's most central nodes.
//
// One undirected graph of N nodes, with affinity A, is shared by all samples; a sample is a signal, one feature vector a
// node. One level turns N nodes into K clusters. A0 is A without its diagonal, U a variable `[N, K]`.
//
//	memberships    M = softmax of each row of U                       [N, K]   Memberships
//	links          A0·M                                               [N, K]   Links
//	pooled         P = Mᵀ·A0·M                                        [K, K]   Coarsen
//	next affinity  D^−½·P·D^−½, D = row sums of P                     [K, K]   Normalize
//	objective      C = ½ Σ_k P[k,k] / Σ_i d_i M[i,k], maximised       scalar   Cohesion, Volume, Objective
//	rank           (1 + M[i,k]) · (A0·M)[i,k]                         [N, K]   Rank
//	neighbourhood  the L nodes of highest rank, for each cluster      [K, L]   Select
//	gate           σ(α·rank + β)                                      [K, L]   Gate
//	filter         Σ_l W[:,l,:] · gate[k,l] · signal[node(k,l)] + b    [batch, K, filters]   Filter
//
// The functions are pure; New … Done makes a trainable layer of them:
//
//	x, a = ccp.New(scope.In("level_1"), x, a, 256, 64).Neighbours(16).Done()
//	x, a = ccp.New(scope.In("level_2"), x, a, 64, 128).Neighbours(16).Done()
//
// The selection has no gradient. The task's loss reaches U through the gates and through the pooled affinities of later
// levels; C, added to the loss with weight −1, reaches it directly.
//
// # Departures from the paper
//
// The layer takes its graph as an Affinity rather than as a matrix, since all it needs of it are products and degrees: so
// the first level can be sparse. C is subtracted from the loss (the paper writes "+ L_K" and maximises it). U is the
// variable times a rate, so that it moves faster than the other weights under the same optimizer. Degrees leave out
// self-loops. Ties of rank go to the lower index. A node without edges keeps a row of zeros.
package ccp
