// The binary interface of PJRT plugins, as far as we call it (OpenXLA, "PJRT C API", version 0.90).
//
// A plugin exports GetPjrtApi, which returns a table: a head, then one function pointer a slot.
// Each function takes a pointer to one argument structure and returns an error, or null. Structures
// only grow: both sides say in `struct_size` how much of one they know, and a table that ends
// before a slot has no such function. So a slot is found by its number (Entry<Args>::slot), never
// by a member that an older plugin's table may not have; api.h calls them.
//
// abi_test.cc compares sizes, offsets and slots with the header that the interface is published in,
// where that is at hand.
//
// long because: one interface, in the order of its table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "systolic/pjrt_abi/pjrt_abi_entry.h"

namespace systolic::inline v0 {
namespace pjrt::abi {

// Objects of the plugin, only ever pointed to.
struct Error;
struct Event;
struct Client;
struct Device;
struct DeviceDescription;
struct Memory;
struct Topology;
struct Program;
struct Executable;
struct LoadedExecutable;
struct Buffer;
struct MemoryLayout;
struct ExecuteContext;
struct SerializedExecutable;

// Optional parts of the interface form a list.
struct Extension {
  size_t struct_size;
  int32_t type;
  Extension* next;
};

// How the table, and each argument structure except where noted, begins.
struct Head {
  size_t struct_size = 0;
  Extension* extensions = nullptr;
};

struct Version : Head {
  int32_t major;
  int32_t minor;
};

using AnyFunction = void (*)();

struct Table {
  size_t struct_size;
  Extension* extensions;
  Version version;
  AnyFunction functions[1];  // as many as struct_size says
};

// Codes of errors, those of absl::Status.
enum class Code : int32_t {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

enum class ValueType : int32_t { text = 0, integer, integers, real, boolean };

// An option or an attribute.
struct NamedValue : Head {
  const char* name;
  size_t name_size;
  ValueType type;
  union {
    const char* text;
    int64_t integer;
    const int64_t* integers;
    float real;
    bool boolean;
  };
  size_t value_size;  // characters or integers; 1 for the others
};

// Types of elements.
enum class ElementType : int32_t {
  invalid,
  pred,
  s8,
  s16,
  s32,
  s64,
  u8,
  u16,
  u32,
  u64,
  f16,
  f32,
  f64,
  bf16,
  c64,
  c128,
  f8e5m2,
  f8e4m3fn,
  f8e4m3b11fnuz,
  f8e5m2fnuz,
  f8e4m3fnuz,
  s4,
  u4,
  token,
  s2,
  u2,
  f8e4m3,
  f8e3m4,
  f8e8m0fnu,
  f4e2m1fn,
};

// How long the host's memory must not change after BufferFromHost.
enum class HostSemantics : int32_t { during_call, until_transferred, shared, shared_mutable };

// "mlir" with text or bytecode; "hlo_with_config" when read back.
struct ProgramText : Head {
  char* code;
  size_t code_size;
  const char* format;
  size_t format_size;
};

// --- errors: no function of these fails -------------------------------------------------------
struct ErrorDestroyArgs : Head {
  Error* error;
};
struct ErrorMessageArgs : Head {
  const Error* error;
  const char* message;  // out; lives as long as the error
  size_t message_size;  // out
};
struct ErrorCodeArgs : Head {
  const Error* error;
  Code code;  // out
};

// --- the plugin -------------------------------------------------------------------------------
struct PluginInitializeArgs : Head {};
struct PluginAttributesArgs : Head {
  const NamedValue* attributes;  // out; live as long as the process
  size_t count;                  // out
};

// --- events -----------------------------------------------------------------------------------
struct EventDestroyArgs : Head {
  Event* event;
};
struct EventIsReadyArgs : Head {
  Event* event;
  bool ready;  // out
};
struct EventErrorArgs : Head {
  Event* event;
};
struct EventAwaitArgs : Head {
  Event* event;
};
// The callback owns the error.
using ReadyCallback = void (*)(Error* error, void* argument);
struct EventOnReadyArgs : Head {
  Event* event;
  ReadyCallback callback;
  void* argument;
};

// --- keys and values, which the caller keeps for clients of several processes ------------------
// Makes an error of the plugin's own.
using MakeError = Error* (*)(Code code, const char* message, size_t message_size);
struct KeyValueGetArgs : Head {
  const char* key;
  size_t key_size;
  int timeout_milliseconds;
  MakeError* make_error;
  void* argument;
  char* value;                  // out
  size_t value_size;            // out
  void (*delete_value)(char*);  // out
};
struct KeyValueTryGetArgs : Head {  // a NOT_FOUND where nobody has put the key yet
  const char* key;
  size_t key_size;
  MakeError* make_error;
  void* argument;
  char* value;                  // out
  size_t value_size;            // out
  void (*delete_value)(char*);  // out
};
struct KeyValuePutArgs : Head {
  const char* key;
  size_t key_size;
  const char* value;
  size_t value_size;
  MakeError* make_error;
  void* argument;
};
using KeyValueGet = Error* (*)(KeyValueGetArgs*);
using KeyValueTryGet = Error* (*)(KeyValueTryGetArgs*);
using KeyValuePut = Error* (*)(KeyValuePutArgs*);

// --- the client -------------------------------------------------------------------------------
struct ClientCreateArgs : Head {
  const NamedValue* options;
  size_t option_count;
  AnyFunction key_value_get;  // a KeyValueGet; these for clients of several processes
  void* key_value_get_argument;
  AnyFunction key_value_put;
  void* key_value_put_argument;
  Client* client;                 // out
  AnyFunction key_value_try_get;  // a KeyValueTryGet
  void* key_value_try_get_argument;
};
struct ClientDestroyArgs : Head {
  Client* client;
};
struct ClientPlatformNameArgs : Head {
  Client* client;
  const char* name;  // out
  size_t name_size;  // out
};
struct ClientProcessIndexArgs : Head {
  Client* client;
  int32_t index;  // out
};
struct ClientPlatformVersionArgs : Head {
  Client* client;
  const char* version;  // out
  size_t version_size;  // out
};
struct ClientDevicesArgs : Head {
  Client* client;
  Device* const* devices;  // out
  size_t count;            // out
};
struct ClientAddressableDevicesArgs : Head {
  Client* client;
  Device* const* devices;  // out
  size_t count;            // out
};
struct ClientCompileArgs : Head {
  Client* client;
  const ProgramText* program;
  const char* options;  // a serialized CompileOptionsProto
  size_t options_size;
  LoadedExecutable* executable;  // out
};
struct ClientBufferFromHostArgs : Head {
  Client* client;
  const void* data;
  ElementType type;
  const int64_t* dims;
  size_t rank;
  const int64_t* byte_strides;  // null: row-major
  size_t byte_stride_count;
  HostSemantics semantics;
  Device* device;
  Memory* memory;           // instead of device
  MemoryLayout* layout;     // null: the device's own
  Event* host_memory_free;  // out
  Buffer* buffer;           // out
};

// --- devices ----------------------------------------------------------------------------------
struct DeviceDescriptionIdArgs : Head {
  DeviceDescription* description;
  int32_t id;  // out
};
struct DeviceDescriptionProcessIndexArgs : Head {
  DeviceDescription* description;
  int32_t index;  // out
};
struct DeviceDescriptionAttributesArgs : Head {
  DeviceDescription* description;
  size_t count;                  // out
  const NamedValue* attributes;  // out
};
struct DeviceDescriptionKindArgs : Head {
  DeviceDescription* description;
  const char* kind;  // out
  size_t kind_size;  // out
};
struct DeviceDescriptionToStringArgs : Head {
  DeviceDescription* description;
  const char* text;  // out
  size_t text_size;  // out
};
struct DeviceGetDescriptionArgs : Head {
  Device* device;
  DeviceDescription* description;  // out
};
struct DeviceLocalHardwareIdArgs : Head {
  Device* device;
  int32_t id;  // out
};
struct DeviceMemoryStatsArgs : Head {
  Device* device;
  int64_t bytes_in_use;  // all out
  int64_t peak_bytes_in_use;
  bool has_peak_bytes_in_use;
  int64_t allocations;
  bool has_allocations;
  int64_t largest_allocation;
  bool has_largest_allocation;
  int64_t bytes_limit;
  bool has_bytes_limit;
  int64_t bytes_reserved;
  bool has_bytes_reserved;
  int64_t peak_bytes_reserved;
  bool has_peak_bytes_reserved;
  int64_t bytes_reservable_limit;
  bool has_bytes_reservable_limit;
  int64_t largest_free_block;
  bool has_largest_free_block;
  int64_t pool_bytes;
  bool has_pool_bytes;
  int64_t peak_pool_bytes;
  bool has_peak_pool_bytes;
};

// --- programs ---------------------------------------------------------------------------------
struct ExecutableDestroyArgs : Head {
  Executable* executable;
};
struct ExecutableNameArgs : Head {
  Executable* executable;
  const char* name;  // out
  size_t name_size;  // out
};
struct ExecutableNumOutputsArgs : Head {
  Executable* executable;
  size_t count;  // out
};
struct ExecutableCodeSizeArgs : Head {
  Executable* executable;
  int64_t bytes;  // out
};
struct ExecutableCostAnalysisArgs : Head {
  Executable* executable;
  size_t count;                  // out
  const NamedValue* properties;  // out
};
struct ExecutableMemoryStatsArgs : Head {
  Executable* executable;
  int64_t code;  // all out, bytes
  int64_t arguments;
  int64_t outputs;
  int64_t aliased;
  int64_t temporaries;
  int64_t host_code;
  int64_t host_arguments;
  int64_t host_outputs;
  int64_t host_aliased;
  int64_t host_temporaries;
  int64_t peak;
  int64_t total;
};
struct ExecutableSerializeArgs : Head {
  const Executable* executable;
  const char* bytes;                       // out
  size_t bytes_size;                       // out
  SerializedExecutable* holder;            // out: keeps the bytes
  void (*destroy)(SerializedExecutable*);  // out
};
struct ExecutableDeserializeAndLoadArgs : Head {
  Client* client;
  const char* bytes;
  size_t bytes_size;
  LoadedExecutable* executable;  // out
  const char* other_options;
  size_t other_options_size;
};
struct LoadedExecutableDestroyArgs : Head {
  LoadedExecutable* executable;
};
struct LoadedExecutableGetExecutableArgs : Head {
  LoadedExecutable* loaded;
  Executable* executable;  // out; the caller's
};
struct LoadedExecutableAddressableDevicesArgs : Head {
  LoadedExecutable* executable;
  Device* const* devices;  // out
  size_t count;            // out
};

struct ExecuteOptions : Head {
  void** send_callbacks;
  void** receive_callbacks;
  size_t send_count;
  size_t receive_count;
  int32_t launch_id;
  const int64_t* not_donated;  // arguments that the program must not overwrite
  size_t not_donated_count;
  ExecuteContext* context;
  const char* call_location;
  size_t task_count;
  int32_t* task_ids;
  int64_t* incarnation_ids;
};
struct LoadedExecutableExecuteArgs : Head {
  LoadedExecutable* executable;
  ExecuteOptions* options;
  Buffer* const* const* arguments;  // [device][argument]
  size_t device_count;
  size_t argument_count;
  Buffer** const* results;  // out: [device][result], memory of the caller
  Event** complete;         // out: [device], memory of the caller; null: not wanted
  Device* device;           // for programs without a device of their own
};

// --- buffers ----------------------------------------------------------------------------------
struct BufferDestroyArgs : Head {
  Buffer* buffer;
};
struct BufferElementTypeArgs : Head {
  Buffer* buffer;
  ElementType type;  // out
};
struct BufferDimensionsArgs : Head {
  Buffer* buffer;
  const int64_t* dims;  // out
  size_t rank;          // out
};
struct BufferOnDeviceSizeArgs : Head {
  Buffer* buffer;
  size_t bytes;  // out
};
struct BufferDeleteArgs : Head {
  Buffer* buffer;
};
struct BufferIsDeletedArgs : Head {
  Buffer* buffer;
  bool deleted;  // out
};
struct BufferToHostArgs : Head {
  Buffer* buffer;
  MemoryLayout* layout;  // null: as on the device
  void* data;            // null: only asks for the size
  size_t size;           // in and out
  Event* event;          // out
};
struct BufferReadyEventArgs : Head {
  Buffer* buffer;
  Event* event;  // out
};

// The order of the axes in memory, and the tiles. (Another kind of layout, by strides, is smaller.)
struct TiledLayout : Head {
  const int64_t* minor_to_major;  // the axis whose neighbours touch comes first
  size_t rank;
  const int64_t* tile_dims;  // null and 0: no tiles
  const size_t* tile_dim_counts;
  size_t tile_count;
};
struct MemoryLayout : Head {
  TiledLayout tiled;
  int32_t kind;  // 0: tiled
};

// --- compiling without devices ----------------------------------------------------------------
struct TopologyCreateArgs : Head {
  const char* name;
  size_t name_size;
  const NamedValue* options;
  size_t option_count;
  Topology* topology;  // out
};
struct TopologyDestroyArgs : Head {
  Topology* topology;
};
struct TopologyPlatformVersionArgs : Head {
  Topology* topology;
  const char* version;  // out
  size_t version_size;  // out
};
struct TopologyDevicesArgs : Head {
  const Topology* topology;
  DeviceDescription* const* descriptions;  // out
  size_t count;                            // out
};
struct CompileArgs : Head {
  const Topology* topology;
  const ProgramText* program;
  const char* options;
  size_t options_size;
  Client* client;          // may be null
  Executable* executable;  // out
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // single inheritance, nothing virtual
// clang-format off
SYSTOLIC_PJRT_ENTRY(ErrorDestroyArgs, 0, "PJRT_Error_Destroy", error);
SYSTOLIC_PJRT_ENTRY(ErrorMessageArgs, 1, "PJRT_Error_Message", message_size);
SYSTOLIC_PJRT_ENTRY(ErrorCodeArgs, 2, "PJRT_Error_GetCode", code);
SYSTOLIC_PJRT_ENTRY(PluginInitializeArgs, 3, "PJRT_Plugin_Initialize", extensions);
SYSTOLIC_PJRT_ENTRY(PluginAttributesArgs, 4, "PJRT_Plugin_Attributes", count);
SYSTOLIC_PJRT_ENTRY(EventDestroyArgs, 5, "PJRT_Event_Destroy", event);
SYSTOLIC_PJRT_ENTRY(EventIsReadyArgs, 6, "PJRT_Event_IsReady", ready);
SYSTOLIC_PJRT_ENTRY(EventErrorArgs, 7, "PJRT_Event_Error", event);
SYSTOLIC_PJRT_ENTRY(EventAwaitArgs, 8, "PJRT_Event_Await", event);
SYSTOLIC_PJRT_ENTRY(EventOnReadyArgs, 9, "PJRT_Event_OnReady", argument);
SYSTOLIC_PJRT_ENTRY(ClientCreateArgs, 10, "PJRT_Client_Create", key_value_try_get_argument);
SYSTOLIC_PJRT_ENTRY(ClientDestroyArgs, 11, "PJRT_Client_Destroy", client);
SYSTOLIC_PJRT_ENTRY(ClientPlatformNameArgs, 12, "PJRT_Client_PlatformName", name_size);
SYSTOLIC_PJRT_ENTRY(ClientProcessIndexArgs, 13, "PJRT_Client_ProcessIndex", index);
SYSTOLIC_PJRT_ENTRY(ClientPlatformVersionArgs, 14, "PJRT_Client_PlatformVersion", version_size);
SYSTOLIC_PJRT_ENTRY(ClientDevicesArgs, 15, "PJRT_Client_Devices", count);
SYSTOLIC_PJRT_ENTRY(ClientAddressableDevicesArgs, 16, "PJRT_Client_AddressableDevices", count);
SYSTOLIC_PJRT_ENTRY(ClientCompileArgs, 20, "PJRT_Client_Compile", executable);
SYSTOLIC_PJRT_ENTRY(ClientBufferFromHostArgs, 22, "PJRT_Client_BufferFromHostBuffer", buffer);
SYSTOLIC_PJRT_ENTRY(DeviceDescriptionIdArgs, 23, "PJRT_DeviceDescription_Id", id);
SYSTOLIC_PJRT_ENTRY(DeviceDescriptionProcessIndexArgs, 24, "PJRT_DeviceDescription_ProcessIndex", index);
SYSTOLIC_PJRT_ENTRY(DeviceDescriptionAttributesArgs, 25, "PJRT_DeviceDescription_Attributes", attributes);
SYSTOLIC_PJRT_ENTRY(DeviceDescriptionKindArgs, 26, "PJRT_DeviceDescription_Kind", kind_size);
SYSTOLIC_PJRT_ENTRY(DeviceDescriptionToStringArgs, 28, "PJRT_DeviceDescription_ToString", text_size);
SYSTOLIC_PJRT_ENTRY(DeviceGetDescriptionArgs, 29, "PJRT_Device_GetDescription", description);
SYSTOLIC_PJRT_ENTRY(DeviceLocalHardwareIdArgs, 31, "PJRT_Device_LocalHardwareId", id);
SYSTOLIC_PJRT_ENTRY(DeviceMemoryStatsArgs, 34, "PJRT_Device_MemoryStats", has_peak_pool_bytes);
SYSTOLIC_PJRT_ENTRY(ExecutableDestroyArgs, 40, "PJRT_Executable_Destroy", executable);
SYSTOLIC_PJRT_ENTRY(ExecutableNameArgs, 41, "PJRT_Executable_Name", name_size);
SYSTOLIC_PJRT_ENTRY(ExecutableNumOutputsArgs, 44, "PJRT_Executable_NumOutputs", count);
SYSTOLIC_PJRT_ENTRY(ExecutableCodeSizeArgs, 45, "PJRT_Executable_SizeOfGeneratedCodeInBytes", bytes);
SYSTOLIC_PJRT_ENTRY(ExecutableCostAnalysisArgs, 46, "PJRT_Executable_GetCostAnalysis", properties);
SYSTOLIC_PJRT_ENTRY(ExecutableSerializeArgs, 49, "PJRT_Executable_Serialize", destroy);
SYSTOLIC_PJRT_ENTRY(LoadedExecutableDestroyArgs, 50, "PJRT_LoadedExecutable_Destroy", executable);
SYSTOLIC_PJRT_ENTRY(LoadedExecutableGetExecutableArgs, 51, "PJRT_LoadedExecutable_GetExecutable", executable);
SYSTOLIC_PJRT_ENTRY(LoadedExecutableAddressableDevicesArgs, 52, "PJRT_LoadedExecutable_AddressableDevices", count);
SYSTOLIC_PJRT_ENTRY(LoadedExecutableExecuteArgs, 55, "PJRT_LoadedExecutable_Execute", device);
SYSTOLIC_PJRT_ENTRY(ExecutableDeserializeAndLoadArgs, 56, "PJRT_Executable_DeserializeAndLoad", other_options_size);
SYSTOLIC_PJRT_ENTRY(BufferDestroyArgs, 58, "PJRT_Buffer_Destroy", buffer);
SYSTOLIC_PJRT_ENTRY(BufferElementTypeArgs, 59, "PJRT_Buffer_ElementType", type);
SYSTOLIC_PJRT_ENTRY(BufferDimensionsArgs, 60, "PJRT_Buffer_Dimensions", rank);
SYSTOLIC_PJRT_ENTRY(BufferOnDeviceSizeArgs, 64, "PJRT_Buffer_OnDeviceSizeInBytes", bytes);
SYSTOLIC_PJRT_ENTRY(BufferDeleteArgs, 67, "PJRT_Buffer_Delete", buffer);
SYSTOLIC_PJRT_ENTRY(BufferIsDeletedArgs, 68, "PJRT_Buffer_IsDeleted", deleted);
SYSTOLIC_PJRT_ENTRY(BufferToHostArgs, 70, "PJRT_Buffer_ToHostBuffer", event);
SYSTOLIC_PJRT_ENTRY(BufferReadyEventArgs, 72, "PJRT_Buffer_ReadyEvent", event);
SYSTOLIC_PJRT_ENTRY(TopologyCreateArgs, 82, "PJRT_TopologyDescription_Create", topology);
SYSTOLIC_PJRT_ENTRY(TopologyDestroyArgs, 83, "PJRT_TopologyDescription_Destroy", topology);
SYSTOLIC_PJRT_ENTRY(TopologyPlatformVersionArgs, 85, "PJRT_TopologyDescription_PlatformVersion", version_size);
SYSTOLIC_PJRT_ENTRY(TopologyDevicesArgs, 86, "PJRT_TopologyDescription_GetDeviceDescriptions", count);
SYSTOLIC_PJRT_ENTRY(CompileArgs, 89, "PJRT_Compile", executable);
SYSTOLIC_PJRT_ENTRY(ExecutableMemoryStatsArgs, 96, "PJRT_Executable_GetCompiledMemoryStats", total);
// clang-format on
// Structures that are not the arguments of a function, for their size.
inline constexpr size_t execute_options_size =
    offsetof(ExecuteOptions, incarnation_ids) + sizeof(int64_t*);
inline constexpr size_t program_size = offsetof(ProgramText, format_size) + sizeof(size_t);
inline constexpr size_t named_value_size = offsetof(NamedValue, value_size) + sizeof(size_t);
inline constexpr size_t key_value_get_size =
    offsetof(KeyValueGetArgs, delete_value) + sizeof(KeyValueGetArgs::delete_value);
inline constexpr size_t key_value_try_get_size =
    offsetof(KeyValueTryGetArgs, delete_value) + sizeof(KeyValueTryGetArgs::delete_value);
inline constexpr size_t key_value_put_size =
    offsetof(KeyValuePutArgs, argument) + sizeof(KeyValuePutArgs::argument);
inline constexpr size_t tiled_layout_size = offsetof(TiledLayout, tile_count) + sizeof(size_t);
inline constexpr size_t memory_layout_size = offsetof(MemoryLayout, kind) + sizeof(int32_t);
inline constexpr size_t table_head_size = offsetof(Table, functions);
#pragma GCC diagnostic pop

}  // namespace pjrt::abi
}  // namespace systolic::inline v0
