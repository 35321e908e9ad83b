#include "systolic/trace/feed.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {

std::vector<Tensor> add_feed(std::vector<FeedValue> values,
                             std::function<std::vector<runtime::BufferPtr>()> pull) {
  Trace& trace = Trace::current();
  ensure(trace.kind() == Trace::Kind::explicit_, "feeds belong to explicit traces");
  if (trace.region_id() != 0) throw FeedInsideLoop{};
  auto feed = std::make_shared<Feed>(Feed{std::move(pull)});
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < values.size(); ++i) {
    tensors.push_back(trace.add_fed(values[i].type, std::move(values[i].parameter), feed, i));
  }
  return tensors;
}

void loop_on_host(const Tensor& count, const std::function<void(const Tensor& i)>& body,
                  SourceLocation location) {
  Trace& trace = Trace::current();
  if (trace.kind() != Trace::Kind::explicit_ || trace.region_id() != 0 ||
      trace.host_loop().active) {
    raise<Unimplemented>(
        {.what = "next(iterator) inside a loop that is itself inside a branch or a loop",
         .hint = "take the batches in a for_range that stands directly in the function",
         .location = location});
  }
  const auto& ops = trace.function().body.ops;
  for (const ir::Op& op : ops) {
    if (op.code == ir::OpCode::constant) continue;
    raise<Unimplemented>(
        {.what = "a for_range that takes batches from an iterator stands behind other computations",
         .wanted = "a function that does nothing else",
         .hint = "compute the rest outside, or in a function of its own",
         .location = location});
  }
  Trace::HostLoop& loop = trace.host_loop();
  loop.active = true;
  loop.count = count;
  const Tensor round = trace.add_parameter({count.dtype(), {}}, {.name = "round", .uniform = true});
  loop.round_input = trace.inputs().size() - 1;
  body(round);
  loop.ops_at_end = ops.size();
}

}  // namespace systolic::inline v0
