// Runs a test program and its checks on a backend.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/runtime/open_client.h"
#include "systolic/stablehlo/import/import.h"
#include "tools/conformance/probes.h"
#include "tools/conformance/run_cores.h"

namespace tool {

class TestRunner {
 public:
  // "interpreter" or "software_tpu".
  explicit TestRunner(std::string backend);

  // The first check that fails: "file:line:column: ..."; nothing when all hold. Throws what the
  // program cannot do. A program may run others on several cores with interpreter.run_parallel:
  // each is a per-core program of its own.
  std::optional<std::string> run(const systolic::stablehlo::Program& program);
  // How many checks of all programs so far held.
  int checks_held() const { return checks_held_; }

 private:
  std::optional<std::string> run_part(const systolic::stablehlo::Program& program,
                                      systolic::stablehlo::Part part,
                                      std::map<systolic::stablehlo::ValueId, Arrays>* values);
  std::vector<Arrays> run_parallel(const systolic::stablehlo::Program& program,
                                   const systolic::stablehlo::Operation& op,
                                   const std::map<systolic::stablehlo::ValueId, Arrays>& values);
  std::vector<Arrays> run_exchanging(const systolic::stablehlo::Program& program,
                                     const systolic::stablehlo::Operation& op, const Grid& grid,
                                     const std::map<systolic::stablehlo::ValueId, Arrays>& values);
  std::deque<Arrays> infeed_of(const systolic::stablehlo::Program& program,
                               const systolic::stablehlo::Operation& op);
  // [core][result]
  std::vector<Arrays> execute(const systolic::ir::Module& module, const Arrays& arguments);
  const systolic::runtime::ClientPtr& client(int cores);
  std::optional<std::string> mismatch_of(const systolic::stablehlo::Check& check,
                                         const Arrays& results) const;

  std::string backend_;
  std::shared_ptr<Probes> probes_ = std::make_shared<Probes>();
  int checks_held_ = 0;
  std::map<int, systolic::runtime::ClientPtr> clients_;
};

}  // namespace tool
