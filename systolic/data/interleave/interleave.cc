#include "systolic/data/interleave/interleave.h"

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/interleave/interleave_stages.h"
#include "systolic/data/workers/worker_thread.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// What a function makes of each element.
class InputsOfFunction : public Inputs {
 public:
  InputsOfFunction(const Context& context, const Node& maker, std::unique_ptr<Stage> elements,
                   const std::function<Dataset(const Example&)>& function)
      : Inputs(context, maker), elements_(std::move(elements)), function_(function) {}

 protected:
  Chunk next_origin() override { return elements_->next(1); }
  NodePointer dataset_of(const Chunk& origin) override { return function_(origin.front()).node(); }
  void transfer_origins(StateArchive& archive) override { elements_->transfer(archive); }

 private:
  std::unique_ptr<Stage> elements_;
  const std::function<Dataset(const Example&)>& function_;
};

class InterleaveNode : public UnaryNode {
 public:
  InterleaveNode(NodePointer input, std::function<Dataset(const Example&)> function,
                 InterleaveOptions options, std::string label)
      : UnaryNode(std::move(input), std::move(label)),
        function_(std::move(function)),
        options_(options) {}

  std::unique_ptr<Stage> make(const Context& context) const override {
    return make_interleave(
        context, *this,
        std::make_unique<InputsOfFunction>(context, *this, input().make(context), function_),
        options_);
  }
  int64_t cardinality() const override { return unknown_cardinality; }
  ElementSpec spec() const override {
    Iterator iterator(input_pointer());
    const std::optional<Example> first = iterator.next();
    return first ? function_(*first).element_spec() : ElementSpec{};
  }

 private:
  std::function<Dataset(const Example&)> function_;
  InterleaveOptions options_;
};

}  // namespace

int64_t turns_for(int num_parallel_calls) {
  constexpr int64_t usual = 8;  // a fixed number, so that the order is the same on every machine
  return num_parallel_calls > 1 ? num_parallel_calls : usual;
}

std::unique_ptr<Stage> make_sequence(const Context& context, const Node& node,
                                     std::unique_ptr<Inputs> inputs) {
  return make_sequential_interleave(context, node, std::move(inputs), 1, 1);
}

std::unique_ptr<Stage> make_interleave(const Context& context, const Node& node,
                                       std::unique_ptr<Inputs> inputs, InterleaveOptions options) {
  if (options.num_parallel_calls == 1) {
    return make_sequential_interleave(context, node, std::move(inputs), options.cycle_length,
                                      options.block_length);
  }
  return make_parallel_interleave(context, node, std::move(inputs), options);
}

Dataset Dataset::flat_map(std::function<Dataset(const Example&)> function,
                          SourceLocation location) const {
  if (!function) {
    raise<InvalidArgument>({.what = "flat_map with an empty function", .location = location});
  }
  return Dataset(std::make_shared<InterleaveNode>(node_, std::move(function),
                                                  InterleaveOptions{.cycle_length = 1},
                                                  label_at("flat_map", location)));
}

Dataset Dataset::interleave(std::function<Dataset(const Example&)> function,
                            InterleaveOptions options, SourceLocation location) const {
  constexpr int64_t longest_cycle = 1 << 16;
  if (!function) {
    raise<InvalidArgument>({.what = "interleave with an empty function", .location = location});
  }
  if (options.cycle_length == autotune)
    options.cycle_length = turns_for(options.num_parallel_calls);
  if (options.cycle_length < 1 || options.cycle_length > longest_cycle ||
      options.block_length < 1 || !valid_thread_count(options.num_parallel_calls)) {
    raise<InvalidArgument>(
        {.what = str("interleave with cycle_length ", options.cycle_length, ", block_length ",
                     options.block_length, ", num_parallel_calls ", options.num_parallel_calls),
         .wanted = str("at least 1 of each, at most ", longest_cycle, " datasets in turns and ",
                       most_threads, " threads"),
         .location = location});
  }
  return Dataset(std::make_shared<InterleaveNode>(node_, std::move(function), options,
                                                  label_at("interleave", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
