// A model as a program: what any program that takes StableHLO can run, without the layers it was
// made of (keras.Model.export).
//
//   export_model(model, "mnist_program", {.batch_size = 32});
//   const ExportedModel exported("mnist_program");
//   exported.predict({{"images", images}})["dense"]      // any number of rows
//
// The folder holds program.mlir, StableHLO text for batches of one size; program.mlirbc, a portable
// artifact (stablehlo/bytecode/write_bytecode.h) for batches of any size, which jax.export and
// other readers of StableHLO call; weights.safetensors; and model.json, which says the arguments of
// `main` in their order: inputs, each with its name, type and shape, then weights, each with its
// name in weights.safetensors; the names of the results; and how many rows program.mlirbc takes,
// null for any. A model that does not compute each row alone has one for batches of that one size.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "systolic/train/model/model.h"

namespace systolic::inline v0 {

struct ExportOptions {
  // Rows of one run of the program: StableHLO's sizes are fixed.
  int64_t batch_size = 32;
};

// The files get their names one by one, model.json last. What is there of a model that was exported
// before is replaced; a folder that holds something else is a FailedPrecondition. A model whose
// shapes are not known, or an output without a batch axis, is one, too.
void export_model(const Model& model, const std::string& folder, const ExportOptions& options = {},
                  SourceLocation location = SourceLocation::current());

// Whether the folder holds what export_model writes.
bool is_exported_model(const std::string& folder,
                       SourceLocation location = SourceLocation::current());

class ExportedModel {
 public:
  // Reads all that is in the folder, and compiles the program for the default device. What does not
  // fit together is a DataLoss that names the file.
  explicit ExportedModel(const std::string& folder,
                         SourceLocation location = SourceLocation::current());

  // With -1 for the batch.
  const std::vector<NetworkPort>& input_ports() const;
  const std::vector<NetworkPort>& output_ports() const;
  // By the inputs' names; all have as many rows. Runs batch after batch, the last one filled up.
  Example predict(const Example& inputs, SourceLocation location = SourceLocation::current()) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace systolic::inline v0
