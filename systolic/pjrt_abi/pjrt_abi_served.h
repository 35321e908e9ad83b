// The rest of the binary interface of PJRT plugins that a plugin has to offer, besides the
// functions that we call ourselves: those with which JAX and PyTorch/XLA look at devices, memories,
// programs and buffers. Written in the same way as pjrt_abi.h, and compared with the published
// header by the same test.
#pragma once

#include "systolic/pjrt_abi/pjrt_abi.h"

namespace systolic::inline v0 {
namespace pjrt::abi {

struct SerializedAssignment;

// Functions of the table in version 0.90.
inline constexpr size_t slot_count = 128;
inline constexpr size_t table_size = table_head_size + slot_count * sizeof(AnyFunction);

// --- the client --------------------------------------------------------------------------------
struct ClientLookupDeviceArgs : Head {
  Client* client;
  int32_t id;
  Device* device;  // out
};
struct ClientLookupAddressableDeviceArgs : Head {
  Client* client;
  int32_t local_hardware_id;
  Device* device;  // out
};
struct ClientMemoriesArgs : Head {
  Client* client;
  Memory* const* memories;  // out
  size_t count;             // out
};
struct ClientDefaultAssignmentArgs : Head {
  Client* client;
  int32_t replicas;
  int32_t partitions;
  size_t size;          // of the array
  int32_t* assignment;  // [replica][partition]; memory of the caller
};
struct ClientTopologyArgs : Head {
  Client* client;
  Topology* topology;  // out; the client's
};

// --- devices -----------------------------------------------------------------------------------
struct DeviceDescriptionDebugStringArgs : Head {
  DeviceDescription* description;
  const char* text;  // out
  size_t text_size;  // out
};
struct DeviceIsAddressableArgs : Head {
  Device* device;
  bool addressable;  // out
};
struct DeviceMemoriesArgs : Head {
  Device* device;
  Memory* const* memories;  // out
  size_t count;             // out
};
struct DeviceDefaultMemoryArgs : Head {
  Device* device;
  Memory* memory;  // out
};
struct MemoryIdArgs : Head {
  Memory* memory;
  int32_t id;  // out
};
struct MemoryKindArgs : Head {
  Memory* memory;
  const char* kind;  // out
  size_t kind_size;  // out
};
struct MemoryDebugStringArgs : Head {
  Memory* memory;
  const char* text;  // out
  size_t text_size;  // out
};
struct MemoryToStringArgs : Head {
  Memory* memory;
  const char* text;  // out
  size_t text_size;  // out
};
struct MemoryDevicesArgs : Head {
  Memory* memory;
  Device* const* devices;  // out
  size_t count;            // out
};
struct MemoryKindIdArgs : Head {
  Memory* memory;
  int32_t id;  // out
};

// --- programs ----------------------------------------------------------------------------------
struct ExecutableNumReplicasArgs : Head {
  Executable* executable;
  size_t count;  // out
};
struct ExecutableNumPartitionsArgs : Head {
  Executable* executable;
  size_t count;  // out
};
struct ExecutableOutputMemoryKindsArgs : Head {
  Executable* executable;
  size_t count;              // out
  const char* const* kinds;  // out
  const size_t* kind_sizes;  // out
};
struct ExecutableOptimizedProgramArgs : Head {
  Executable* executable;
  ProgramText* program;  // out: first with code null, for the size; then filled in
};
struct ExecutableOutputTypesArgs : Head {
  Executable* executable;
  ElementType* types;  // out
  size_t count;        // out
};
struct ExecutableOutputDimensionsArgs : Head {
  Executable* executable;
  size_t count;         // out
  const int64_t* dims;  // out: of all outputs, one after the other
  const size_t* ranks;  // out
};
struct ExecutableFingerprintArgs : Head {
  Executable* executable;
  const char* fingerprint;  // out
  size_t fingerprint_size;  // out
};
struct LoadedExecutableDeleteArgs : Head {
  LoadedExecutable* executable;
};
struct LoadedExecutableIsDeletedArgs : Head {
  LoadedExecutable* executable;
  bool deleted;  // out
};
struct LoadedExecutableFingerprintArgs : Head {
  LoadedExecutable* executable;
  const char* fingerprint;  // out
  size_t fingerprint_size;  // out
};
struct LoadedExecutableDeviceAssignmentArgs : Head {
  LoadedExecutable* executable;
  const char* bytes;                       // out: a DeviceAssignmentProto
  size_t bytes_size;                       // out
  SerializedAssignment* holder;            // out: keeps the bytes
  void (*destroy)(SerializedAssignment*);  // out
};

// --- buffers -----------------------------------------------------------------------------------
struct BufferUnpaddedDimensionsArgs : Head {
  Buffer* buffer;
  const int64_t* dims;  // out
  size_t rank;          // out
};
struct BufferDynamicDimensionsArgs : Head {
  Buffer* buffer;
  const size_t* axes;  // out
  size_t count;        // out
};
struct BufferMemoryLayoutArgs : Head {
  Buffer* buffer;
  MemoryLayout layout;  // out
};
struct BufferDeviceArgs : Head {
  Buffer* buffer;
  Device* device;  // out
};
struct BufferMemoryArgs : Head {
  Buffer* buffer;
  Memory* memory;  // out
};
struct BufferCopyToDeviceArgs : Head {
  Buffer* buffer;
  Device* device;
  Buffer* copy;  // out
};
struct BufferIsOnCpuArgs : Head {
  Buffer* buffer;
  bool on_cpu;  // out
};
struct BufferPointerArgs : Head {
  Buffer* buffer;
  uintptr_t pointer;  // out
};
struct BufferIncreaseReferencesArgs : Head {
  Buffer* buffer;
};
struct BufferDecreaseReferencesArgs : Head {
  Buffer* buffer;
};
struct BufferOpaquePointerArgs : Head {
  Buffer* buffer;
  void* pointer;  // out
};
struct BufferCopyToMemoryArgs : Head {
  Buffer* buffer;
  Memory* memory;
  Buffer* copy;  // out
};

// --- the processes of a run --------------------------------------------------------------------
struct ProcessInfo {
  size_t struct_size;
  int process;
  uint64_t incarnation;
  int32_t state;  // 0 not said, 1 not there yet, 2 gone, 3 connected, 4 failed
  int32_t error;
  const char* message;
  size_t message_size;
};
struct ClientUpdateProcessesArgs : Head {
  Client* client;
  const ProcessInfo* processes;
  size_t count;
};

// --- topologies --------------------------------------------------------------------------------
struct TopologyPlatformNameArgs : Head {
  const Topology* topology;
  const char* name;  // out
  size_t name_size;  // out
};
struct TopologyAttributesArgs : Head {
  Topology* topology;
  const NamedValue* attributes;  // out
  size_t count;                  // out
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // single inheritance, nothing virtual
// clang-format off
SYSTOLIC_PJRT_ENTRY(ClientLookupDeviceArgs, 17, "PJRT_Client_LookupDevice", device);
SYSTOLIC_PJRT_ENTRY(ClientLookupAddressableDeviceArgs, 18, "PJRT_Client_LookupAddressableDevice", device);
SYSTOLIC_PJRT_ENTRY(ClientMemoriesArgs, 19, "PJRT_Client_AddressableMemories", count);
SYSTOLIC_PJRT_ENTRY(ClientDefaultAssignmentArgs, 21, "PJRT_Client_DefaultDeviceAssignment", assignment);
SYSTOLIC_PJRT_ENTRY(DeviceDescriptionDebugStringArgs, 27, "PJRT_DeviceDescription_DebugString", text_size);
SYSTOLIC_PJRT_ENTRY(DeviceIsAddressableArgs, 30, "PJRT_Device_IsAddressable", addressable);
SYSTOLIC_PJRT_ENTRY(DeviceMemoriesArgs, 32, "PJRT_Device_AddressableMemories", count);
SYSTOLIC_PJRT_ENTRY(DeviceDefaultMemoryArgs, 33, "PJRT_Device_DefaultMemory", memory);
SYSTOLIC_PJRT_ENTRY(MemoryIdArgs, 35, "PJRT_Memory_Id", id);
SYSTOLIC_PJRT_ENTRY(MemoryKindArgs, 36, "PJRT_Memory_Kind", kind_size);
SYSTOLIC_PJRT_ENTRY(MemoryDebugStringArgs, 37, "PJRT_Memory_DebugString", text_size);
SYSTOLIC_PJRT_ENTRY(MemoryToStringArgs, 38, "PJRT_Memory_ToString", text_size);
SYSTOLIC_PJRT_ENTRY(MemoryDevicesArgs, 39, "PJRT_Memory_AddressableByDevices", count);
SYSTOLIC_PJRT_ENTRY(ExecutableNumReplicasArgs, 42, "PJRT_Executable_NumReplicas", count);
SYSTOLIC_PJRT_ENTRY(ExecutableNumPartitionsArgs, 43, "PJRT_Executable_NumPartitions", count);
SYSTOLIC_PJRT_ENTRY(ExecutableOutputMemoryKindsArgs, 47, "PJRT_Executable_OutputMemoryKinds", kind_sizes);
SYSTOLIC_PJRT_ENTRY(ExecutableOptimizedProgramArgs, 48, "PJRT_Executable_OptimizedProgram", program);
SYSTOLIC_PJRT_ENTRY(LoadedExecutableDeleteArgs, 53, "PJRT_LoadedExecutable_Delete", executable);
SYSTOLIC_PJRT_ENTRY(LoadedExecutableIsDeletedArgs, 54, "PJRT_LoadedExecutable_IsDeleted", deleted);
SYSTOLIC_PJRT_ENTRY(LoadedExecutableFingerprintArgs, 57, "PJRT_LoadedExecutable_Fingerprint", fingerprint_size);
SYSTOLIC_PJRT_ENTRY(BufferUnpaddedDimensionsArgs, 61, "PJRT_Buffer_UnpaddedDimensions", rank);
SYSTOLIC_PJRT_ENTRY(BufferDynamicDimensionsArgs, 62, "PJRT_Buffer_DynamicDimensionIndices", count);
SYSTOLIC_PJRT_ENTRY(BufferMemoryLayoutArgs, 63, "PJRT_Buffer_GetMemoryLayout", layout);
SYSTOLIC_PJRT_ENTRY(BufferDeviceArgs, 65, "PJRT_Buffer_Device", device);
SYSTOLIC_PJRT_ENTRY(BufferMemoryArgs, 66, "PJRT_Buffer_Memory", memory);
SYSTOLIC_PJRT_ENTRY(BufferCopyToDeviceArgs, 69, "PJRT_Buffer_CopyToDevice", copy);
SYSTOLIC_PJRT_ENTRY(BufferIsOnCpuArgs, 71, "PJRT_Buffer_IsOnCpu", on_cpu);
SYSTOLIC_PJRT_ENTRY(BufferPointerArgs, 73, "PJRT_Buffer_UnsafePointer", pointer);
SYSTOLIC_PJRT_ENTRY(BufferIncreaseReferencesArgs, 74, "PJRT_Buffer_IncreaseExternalReferenceCount", buffer);
SYSTOLIC_PJRT_ENTRY(BufferDecreaseReferencesArgs, 75, "PJRT_Buffer_DecreaseExternalReferenceCount", buffer);
SYSTOLIC_PJRT_ENTRY(BufferOpaquePointerArgs, 76, "PJRT_Buffer_OpaqueDeviceMemoryDataPointer", pointer);
SYSTOLIC_PJRT_ENTRY(TopologyPlatformNameArgs, 84, "PJRT_TopologyDescription_PlatformName", name_size);
SYSTOLIC_PJRT_ENTRY(TopologyAttributesArgs, 88, "PJRT_TopologyDescription_Attributes", count);
SYSTOLIC_PJRT_ENTRY(ExecutableOutputTypesArgs, 90, "PJRT_Executable_OutputElementTypes", count);
SYSTOLIC_PJRT_ENTRY(ExecutableOutputDimensionsArgs, 91, "PJRT_Executable_OutputDimensions", ranks);
SYSTOLIC_PJRT_ENTRY(BufferCopyToMemoryArgs, 92, "PJRT_Buffer_CopyToMemory", copy);
SYSTOLIC_PJRT_ENTRY(ExecutableFingerprintArgs, 94, "PJRT_Executable_Fingerprint", fingerprint_size);
SYSTOLIC_PJRT_ENTRY(ClientTopologyArgs, 95, "PJRT_Client_TopologyDescription", topology);
SYSTOLIC_PJRT_ENTRY(MemoryKindIdArgs, 97, "PJRT_Memory_Kind_Id", id);
SYSTOLIC_PJRT_ENTRY(ClientUpdateProcessesArgs, 113, "PJRT_Client_UpdateGlobalProcessInfo", count);
SYSTOLIC_PJRT_ENTRY(LoadedExecutableDeviceAssignmentArgs, 117, "PJRT_LoadedExecutable_GetDeviceAssignment", destroy);
// clang-format on
#pragma GCC diagnostic pop

}  // namespace pjrt::abi
}  // namespace systolic::inline v0
