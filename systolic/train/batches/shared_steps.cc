#include "systolic/train/batches/shared_steps.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/runtime/takes_pieces.h"
#include "systolic/trace/device/default_client.h"

namespace systolic::inline v0 {
namespace {

// One process may read much longer than the others; whoever dies meanwhile is named at once.
constexpr double most_seconds = 3600;

int64_t next_number() {
  static std::atomic<int64_t> number{0};
  return number++;
}

// pred [rows]: this process's part of the mask of a step.
runtime::BufferPtr mask_piece(int64_t real, int64_t rows) {
  const runtime::ClientPtr client = default_client();
  Literal mask = Literal::zeros(DType::pred, {rows});
  std::fill_n(mask.mutable_data<bool>().begin(), real, true);
  auto* const by_pieces = dynamic_cast<runtime::TakesPieces*>(client.get());
  ensure(by_pieces != nullptr, "a device that takes pieces");
  return by_pieces->from_host_piece(
      mask, {runtime::Placement::Kind::sharded, ir::Sharding::along(0, 1, client->cores()), 0});
}

}  // namespace

SharedSteps::SharedSteps(std::shared_ptr<cluster::Coordination> run)
    : run_(std::move(run)), name_(str("rows of fit ", next_number())) {}

std::vector<std::string> SharedSteps::gather(const std::string& own) const {
  return run_->gather(name_, own, most_seconds);
}

std::optional<StepInput> SharedSteps::together(std::optional<StepInput> own) {
  const int64_t real = own ? own->samples : 0;
  int64_t total = 0;
  for (const std::string& text : gather(str(real))) {
    int64_t rows = 0;
    ensure(parse_number(text, rows) && rows >= 0, "a number of rows");
    total += rows;
  }
  if (total == 0) return std::nullopt;
  if (own) last_ = own;
  if (!last_) {
    raise<FailedPrecondition>(
        {.what = str("process ", run_->place().processes.index, " has no data, others have"),
         .hint = "share the data by row: AutoShardPolicy::data"});
  }
  StepInput step = *last_;
  step.only_pads = !own;
  step.samples = total;
  const bool full = total == step.batch_size;
  step.real_rows = full ? total : -1;
  if (!full) step.mask = mask_piece(real, step.batch_size / run_->place().processes.count);
  return step;
}

}  // namespace systolic::inline v0
