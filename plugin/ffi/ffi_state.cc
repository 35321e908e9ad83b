#include "plugin/ffi/ffi_state.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "plugin/ffi/ffi_table.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {
namespace {

using Deleter = void (*)(void*);

class Types {
 public:
  static Types& instance() {
    static auto* const types = new Types;  // states of the last programs outlive static objects
    return *types;
  }

  // Gives the type a number where it has none; false where the number or the name is another's.
  bool add(const std::string& name, TypeId& type, Deleter deleter) {
    const std::lock_guard lock(mutex_);
    const auto known = numbers_.find(name);
    if (type.id == 0) type.id = known != numbers_.end() ? known->second : next_++;
    if (known != numbers_.end()) return known->second == type.id;
    if (!deleters_.emplace(type.id, deleter).second) return false;
    numbers_.emplace(name, type.id);
    return true;
  }

  // Whether the type is registered; its deleter, which may be null.
  bool find(TypeId type, Deleter& deleter) {
    const std::lock_guard lock(mutex_);
    const auto found = deleters_.find(type.id);
    if (found == deleters_.end()) return false;
    deleter = found->second;
    return true;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, int64_t> numbers_;
  std::map<int64_t, Deleter> deleters_;
  // Far from the numbers that another runtime of the process gives: a type may be registered there
  // first, and come here with its number.
  int64_t next_ = int64_t{1} << 40;
};

}  // namespace

State::State(State&& other) noexcept
    : type_(other.type_),
      object_(std::exchange(other.object_, nullptr)),
      deleter_(other.deleter_) {}

State& State::operator=(State&& other) noexcept {
  std::swap(type_, other.type_);
  std::swap(object_, other.object_);
  std::swap(deleter_, other.deleter_);
  return *this;
}

State::~State() {
  if (object_ != nullptr && deleter_ != nullptr) deleter_(object_);
}

bool State::set(TypeId type, void* object) {
  if (object_ != nullptr || !Types::instance().find(type, deleter_)) return false;
  type_ = type;
  object_ = object;
  return true;
}

const State* Context::at(Stage stage) const {
  const auto index = static_cast<size_t>(stage);
  if (stage == Stage::instantiate && instantiated != nullptr) return instantiated;
  return index < states.size() ? &states[index] : nullptr;
}

Error* type_register(TypeRegisterArgs* args) {
  const std::string name(args->name.data, args->name.size);
  const Deleter deleter = args->info != nullptr ? args->info->deleter : nullptr;
  if (Types::instance().add(name, *args->type_id, deleter)) return nullptr;
  return new_error(Code::invalid_argument,
                   "the type " + name +
                       " is registered under another number, or its number is "
                       "another type's");
}

Error* state_set(StateSetArgs* args) {
  const auto index = static_cast<size_t>(args->stage);
  if (args->context == nullptr || index >= args->context->states.size()) {
    return new_error(Code::invalid_argument, "a state of a stage that can have none");
  }
  if (args->state != nullptr && args->context->states[index].set(*args->type_id, args->state)) {
    return nullptr;
  }
  return new_error(Code::failed_precondition,
                   "a state that is null, a second one, or one of a type that is not registered");
}

Error* state_get(StateGetArgs* args) {
  const State* state = args->context != nullptr ? args->context->at(args->stage) : nullptr;
  args->state = state != nullptr ? state->get(*args->type_id) : nullptr;
  if (args->state != nullptr) return nullptr;
  return new_error(Code::not_found, "no state of this type was set by an earlier stage");
}

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
