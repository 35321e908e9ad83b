#include "systolic/train/checkpoint/trackable.h"

#include "systolic/base/error.h"
#include "systolic/train/checkpoint/tracked_object.h"
#include "systolic/train/model/model_access.h"
#include "systolic/train/weights/checkpoint_model.h"
#include "systolic/train/weights/checkpoint_optimizer.h"
#include "systolic/train/weights/weight_groups.h"

namespace systolic::inline v0 {
namespace {

constexpr const char *iterator_attribute = "ITERATOR_STATE", *variable_value = "VARIABLE_VALUE",
                     *optimizer_name = "optimizer", *random_state_name = "random_state";

void find_variable(Restoring& restoring, size_t node, const std::string& name,
                   const Variable& variable) {
  const auto array = restoring.stored.array(node);
  if (!array) return restoring.match.missing(name);
  const io::TensorInfo& info = restoring.stored.info(*array);
  restoring.match.found(variable, {info.dtype, info.shape}, name,
                        restoring.stored.reader(*array, restoring.location));
}

class TrackedVariable : public TrackedObject {
 public:
  explicit TrackedVariable(Variable variable) : variable_(std::move(variable)) {}
  void add(saving::CheckpointObjects& objects, const std::string& name,
           const std::vector<Variable>&) const override {
    objects.add_variable(objects.root(), name, variable_);
  }
  void find(Restoring& restoring, size_t node, const std::string& name) const override {
    restoring.variables[variable_.state().get()] = node;
    find_variable(restoring, node, name, variable_);
  }
  std::vector<Variable> trainable() const override {
    return variable_.trainable() ? std::vector{variable_} : std::vector<Variable>{};
  }

 private:
  Variable variable_;
};

class TrackedList : public TrackedObject {
 public:
  explicit TrackedList(std::vector<Variable> variables) : variables_(std::move(variables)) {}
  void add(saving::CheckpointObjects& objects, const std::string& name,
           const std::vector<Variable>&) const override {
    const size_t list = objects.add(objects.root(), name);
    for (size_t i = 0; i < variables_.size(); ++i)
      objects.add_variable(list, str(i), variables_[i]);
  }
  void find(Restoring& restoring, size_t node, const std::string& name) const override {
    for (size_t i = 0; i < variables_.size(); ++i) {
      const auto item = restoring.stored.child(node, str(i));
      if (!item) {
        restoring.match.missing(str(name, "/", i));
        continue;
      }
      restoring.variables[variables_[i].state().get()] = *item;
      find_variable(restoring, *item, str(name, "/", i), variables_[i]);
    }
  }
  std::vector<Variable> trainable() const override {
    std::vector<Variable> trainable;
    for (const Variable& variable : variables_) {
      if (variable.trainable()) trainable.push_back(variable);
    }
    return trainable;
  }

 private:
  std::vector<Variable> variables_;
};

// Those of the variables that the optimizer has slots for; all, and the slots are made, where it
// has none yet.
std::vector<Variable> updated_by(const Optimizer& optimizer, const std::vector<Variable>& all) {
  std::vector<Variable> updated;
  const auto members = optimizer.named_variables();
  for (const Variable& variable : all) {
    for (const auto& [name, member] : members) {
      if (!name.starts_with(variable.name() + "/")) continue;
      updated.push_back(variable);
      break;
    }
  }
  if (updated.empty()) {
    optimizer.build(all);
    return all;
  }
  return updated;
}

class TrackedOptimizer : public TrackedObject {
 public:
  explicit TrackedOptimizer(Optimizer optimizer) : optimizer_(std::move(optimizer)) {}
  void add(saving::CheckpointObjects& objects, const std::string& name,
           const std::vector<Variable>& trainable) const override {
    // A model's own may be named again.
    if (objects.link_same(objects.root(), name, trace_key(optimizer_).get())) return;
    const size_t node = objects.add(objects.root(), name);
    objects.remember(trace_key(optimizer_).get(), node);
    saving::add_optimizer(optimizer_, updated_by(optimizer_, trainable), objects, node);
  }
  void find(Restoring& restoring, size_t node, const std::string&) const override {
    saving::match_optimizer(restoring.stored, node, optimizer_,
                            updated_by(optimizer_, restoring.trainable), restoring.variables,
                            restoring.match, restoring.location);
  }
  bool comes_after_variables() const override { return true; }

