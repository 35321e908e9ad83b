#include "systolic/nn/constraints/constraint.h"

#include "systolic/base/error.h"
#include "systolic/nn/config/choice_rows.h"
#include "systolic/nn/constraints/max_norm.h"
#include "systolic/nn/constraints/min_max_norm.h"
#include "systolic/nn/constraints/non_neg.h"
#include "systolic/nn/constraints/unit_norm.h"

namespace systolic::inline v0 {
namespace {

struct ConstraintRow {
  std::string_view name, kind;
  Constraint (*from_fields)(const Config& values);
};

template <class Spec>
constexpr ConstraintRow constraint_row(std::string_view name) {
  return {name, Spec::kind,
          [](const Config& values) { return Constraint(spec_from<Spec>(values)); }};
}

#define SYSTOLIC_CONSTRAINT_ROW(name, Spec) constraint_row<Spec>(name),
constexpr ConstraintRow constraint_rows[] = {SYSTOLIC_CONSTRAINTS(SYSTOLIC_CONSTRAINT_ROW)};

}  // namespace

Constraint Constraint::parse(std::string_view name, SourceLocation location) {
  Constraint result;
  result.position_ =
      parse_choice(ConstraintNames::subject, name, Choice<ConstraintNames>::known(), location);
  return result;
}

Constraint Constraint::from_config(const Config& config) {
  if (config.is_null()) return {};
  if (config.is_text()) return parse(config.text_value());
  return row_of_kind(constraint_rows, ConstraintNames::subject, config, {})
      .from_fields(config["config"]);
}

Tensor Constraint::operator()(const Tensor& weight) const {
  if (is_none()) return weight;
  if (object_) return object_->function(weight);
  return constraint_rows[position_].from_fields(Config::Map{})(weight);
}

Config Constraint::config() const {
  if (is_none()) return {};
  if (!object_) return constraint_rows[position_].from_fields(Config::Map{}).config();
  if (object_->config.is_null()) {
    raise<Unimplemented>({.what = "a constraint that is a C++ function has no text form",
                          .hint = "use a named constraint or one of the constraint objects"});
  }
  return object_->config;
}

}  // namespace systolic::inline v0
