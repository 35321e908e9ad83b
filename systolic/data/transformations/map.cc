// map and filter on the thread that asks.
#include "systolic/data/transformations/map.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/iterator.h"
#include "systolic/data/node.h"
#include "systolic/data/workers/worker_thread.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// For a handler: throws what is being handled again, naming the transformation and the element.
[[noreturn]] void rethrow_naming_element(std::string_view label, int64_t index) {
  const std::string place = str(label, ", element ", index);
  try {
    throw;
  } catch (const Error& error) {
    error.rethrow_within(place);
  } catch (...) {
    rethrow_as_function_failed(place);
  }
}

template <class Function>
auto call_naming_element(const Function& function, const Example& element, std::string_view label,
                         int64_t index) {
  try {
    return function(element);
  } catch (...) {
    rethrow_naming_element(label, index);
  }
}

class MapStage : public Stage {
 public:
  MapStage(const Context& context, const Node& node, std::unique_ptr<Stage> input,
           const MapWork& work)
      : Stage(context, &node, node.label()), node_(node), input_(std::move(input)), work_(work) {}

 protected:
  Chunk produce(int64_t most) override {
    for (;;) {
      Chunk chunk = input_->next(most);
      const auto count = static_cast<int64_t>(chunk.size());
      try {
        map_chunk(work_, run(), chunk, node_.label(), index_);
      } catch (...) {
        return fail_after(std::move(chunk));
      }
      index_ += count;
      if (count == 0 || !chunk.empty()) return chunk;
      check_cancelled();
    }
  }
  void transfer_members(StateArchive& archive) override {
    archive.integer(index_, 0, StateArchive::largest_count);
    input_->transfer(archive);
  }

 private:
  const Node& node_;
  std::unique_ptr<Stage> input_;
  const MapWork& work_;
  int64_t index_ = 0;
};

class MapNode : public UnaryNode {
 public:
  MapNode(NodePointer input, MapWork work, std::string label)
      : UnaryNode(std::move(input), std::move(label)), work_(std::move(work)) {}

  std::unique_ptr<Stage> make(const Context& context) const override {
    auto upstream = input().make(context);
    if (work_.options.num_parallel_calls == 1) {
      return std::make_unique<MapStage>(context, *this, std::move(upstream), work_);
    }
    return make_parallel_map(context, *this, std::move(upstream), work_);
  }
  int64_t cardinality() const override {
    return work_.ignored != nullptr ? unknown_cardinality : UnaryNode::cardinality();
  }
  NodePointer ignoring_errors(bool log_warning) const {
    return std::make_shared<MapNode>(
        input_pointer(),
        MapWork{work_.function, work_.options, std::make_shared<IgnoredErrors>(log_warning)},
        label());
  }

  bool repeats_results() const override {
    const auto first = first_result();
    return !first || work_.function(first->element) == first->result;
  }

  // What the function returns shows only by running it, on the first element. An axis that differs
  // between the elements put in, and that comes out as long as it went in, differs between the
  // results as well.
  ElementSpec spec() const override {
    const ElementSpec before = input().spec();
    const auto first = first_result();
    if (!first) return before;
    ElementSpec after = spec_of(first->result);
    for (size_t i = 0; i < before.size(); ++i) {
      if (before[i].shape.rank() == 0 || before[i].shape[0] >= 0) continue;
      const int64_t rows = first->element.value(i).shape()[0];
      for (TensorSpec& row : after) {
        if (row.shape.rank() > 0 && row.shape[0] == rows) row.shape.set(0, -1);
      }
    }
    return after;
  }

 private:
  struct Result {
    Example element, result;
  };
  // For the first element that is not skipped.
  std::optional<Result> first_result() const {
    IgnoredErrors quietly(/*log_warning=*/false);
    Iterator iterator(input_pointer());
    while (std::optional<Example> element = iterator.next()) {
      try {
        return Result{*element, work_.function(*element)};
      } catch (...) {
        if (work_.ignored == nullptr || !quietly.note()) throw;
      }
    }
    return std::nullopt;
  }