 private:
  Optimizer optimizer_;
};

class TrackedModel : public TrackedObject {
 public:
  explicit TrackedModel(Model model) : model_(std::move(model)) {}
  void add(saving::CheckpointObjects& objects, const std::string& name,
           const std::vector<Variable>&) const override {
    check_built(name);
    const size_t node = objects.add(objects.root(), name);
    saving::ModelObjects(objects).add_network(*model_.network().state(), node);
    objects.add_variable(node, random_state_name, model_.random_state());
    if (!has_optimizer()) return;
    const std::vector<Variable> own = trainable();
    model_.optimizer().build(own);
    const size_t optimizer = objects.add(node, optimizer_name);
    objects.remember(trace_key(model_.optimizer()).get(), optimizer);
    saving::add_optimizer(model_.optimizer(), own, objects, optimizer);
  }
  void find(Restoring& restoring, size_t node, const std::string& name) const override {
    check_built(name);
    const auto found = saving::match_network(restoring.stored, node, *model_.network().state(),
                                             restoring.match, restoring.location);
    restoring.variables.insert(found.begin(), found.end());
    // TensorFlow keeps neither there.
    if (const auto random = restoring.stored.child(node, random_state_name))
      find_variable(restoring, *random, str(name, "/", random_state_name), model_.random_state());
    const auto optimizer = restoring.stored.child(node, optimizer_name);
    if (!has_optimizer() || !optimizer) return;
    const std::vector<Variable> own = trainable();
    model_.optimizer().build(own);
    saving::match_optimizer(restoring.stored, *optimizer, model_.optimizer(), own, found,
                            restoring.match, restoring.location);
  }
  std::vector<Variable> trainable() const override {
    return saving::trainable_in_keras_order(model_.network());
  }

 private:
  bool has_optimizer() const { return is_compiled(model_); }
  void check_built(const std::string& name) const {
    if (model_.network().built()) return;
    raise<FailedPrecondition>(
        {.what = str("'", name, "' is a model whose shapes are not known yet"),
         .hint = "begin it with an Input layer, or call it once"});
  }
  Model model_;
};

class TrackedValue : public TrackedObject {
 public:
  TrackedValue(SavedValue value, std::string attribute)
      : value_(std::move(value)), attribute_(std::move(attribute)) {}
  void add(saving::CheckpointObjects& objects, const std::string& name,
           const std::vector<Variable>&) const override {
    objects.add_array(objects.root(), name, attribute_, value_.save);
  }
  void find(Restoring& restoring, size_t node, const std::string& name) const override {
    const auto array = restoring.stored.array(node, attribute_);
    if (!array) return restoring.match.missing(name);
    restoring.values.emplace_back(restoring.stored.reader(*array, restoring.location),
                                  value_.restore);
  }

 private:
  SavedValue value_;
  std::string attribute_;
};

std::string text_of_value(const Literal& saved) {
  if (saved.dtype() != DType::string || saved.size() != 1)
    raise<InvalidArgument>({.what = "a saved array of another kind", .wanted = "a text"});
  return std::string(saved.string_at(0));
}

template <class AnyIterator>
SavedValue place_in_data(AnyIterator iterator) {
  return {[iterator]() mutable { return Literal::scalar(iterator.save()); },
          [iterator](const Literal& saved) mutable { iterator.restore(text_of_value(saved)); }};
}

}  // namespace

Trackable::Trackable(const Model& model) : object_(std::make_shared<TrackedModel>(model)) {}
Trackable::Trackable(const Optimizer& optimizer)
    : object_(std::make_shared<TrackedOptimizer>(optimizer)) {}
Trackable::Trackable(const Variable& variable)
    : object_(std::make_shared<TrackedVariable>(variable)) {}
Trackable::Trackable(const std::vector<Variable>& variables)
    : object_(std::make_shared<TrackedList>(variables)) {}
Trackable::Trackable(data::Iterator& iterator)
    : object_(std::make_shared<TrackedValue>(
          SavedValue{[&iterator] { return Literal::scalar(iterator.save()); },
                     [&iterator](const Literal& saved) { iterator.restore(text_of_value(saved)); }},
          iterator_attribute)) {}
Trackable::Trackable(const DistributedIterator& iterator)
    : object_(std::make_shared<TrackedValue>(place_in_data(iterator), iterator_attribute)) {}
Trackable::Trackable(std::string& text)
    : Trackable(SavedValue{[&text] { return Literal::scalar(text); },
                           [&text](const Literal& saved) { text = text_of_value(saved); }}) {}
Trackable::Trackable(SavedValue value)
    : object_(std::make_shared<TrackedValue>(std::move(value), variable_value)) {}

}  // namespace systolic::inline v0
