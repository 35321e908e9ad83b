#include <optional>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/ir/print/print.h"
#include "systolic/saving/export_files.h"
#include "systolic/saving/exported_model.h"
#include "systolic/saving/portable_program.h"
#include "systolic/saving/traced_predict.h"
#include "systolic/stablehlo/bytecode/write_bytecode.h"
#include "systolic/trace/program/program.h"
#include "systolic/train/model/model_access.h"

namespace systolic::inline v0 {
namespace {

using saving::exported_program, saving::exported_weights, saving::exported_description,
    saving::traced_predict, saving::arguments_of;

Config description_of(const std::vector<NetworkPort>& ports) {
  Config::List list;
  for (const NetworkPort& port : ports) {
    Config::List sizes;
    for (const int64_t size : port.type.shape) sizes.push_back(size < 0 ? Config() : Config(size));
    Config one;
    one.set("name", port.name);
    one.set("dtype", str(port.type.dtype));
    one.set("shape", std::move(sizes));
    list.push_back(std::move(one));
  }
  return list;
}

// For any number of rows, where the model computes each row alone; else for `rows`, which is given
// back.
std::optional<int64_t> write_portable(const Model& model, int64_t rows, const std::string& path,
                                      SourceLocation location) {
  std::optional<int64_t> fixed;
  std::string bytes;
  try {
    bytes = stablehlo::write_bytecode(saving::any_batch_program(model).program);
  } catch (const Unimplemented&) {
    bytes = stablehlo::write_bytecode(saving::fixed_batch_program(model, rows).program);
    fixed = rows;
  }
  io::write_file(path, bytes, location);
  return fixed;
}

void check_folder(const std::string& folder, SourceLocation location) {
  const std::vector<std::string> inside =
      io::file_system(folder, location).list(folder, 1, location);
  if (inside.empty() || is_exported_model(folder, location)) return;
  raise<FailedPrecondition>({.what = str("'", folder, "' holds '", inside.front(), "'"),
                             .wanted = "a new folder, or one of an exported model"});
}

}  // namespace

void export_model(const Model& model, const std::string& folder, const ExportOptions& options,
                  SourceLocation location) {
  const ErrorScope scope("export_model", location);
  if (!model.network().built()) {
    raise<FailedPrecondition>({.what = "a model whose shapes are not known yet",
                               .hint = "begin it with an Input layer, or call it once"});
  }
  if (options.batch_size < 1)
    raise<InvalidArgument>({.what = str("batch_size ", options.batch_size), .wanted = "1 or more"});
  check_folder(folder, location);
  const ModelView held = view_of(model);
  const Program program = traced_predict(model, options.batch_size);
  Example weights;
  Config::List names;
  for (const NamedVariable& weight : arguments_of(program, model)) {
    weights.set(weight.path, weight.variable.literal(location));
    names.push_back(weight.path);
  }
  Config description;
  description.set("format", saving::export_format);
  description.set("name", model.name());
  description.set("batch_size", options.batch_size);
  description.set("inputs", description_of(model.network().input_ports()));
  description.set("outputs", description_of(model.network().output_ports()));
  description.set("weights", std::move(names));
  io::make_folder(folder, location);
  const auto portable_rows = write_portable(
      model, options.batch_size, str(folder, "/", saving::exported_portable_program), location);
  description.set("portable_batch_size", portable_rows ? Config(*portable_rows) : Config());
  io::write_safetensors(str(folder, "/", exported_weights), weights, {{"format", "systolic"}},
                        location);
  io::write_file(str(folder, "/", exported_program), ir::to_text(program.whole_module()), location);
  io::write_file(str(folder, "/", exported_description), description.text(), location);
}

}  // namespace systolic::inline v0
