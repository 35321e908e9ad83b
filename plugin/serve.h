// Every function that the plugin offers, by its arguments. Each throws what goes wrong; the table
// makes an error of it.
#pragma once

#include "plugin/handle.h"

namespace systolic::inline v0 {
namespace plugin {

// clang-format off
#define SYSTOLIC_PLUGIN_FUNCTIONS(F) \
  F(ErrorCode) \
  F(PluginInitialize) \
  F(PluginAttributes) \
  F(EventDestroy) \
  F(EventIsReady) \
  F(EventError) \
  F(EventAwait) \
  F(EventOnReady) \
  F(ClientCreate) \
  F(ClientDestroy) \
  F(ClientPlatformName) \
  F(ClientProcessIndex) \
  F(ClientPlatformVersion) \
  F(ClientDevices) \
  F(ClientAddressableDevices) \
  F(ClientLookupDevice) \
  F(ClientLookupAddressableDevice) \
  F(ClientMemories) \
  F(ClientCompile) \
  F(ClientTopology) \
  F(ClientDefaultAssignment) \
  F(ClientUpdateProcesses) \
  F(ClientBufferFromHost) \
  F(DeviceDescriptionId) \
  F(DeviceDescriptionProcessIndex) \
  F(DeviceDescriptionAttributes) \
  F(DeviceDescriptionKind) \
  F(DeviceDescriptionDebugString) \
  F(DeviceDescriptionToString) \
  F(DeviceGetDescription) \
  F(DeviceIsAddressable) \
  F(DeviceLocalHardwareId) \
  F(DeviceMemories) \
  F(DeviceDefaultMemory) \
  F(DeviceMemoryStats) \
  F(MemoryId) \
  F(MemoryKind) \
  F(MemoryKindId) \
  F(MemoryDebugString) \
  F(MemoryToString) \
  F(MemoryDevices) \
  F(ExecutableDestroy) \
  F(ExecutableName) \
  F(ExecutableNumReplicas) \
  F(ExecutableNumPartitions) \
  F(ExecutableNumOutputs) \
  F(ExecutableCodeSize) \
  F(ExecutableCostAnalysis) \
  F(ExecutableOutputMemoryKinds) \
  F(ExecutableOptimizedProgram) \
  F(ExecutableSerialize) \
  F(ExecutableOutputTypes) \
  F(ExecutableOutputDimensions) \
  F(ExecutableFingerprint) \
  F(ExecutableMemoryStats) \
  F(ExecutableDeserializeAndLoad) \
  F(LoadedExecutableDestroy) \
  F(LoadedExecutableGetExecutable) \
  F(LoadedExecutableAddressableDevices) \
  F(LoadedExecutableDelete) \
  F(LoadedExecutableIsDeleted) \
  F(LoadedExecutableExecute) \
  F(LoadedExecutableFingerprint) \
  F(LoadedExecutableDeviceAssignment) \
  F(BufferDestroy) \
  F(BufferElementType) \
  F(BufferDimensions) \
  F(BufferUnpaddedDimensions) \
  F(BufferDynamicDimensions) \
  F(BufferMemoryLayout) \
  F(BufferOnDeviceSize) \
  F(BufferDevice) \
  F(BufferMemory) \
  F(BufferDelete) \
  F(BufferIsDeleted) \
  F(BufferCopyToDevice) \
  F(BufferToHost) \
  F(BufferIsOnCpu) \
  F(BufferReadyEvent) \
  F(BufferCopyToMemory) \
  F(BufferIncreaseReferences) \
  F(BufferDecreaseReferences) \
  F(BufferOpaquePointer) \
  F(BufferPointer) \
  F(TopologyDestroy) \
  F(TopologyPlatformName) \
  F(TopologyPlatformVersion) \
  F(TopologyDevices) \
  F(TopologyAttributes)
// clang-format on

#define SYSTOLIC_DECLARE(name) void serve(abi::name##Args& args);
SYSTOLIC_PLUGIN_FUNCTIONS(SYSTOLIC_DECLARE)
#undef SYSTOLIC_DECLARE

// How much of the arguments a caller must know: all, except what was added late and is not used.
template <class Args>
inline constexpr size_t least_size = abi::Entry<Args>::struct_size;
template <>
inline constexpr size_t least_size<abi::ClientCreateArgs> = 9 * sizeof(void*);
template <>
inline constexpr size_t least_size<abi::ExecutableDeserializeAndLoadArgs> = 6 * sizeof(void*);

}  // namespace plugin
}  // namespace systolic::inline v0
