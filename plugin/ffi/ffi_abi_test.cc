// Our declarations against the header that the interface is published in. Where that is not at hand
// (it comes in the wheel jaxlib) nothing is compared, and the test says so.
#include "plugin/ffi/ffi_abi.h"

#include <gtest/gtest.h>

#include "systolic/pjrt_abi/test_abi_fields.h"

#if __has_include("xla/ffi/api/c_api.h")
#define HAVE_HEADER 1
#include "xla/ffi/api/c_api.h"
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#endif

namespace systolic {
namespace {

#ifdef HAVE_HEADER

using namespace plugin::ffi;

#define FIELD SYSTOLIC_ABI_FIELD
// clang-format off
const pjrt::AbiField fields[] = {
    FIELD(Buffer, dtype, XLA_FFI_Buffer, dtype),
    FIELD(Buffer, data, XLA_FFI_Buffer, data),
    FIELD(Buffer, rank, XLA_FFI_Buffer, rank),
    FIELD(Buffer, dims, XLA_FFI_Buffer, dims),
    FIELD(Text, size, XLA_FFI_ByteSpan, len),
    FIELD(Scalar, value, XLA_FFI_Scalar, value),
    FIELD(Array, size, XLA_FFI_Array, size),
    FIELD(Array, data, XLA_FFI_Array, data),
    FIELD(Arguments, size, XLA_FFI_Args, size),
    FIELD(Arguments, types, XLA_FFI_Args, types),
    FIELD(Arguments, buffers, XLA_FFI_Args, args),
    FIELD(Arguments, buffers, XLA_FFI_Rets, rets),
    FIELD(Options, types, XLA_FFI_Attrs, types),
    FIELD(Options, names, XLA_FFI_Attrs, names),
    FIELD(Options, values, XLA_FFI_Attrs, attrs),
    FIELD(CallFrame, table, XLA_FFI_CallFrame, api),
    FIELD(CallFrame, context, XLA_FFI_CallFrame, ctx),
    FIELD(CallFrame, stage, XLA_FFI_CallFrame, stage),
    FIELD(CallFrame, arguments, XLA_FFI_CallFrame, args),
    FIELD(CallFrame, results, XLA_FFI_CallFrame, rets),
    FIELD(CallFrame, options, XLA_FFI_CallFrame, attrs),
    FIELD(CallFrame, future, XLA_FFI_CallFrame, future),
    FIELD(Metadata, version, XLA_FFI_Metadata, api_version),
    FIELD(Metadata, traits, XLA_FFI_Metadata, traits),
    FIELD(Metadata, state_type, XLA_FFI_Metadata, state_type_id),
    FIELD(MetadataExtension, metadata, XLA_FFI_Metadata_Extension, metadata),
    FIELD(TypeInfo, deleter, XLA_FFI_TypeInfo, deleter),
    FIELD(HandlerRegisterArgs, name, XLA_FFI_Handler_Register_Args, name),
    FIELD(HandlerRegisterArgs, platform, XLA_FFI_Handler_Register_Args, platform),
    FIELD(HandlerRegisterArgs, bundle, XLA_FFI_Handler_Register_Args, bundle),
    FIELD(HandlerRegisterArgs, traits, XLA_FFI_Handler_Register_Args, traits),
    FIELD(HandlerBundle, instantiate, XLA_FFI_Handler_Bundle, instantiate),
    FIELD(HandlerBundle, execute, XLA_FFI_Handler_Bundle, execute),
    FIELD(TypeRegisterArgs, name, XLA_FFI_Type_Register_Args, name),
    FIELD(TypeRegisterArgs, type_id, XLA_FFI_Type_Register_Args, type_id),
    FIELD(TypeRegisterArgs, info, XLA_FFI_Type_Register_Args, type_info),
    FIELD(StateSetArgs, stage, XLA_FFI_State_Set_Args, stage),
    FIELD(StateSetArgs, type_id, XLA_FFI_State_Set_Args, type_id),
    FIELD(StateSetArgs, state, XLA_FFI_State_Set_Args, state),
    FIELD(StateGetArgs, stage, XLA_FFI_State_Get_Args, stage),
    FIELD(StateGetArgs, type_id, XLA_FFI_State_Get_Args, type_id),
    FIELD(StateGetArgs, state, XLA_FFI_State_Get_Args, state),
    FIELD(FutureCreateArgs, future, XLA_FFI_Future_Create_Args, future),
    FIELD(FutureSetAvailableArgs, future, XLA_FFI_Future_SetAvailable_Args, future),
    FIELD(FutureSetErrorArgs, error, XLA_FFI_Future_SetError_Args, error),
    FIELD(ErrorCreateArgs, message, XLA_FFI_Error_Create_Args, message),
    FIELD(ErrorCreateArgs, code, XLA_FFI_Error_Create_Args, errc),
    FIELD(ErrorMessageArgs, message, XLA_FFI_Error_GetMessage_Args, message),
    FIELD(ErrorDestroyArgs, error, XLA_FFI_Error_Destroy_Args, error),
    FIELD(AllocateArgs, size, XLA_FFI_DeviceMemory_Allocate_Args, size),
    FIELD(AllocateArgs, alignment, XLA_FFI_DeviceMemory_Allocate_Args, alignment),
    FIELD(AllocateArgs, data, XLA_FFI_DeviceMemory_Allocate_Args, data),
    FIELD(FreeArgs, data, XLA_FFI_DeviceMemory_Free_Args, data),
    FIELD(ScheduleArgs, task, XLA_FFI_ThreadPool_Schedule_Args, task),
    FIELD(ScheduleArgs, data, XLA_FFI_ThreadPool_Schedule_Args, data),
    FIELD(ThreadsArgs, threads, XLA_FFI_ThreadPool_NumThreads_Args, num_threads),
    FIELD(RunIdArgs, run_id, XLA_FFI_RunId_Get_Args, run_id),
    FIELD(DeviceOrdinalArgs, device, XLA_FFI_DeviceOrdinal_Get_Args, device_ordinal),
    FIELD(Table, version, XLA_FFI_Api, api_version),
    FIELD(Table, error_create, XLA_FFI_Api, XLA_FFI_Error_Create),
    FIELD(Table, error_message, XLA_FFI_Api, XLA_FFI_Error_GetMessage),
    FIELD(Table, error_destroy, XLA_FFI_Api, XLA_FFI_Error_Destroy),
    FIELD(Table, handler_register, XLA_FFI_Api, XLA_FFI_Handler_Register),
    FIELD(Table, stream_get, XLA_FFI_Api, XLA_FFI_Stream_Get),
    FIELD(Table, type_register, XLA_FFI_Api, XLA_FFI_Type_Register),
    FIELD(Table, context_get, XLA_FFI_Api, XLA_FFI_ExecutionContext_Get),
    FIELD(Table, state_set, XLA_FFI_Api, XLA_FFI_State_Set),
    FIELD(Table, state_get, XLA_FFI_Api, XLA_FFI_State_Get),
    FIELD(Table, allocate, XLA_FFI_Api, XLA_FFI_DeviceMemory_Allocate),
    FIELD(Table, free, XLA_FFI_Api, XLA_FFI_DeviceMemory_Free),
    FIELD(Table, schedule, XLA_FFI_Api, XLA_FFI_ThreadPool_Schedule),
    FIELD(Table, threads, XLA_FFI_Api, XLA_FFI_ThreadPool_NumThreads),
    FIELD(Table, future_create, XLA_FFI_Api, XLA_FFI_Future_Create),
    FIELD(Table, future_set_available, XLA_FFI_Api, XLA_FFI_Future_SetAvailable),
    FIELD(Table, future_set_error, XLA_FFI_Api, XLA_FFI_Future_SetError),
    FIELD(Table, run_id, XLA_FFI_Api, XLA_FFI_RunId_Get),
    FIELD(Table, device_ordinal, XLA_FFI_Api, XLA_FFI_DeviceOrdinal_Get),
};
// clang-format on

TEST(FfiAbi, StructuresAreThePublishedOnes) {
  pjrt::expect_published(fields);
  EXPECT_EQ(call_frame_size, size_t{XLA_FFI_CallFrame_STRUCT_SIZE});
  EXPECT_EQ(static_cast<int>(DataType::c128), static_cast<int>(XLA_FFI_DataType_C128));
  EXPECT_EQ(static_cast<int>(DataType::bf16), static_cast<int>(XLA_FFI_DataType_BF16));
  EXPECT_EQ(static_cast<int>(DataType::f8e4m3fn), static_cast<int>(XLA_FFI_DataType_F8E4M3FN));
  EXPECT_EQ(static_cast<int>(DataType::s4), static_cast<int>(XLA_FFI_DataType_S4));
  EXPECT_EQ(static_cast<int>(DataType::u4), static_cast<int>(XLA_FFI_DataType_U4));
  EXPECT_EQ(static_cast<int>(OptionType::text), static_cast<int>(XLA_FFI_AttrType_STRING));
  EXPECT_EQ(static_cast<int>(Stage::execute), static_cast<int>(XLA_FFI_ExecutionStage_EXECUTE));
}

#else

TEST(FfiAbi, StructuresAreThePublishedOnes) {
  std::printf("NOT COMPARED: xla/ffi/api/c_api.h is not at hand (the wheel jaxlib has it)\n");
}

#endif

}  // namespace
}  // namespace systolic
