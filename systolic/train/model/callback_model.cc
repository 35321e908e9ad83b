#include "systolic/base/error.h"
#include "systolic/train/model/model.h"
#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

void Callback::attach(const Model& model, const FitParameters& parameters) {
  model_ = std::make_shared<Model>(model);
  parameters_ = parameters;
}

Model& Callback::model() const {
  if (model_) return *model_;
  raise<FailedPrecondition>({.what = "a callback asked for its model before it had one",
                             .hint = "pass it to fit, evaluate or predict"});
}

}  // namespace systolic::inline v0
