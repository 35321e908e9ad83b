// Elements of several datasets in one: sample_from_datasets and choose_from_datasets.
#include <algorithm>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/drawn_seed.h"
#include "systolic/data/element_kind.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

using Stages = std::vector<std::unique_ptr<Stage>>;

class MixStage : public Stage {
 public:
  MixStage(const Context& context, const Node& node, Stages inputs, bool stop_on_empty)
      : Stage(context, &node, node.label()),
        inputs_(std::move(inputs)),
        ended_(inputs_.size(), false),
        checked_(inputs_.size(), false),
        stop_on_empty_(stop_on_empty) {}

 protected:
  // The number of the next dataset; none at the end.
  virtual std::optional<size_t> choose(const std::vector<bool>& ended) = 0;
  virtual void transfer_choices(StateArchive& archive) = 0;

  Chunk produce(int64_t most) override {
    Chunk result;
    try {
      while (!all_ended_ && static_cast<int64_t>(result.size()) < std::min(most, largest_chunk)) {
        check_cancelled();
        const std::optional<size_t> chosen = choose(ended_);
        if (!chosen) {
          all_ended_ = true;
          break;
        }
        if (ended_[*chosen]) continue;
        Chunk chunk = inputs_[*chosen]->next(1);
        if (!chunk.empty()) {
          if (!checked_[*chosen]) kind_.check(chunk.front(), counters().name);
          checked_[*chosen] = true;
          result.push_back(std::move(chunk.front()));
          continue;
        }
        ended_[*chosen] = true;
        all_ended_ =
            stop_on_empty_ || std::all_of(ended_.begin(), ended_.end(), [](bool e) { return e; });
      }
    } catch (...) {
      return fail_after(std::move(result));
    }
    return result;
  }
  void transfer_members(StateArchive& archive) override {
    archive.expect("inputs", static_cast<int64_t>(inputs_.size()));
    archive.flag(all_ended_);
    kind_.transfer(archive);
    for (size_t i = 0; i < ended_.size(); ++i) {
      bool ended = ended_[i];
      archive.flag(ended);
      ended_[i] = ended;
    }
    transfer_choices(archive);
    for (const auto& input : inputs_) input->transfer(archive);
  }

 private:
  Stages inputs_;
  std::vector<bool> ended_, checked_;  // checked: their first element
  ElementKind kind_;
  const bool stop_on_empty_;
  bool all_ended_ = false;
};

class SampleStage : public MixStage {
 public:
  SampleStage(const Context& context, const Node& node, Stages inputs, const SampleOptions& options,
              uint64_t key)
      : MixStage(context, node, std::move(inputs), options.stop_on_empty_dataset),
        weights_(options.weights),
        key_(key) {}

 protected:
  std::optional<size_t> choose(const std::vector<bool>& ended) override {
    double sum = 0;
    for (size_t i = 0; i < weights_.size(); ++i) sum += ended[i] ? 0 : weights_[i];
    if (sum <= 0) return std::nullopt;
    double at = sum * static_cast<double>(random_at(key_, drawn_++) >> 11) * 0x1p-53;
    size_t chosen = 0;
    for (size_t i = 0; i < weights_.size(); ++i) {
      if (ended[i] || weights_[i] <= 0) continue;
      chosen = i;
      at -= weights_[i];
      if (at < 0) break;
    }
    return chosen;
  }
  void transfer_choices(StateArchive& archive) override {
    archive.number(key_);
    archive.number(drawn_);
  }

 private:
  const std::vector<double> weights_;
  uint64_t key_, drawn_ = 0;
};

class ChooseStage : public MixStage {
 public:
  ChooseStage(const Context& context, const Node& node, Stages inputs,
              std::unique_ptr<Stage> choices, bool stop_on_empty)
      : MixStage(context, node, std::move(inputs), stop_on_empty),
        label_(node.label()),
        choices_(std::move(choices)) {}

