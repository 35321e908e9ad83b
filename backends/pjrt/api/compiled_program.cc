#include "backends/pjrt/api/compiled_program.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {

std::string CompiledProgram::name() const {
  abi::ExecutableNameArgs args{};
  args.executable = handle_.get();
  handle_.api().call(args);
  return text_of(args.name, args.name_size);
}

size_t CompiledProgram::outputs() const {
  abi::ExecutableNumOutputsArgs args{};
  args.executable = handle_.get();
  handle_.api().call(args);
  return args.count;
}

ProgramMemory CompiledProgram::memory() const {
  abi::ExecutableMemoryStatsArgs args{};
  args.executable = handle_.get();
  handle_.api().call(args);
  return {args.code, args.arguments, args.outputs, args.aliased, args.temporaries, args.peak};
}

Values CompiledProgram::cost() const {
  if (!handle_.api().has<abi::ExecutableCostAnalysisArgs>()) return {};
  abi::ExecutableCostAnalysisArgs args{};
  args.executable = handle_.get();
  try {
    handle_.api().call(args);
  } catch (const Unimplemented&) {
    return {};
  }
  return values_of(args.properties, args.count);
}

std::string CompiledProgram::serialize() const {
  abi::ExecutableSerializeArgs args{};
  args.executable = handle_.get();
  handle_.api().call(args);
  std::string bytes = text_of(args.bytes, args.bytes_size);
  if (args.destroy != nullptr) args.destroy(args.holder);
  return bytes;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
