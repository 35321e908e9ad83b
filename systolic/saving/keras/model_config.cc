#include "systolic/saving/keras/model_config.h"

#include "systolic/base/error.h"
#include "systolic/saving/keras/compile_config.h"
#include "systolic/saving/keras/network_config.h"

namespace systolic::inline v0 {
namespace saving {

Config config_of_model(const Model& model, bool with_optimizer, std::string_view form) {
  if (!model.network().built()) {
    raise<FailedPrecondition>({.what = "a model whose shapes are not known yet",
                               .hint = "begin it with an Input layer, or call it once"});
  }
  std::vector<std::string> problems;
  Config config = network_to_keras(model.network(), problems);
  if (with_optimizer) config.set("compile_config", compile_to_keras(model, problems));
  if (!problems.empty()) {
    raise<Unimplemented>(
        {.what = str(form, " cannot hold all of the model; nothing was written:\n  ",
                     join(problems, "\n  ")),
         .hint = "save_weights saves the weights of any model"});
  }
  return config;
}

}  // namespace saving
}  // namespace systolic::inline v0
