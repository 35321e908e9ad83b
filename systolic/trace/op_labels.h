// Lines and layers of ops, kept outside a program that calls with equal ops share.
//
// Eager code runs one cached program for all calls of the same ops, whatever their lines. So the
// module keeps only the number of each op, and an error gets the line of the call that failed.
#pragma once

#include <vector>

#include "systolic/base/error.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {

class OpLabels {
 public:
  // Takes the labels out of the module: equal ops then make equal modules.
  explicit OpLabels(ir::Module& module);

  // Rethrows an error from compiling or running the module, with the line and the layer of the op
  // that it names by number; with the line `otherwise` where it names none.
  [[noreturn]] void rethrow(const Error& error, SourceLocation otherwise) const;

 private:
  struct Label {
    SourceLocation location;
    const char* layer_path;
  };
  void take(ir::Block& block);

  std::vector<Label> labels_;
};

}  // namespace systolic::inline v0
