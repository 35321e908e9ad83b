#include "systolic/train/weights/checkpoint_optimizer.h"

#include <map>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

// One variable of an optimizer, and where Keras has it.
struct OptimizerMember {
  Variable variable;
  std::string attribute;            // "_momentums", "_iterations"
  std::optional<size_t> trainable;  // a slot: of which variable
  std::string slot;                 // its name in the optimizers of old: "m"
};

// "velocity" of Adam -> "_velocities", as Keras names its lists.
std::string list_of_slots(const std::string& optimizer, const std::string& slot) {
  static const std::map<std::string, std::string> odd{
      {"Adamax/momentum", "_m"}, {"Adamax/norm", "_u"}, {"SGD/momentum", "momentums"}};
  const auto found = odd.find(str(optimizer, "/", slot));
  if (found != odd.end()) return found->second;
  if (slot.ends_with('y')) return str("_", slot.substr(0, slot.size() - 1), "ies");
  return str("_", slot, "s");
}

std::string old_slot(const std::string& optimizer, const std::string& slot) {
  static const std::map<std::string, std::string> of_adam{
      {"momentum", "m"}, {"velocity", "v"}, {"velocity_hat", "vhat"}, {"norm", "v"}};
  static const std::map<std::string, std::string> of_rmsprop{{"velocity", "rms"},
                                                             {"average_gradient", "mg"}};
  static const std::map<std::string, std::string> of_adadelta{
      {"accumulated_grad", "accum_grad"}, {"accumulated_delta_var", "accum_var"}};
  const auto& names = optimizer == "RMSprop"    ? of_rmsprop
                      : optimizer == "Adadelta" ? of_adadelta
                                                : of_adam;
  if (optimizer == "SGD" || optimizer == "Adagrad" || optimizer == "Ftrl") return slot;
  const auto found = names.find(slot);
  return found == names.end() ? slot : found->second;
}

std::vector<OptimizerMember> members_of(const Optimizer& optimizer,
                                        const std::vector<Variable>& trainable) {
  const std::string kind = optimizer.get_config()["class_name"].text_value();
  std::map<std::string, Variable> named;
  for (const auto& [name, variable] : optimizer.named_variables()) named[name] = variable;
  std::vector<OptimizerMember> members;
  for (size_t i = 0; i < trainable.size(); ++i) {
    const std::string above = str(trainable[i].name(), "/");
    for (auto at = named.lower_bound(above); at != named.end() && at->first.starts_with(above);) {
      const std::string slot = at->first.substr(above.size());
      if (slot.find('/') != std::string::npos) {
        ++at;
        continue;
      }
      members.push_back({at->second, list_of_slots(kind, slot), i, old_slot(kind, slot)});
      at = named.erase(at);
    }
  }
  if (optimizer.has_schedule()) named.erase("learning_rate");
  for (const auto& [name, variable] : named) members.push_back({variable, "_" + name, {}, {}});
  return members;
}

// TensorFlow counts steps in 64 bits.
std::optional<DType> stored_type(const OptimizerMember& member) {
  if (member.attribute == "_iterations") return DType::i64;
  return std::nullopt;
}

// The objects of a stored optimizer's slots, of each variable by their names.
using StoredSlots = std::map<std::pair<size_t, std::string>, size_t>;

StoredSlots slots_of(const StoredObjects& stored, size_t node) {
  StoredSlots slots;
  for (const auto& slot : stored.graph().nodes[node].slots)
    slots[{slot.variable, slot.name}] = slot.value;
  return slots;
}

}  // namespace

void add_optimizer(const Optimizer& optimizer, const std::vector<Variable>& trainable,
                   CheckpointObjects& objects, size_t node) {
  std::map<std::string, size_t> lists;
  for (const OptimizerMember& member : members_of(optimizer, trainable)) {
    if (!member.trainable) {
      objects.add_variable(node, member.attribute, member.variable, stored_type(member));
      continue;
    }
    const auto [list, is_new] = lists.emplace(member.attribute, 0);
    if (is_new) list->second = objects.add(node, member.attribute);
    objects.add_variable(list->second, str(*member.trainable), member.variable);
  }
}

void match_optimizer(const StoredObjects& stored, size_t node, const Optimizer& optimizer,
                     const std::vector<Variable>& trainable, const StoredVariables& variables,
                     WeightMatch& match, SourceLocation location) {
  const StoredSlots slots = slots_of(stored, node);
  const bool is_old = stored.child(node, "iter").has_value();
  const auto find_slot = [&](const OptimizerMember& member) -> std::optional<size_t> {
    if (is_old) {
      const auto variable = variables.find(trainable[*member.trainable].state().get());
      if (variable == variables.end()) return std::nullopt;
      const auto slot = slots.find({variable->second, member.slot});
      return slot == slots.end() ? std::nullopt : std::optional(slot->second);
    }
    const auto list = stored.child(node, member.attribute.substr(member.attribute[0] == '_'));
    return list ? stored.child(*list, str(*member.trainable)) : std::nullopt;
  };
  for (const OptimizerMember& member : members_of(optimizer, trainable)) {
    const bool steps = is_old && member.attribute == "_iterations";
    const auto object = member.trainable
                            ? find_slot(member)
                            : stored.child(node, steps ? "iter" : member.attribute.substr(1));
    const auto array = object ? stored.array(*object) : std::nullopt;
    if (!array) {
      match.missing(member.variable.name());
      continue;
    }
    const io::TensorInfo& info = stored.info(*array);
    match.found(member.variable, {info.dtype, info.shape}, member.variable.name(),
                stored.reader(*array, location));
  }
}

}  // namespace saving
}  // namespace systolic::inline v0
