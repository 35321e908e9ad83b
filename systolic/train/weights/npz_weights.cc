// Weights as NumPy's .npz, by the names that safetensors has, too.
#include "systolic/io/tensors/npy.h"
#include "systolic/train/weights/weight_match.h"
#include "systolic/train/weights/weights_form.h"

namespace systolic::inline v0 {

void write_npz_weights(const Model& model, const std::string& path,
                       const SaveWeightsOptions& /*options*/, SourceLocation location) {
  Example arrays;
  for (const NamedVariable& weight : model.network().named_weights()) {
    const Literal value = weight.variable.literal(location);
    const bool has_name_in_numpy = !is_float(value.dtype()) || value.dtype() == DType::f16 ||
                                   value.dtype() == DType::f32 || value.dtype() == DType::f64;
    arrays.set(weight.path, has_name_in_numpy ? value : value.convert(DType::f32));
  }
  io::write_npz(path, arrays, location);
}

void read_npz_weights(Model& model, const std::string& path, const LoadWeightsOptions& options,
                      SourceLocation location) {
  const StoredFile file = stored_file(io::open_npz(path, location), location);
  match_by_name(model.network().named_weights(), file.arrays).assign(path, options, location);
}

}  // namespace systolic::inline v0