 protected:
  std::optional<size_t> choose(const std::vector<bool>& ended) override {
    const Chunk choice = choices_->next(1);
    if (choice.empty()) return std::nullopt;
    const Literal& number = choice.front().only();
    if (!is_integer(number.dtype()) || number.rank() > 0) {
      raise<InvalidArgument>({.what = str(label_, ": choices of ", spec_of(choice.front())),
                              .wanted = "integer scalars, the numbers of datasets"});
    }
    const int64_t chosen = number.integer_at(0);
    if (chosen >= 0 && chosen < static_cast<int64_t>(ended.size()))
      return static_cast<size_t>(chosen);
    raise<OutOfRange>(
        {.what = str(label_, ": the choice ", number),
         .wanted = str("0 to ", ended.size() - 1, ", the number of one of the datasets")});
  }
  void transfer_choices(StateArchive& archive) override { choices_->transfer(archive); }

 private:
  const std::string label_;
  std::unique_ptr<Stage> choices_;
};

class MixNode : public Node {
 public:
  MixNode(std::vector<NodePointer> inputs, std::string label)
      : Node(std::move(label), inputs.front()->options()), inputs_(std::move(inputs)) {}
  int64_t cardinality() const override { return unknown_cardinality; }
  ElementSpec spec() const override { return inputs_.front()->spec(); }
  std::vector<const Node*> inputs() const override {
    std::vector<const Node*> result;
    for (const NodePointer& input : inputs_) result.push_back(input.get());
    return result;
  }

 protected:
  Stages make_inputs(const Context& context) const {
    Stages stages;
    for (const NodePointer& input : inputs_) stages.push_back(input->make(context));
    return stages;
  }

 private:
  std::vector<NodePointer> inputs_;
};

class SampleNode : public MixNode {
 public:
  SampleNode(std::vector<NodePointer> inputs, SampleOptions options, std::string label)
      : MixNode(std::move(inputs), std::move(label)),
        options_(std::move(options)),
        seed_(options_.seed) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<SampleStage>(context, *this, make_inputs(context), options_,
                                         seed_.key(context, options_.rerandomize_each_iteration));
  }
  void transfer_shared(StateArchive& archive) const override { seed_.transfer(archive); }

 private:
  SampleOptions options_;
  DrawnSeed seed_;
};

class ChooseNode : public MixNode {
 public:
  ChooseNode(std::vector<NodePointer> inputs, NodePointer choices, bool stop_on_empty,
             std::string label)
      : MixNode(std::move(inputs), std::move(label)),
        choices_(std::move(choices)),
        stop_on_empty_(stop_on_empty) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<ChooseStage>(context, *this, make_inputs(context),
                                         choices_->make(context), stop_on_empty_);
  }
  std::vector<const Node*> inputs() const override {
    std::vector<const Node*> result = MixNode::inputs();
    result.push_back(choices_.get());
    return result;
  }

 private:
  NodePointer choices_;
  bool stop_on_empty_;
};

std::vector<NodePointer> nodes_of(const std::vector<Dataset>& datasets, std::string_view name,
                                  SourceLocation location) {
  if (datasets.empty())
    raise<InvalidArgument>(
        {.what = str(name, " of no datasets"), .wanted = "at least one", .location = location});
  std::vector<NodePointer> nodes;
  for (const Dataset& dataset : datasets) nodes.push_back(dataset.node());
  return nodes;
}

}  // namespace

Dataset sample_from_datasets(const std::vector<Dataset>& datasets, SampleOptions options,
                             SourceLocation location) {
  auto nodes = nodes_of(datasets, "sample_from_datasets", location);
  if (options.weights.empty()) options.weights.assign(datasets.size(), 1.0);
  const bool good = options.weights.size() == datasets.size() &&
                    std::all_of(options.weights.begin(), options.weights.end(),
                                [](double w) { return w >= 0 && w < 1e300; }) &&
                    std::accumulate(options.weights.begin(), options.weights.end(), 0.0) > 0;
  if (!good) {
    raise<InvalidArgument>({.what = str("sample_from_datasets of ", datasets.size(),
                                        " with the weights ", join(options.weights)),
                            .wanted = "one weight a dataset, not negative, not all 0",
                            .location = location});
  }
  return Dataset(std::make_shared<SampleNode>(std::move(nodes), std::move(options),
                                              label_at("sample_from_datasets", location)));
}

Dataset choose_from_datasets(const std::vector<Dataset>& datasets, const Dataset& choices,
                             bool stop_on_empty_dataset, SourceLocation location) {
  return Dataset(std::make_shared<ChooseNode>(nodes_of(datasets, "choose_from_datasets", location),
                                              choices.node(), stop_on_empty_dataset,
                                              label_at("choose_from_datasets", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
