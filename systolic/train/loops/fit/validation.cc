#include "systolic/train/loops/fit/validation.h"

#include "systolic/base/error.h"
#include "systolic/base/spans/named_work.h"
#include "systolic/train/batches/array_data.h"
#include "systolic/train/loops/loop_options.h"

namespace systolic::inline v0 {
namespace {

constinit spans::NamedWork validate{spans::WorkKind::host, "validation"};

template <class Body>
auto within_validation(SourceLocation location, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    error.rethrow_within("fit, with its validation_data", location);
  }
}

}  // namespace

Validation::Validation(const FitCall& call) : call_(call) {
  const FitOptions& options = call.options;
  if (!options.validation_data) return;
  const int64_t size =
      options.validation_batch_size.value_or(options.batch_size.value_or(default_batch_size));
  batches_ = validation_batches(*call.state, options.validation_data, size, call.location);
  check_end(*batches_, "validation_steps", options.validation_steps, call.location);
}

EvaluateOptions Validation::options() const {
  return {.steps = call_.options.validation_steps, .verbose = 0};
}

bool Validation::is_due(int epoch) const {
  return batches_ && (epoch + 1) % call_.options.validation_freq == 0;
}

void Validation::try_arrays() const {
  if (!batches_ || call_.options.validation_data.dataset()) return;
  within_validation(call_.location,
                    [&] { try_evaluation(*call_.state, *batches_, options(), call_.location); });
}

bool Validation::run(const CallbackList& callbacks, const std::function<bool()>& stops,
                     Logs& logs) const {
  const spans::Span span(validate);
  const std::optional<Evaluation> evaluation = within_validation(call_.location, [&] {
    return evaluate_with(callbacks, *call_.state, *batches_, options(), call_.location, stops);
  });
  if (!evaluation) return false;
  for (const auto& [name, value] : evaluation->logs) logs.emplace_back("val_" + name, value);
  return true;
}

}  // namespace systolic::inline v0
