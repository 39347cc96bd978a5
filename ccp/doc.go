// Package ccp implements convolutional cluster pooling (Porrello, Abati, Calderara and Cucchiara, AISTATS 2019). The
// layer pools the nodes of a graph into clusters. It convolves a signal over each cluster's most central nodes.
//
// One undirected graph of N nodes, with affinity A, is shared by all samples. A sample is a signal: one feature
// vector for each node. One level turns N nodes into K clusters. A0 is A without its diagonal, U a variable `[N, K]`.
//
//	memberships    M = softmax of each row of U                       [N, K]
//	links          A0·M                                               [N, K]   Affinity.Times
//	pooled         P = Mᵀ·A0·M                                        [K, K]
//	next affinity  D^−½·P·D^−½, D = row sums of P                     [K, K]   Level.Coarse
//	objective      C = ½ Σ_k P[k,k] / Σ_i d_i M[i,k], maximised       scalar   Level.Objective
//	rank           (1 + M[i,k]) · (A0·M)[i,k]                         [N, K]
//	neighbourhood  the L nodes of highest rank, for each cluster      [K, L]   Level.Neighbourhood
//	gate           σ(α·rank + β)                                      [K, L]
//	filter         Σ_l W[:,l,:] · gate[k,l] · signal[node(k,l)] + b    [batch, K, filters]   Filter
//
// Cluster computes all but the first and the last two, and Filter the last. New … Done makes a trainable layer of them.
// With learned memberships a network is
//
//	a := ccp.FromMatrix(scope.In("graph"), g, graph, dtypes.Float32)
//	x, a = ccp.New(scope.In("level_1"), x, a, 256, 64).Neighbours(16).Done()
//	x, a = ccp.New(scope.In("level_2"), x, a, 1, 128).Neighbours(16).Done()
//
// The selection has no gradient. The task's loss reaches U through the gates and through the pooled affinities of
// later levels; C, added to the loss with weight −1, reaches it directly. Preparation.Hold takes the neighbourhoods
// on the host instead, such as once an epoch. After Several(scope, x, 8) eight hierarchies are learned, with a U for
// each. A Freezer comes before an evaluation then: without it the first hierarchy alone predicts.
//
// Clusters can also be prepared on the host, which is faster and usually better. A training step draws one of the
// hierarchies, and a prediction is the mean over all:
//
//	h, err := ccp.Prepare(graph).Level(256, 16).Level(1, 16).Hierarchies(8).Done(ctx)
//	...
//	a := h.Affinity(scope, x)
//	x, a = ccp.New(scope.In("level_1"), x, a, 256, 64).Neighbours(16).Done()
//	x, a = ccp.New(scope.In("level_2"), x, a, 1, 128).Neighbours(16).Done()
//	logits := a.Mean(layers.Dense(scope, Reshape(x, -1, 128), true, 10))
//
// # Glossary
//
//	level          one step of clustering and filtering; nodes below it, clusters above it
//	hierarchy      the clusterings of all levels, one on the other
//	plan           how a hierarchy comes about: learned, task-only, objective-only, prepared or random
//	prepared       made on the host before the training, by Prepare; it is frozen from the start
//	frozen         no longer changes: a level's neighbourhoods and ranks are variables that are not trained
//	freezing       what a Freezer does to a learned hierarchy, for predictions
//	neighbourhood  the L nodes that a cluster's filter reads
//	slot           a place in a neighbourhood; all clusters share the filter's weights of a slot
//	candidates     the clusters that a node may belong to, where its memberships are learned
//	input, stem    the nodes below the first level, and the filter there, which does not pool
//
// A hierarchy changes in these parts of a program's life:
//
//	plan             before the training   in the training   after it
//	learned          -                     changes           frozen
//	task-only        -                     changes           frozen
//	objective-only   -                     changes           frozen
//	prepared         frozen                frozen            frozen
//	random           frozen                frozen            frozen
//
// # Departures from the paper
//
// The layer takes its graph as an Affinity rather than as a matrix. It needs products and degrees only, so the first
// level can be sparse. C is subtracted from the loss (the paper writes "+ L_K" and maximises it). U is the variable
// times a rate: it moves faster than the other weights under the same optimizer. Degrees leave out self-loops. Ties
// of rank go to the lower index. A node without edges keeps a row of zeros. Where neighbourhoods are prepared or
// held, its cluster selects it all the same, at a rank that is next to nothing.
package ccp
