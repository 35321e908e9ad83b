#include "systolic/trace/feed.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {

std::vector<Tensor> add_feed(std::vector<FeedValue> values,
                             std::function<std::vector<runtime::BufferPtr>()> pull,
                             SourceLocation location) {
  Trace& trace = Trace::current();
  ensure(trace.kind() == Trace::Kind::explicit_, "feeds belong to explicit traces");
  if (trace.region_id() != 0) {
    raise<FeedInsideLoop>(
        {.what = "next(iterator) inside a branch, or a loop that the device counts",
         .got = "a program that cannot fetch from the host while it runs",
         .hint = "take the batch before cond or while_loop, or loop with for_range",
         .location = location});
  }
  auto feed = std::make_shared<Feed>(Feed{std::move(pull)});
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < values.size(); ++i) {
    tensors.push_back(trace.add_fed(values[i].type, std::move(values[i].parameter), feed, i));
  }
  return tensors;
}

}  // namespace systolic::inline v0
