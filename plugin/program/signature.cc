#include "plugin/program/signature.h"

#include <algorithm>

#include "plugin/program/axes_order.h"
#include "plugin/program/held_type.h"
#include "plugin/shardings/written_collectives.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

using stablehlo::Attribute;
using stablehlo::Program;

bool says_donor(const std::vector<stablehlo::NamedAttribute>& attributes) {
  const Attribute* donor = stablehlo::find(attributes, "jax.buffer_donor");
  return stablehlo::find(attributes, "tf.aliasing_output") != nullptr ||
         (donor != nullptr && donor->integer != 0);
}

abi::ElementType element_type_of(const Program& program, stablehlo::TypeId written,
                                 const ir::Type& held) {
  const stablehlo::Type& type = program.type(written);
  if (type.kind == stablehlo::Type::Kind::token) return abi::ElementType::token;
  return element_type(type.element, held.dtype);
}

void check_count(std::string_view what, size_t arrays, size_t values) {
  if (arrays == values) return;
  raise<Unimplemented>({.what = str("a program whose main has tuples or tokens as ", what),
                        .got = str(values, " values of ", arrays, " arrays"),
                        .wanted = "arrays"});
}

}  // namespace

Signature signature_of(const Program& program, const ir::Module& module, int64_t replicas,
                       int64_t partitions) {
  const stablehlo::Function& written = program.entry();
  const ir::Function& main = module.main();
  check_count("arguments", main.body.arguments.size(), written.argument_attributes.size());
  check_count("results", main.body.results.size(), written.result_attributes.size());
  Signature signature;
  for (size_t i = 0; i < main.body.arguments.size(); ++i) {
    Port& port = signature.arguments.emplace_back();
    port.type = main.type(main.body.arguments[i]);
    port.element = element_type_of(program, written.type(written.body.arguments[i]), port.type);
    port.minor_to_major = argument_order(written, i, static_cast<size_t>(port.type.shape.rank()));
    port.own = replicas > 1;
    port.donated = says_donor(written.argument_attributes[i]);
    port.parts = partitions == 1 ? stablehlo::whole_parts(port.type.shape, 1)
                                 : stablehlo::parts_of(program, written.argument_attributes[i],
                                                       port.type.shape, partitions);
  }
  const ValueShardings shardings(program, written, partitions);
  for (size_t i = 0; i < main.body.results.size(); ++i) {
    Port& port = signature.results.emplace_back();
    port.type = main.type(main.body.results[i]);
    port.element = element_type_of(program, written.result_types[i], port.type);
    port.minor_to_major =
        result_order(program, written, i, static_cast<size_t>(port.type.shape.rank()));
    port.own = replicas > 1;
    if (partitions == 1) {
      port.parts = stablehlo::whole_parts(port.type.shape, 1);
    } else if (stablehlo::says_sharding(written.result_attributes[i])) {
      port.parts =
          stablehlo::parts_of(program, written.result_attributes[i], port.type.shape, partitions);
    } else {
      port.parts = shardings.result(i, port.type.shape);
    }
  }
  signature.calls = written_calls(program);
  signature.answers = shardings.answers();
  signature.collectives = written_collectives(program);
  const std::vector<Collective>& placed = shardings.collectives();
  signature.collectives.insert(signature.collectives.end(), placed.begin(), placed.end());
  return signature;
}

}  // namespace plugin
}  // namespace systolic::inline v0
