#include "systolic/torch/parameter.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/torch/process.h"

namespace systolic::inline v0 {
namespace torch {

using internal::Process;

Parameter::Parameter(Literal initial, ParameterOptions options)
    : state_(internal::make_parameter(std::move(initial), std::move(options))) {}

const std::string& Parameter::name() const { return state_->options.name; }
DType Parameter::dtype() const { return state_->host.dtype(); }
const Shape& Parameter::shape() const { return state_->host.shape(); }
bool Parameter::requires_grad() const { return state_->options.requires_grad; }
void Parameter::set_requires_grad(bool wanted) const { state_->options.requires_grad = wanted; }

Variable Parameter::variable() const { return Process::current().own(state_).variable; }

Tensor Parameter::value(At at) const {
  if (requires_grad()) Process::current().autograd().note_read(state_, at);
  return variable().value(at);
}

Tensor Parameter::grad() const { return Process::current().own(state_).gradient; }
void Parameter::set_grad(Tensor gradient) const {
  Process::current().own(state_).gradient = std::move(gradient);
}

Literal Parameter::literal(At at) const { return variable().literal(at); }

void Parameter::copy_(const Literal& values, At at) const {
  if (!(values.shape() == shape())) {
    raise<InvalidArgument>({.what = str("copying values of shape ", values.shape(), " to '", name(),
                                        "' of shape ", shape()),
                            .location = at});
  }
  variable().set(values.convert(dtype()), at);
}

void Parameter::assign(const systolic::Tensor& value, At at) const {
  variable().assign(Operand(value, at));
}

void Parameter::to(DType wanted, At at) const {
  if (wanted == dtype()) return;
  if (&Process::current() != &Process::main()) {
    raise<FailedPrecondition>({.what = str("the type of '", name(), "' is changed in an ordinal"),
                               .hint = "call model.to(torch::bfloat16) before xmp::spawn",
                               .location = at});
  }
  state_->host = literal(at).convert(wanted);
  internal::OwnParameter& own = Process::current().own(state_);
  own = {};
}

}  // namespace torch
}  // namespace systolic::inline v0
