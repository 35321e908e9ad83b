// What stages of a foreign function leave for the later ones: objects of types that their owners
// register, with a function that destroys them.
#pragma once

#include <array>

#include "plugin/ffi/ffi_abi.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {

// An object of a stage, or none.
class State {
 public:
  State() = default;
  State(State&& other) noexcept;
  State& operator=(State&& other) noexcept;
  ~State();

  bool is_set() const { return object_ != nullptr; }
  // The object, where it is of this type; null else.
  void* get(TypeId type) const { return type.id == type_.id ? object_ : nullptr; }
  // False where there is an object already, or the type is not registered.
  bool set(TypeId type, void* object);

 private:
  TypeId type_ = {};
  void* object_ = nullptr;
  void (*deleter_)(void*) = nullptr;
};

// What a handler is called with: the states of a call in a program, and of one run of it.
struct Context {
  const State* instantiated = nullptr;  // of the call: all runs share it
  std::array<State, 3> states;          // [stage] of what runs now
  const State* at(Stage stage) const;   // null where the stage has none
};

// For the table of what handlers may ask for. Each returns an error, or null.
Error* type_register(TypeRegisterArgs* args);
Error* state_set(StateSetArgs* args);
Error* state_get(StateGetArgs* args);

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
