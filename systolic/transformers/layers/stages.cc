#include "systolic/transformers/layers/stages.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

void refuse_attentions(const AskedOutputs* asked, const char* model_type) {
  if (asked == nullptr || !asked->request.attentions) return;
  raise<Unimplemented>({.what = str("output_attentions of a ", model_type, " model"),
                        .wanted = "output_hidden_states alone: the map after each stage"});
}

}  // namespace systolic::inline v0
