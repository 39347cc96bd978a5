package ccp

// The layer's options as parameters of the model, each read at the layer's scope, so that one level can differ from the
// others. Every one has a setter of the same meaning on the builder.
const (
	// ParamHierarchy is how the hierarchy comes about, one of Hierarchies (default Learned).
	ParamHierarchy = "ccp_hierarchy"

	// ParamMembershipStd is the standard deviation of U ~ N(0, std²) at the start (float64, default 1).
	ParamMembershipStd = "ccp_membership_std"

	// ParamMembershipRate is how many times faster than the other weights U moves (float64, default 10). With rates near
	// the weights' own, U hardly leaves its start.
	ParamMembershipRate = "ccp_membership_rate"

	// ParamAlphaStd is σ₁ in α ~ N(1, σ₁²) at the start (float64, default 0.1).
	ParamAlphaStd = "ccp_alpha_std"

	// ParamBetaStd is σ₂ in β ~ N(0, σ₂²) at the start (float64, default 0.1).
	ParamBetaStd = "ccp_beta_std"

	// ParamGates is how many pairs α, β a level has: "level" (one, Algorithm 2 of the paper; default), "cluster" (one a
	// cluster) or "slot" (one for each place in each neighbourhood).
	ParamGates = "ccp_gates"

	// ParamObjectiveWeight multiplies the objective C, which is subtracted from the loss (float64, default 1).
	ParamObjectiveWeight = "ccp_objective_weight"

	// ParamRefresh is every how many training steps neighbourhoods are selected anew, whole (float64, default 1); the training
	// then alternates between two graphs, see ReuseSelection. Ranks at the nodes selected, and so gates and gradients, are of
	// the step itself all the same.
	ParamRefresh = "ccp_refresh"

	// ParamRecompute is to keep no gathered neighbourhoods between a training step's forward and backward passes, but to gather them
	// again, those of a part of the clusters at a time (bool, default false): it takes less memory and more time.
	ParamRecompute = "ccp_recompute"

	// ParamVolumeLoops counts self-loops in the degrees of the volume (bool, default false: cohesion/volume stays ≤ 1).
	ParamVolumeLoops = "ccp_volume_loops"

	// ParamSlots is the order of the nodes within each neighbourhood, and so which weights of the filter each of them meets: "rank",
	// the most central first (default), or "random", one fixed random permutation for each cluster: the paper's ablation.
	ParamSlots = "ccp_slots"
	// ParamOrder is what follows the filter: "filter-norm-elu" (default) or "filter-elu-norm"; dropout comes last.
	ParamOrder = "ccp_order"

	// ParamDropout is the dropout rate after each level (float64, default 0).
	ParamDropout = "ccp_dropout"
)
