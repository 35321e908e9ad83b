#include "tools/conformance/probes.h"

#include <cstring>
#include <utility>

#include "systolic/runtime/custom_function.h"
#include "systolic/stablehlo/import/import.h"

namespace tool {
namespace {

using namespace systolic;

class Probe : public CustomFunction {
 public:
  Probe(std::string name, std::shared_ptr<Probes> probes)
      : name_(std::move(name)), probes_(std::move(probes)) {}

  void run(std::span<const CustomArray> operands,
           std::span<const CustomArray> results) const override {
    const CustomArray &from = operands[0], &to = results[0];
    Literal seen(from.type.dtype, from.type.shape);
    const size_t bytes = seen.byte_size();
    if (bytes > 0) {
      std::memcpy(seen.mutable_raw(), from.data, bytes);
      if (to.data != from.data) std::memcpy(to.data, from.data, bytes);
    }
    (*probes_)[name_].push_back(std::move(seen));
  }

 private:
  std::string name_;
  std::shared_ptr<Probes> probes_;
};

}  // namespace

void record_probes(std::shared_ptr<Probes> probes) {
  register_custom_function(
      std::string(stablehlo::probe_function), [probes](const ir::CustomCallAttributes& call) {
        return std::make_unique<Probe>(std::get<std::string>(call.options.at(0).value), probes);
      });
}

}  // namespace tool
