#include "systolic/nn/initializers/initializer.h"

#include "systolic/base/error.h"
#include "systolic/nn/config/choice_rows.h"
#include "systolic/nn/initializers/constant.h"
#include "systolic/nn/initializers/glorot_normal.h"
#include "systolic/nn/initializers/glorot_uniform.h"
#include "systolic/nn/initializers/he_normal.h"
#include "systolic/nn/initializers/he_uniform.h"
#include "systolic/nn/initializers/identity.h"
#include "systolic/nn/initializers/lecun_normal.h"
#include "systolic/nn/initializers/lecun_uniform.h"
#include "systolic/nn/initializers/ones.h"
#include "systolic/nn/initializers/orthogonal.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/nn/initializers/random_uniform.h"
#include "systolic/nn/initializers/stft.h"
#include "systolic/nn/initializers/truncated_normal.h"
#include "systolic/nn/initializers/variance_scaling.h"
#include "systolic/nn/initializers/zeros.h"

namespace systolic::inline v0 {
namespace {

struct Row {
  std::string_view name, kind;
  Initializer (*from_fields)(const Config& values);
};

template <class Spec>
constexpr Row row(std::string_view name) {
  return {name, Spec::kind,
          [](const Config& values) { return Initializer(spec_from<Spec>(values)); }};
}

// Those without a name come last.
constexpr Row rows[] = {SYSTOLIC_INITIALIZERS(SYSTOLIC_ROW) row<Constant>(""),
                        row<VarianceScaling>(""), row<STFT>("")};

}  // namespace

Initializer Initializer::parse(std::string_view name, SourceLocation location) {
  Initializer result;
  result.position_ =
      parse_choice(InitializerNames::subject, name, Choice<InitializerNames>::known(), location);
  return result;
}

Initializer Initializer::from_config(const Config& config) {
  if (config.is_text()) return parse(config.text_value());
  return row_of_kind(rows, InitializerNames::subject, config, {}).from_fields(config["config"]);
}

std::string Initializer::name() const {
  if (!object_) return std::string(InitializerNames::names[static_cast<size_t>(position_)]);
  return object_->config.is_null() ? "function" : object_->config["class_name"].text_value();
}

Literal Initializer::operator()(const Shape& shape, uint64_t seed) const {
  if (object_) return object_->function(shape, seed);
  return rows[position_].from_fields(Config::Map{})(shape, seed);
}

Config Initializer::config() const {
  if (!object_) return name();
  if (object_->config.is_null()) {
    raise<Unimplemented>({.what = "an initializer that is a C++ function has no text form",
                          .hint = "use a named initializer or one of the initializer objects"});
  }
  return object_->config;
}

bool operator==(const Initializer& a, const Initializer& b) {
  if (a.object_ == b.object_) return a.position_ == b.position_;
  return a.object_ && b.object_ && !a.object_->config.is_null() &&
         a.object_->config == b.object_->config;
}

}  // namespace systolic::inline v0
