// accelerate's shape of a loop (huggingface.co/docs/accelerate), as transformers' scripts without a
// Trainer have it. Call it in what xmp::spawn starts, or outside for one core.
//
//   accelerate::Accelerator accelerator({.gradient_accumulation_steps = 2});
//   auto optimizer = accelerator.prepare(torch::optim::AdamW(model.parameters()));
//   auto loader = accelerator.prepare(train_loader);
//   for (const auto& batch : loader) {
//     accelerator.backward(criterion(model(batch["x"]), batch["y"]));
//     optimizer.step();
//     optimizer.zero_grad();
//   }
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "systolic/torch/data/data_loader.h"
#include "systolic/torch/optim/optimizer.h"
#include "systolic/torch_xla/xm.h"

namespace systolic::inline v0 {
namespace accelerate {

struct AcceleratorOptions {
  // Batches whose gradients add up, divided by their number, before an update.
  int64_t gradient_accumulation_steps = 1;
};

// What the prepared parts know of each other.
struct LoopState {
  int64_t accumulation_steps = 1;
  int64_t batches = 0;         // taken
  bool sync_gradients = true;  // the batch at hand completes an update
  bool end_of_loader = false;  // it is the last one
  int64_t remainder = 0;       // samples of the last global batch that are not repetitions; 0: all
};

// Steps only where an update is complete, by the gradients' mean over the ordinals.
class AcceleratedOptimizer {
 public:
  AcceleratedOptimizer(torch::optim::Optimizer optimizer, std::shared_ptr<LoopState> state)
      : optimizer_(std::move(optimizer)), state_(std::move(state)) {}
  void step(SourceLocation location = SourceLocation::current());
  void zero_grad() const;
  torch::optim::Optimizer& optimizer() { return optimizer_; }

 private:
  torch::optim::Optimizer optimizer_;
  std::shared_ptr<LoopState> state_;
};

// Ordinal i takes batches i, i + world, ... of the loader, whose order must be the same on all
// ordinals: torch::manual_seed with one seed. The last round is filled from the start, so that all
// ordinals have the same number of batches, each of batch_size samples (even_batches). Each batch
// marks a step.
class PreparedLoader {
 public:
  PreparedLoader(torch::utils::data::DataLoader loader, std::shared_ptr<LoopState> state)
      : loader_(std::move(loader)), state_(std::move(state)) {}
  int64_t size() const;
  torch::utils::data::BatchCursor begin() const;
  std::default_sentinel_t end() const { return {}; }

 private:
  torch::utils::data::DataLoader loader_;
  std::shared_ptr<LoopState> state_;
};

class Accelerator {
 public:
  explicit Accelerator(AcceleratorOptions options = {},
                       SourceLocation location = SourceLocation::current());

  torch::Device device() const { return torch_xla::device(); }
  int num_processes() const { return xm::xrt_world_size(); }
  int process_index() const { return xm::get_ordinal(); }
  bool is_main_process() const { return process_index() == 0; }
  bool sync_gradients() const { return state_->sync_gradients; }

  AcceleratedOptimizer prepare(torch::optim::Optimizer optimizer) const {
    return AcceleratedOptimizer(std::move(optimizer), state_);
  }
  PreparedLoader prepare(torch::utils::data::DataLoader loader) const {
    return PreparedLoader(std::move(loader), state_);
  }

  void backward(const torch::Tensor& loss, SourceLocation location = SourceLocation::current());
  // The ordinals' Tensors joined along the first axis.
  torch::Tensor gather(const torch::Tensor& x,
                       SourceLocation location = SourceLocation::current()) const;
  // The same without the samples that the last round repeats.
  torch::Tensor gather_for_metrics(const torch::Tensor& x,
                                   SourceLocation location = SourceLocation::current()) const;
  void wait_for_everyone(SourceLocation location = SourceLocation::current()) const;
  template <class... Parts>
  void print(const Parts&... parts) const {
    xm::master_print(parts...);
  }

 private:
  std::shared_ptr<LoopState> state_ = std::make_shared<LoopState>();
};

}  // namespace accelerate
}  // namespace systolic::inline v0