  const MapWork work_;
};

class FilterStage : public Stage {
 public:
  FilterStage(const Context& context, const Node& node, std::unique_ptr<Stage> input,
              const ElementPredicate& predicate)
      : Stage(context, &node, node.label()),
        node_(node),
        input_(std::move(input)),
        predicate_(predicate) {}

 protected:
  Chunk produce(int64_t most) override {
    for (;;) {
      check_cancelled();
      Chunk chunk = input_->next(most);
      if (chunk.empty()) return chunk;
      size_t kept = 0;
      for (Example& element : chunk) {
        if (call_naming_element(predicate_, element, node_.label(), index_++)) {
          if (&chunk[kept] != &element) chunk[kept] = std::move(element);
          ++kept;
        }
      }
      chunk.resize(kept);
      if (kept > 0) return chunk;
    }
  }
  void transfer_members(StateArchive& archive) override {
    archive.integer(index_, 0, StateArchive::largest_count);
    input_->transfer(archive);
  }

 private:
  const Node& node_;
  std::unique_ptr<Stage> input_;
  const ElementPredicate& predicate_;
  int64_t index_ = 0;
};

class FilterNode : public UnaryNode {
 public:
  FilterNode(NodePointer input, ElementPredicate predicate, std::string label)
      : UnaryNode(std::move(input), std::move(label)), predicate_(std::move(predicate)) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<FilterStage>(context, *this, input().make(context), predicate_);
  }
  int64_t cardinality() const override { return unknown_cardinality; }

 private:
  ElementPredicate predicate_;
};

}  // namespace

void rethrow_naming_element(std::string_view transformation, SourceLocation location,
                            int64_t index) {
  rethrow_naming_element(label_at(transformation, location), index);
}

Example apply_to_element(const ElementFunction& function, const Example& element,
                         std::string_view label, int64_t index) {
  return call_naming_element(function, element, label, index);
}

void map_chunk(const MapWork& work, const RunState& run, Chunk& chunk, std::string_view label,
               int64_t index) {
  size_t kept = 0;
  for (const Example& element : chunk) {
    try {
      run.check_cancelled();
      chunk[kept] = call_naming_element(work.function, element, label, index++);
      ++kept;
    } catch (...) {
      if (work.ignored != nullptr && work.ignored->note()) continue;
      chunk.resize(kept);
      throw;
    }
    if (work.ignored != nullptr) work.ignored->note_success();
  }
  chunk.resize(kept);
}

Dataset Dataset::map_elements(ElementFunction function, MapOptions options,
                              SourceLocation location) const {
  if (!valid_thread_count(options.num_parallel_calls)) {
    raise<InvalidArgument>(
        {.what = str("map with num_parallel_calls = ", options.num_parallel_calls),
         .wanted = str("1 to ", most_threads, ", or data::autotune"),
         .location = location});
  }
  return Dataset(std::make_shared<MapNode>(node_, MapWork{std::move(function), options},
                                           label_at("map", location)));
}

Dataset Dataset::ignore_errors(IgnoreErrorsOptions options, SourceLocation location) const {
  const auto* map = dynamic_cast<const MapNode*>(node_.get());
  if (map != nullptr) return Dataset(map->ignoring_errors(options.log_warning));
  raise<InvalidArgument>(
      {.what = "ignore_errors skips elements whose map throws",
       .got = str("it after ", node_->label()),
       .wanted = "it right after the map",
       .hint = "for damaged TFRecords, tfrecords(files, {.on_corrupt = ...}) decides",
       .location = location});
}

Dataset Dataset::filter_elements(ElementPredicate predicate, SourceLocation location) const {
  return Dataset(
      std::make_shared<FilterNode>(node_, std::move(predicate), label_at("filter", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
