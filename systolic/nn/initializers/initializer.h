// How a weight starts (keras.initializers): a known name or one of the objects beside this file, or
// any function from shape and seed to a host array.
//
//   Dense{.units = 64, .kernel_initializer = "he_normal"}
//   Dense{.units = 64, .kernel_initializer = RandomNormal{.stddev = 0.02}}
//
// Values are computed on the host in f32, from Philox, and depend only on the seed and the position
// in the array. Layers give each weight a seed that follows from set_seed and the weight's path.
#pragma once

#include <functional>
#include <memory>

#include "systolic/core/literal.h"
#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/fields.h"

// What an initializer may be called, and the class that the name stands for, with its defaults.
// clang-format off
#define SYSTOLIC_INITIALIZERS(named)         \
  named("zeros", Zeros)                      \
  named("ones", Ones)                        \
  named("glorot_uniform", GlorotUniform)     \
  named("glorot_normal", GlorotNormal)       \
  named("he_uniform", HeUniform)             \
  named("he_normal", HeNormal)               \
  named("lecun_uniform", LecunUniform)       \
  named("lecun_normal", LecunNormal)         \
  named("random_uniform", RandomUniform)     \
  named("random_normal", RandomNormal)       \
  named("truncated_normal", TruncatedNormal) \
  named("orthogonal", Orthogonal)            \
  named("identity", Identity)
// clang-format on

namespace systolic::inline v0 {

// The names that an Initializer takes, each with the object that it stands for, with that object's
// defaults.
struct InitializerNames {
  SYSTOLIC_NAMES_OF("initializer", SYSTOLIC_INITIALIZERS)
};

// An initializer object: an aggregate with `Literal operator()(const Shape&, uint64_t seed) const`,
// giving f32.
template <class Spec>
concept InitializerSpec = std::is_invocable_r_v<Literal, const Spec&, const Shape&, uint64_t>;

class Initializer {
 public:
  using Function = std::function<Literal(const Shape&, uint64_t seed)>;

  template <size_t n>
  consteval Initializer(const char (&name)[n])  // NOLINT
      : position_(InitializerNames::position({name, n - 1})) {}
  template <InitializerSpec Spec>
  Initializer(Spec spec)  // NOLINT
      : object_(std::make_shared<const Object>(Object{spec, config_of_object(spec)})) {}

  static Initializer parse(std::string_view name,
                           SourceLocation location = SourceLocation::current());
  static Initializer from_config(const Config& config);

  // The class name for an object ("RandomNormal"), "function" for a lambda.
  std::string name() const;
  Literal operator()(const Shape& shape, uint64_t seed) const;
  Config config() const;

  friend bool operator==(const Initializer& a, const Initializer& b);

 private:
  struct Object {
    Function function;
    Config config;
  };
  template <class Spec>
  static Config config_of_object(const Spec& spec) {
    if constexpr (HasFields<Spec>) return config_of(spec);
    return {};
  }
  Initializer() = default;

  int position_ = 0;
  std::shared_ptr<const Object> object_;
};

inline Config to_config(const Initializer& initializer) { return initializer.config(); }
inline void from_config(const Config& config, Initializer& initializer) {
  initializer = Initializer::from_config(config);
}

}  // namespace systolic::inline v0
