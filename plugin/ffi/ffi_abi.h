// The binary interface of foreign functions (OpenXLA, "XLA FFI", xla/ffi/api/c_api.h, version 0.3),
// and the extension of PJRT by which callers register them (pjrt_c_api_ffi_extension.h, version 3).
//
// A handler is one function that takes a call frame: buffers of arguments and results, options
// sorted by name, and a table of what it may ask of its caller. It returns an error, or null.
// Structures only grow, and say in `struct_size` how much of them their writer knows.
//
// ffi_abi_test.cc compares sizes and offsets with the published header, where that is at hand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "systolic/pjrt_abi/pjrt_abi.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {

using Extension = pjrt::abi::Extension;
using Head = pjrt::abi::Head;
using Version = pjrt::abi::Version;
using Code = pjrt::abi::Code;

// Our objects, which handlers only point to.
struct Error;
struct Context;
struct Future;

enum class DataType : int32_t {
  invalid = 0,
  pred = 1,
  s8 = 2,
  s16 = 3,
  s32 = 4,
  s64 = 5,
  u8 = 6,
  u16 = 7,
  u32 = 8,
  u64 = 9,
  f16 = 10,
  f32 = 11,
  f64 = 12,
  c64 = 15,
  bf16 = 16,
  c128 = 18,
  f8e5m2 = 19,
  f8e4m3fn = 20,
  s4 = 21,  // a byte each
  u4 = 22,
};

struct Buffer : Head {
  DataType dtype;
  void* data;
  int64_t rank;
  int64_t* dims;
};

struct Text {
  const char* data;
  size_t size;
};

struct Scalar {
  DataType dtype;
  void* value;
};

struct Array {
  DataType dtype;
  size_t size;
  void* data;
};

enum class OptionType : int32_t { array = 1, dictionary = 2, scalar = 3, text = 4 };
constexpr int32_t buffer_type = 1;  // of arguments and of results: the only one there is

struct Arguments : Head {  // and results
  int64_t size;
  int32_t* types;
  void** buffers;
};

struct Options : Head {
  int64_t size;
  OptionType* types;
  Text** names;
  void** values;
};

enum class Stage : int32_t { instantiate = 0, prepare = 1, initialize = 2, execute = 3 };

struct Table;

// An object that a stage leaves for later ones is of a type that its owner registers.
struct TypeId {
  int64_t id;  // 0: not registered yet
};
struct TypeInfo : Head {
  void (*deleter)(void*);
};

struct CallFrame : Head {
  const Table* table;
  Context* context;
  Stage stage;
  Arguments arguments, results;
  Options options;
  Future* future;  // out: of a call that goes on after it returned
};
// The size of what every version of the interface has had.
constexpr size_t call_frame_size = sizeof(CallFrame) - sizeof(void*);

using Handler = Error*(CallFrame*);

// A function's handlers. `instantiate` runs once for each call in a program, when the program is
// compiled, without buffers; the others in each run.
struct HandlerBundle {
  Handler *instantiate, *prepare, *initialize, *execute;  // null but for the last: none
};

// A call with this extension asks what the handler is, instead of running it.
struct Metadata {
  size_t struct_size;
  Version version;
  uint32_t traits;
  TypeId state_type;
};
struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};
constexpr int32_t metadata_extension = 1;

// What handlers may call.
struct ErrorCreateArgs : Head {
  const char* message;
  Code code;
};
struct ErrorMessageArgs : Head {
  Error* error;
  const char* message;  // out
};
struct ErrorDestroyArgs : Head {
  Error* error;
};
struct HandlerRegisterArgs : Head {
  Text name, platform;
  HandlerBundle bundle;
  uint32_t traits;
};
struct TypeRegisterArgs : Head {
  Text name;
  TypeId* type_id;  // in and out
  const TypeInfo* info;
};
struct StateSetArgs : Head {
  Context* context;
  Stage stage;
  TypeId* type_id;
  void* state;
};
struct StateGetArgs : Head {
  Context* context;
  Stage stage;
  TypeId* type_id;
  void* state;  // out
};
struct AllocateArgs : Head {
  Context* context;
  size_t size, alignment;
  void* data;  // out
};
struct FreeArgs : Head {
  Context* context;
  size_t size;
  void* data;
};
struct ScheduleArgs : Head {
  Context* context;
  void (*task)(void*);
  void* data;
};
struct ThreadsArgs : Head {
  Context* context;
  int64_t* threads;  // out
};
struct FutureCreateArgs : Head {
  Future* future;  // out
};
struct FutureSetAvailableArgs : Head {
  Future* future;
};
struct FutureSetErrorArgs : Head {
  Future* future;
  Error* error;  // now the future's
};
struct RunIdArgs : Head {
  Context* context;
  int64_t run_id;  // out
};
struct DeviceOrdinalArgs : Head {
  Context* context;
  int32_t device;  // out
};

struct Table : Head {
  Version version;
  const void* internal;
  Error* (*error_create)(ErrorCreateArgs*);
  void (*error_message)(ErrorMessageArgs*);
  void (*error_destroy)(ErrorDestroyArgs*);
  Error* (*handler_register)(HandlerRegisterArgs*);
  Error* (*stream_get)(void*);
  Error* (*type_register)(TypeRegisterArgs*);
  Error* (*context_get)(void*);
  Error* (*state_set)(StateSetArgs*);
  Error* (*state_get)(StateGetArgs*);
  Error* (*allocate)(AllocateArgs*);
  Error* (*free)(FreeArgs*);
  Error* (*schedule)(ScheduleArgs*);
  Error* (*threads)(ThreadsArgs*);
  Error* (*future_create)(FutureCreateArgs*);
  Error* (*future_set_available)(FutureSetAvailableArgs*);
  Error* (*future_set_error)(FutureSetErrorArgs*);
  Error* (*run_id)(RunIdArgs*);
  Error* (*device_ordinal)(DeviceOrdinalArgs*);
};

// PJRT's extension.
constexpr int32_t pjrt_extension = 5;

struct RegisterHandlerArgs {
  size_t struct_size;
  const char* target_name;
  size_t target_name_size;
  void* handler;
  const char* platform_name;
  size_t platform_name_size;
  int32_t traits;
};

struct PjrtExtension {
  Extension base;
  pjrt::abi::Error* (*type_register)(void*);
  pjrt::abi::Error* (*user_data_add)(void*);
  pjrt::abi::Error* (*register_handler)(RegisterHandlerArgs*);
};

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
