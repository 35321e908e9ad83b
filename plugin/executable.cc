#include "plugin/executable.h"

#include <cstring>

#include "plugin/serve.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {

LoadedExecutable::LoadedExecutable(Client& of, CompiledPtr program)
    : client(&of),
      compiled(std::move(program)),
      span(of, compiled->layout.devices),
      meeting(of.meeting_of(compiled->meeting_key, compiled->layout.size())) {
  for (int64_t id : compiled->layout.devices) {
    Device& device = client->device(id);
    if (device.is_addressable()) devices.push_back(handle<abi::Device>(&device));
  }
}

namespace {

const Compiled& compiled_of(abi::Executable* executable) { return *of(executable).compiled; }

}  // namespace

void serve(abi::ClientCompileArgs& args) {
  Client& client = of(args.client);
  if (args.program == nullptr) raise_null_handle();
  const abi::ProgramText& program = *args.program;
  CompiledPtr compiled =
      compile(client, {program.format, program.format_size}, {program.code, program.code_size},
              {args.options, args.options_size});
  args.executable =
      handle<abi::LoadedExecutable>(new LoadedExecutable(client, std::move(compiled)));
}

void serve(abi::ExecutableDeserializeAndLoadArgs& args) {
  Client& client = of(args.client);
  CompiledPtr compiled = compile_serialized(client, {args.bytes, args.bytes_size});
  args.executable =
      handle<abi::LoadedExecutable>(new LoadedExecutable(client, std::move(compiled)));
}

void serve(abi::ExecutableDestroyArgs& args) {
  if (args.executable != nullptr) delete &of(args.executable);
}
void serve(abi::ExecutableNameArgs& args) {
  const Compiled& compiled = compiled_of(args.executable);
  args.name = compiled.name.c_str();
  args.name_size = compiled.name.size();
}
void serve(abi::ExecutableNumReplicasArgs& args) {
  args.count = static_cast<size_t>(compiled_of(args.executable).layout.replicas);
}
void serve(abi::ExecutableNumPartitionsArgs& args) {
  args.count = static_cast<size_t>(compiled_of(args.executable).layout.partitions);
}
void serve(abi::ExecutableNumOutputsArgs& args) {
  args.count = compiled_of(args.executable).signature.results.size();
}
// A plan of steps, no code.
void serve(abi::ExecutableCodeSizeArgs& args) { args.bytes = 0; }
void serve(abi::ExecutableCostAnalysisArgs& args) {
  const Compiled& compiled = compiled_of(args.executable);
  args.properties = compiled.costs.data();
  args.count = compiled.costs.size();
}
void serve(abi::ExecutableOutputMemoryKindsArgs& args) {
  const Compiled& compiled = compiled_of(args.executable);
  args.count = compiled.output_memories.size();
  args.kinds = compiled.output_memories.data();
  args.kind_sizes = compiled.output_memory_sizes.data();
}
void serve(abi::ExecutableOutputTypesArgs& args) {
  const Compiled& compiled = compiled_of(args.executable);
  args.types = const_cast<abi::ElementType*>(compiled.output_types.data());
  args.count = compiled.output_types.size();
}
void serve(abi::ExecutableOutputDimensionsArgs& args) {
  const Compiled& compiled = compiled_of(args.executable);
  args.count = compiled.output_ranks.size();
  args.dims = compiled.output_dims.data();
  args.ranks = compiled.output_ranks.data();
}
void serve(abi::ExecutableFingerprintArgs& args) {
  const Compiled& compiled = compiled_of(args.executable);
  args.fingerprint = compiled.fingerprint.c_str();
  args.fingerprint_size = compiled.fingerprint.size();
}

// Called twice: for the size, then with room for it.
void serve(abi::ExecutableOptimizedProgramArgs& args) {
  const Compiled& compiled = compiled_of(args.executable);
  if (args.program == nullptr) raise_null_handle();
  constexpr std::string_view format = "hlo_with_config";
  abi::ProgramText& program = *args.program;
  program.format = format.data();
  program.format_size = format.size();
  if (program.code != nullptr) {
    if (program.code_size < compiled.hlo.size()) {
      raise<InvalidArgument>({.what = str("room for ", program.code_size, " bytes"),
                              .wanted = str(compiled.hlo.size())});
    }
    std::memcpy(program.code, compiled.hlo.data(), compiled.hlo.size());
  }
  program.code_size = compiled.hlo.size();
}

void serve(abi::ExecutableMemoryStatsArgs& args) {
  const runtime::MemoryStats memory = compiled_of(args.executable).memory();
  args.code = 0;
  args.arguments = memory.arguments;
  args.outputs = memory.results;
  args.aliased = memory.aliased;
  args.temporaries = memory.temporaries;
  args.host_code = args.host_arguments = args.host_outputs = args.host_aliased = 0;
  args.host_temporaries = 0;
  args.peak = args.total = memory.peak();
}

void serve(abi::ExecutableSerializeArgs& args) {
  auto* holder = new CompiledPtr(of(args.executable).compiled);
  args.bytes = (*holder)->serialized.data();
  args.bytes_size = (*holder)->serialized.size();
  args.holder = reinterpret_cast<abi::SerializedExecutable*>(holder);
  args.destroy = [](abi::SerializedExecutable* held) {
    delete reinterpret_cast<CompiledPtr*>(held);
  };
}

void serve(abi::LoadedExecutableDestroyArgs& args) {
  if (args.executable != nullptr) delete &of(args.executable);
}
void serve(abi::LoadedExecutableGetExecutableArgs& args) {
  args.executable = handle<abi::Executable>(new Executable{of(args.loaded).compiled});
}
void serve(abi::LoadedExecutableAddressableDevicesArgs& args) {
  const LoadedExecutable& loaded = of(args.executable);
  args.devices = loaded.devices.data();
  args.count = loaded.devices.size();
}
void serve(abi::LoadedExecutableDeleteArgs& args) { of(args.executable).deleted = true; }
void serve(abi::LoadedExecutableIsDeletedArgs& args) { args.deleted = of(args.executable).deleted; }
void serve(abi::LoadedExecutableFingerprintArgs& args) {
  const Compiled& compiled = *of(args.executable).compiled;
  args.fingerprint = compiled.fingerprint.c_str();
  args.fingerprint_size = compiled.fingerprint.size();
}
void serve(abi::LoadedExecutableDeviceAssignmentArgs& args) {
  auto* holder = new CompiledPtr(of(args.executable).compiled);
  args.bytes = (*holder)->assignment.data();
  args.bytes_size = (*holder)->assignment.size();
  args.holder = reinterpret_cast<abi::SerializedAssignment*>(holder);
  args.destroy = [](abi::SerializedAssignment* held) {
    delete reinterpret_cast<CompiledPtr*>(held);
  };
}

}  // namespace plugin
}  // namespace systolic::inline v0
