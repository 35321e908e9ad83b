#include "systolic/train/batches/step_transfer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/core/put_together.h"
#include "systolic/runtime/device_literal.h"
#include "systolic/runtime/takes_pieces.h"
#include "systolic/runtime/takes_rows.h"
#include "systolic/trace/device/default_client.h"

namespace systolic::inline v0 {
namespace {

// The same rows, then copies of the first one: real data, so that padding can make no NaN that a
// mask cannot hide.
Literal padded(const Literal& literal, int64_t rows) {
  if (literal.shape()[0] == rows) return literal;
  Shape shape = literal.shape();
  shape.set(0, rows);
  Literal result(literal.dtype(), shape);
  std::byte* to = result.mutable_raw();
  const size_t row_bytes = literal.byte_size() / static_cast<size_t>(literal.shape()[0]);
  std::memcpy(to, literal.raw(), literal.byte_size());
  for (std::byte* row = to + literal.byte_size(); row < to + result.byte_size(); row += row_bytes) {
    std::memcpy(row, literal.raw(), row_bytes);
  }
  return result;
}

bool of_one_type(const std::vector<Literal>& steps) {
  return std::all_of(steps.begin(), steps.end(), [&](const Literal& step) {
    return step.dtype() == steps[0].dtype() && step.shape() == steps[0].shape();
  });
}

std::vector<Literal> masks(const std::vector<Example>& batches, int64_t rows) {
  std::vector<Literal> result;
  for (const Example& batch : batches) {
    Literal mask = Literal::zeros(DType::pred, {rows});
    auto values = mask.mutable_data<bool>();
    std::fill_n(values.begin(), rows_of(batch), true);
    result.push_back(std::move(mask));
  }
  return result;
}

}  // namespace

StepTransfer::StepTransfer(const Options& options) : options_(options), client_(default_client()) {}

StepInput StepTransfer::operator()(const std::vector<Example>& batches, const BatchLayout& layout,
                                   int64_t rows) const {
  StepInput input;
  input.inputs = layout.inputs.size();
  input.labels = layout.labels.size();
  input.weights = layout.sample_weights.size();
  input.batch_size = rows * options_.pieces;
  input.steps_per_execution = options_.steps_per_execution;
  input.steps = static_cast<int64_t>(batches.size());
  bool all_full = true;
  input.real_rows = rows_of(batches.front());
  for (const Example& batch : batches) {
    input.samples += rows_of(batch);
    all_full = all_full && rows_of(batch) == rows;
    if (rows_of(batch) != input.real_rows) input.real_rows = -1;
  }
  for (size_t component : layout.order()) {
    std::vector<Literal> steps;
    for (const Example& batch : batches) {
      const Literal value = runtime::device_literal(batch.value(component), batch.name(component));
      steps.push_back(padded(value, rows));
    }
    input.names.push_back(batches.front().name(component));
    Shape shape = steps.front().shape();
    shape.set(0, input.batch_size);
    input.types.push_back({steps.front().dtype(), shape});
    input.buffers.push_back(to_device(steps, batches.front().name(component)));
  }
  if (!all_full && options_.pieces == 1) input.mask = to_device(masks(batches, rows), "mask");
  return input;
}

// An execution holds the batches of all its steps, those that are missing at the end included.
void StepTransfer::check_fitting(const Literal& step, const std::string& name) const {
  const double needed =
      static_cast<double>(options_.steps_per_execution) * static_cast<double>(step.byte_size());
  const double available = static_cast<double>(client_->kind().generation.memory_bytes_per_core) *
                           static_cast<double>(options_.cores);
  if (needed <= available) return;
  raise<ResourceExhausted>({.what = str("component '", name, "' of ", options_.steps_per_execution,
                                        " steps in one execution needs ",
                                        bytes_text(static_cast<int64_t>(std::min(needed, 0x1p62)))),
                            .wanted = str("at most ", bytes_text(static_cast<int64_t>(available))),
                            .hint = "compile with a smaller steps_per_execution",
                            .location = options_.location});
}

// [steps, batch, ...]; copies of the first stand for those that are missing.
Literal StepTransfer::one_execution(const std::vector<Literal>& steps,
                                    const std::string& name) const {
  check_fitting(steps.front(), name);
  const Literal real =
      stacked(steps, {.what = str("component '", name, "'"), .unit = "batch", .hint = {}});
  return padded(real, options_.steps_per_execution);
}

runtime::BufferPtr StepTransfer::to_device(const std::vector<Literal>& steps,
                                           const std::string& name) const {
  const bool several = options_.steps_per_execution > 1;
  runtime::Placement placement;
  if (options_.cores > 1) {
    const int rank = steps.front().rank() + (several ? 1 : 0);
    placement.kind = runtime::Placement::Kind::sharded;
    placement.sharding = ir::Sharding::along(several ? 1 : 0, rank, options_.cores);
  }
  if (options_.pieces > 1) {
    auto* const by_pieces = dynamic_cast<runtime::TakesPieces*>(client_.get());
    ensure(by_pieces != nullptr && !several, "one step of a device that takes pieces");
    return by_pieces->from_host_piece(steps.front(), placement);
  }
  if (!several) return client_->from_host(steps.front(), placement);
  auto* const by_rows = dynamic_cast<runtime::TakesRows*>(client_.get());
  if (by_rows == nullptr || !of_one_type(steps)) {
    return client_->from_host(one_execution(steps, name), placement);
  }
  check_fitting(steps.front(), name);
  std::vector<Literal> rows = steps;
  rows.resize(static_cast<size_t>(options_.steps_per_execution), steps.front());
  return by_rows->from_host_rows(rows, placement);
}

}  // namespace systolic::inline v0
