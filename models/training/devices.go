package training

import (
	"iter"

	"github.com/clusterpool/ccp/internal/params"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/dtensor"
	"github.com/gomlx/gomlx/ml/train"
)

// parted cuts each batch of a data set into equal parts, one for each device, see Options.Devices. The weights are
// the same on all devices. XLA (Shardy) splits the step itself, which stays the step of one device on the whole
// batch. So sums over the batch, such as batch norm's and the loss's, take the samples of all devices.
type parted struct {
	train.Dataset
	spec *distributed.ShardingSpec
}

// onDevices splits each batch over the first n devices of the backend.
func onDevices(batches train.Dataset, devices int) (train.Dataset, error) {
	if devices <= 1 {
		return batches, nil
	}
	mesh, err := distributed.NewDeviceMesh([]int{devices}, []string{"batch"})
	if err != nil {
		return nil, err
	}
	spec, err := distributed.BuildSpec(mesh).S("batch").Done()
	return parted{batches, spec}, err
}

// checkDevices returns an error if batches of `batch` samples cannot be trained on so many devices of a backend.
func checkDevices(backend compute.Backend, devices, batch int) error {
	switch have := backend.NumDevices(); {
	case devices < 0:
		return params.Errorf("devices", devices, "there must be at least 1")
	case devices > have:
		return params.Errorf("devices", devices, "the backend has %d: use at most %d", have, have)
	case devices > 1 && batch%devices != 0:
		below := batch / devices * devices
		if below == 0 {
			return params.Errorf("batch", batch, "it is not a multiple of %d devices; use %d", devices, devices)
		}
		return params.Errorf("batch", batch, "it is not a multiple of %d devices; use %d or %d", devices, below,
			below+devices)
	}
	return nil
}

// Strategy implements train.DistributedDataset.
func (parted) Strategy() distributed.Strategy { return distributed.AutoSharding }

// DeviceAssignment implements train.DistributedDataset: the backend's devices in order.
func (parted) DeviceAssignment() []compute.DeviceNum { return nil }

// DistributedIter implements train.DistributedDataset.
func (p parted) DistributedIter() iter.Seq2[train.DistributedBatch, error] {
	return func(yield func(train.DistributedBatch, error) bool) {
		for batch, err := range p.Iter() {
			var parts train.DistributedBatch
			if err == nil {
				parts, err = p.part(batch)
			}
			if !yield(parts, err) {
				return
			}
		}
	}
}

// part cuts a batch into a part for each device, and frees the whole one.
func (p parted) part(batch train.Batch) (parts train.DistributedBatch, err error) {
	cut := func(whole []*tensors.Tensor) (cut []*dtensor.Tensor) {
		for _, t := range whole {
			part, cutErr := dtensor.ShardTensor(p.spec, t)
			if cutErr != nil {
				err = cutErr
				return nil
			}
			cut = append(cut, part)
		}
		return cut
	}
	parts = train.DistributedBatch{Inputs: cut(batch.Inputs), Labels: cut(batch.Labels), Spec: batch.Spec}
	if err != nil {
		return parts, err
	}
	return parts, batch.Finalize()
}
