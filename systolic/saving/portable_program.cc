#include "systolic/saving/portable_program.h"

#include "systolic/ir/print/print.h"
#include "systolic/saving/free_batch.h"
#include "systolic/saving/traced_predict.h"
#include "systolic/stablehlo/parse.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

// Two numbers of rows that no size of a layer is likely to have in common with the other.
constexpr int64_t some_rows = 4099, other_rows = 5003;

}  // namespace

PortableProgram fixed_batch_program(const Model& model, int64_t rows) {
  const Program traced = traced_predict(model, rows);
  return {stablehlo::parse(ir::to_text(traced.whole_module()), "predict"),
          arguments_of(traced, model)};
}

PortableProgram any_batch_program(const Model& model) {
  PortableProgram portable = fixed_batch_program(model, some_rows);
  free_batch(portable.program, some_rows, fixed_batch_program(model, other_rows).program,
             other_rows);
  stablehlo::Attribute yes;
  yes.kind = stablehlo::Attribute::Kind::boolean;
  yes.integer = 1;
  portable.program.attributes = {{"jax.uses_shape_polymorphism", yes}};
  return portable;
}

}  // namespace saving
}  // namespace systolic::inline v0
