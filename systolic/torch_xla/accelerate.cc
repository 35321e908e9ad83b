#include "systolic/torch_xla/accelerate.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace accelerate {
namespace {

using torch::utils::data::Batch;
using torch::utils::data::BatchCursor;
using torch::utils::data::DataLoader;

// The samples of the whole epoch in batches of equal size, the last round filled from the start.
std::vector<std::vector<int64_t>> filled_rounds(const std::vector<int64_t>& order,
                                                int64_t batch_size, int64_t world, bool drop_last) {
  const auto size = static_cast<size_t>(batch_size * world);
  const size_t rounds = drop_last ? order.size() / size : (order.size() + size - 1) / size;
  std::vector<std::vector<int64_t>> result(rounds);
  for (size_t i = 0; i < rounds * size; ++i) result[i / size].push_back(order[i % order.size()]);
  return result;
}

}  // namespace

Accelerator::Accelerator(AcceleratorOptions options, SourceLocation location) {
  if (options.gradient_accumulation_steps < 1) {
    raise<InvalidArgument>(
        {.what = str("gradient_accumulation_steps is ", options.gradient_accumulation_steps),
         .wanted = "1 or more",
         .location = location});
  }
  state_->accumulation_steps = options.gradient_accumulation_steps;
}

void Accelerator::backward(const torch::Tensor& loss, SourceLocation location) {
  const auto steps = static_cast<double>(state_->accumulation_steps);
  torch::Tensor(steps == 1 ? Tensor(loss) : loss / steps).backward(location);
}

torch::Tensor Accelerator::gather(const torch::Tensor& x, SourceLocation location) const {
  return xm::all_gather(x.rank() == 0 ? x.unsqueeze(0, location) : x, 0, location);
}

torch::Tensor Accelerator::gather_for_metrics(const torch::Tensor& x,
                                              SourceLocation location) const {
  const torch::Tensor all = gather(x, location);
  if (!state_->end_of_loader || state_->remainder == 0) return all;
  std::vector<int64_t> begin(static_cast<size_t>(all.rank()), 0);
  std::vector<int64_t> size = all.shape().to_vector();
  size[0] = std::min(size[0], state_->remainder);
  return slice(all, Shape(begin), Shape(size), location);
}

void Accelerator::wait_for_everyone(SourceLocation location) const {
  xm::rendezvous("accelerate.wait_for_everyone", "", location);
}

void AcceleratedOptimizer::step(SourceLocation location) {
  if (state_->sync_gradients) xm::optimizer_step(optimizer_, {}, location);
}
void AcceleratedOptimizer::zero_grad() const {
  if (state_->sync_gradients) optimizer_.zero_grad();
}

int64_t PreparedLoader::size() const {
  const int64_t world = xm::xrt_world_size(), batches = loader_.size();
  return loader_.options().drop_last ? batches / world : (batches + world - 1) / world;
}

BatchCursor PreparedLoader::begin() const {
  const int64_t batch_size = loader_.options().batch_size, world = xm::xrt_world_size();
  const std::vector<int64_t> order = loader_.draw_order();
  auto rounds = std::make_shared<const std::vector<std::vector<int64_t>>>(
      filled_rounds(order, batch_size, world, loader_.options().drop_last));
  const int64_t remainder = static_cast<int64_t>(order.size()) % (batch_size * world);
  const auto own = [rounds, batch_size](size_t round) {
    const int64_t first = xm::get_ordinal() * batch_size;
    const auto begin = (*rounds)[round].begin() + first;
    return std::vector<int64_t>(begin, begin + batch_size);
  };
  return BatchCursor([loader = loader_, state = state_, rounds, own, remainder,
                      round = size_t{0}]() mutable -> std::optional<Batch> {
    torch_xla::sync();
    if (round == rounds->size()) return std::nullopt;
    Batch batch = loader.collate(own(round++));
    ++state->batches;
    state->end_of_loader = round == rounds->size();
    state->remainder = remainder;
    state->sync_gradients = state->end_of_loader || state->batches % state->accumulation_steps == 0;
    if (state->sync_gradients) state->batches = 0;
    return batch;
  });
}

}  // namespace accelerate
}  // namespace systolic::inline v0
