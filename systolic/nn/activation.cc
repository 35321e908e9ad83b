#include "systolic/nn/activation.h"

#include "systolic/base/error.h"
#include "systolic/nn/config/choice_rows.h"
#include "systolic/nn/one_class.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace {

Tensor softmax_of_classes(const Tensor& x) {
  warn_of_one_class("softmax", x, -1, "sigmoid");
  return softmax(x);
}

Tensor log_softmax_of_classes(const Tensor& x) {
  warn_of_one_class("log_softmax", x, -1, "log_sigmoid");
  return log_softmax(x);
}

struct Row {
  std::string_view name;
  Tensor (*apply)(const Tensor& x);
};

// In the order of ActivationNames::names.
constexpr Row rows[] = {
    {"linear", [](const Tensor& x) { return x; }},
    {"relu", [](const Tensor& x) { return relu(x); }},
    {"relu6", [](const Tensor& x) { return relu6(x); }},
    {"leaky_relu", [](const Tensor& x) { return leaky_relu(x); }},
    {"elu", [](const Tensor& x) { return elu(x); }},
    {"selu", [](const Tensor& x) { return selu(x); }},
    {"gelu", [](const Tensor& x) { return gelu(x); }},
    {"silu", [](const Tensor& x) { return silu(x); }},
    {"swish", [](const Tensor& x) { return silu(x); }},
    {"softplus", [](const Tensor& x) { return softplus(x); }},
    {"softsign", [](const Tensor& x) { return softsign(x); }},
    {"sigmoid", [](const Tensor& x) { return sigmoid(x); }},
    {"hard_sigmoid", [](const Tensor& x) { return hard_sigmoid(x); }},
    {"tanh", [](const Tensor& x) { return tanh(x); }},
    {"softmax", softmax_of_classes},
    {"log_softmax", log_softmax_of_classes},
    {"exponential", [](const Tensor& x) { return exp(x); }},
    {"mish", [](const Tensor& x) { return mish(x); }},
    {"gelu_new", [](const Tensor& x) { return gelu(x, true); }},
    {"gelu_pytorch_tanh", [](const Tensor& x) { return gelu(x, true); }},
    {"gelu_fast", [](const Tensor& x) { return gelu(x, true); }},
    {"quick_gelu", [](const Tensor& x) { return quick_gelu(x); }},
    {"relu2", [](const Tensor& x) { return square(relu(x)); }},
    {"celu", [](const Tensor& x) { return celu(x); }},
    {"hard_silu", [](const Tensor& x) { return hard_silu(x); }},
    {"hard_swish", [](const Tensor& x) { return hard_silu(x); }},
    {"hard_tanh", [](const Tensor& x) { return hard_tanh(x); }},
    {"log_sigmoid", [](const Tensor& x) { return -softplus(-x); }},
};

static_assert(rows_follow_names<ActivationNames>(rows));

}  // namespace

Activation Activation::parse(std::string_view name, SourceLocation location) {
  Activation result;
  result.position_ =
      parse_choice(ActivationNames::subject, name, Choice<ActivationNames>::known(), location);
  return result;
}

std::string_view Activation::name() const {
  return function_ ? "function" : ActivationNames::names[static_cast<size_t>(position_)];
}

Tensor Activation::operator()(const Tensor& x) const {
  return function_ ? (*function_)(x) : rows[position_].apply(x);
}

Config to_config(const Activation& activation) {
  if (activation.name() == "function") {
    raise<Unimplemented>({.what = "an activation that is a C++ function has no text form",
                          .hint = "use a named activation, or a layer of your own"});
  }
  return activation.name();
}

void from_config(const Config& config, Activation& activation) {
  activation = Activation::parse(config.text_value());
}

}  // namespace systolic::inline v0
