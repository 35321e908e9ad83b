// systolic predict: what a model says of arrays, pictures, tables or texts.
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/tensors/npy.h"
#include "tools/systolic/commands.h"
#include "tools/systolic/predict/answers.h"

namespace tool {
namespace {

using namespace systolic;

void write_arrays(const std::string& path, const Example& outputs) {
  Example for_numpy;
  for (const auto& [name, value] : outputs)
    for_numpy.set(name, value.dtype() == DType::bf16 ? value.convert(DType::f32) : value);
  io::write_npz(path, for_numpy);
}

}  // namespace

int predict_with_model(const PredictFileOptions& options, std::ostream& out) {
  const bool as_csv = options.csv || options.output.ends_with(".csv");
  if (options.output.empty() && !options.csv) {
    raise<WrongUsage>({.what = "nothing says where the predictions go",
                       .wanted = "--output ANSWERS.npz, --output ANSWERS.csv or --csv"});
  }
  const predict::Predictor model = predict::open_predictor(options.model);
  const predict::Rows rows = predict::read_rows(options.input, model, options.divide_by);
  const Example outputs = model.run(rows.arrays);
  const std::string csv =
      as_csv ? predict::answers_as_csv(rows, outputs, model.labels) : std::string();
  if (options.csv) out << csv;
  if (options.output.empty()) return 0;
  options.output.ends_with(".csv") ? io::write_file(options.output, csv)
                                   : write_arrays(options.output, outputs);
  for (const auto& [name, value] : outputs) {
    if (!options.csv) out << str(name, ": ", value.dtype(), value.shape(), "\n");
  }
  return 0;
}

}  // namespace tool
