// Our declarations against the header that the interface is published in, member by member. Where
// that header is not at hand (it comes in the wheel tensorflow-cpu; `./run bench --peers` installs
// it) nothing is compared, and the test says so.
#include <gtest/gtest.h>

#include "backends/pjrt/pjrt_abi.h"

#if __has_include("xla/pjrt/c/pjrt_c_api.h")
#define HAVE_HEADER 1
#include "xla/pjrt/c/pjrt_c_api.h"
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#endif

namespace systolic {
namespace {

#ifdef HAVE_HEADER

using namespace pjrt::abi;

struct FieldRow {
  const char* name;
  size_t our_offset, our_size, their_offset, their_size;
};
#define FIELD(ours, field, theirs, name)                                                   \
  {                                                                                        \
#theirs "." #name, offsetof(ours, field), sizeof(ours::field), offsetof(theirs, name), \
        sizeof(theirs::name)                                                               \
  }
// clang-format off
const FieldRow fields[] = {
    FIELD(ErrorDestroyArgs, error, PJRT_Error_Destroy_Args, error),
    FIELD(ErrorMessageArgs, error, PJRT_Error_Message_Args, error),
    FIELD(ErrorMessageArgs, message, PJRT_Error_Message_Args, message),
    FIELD(ErrorMessageArgs, message_size, PJRT_Error_Message_Args, message_size),
    FIELD(ErrorCodeArgs, error, PJRT_Error_GetCode_Args, error),
    FIELD(ErrorCodeArgs, code, PJRT_Error_GetCode_Args, code),
    FIELD(PluginAttributesArgs, attributes, PJRT_Plugin_Attributes_Args, attributes),
    FIELD(PluginAttributesArgs, count, PJRT_Plugin_Attributes_Args, num_attributes),
    FIELD(EventDestroyArgs, event, PJRT_Event_Destroy_Args, event),
    FIELD(EventIsReadyArgs, event, PJRT_Event_IsReady_Args, event),
    FIELD(EventIsReadyArgs, ready, PJRT_Event_IsReady_Args, is_ready),
    FIELD(EventErrorArgs, event, PJRT_Event_Error_Args, event),
    FIELD(EventAwaitArgs, event, PJRT_Event_Await_Args, event),
    FIELD(EventOnReadyArgs, event, PJRT_Event_OnReady_Args, event),
    FIELD(EventOnReadyArgs, callback, PJRT_Event_OnReady_Args, callback),
    FIELD(EventOnReadyArgs, argument, PJRT_Event_OnReady_Args, user_arg),
    FIELD(ClientCreateArgs, options, PJRT_Client_Create_Args, create_options),
    FIELD(ClientCreateArgs, option_count, PJRT_Client_Create_Args, num_options),
    FIELD(ClientCreateArgs, key_value_get, PJRT_Client_Create_Args, kv_get_callback),
    FIELD(ClientCreateArgs, key_value_get_argument, PJRT_Client_Create_Args, kv_get_user_arg),
    FIELD(ClientCreateArgs, key_value_put, PJRT_Client_Create_Args, kv_put_callback),
    FIELD(ClientCreateArgs, key_value_put_argument, PJRT_Client_Create_Args, kv_put_user_arg),
    FIELD(ClientCreateArgs, client, PJRT_Client_Create_Args, client),
    FIELD(ClientCreateArgs, key_value_try_get, PJRT_Client_Create_Args, kv_try_get_callback),
    FIELD(ClientCreateArgs, key_value_try_get_argument, PJRT_Client_Create_Args, kv_try_get_user_arg),
    FIELD(ClientDestroyArgs, client, PJRT_Client_Destroy_Args, client),
    FIELD(ClientPlatformNameArgs, client, PJRT_Client_PlatformName_Args, client),
    FIELD(ClientPlatformNameArgs, name, PJRT_Client_PlatformName_Args, platform_name),
    FIELD(ClientPlatformNameArgs, name_size, PJRT_Client_PlatformName_Args, platform_name_size),
    FIELD(ClientPlatformVersionArgs, client, PJRT_Client_PlatformVersion_Args, client),
    FIELD(ClientPlatformVersionArgs, version, PJRT_Client_PlatformVersion_Args, platform_version),
    FIELD(ClientPlatformVersionArgs, version_size, PJRT_Client_PlatformVersion_Args, platform_version_size),
    FIELD(ClientAddressableDevicesArgs, client, PJRT_Client_AddressableDevices_Args, client),
    FIELD(ClientAddressableDevicesArgs, devices, PJRT_Client_AddressableDevices_Args, addressable_devices),
    FIELD(ClientAddressableDevicesArgs, count, PJRT_Client_AddressableDevices_Args, num_addressable_devices),
    FIELD(ClientCompileArgs, client, PJRT_Client_Compile_Args, client),
    FIELD(ClientCompileArgs, program, PJRT_Client_Compile_Args, program),
    FIELD(ClientCompileArgs, options, PJRT_Client_Compile_Args, compile_options),
    FIELD(ClientCompileArgs, options_size, PJRT_Client_Compile_Args, compile_options_size),
    FIELD(ClientCompileArgs, executable, PJRT_Client_Compile_Args, executable),
    FIELD(ClientBufferFromHostArgs, client, PJRT_Client_BufferFromHostBuffer_Args, client),
    FIELD(ClientBufferFromHostArgs, data, PJRT_Client_BufferFromHostBuffer_Args, data),
    FIELD(ClientBufferFromHostArgs, type, PJRT_Client_BufferFromHostBuffer_Args, type),
    FIELD(ClientBufferFromHostArgs, dims, PJRT_Client_BufferFromHostBuffer_Args, dims),
    FIELD(ClientBufferFromHostArgs, rank, PJRT_Client_BufferFromHostBuffer_Args, num_dims),
    FIELD(ClientBufferFromHostArgs, byte_strides, PJRT_Client_BufferFromHostBuffer_Args, byte_strides),
    FIELD(ClientBufferFromHostArgs, byte_stride_count, PJRT_Client_BufferFromHostBuffer_Args, num_byte_strides),
    FIELD(ClientBufferFromHostArgs, semantics, PJRT_Client_BufferFromHostBuffer_Args, host_buffer_semantics),
    FIELD(ClientBufferFromHostArgs, device, PJRT_Client_BufferFromHostBuffer_Args, device),
    FIELD(ClientBufferFromHostArgs, memory, PJRT_Client_BufferFromHostBuffer_Args, memory),
    FIELD(ClientBufferFromHostArgs, layout, PJRT_Client_BufferFromHostBuffer_Args, device_layout),
    FIELD(ClientBufferFromHostArgs, host_memory_free, PJRT_Client_BufferFromHostBuffer_Args, done_with_host_buffer),
    FIELD(ClientBufferFromHostArgs, buffer, PJRT_Client_BufferFromHostBuffer_Args, buffer),
    FIELD(DeviceDescriptionIdArgs, description, PJRT_DeviceDescription_Id_Args, device_description),
    FIELD(DeviceDescriptionIdArgs, id, PJRT_DeviceDescription_Id_Args, id),
    FIELD(DeviceDescriptionAttributesArgs, description, PJRT_DeviceDescription_Attributes_Args, device_description),
    FIELD(DeviceDescriptionAttributesArgs, count, PJRT_DeviceDescription_Attributes_Args, num_attributes),
    FIELD(DeviceDescriptionAttributesArgs, attributes, PJRT_DeviceDescription_Attributes_Args, attributes),
    FIELD(DeviceDescriptionKindArgs, description, PJRT_DeviceDescription_Kind_Args, device_description),
    FIELD(DeviceDescriptionKindArgs, kind, PJRT_DeviceDescription_Kind_Args, device_kind),
    FIELD(DeviceDescriptionKindArgs, kind_size, PJRT_DeviceDescription_Kind_Args, device_kind_size),
    FIELD(DeviceDescriptionToStringArgs, description, PJRT_DeviceDescription_ToString_Args, device_description),
    FIELD(DeviceDescriptionToStringArgs, text, PJRT_DeviceDescription_ToString_Args, to_string),
    FIELD(DeviceDescriptionToStringArgs, text_size, PJRT_DeviceDescription_ToString_Args, to_string_size),
    FIELD(DeviceGetDescriptionArgs, device, PJRT_Device_GetDescription_Args, device),
    FIELD(DeviceGetDescriptionArgs, description, PJRT_Device_GetDescription_Args, device_description),
    FIELD(DeviceLocalHardwareIdArgs, device, PJRT_Device_LocalHardwareId_Args, device),
    FIELD(DeviceLocalHardwareIdArgs, id, PJRT_Device_LocalHardwareId_Args, local_hardware_id),
    FIELD(DeviceMemoryStatsArgs, device, PJRT_Device_MemoryStats_Args, device),
    FIELD(DeviceMemoryStatsArgs, bytes_in_use, PJRT_Device_MemoryStats_Args, bytes_in_use),
    FIELD(DeviceMemoryStatsArgs, peak_bytes_in_use, PJRT_Device_MemoryStats_Args, peak_bytes_in_use),
    FIELD(DeviceMemoryStatsArgs, has_peak_bytes_in_use, PJRT_Device_MemoryStats_Args, peak_bytes_in_use_is_set),
    FIELD(DeviceMemoryStatsArgs, allocations, PJRT_Device_MemoryStats_Args, num_allocs),
    FIELD(DeviceMemoryStatsArgs, has_allocations, PJRT_Device_MemoryStats_Args, num_allocs_is_set),
    FIELD(DeviceMemoryStatsArgs, largest_allocation, PJRT_Device_MemoryStats_Args, largest_alloc_size),
    FIELD(DeviceMemoryStatsArgs, has_largest_allocation, PJRT_Device_MemoryStats_Args, largest_alloc_size_is_set),
    FIELD(DeviceMemoryStatsArgs, bytes_limit, PJRT_Device_MemoryStats_Args, bytes_limit),
    FIELD(DeviceMemoryStatsArgs, has_bytes_limit, PJRT_Device_MemoryStats_Args, bytes_limit_is_set),
    FIELD(DeviceMemoryStatsArgs, bytes_reserved, PJRT_Device_MemoryStats_Args, bytes_reserved),
    FIELD(DeviceMemoryStatsArgs, has_bytes_reserved, PJRT_Device_MemoryStats_Args, bytes_reserved_is_set),
    FIELD(DeviceMemoryStatsArgs, peak_bytes_reserved, PJRT_Device_MemoryStats_Args, peak_bytes_reserved),
    FIELD(DeviceMemoryStatsArgs, has_peak_bytes_reserved, PJRT_Device_MemoryStats_Args, peak_bytes_reserved_is_set),
    FIELD(DeviceMemoryStatsArgs, bytes_reservable_limit, PJRT_Device_MemoryStats_Args, bytes_reservable_limit),
    FIELD(DeviceMemoryStatsArgs, has_bytes_reservable_limit, PJRT_Device_MemoryStats_Args, bytes_reservable_limit_is_set),
    FIELD(DeviceMemoryStatsArgs, largest_free_block, PJRT_Device_MemoryStats_Args, largest_free_block_bytes),
    FIELD(DeviceMemoryStatsArgs, has_largest_free_block, PJRT_Device_MemoryStats_Args, largest_free_block_bytes_is_set),
    FIELD(DeviceMemoryStatsArgs, pool_bytes, PJRT_Device_MemoryStats_Args, pool_bytes),
    FIELD(DeviceMemoryStatsArgs, has_pool_bytes, PJRT_Device_MemoryStats_Args, pool_bytes_is_set),
    FIELD(DeviceMemoryStatsArgs, peak_pool_bytes, PJRT_Device_MemoryStats_Args, peak_pool_bytes),
    FIELD(DeviceMemoryStatsArgs, has_peak_pool_bytes, PJRT_Device_MemoryStats_Args, peak_pool_bytes_is_set),
    FIELD(ExecutableDestroyArgs, executable, PJRT_Executable_Destroy_Args, executable),
    FIELD(ExecutableNameArgs, executable, PJRT_Executable_Name_Args, executable),
    FIELD(ExecutableNameArgs, name, PJRT_Executable_Name_Args, executable_name),
    FIELD(ExecutableNameArgs, name_size, PJRT_Executable_Name_Args, executable_name_size),
    FIELD(ExecutableNumOutputsArgs, executable, PJRT_Executable_NumOutputs_Args, executable),
    FIELD(ExecutableNumOutputsArgs, count, PJRT_Executable_NumOutputs_Args, num_outputs),
    FIELD(ExecutableCodeSizeArgs, executable, PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, executable),
    FIELD(ExecutableCodeSizeArgs, bytes, PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, size_in_bytes),
    FIELD(ExecutableCostAnalysisArgs, executable, PJRT_Executable_GetCostAnalysis_Args, executable),
    FIELD(ExecutableCostAnalysisArgs, count, PJRT_Executable_GetCostAnalysis_Args, num_properties),
    FIELD(ExecutableCostAnalysisArgs, properties, PJRT_Executable_GetCostAnalysis_Args, properties),
    FIELD(ExecutableSerializeArgs, executable, PJRT_Executable_Serialize_Args, executable),
    FIELD(ExecutableSerializeArgs, bytes, PJRT_Executable_Serialize_Args, serialized_bytes),
    FIELD(ExecutableSerializeArgs, bytes_size, PJRT_Executable_Serialize_Args, serialized_bytes_size),
    FIELD(ExecutableSerializeArgs, holder, PJRT_Executable_Serialize_Args, serialized_executable),
    FIELD(ExecutableSerializeArgs, destroy, PJRT_Executable_Serialize_Args, serialized_executable_deleter),
    FIELD(LoadedExecutableDestroyArgs, executable, PJRT_LoadedExecutable_Destroy_Args, executable),
    FIELD(LoadedExecutableGetExecutableArgs, loaded, PJRT_LoadedExecutable_GetExecutable_Args, loaded_executable),
    FIELD(LoadedExecutableGetExecutableArgs, executable, PJRT_LoadedExecutable_GetExecutable_Args, executable),
    FIELD(LoadedExecutableAddressableDevicesArgs, executable, PJRT_LoadedExecutable_AddressableDevices_Args, executable),
    FIELD(LoadedExecutableAddressableDevicesArgs, devices, PJRT_LoadedExecutable_AddressableDevices_Args, addressable_devices),
    FIELD(LoadedExecutableAddressableDevicesArgs, count, PJRT_LoadedExecutable_AddressableDevices_Args, num_addressable_devices),
    FIELD(LoadedExecutableExecuteArgs, executable, PJRT_LoadedExecutable_Execute_Args, executable),
    FIELD(LoadedExecutableExecuteArgs, options, PJRT_LoadedExecutable_Execute_Args, options),
    FIELD(LoadedExecutableExecuteArgs, arguments, PJRT_LoadedExecutable_Execute_Args, argument_lists),
    FIELD(LoadedExecutableExecuteArgs, device_count, PJRT_LoadedExecutable_Execute_Args, num_devices),
    FIELD(LoadedExecutableExecuteArgs, argument_count, PJRT_LoadedExecutable_Execute_Args, num_args),
    FIELD(LoadedExecutableExecuteArgs, results, PJRT_LoadedExecutable_Execute_Args, output_lists),
    FIELD(LoadedExecutableExecuteArgs, complete, PJRT_LoadedExecutable_Execute_Args, device_complete_events),
    FIELD(LoadedExecutableExecuteArgs, device, PJRT_LoadedExecutable_Execute_Args, execute_device),
    FIELD(ExecutableDeserializeAndLoadArgs, client, PJRT_Executable_DeserializeAndLoad_Args, client),
    FIELD(ExecutableDeserializeAndLoadArgs, bytes, PJRT_Executable_DeserializeAndLoad_Args, serialized_executable),
    FIELD(ExecutableDeserializeAndLoadArgs, bytes_size, PJRT_Executable_DeserializeAndLoad_Args, serialized_executable_size),
    FIELD(ExecutableDeserializeAndLoadArgs, executable, PJRT_Executable_DeserializeAndLoad_Args, loaded_executable),
    FIELD(ExecutableDeserializeAndLoadArgs, other_options, PJRT_Executable_DeserializeAndLoad_Args, overridden_serialized_compile_options),
    FIELD(ExecutableDeserializeAndLoadArgs, other_options_size, PJRT_Executable_DeserializeAndLoad_Args, overridden_serialized_compile_options_size),
    FIELD(BufferDestroyArgs, buffer, PJRT_Buffer_Destroy_Args, buffer),
    FIELD(BufferElementTypeArgs, buffer, PJRT_Buffer_ElementType_Args, buffer),
    FIELD(BufferElementTypeArgs, type, PJRT_Buffer_ElementType_Args, type),
    FIELD(BufferDimensionsArgs, buffer, PJRT_Buffer_Dimensions_Args, buffer),
    FIELD(BufferDimensionsArgs, dims, PJRT_Buffer_Dimensions_Args, dims),
    FIELD(BufferDimensionsArgs, rank, PJRT_Buffer_Dimensions_Args, num_dims),
    FIELD(BufferOnDeviceSizeArgs, buffer, PJRT_Buffer_OnDeviceSizeInBytes_Args, buffer),
    FIELD(BufferOnDeviceSizeArgs, bytes, PJRT_Buffer_OnDeviceSizeInBytes_Args, on_device_size_in_bytes),
    FIELD(BufferDeleteArgs, buffer, PJRT_Buffer_Delete_Args, buffer),
    FIELD(BufferIsDeletedArgs, buffer, PJRT_Buffer_IsDeleted_Args, buffer),
    FIELD(BufferIsDeletedArgs, deleted, PJRT_Buffer_IsDeleted_Args, is_deleted),
    FIELD(BufferToHostArgs, buffer, PJRT_Buffer_ToHostBuffer_Args, src),
    FIELD(BufferToHostArgs, layout, PJRT_Buffer_ToHostBuffer_Args, host_layout),
    FIELD(BufferToHostArgs, data, PJRT_Buffer_ToHostBuffer_Args, dst),
    FIELD(BufferToHostArgs, size, PJRT_Buffer_ToHostBuffer_Args, dst_size),
    FIELD(BufferToHostArgs, event, PJRT_Buffer_ToHostBuffer_Args, event),
    FIELD(BufferReadyEventArgs, buffer, PJRT_Buffer_ReadyEvent_Args, buffer),
    FIELD(BufferReadyEventArgs, event, PJRT_Buffer_ReadyEvent_Args, event),
    FIELD(TopologyCreateArgs, name, PJRT_TopologyDescription_Create_Args, topology_name),
    FIELD(TopologyCreateArgs, name_size, PJRT_TopologyDescription_Create_Args, topology_name_size),
    FIELD(TopologyCreateArgs, options, PJRT_TopologyDescription_Create_Args, create_options),
    FIELD(TopologyCreateArgs, option_count, PJRT_TopologyDescription_Create_Args, num_options),
    FIELD(TopologyCreateArgs, topology, PJRT_TopologyDescription_Create_Args, topology),
    FIELD(TopologyDestroyArgs, topology, PJRT_TopologyDescription_Destroy_Args, topology),
    FIELD(TopologyPlatformVersionArgs, topology, PJRT_TopologyDescription_PlatformVersion_Args, topology),
    FIELD(TopologyPlatformVersionArgs, version, PJRT_TopologyDescription_PlatformVersion_Args, platform_version),
    FIELD(TopologyPlatformVersionArgs, version_size, PJRT_TopologyDescription_PlatformVersion_Args, platform_version_size),
    FIELD(TopologyDevicesArgs, topology, PJRT_TopologyDescription_GetDeviceDescriptions_Args, topology),
    FIELD(TopologyDevicesArgs, descriptions, PJRT_TopologyDescription_GetDeviceDescriptions_Args, descriptions),
    FIELD(TopologyDevicesArgs, count, PJRT_TopologyDescription_GetDeviceDescriptions_Args, num_descriptions),
    FIELD(CompileArgs, topology, PJRT_Compile_Args, topology),
    FIELD(CompileArgs, program, PJRT_Compile_Args, program),
    FIELD(CompileArgs, options, PJRT_Compile_Args, compile_options),
    FIELD(CompileArgs, options_size, PJRT_Compile_Args, compile_options_size),
    FIELD(CompileArgs, client, PJRT_Compile_Args, client),
    FIELD(CompileArgs, executable, PJRT_Compile_Args, executable),
    FIELD(ExecutableMemoryStatsArgs, executable, PJRT_Executable_GetCompiledMemoryStats_Args, executable),
    FIELD(ExecutableMemoryStatsArgs, code, PJRT_Executable_GetCompiledMemoryStats_Args, generated_code_size_in_bytes),
    FIELD(ExecutableMemoryStatsArgs, arguments, PJRT_Executable_GetCompiledMemoryStats_Args, argument_size_in_bytes),
    FIELD(ExecutableMemoryStatsArgs, outputs, PJRT_Executable_GetCompiledMemoryStats_Args, output_size_in_bytes),
    FIELD(ExecutableMemoryStatsArgs, aliased, PJRT_Executable_GetCompiledMemoryStats_Args, alias_size_in_bytes),
    FIELD(ExecutableMemoryStatsArgs, temporaries, PJRT_Executable_GetCompiledMemoryStats_Args, temp_size_in_bytes),
    FIELD(ExecutableMemoryStatsArgs, host_code, PJRT_Executable_GetCompiledMemoryStats_Args, host_generated_code_size_in_bytes),
    FIELD(ExecutableMemoryStatsArgs, host_arguments, PJRT_Executable_GetCompiledMemoryStats_Args, host_argument_size_in_bytes),
    FIELD(ExecutableMemoryStatsArgs, host_outputs, PJRT_Executable_GetCompiledMemoryStats_Args, host_output_size_in_bytes),
    FIELD(ExecutableMemoryStatsArgs, host_aliased, PJRT_Executable_GetCompiledMemoryStats_Args, host_alias_size_in_bytes),
    FIELD(ExecutableMemoryStatsArgs, host_temporaries, PJRT_Executable_GetCompiledMemoryStats_Args, host_temp_size_in_bytes),
    FIELD(ExecutableMemoryStatsArgs, peak, PJRT_Executable_GetCompiledMemoryStats_Args, peak_memory_in_bytes),
    FIELD(ExecutableMemoryStatsArgs, total, PJRT_Executable_GetCompiledMemoryStats_Args, total_size_in_bytes),
    FIELD(Extension, type, PJRT_Extension_Base, type),
    FIELD(Extension, next, PJRT_Extension_Base, next),
    FIELD(Version, major, PJRT_Api_Version, major_version),
    FIELD(Version, minor, PJRT_Api_Version, minor_version),
    FIELD(NamedValue, name, PJRT_NamedValue, name),
    FIELD(NamedValue, name_size, PJRT_NamedValue, name_size),
    FIELD(NamedValue, type, PJRT_NamedValue, type),
    FIELD(NamedValue, text, PJRT_NamedValue, string_value),
    FIELD(NamedValue, integer, PJRT_NamedValue, int64_value),
    FIELD(NamedValue, integers, PJRT_NamedValue, int64_array_value),
    FIELD(NamedValue, real, PJRT_NamedValue, float_value),
    FIELD(NamedValue, boolean, PJRT_NamedValue, bool_value),
    FIELD(NamedValue, value_size, PJRT_NamedValue, value_size),
    FIELD(ProgramText, code, PJRT_Program, code),
    FIELD(ProgramText, code_size, PJRT_Program, code_size),
    FIELD(ProgramText, format, PJRT_Program, format),
    FIELD(ProgramText, format_size, PJRT_Program, format_size),
    FIELD(ExecuteOptions, send_callbacks, PJRT_ExecuteOptions, send_callbacks),
    FIELD(ExecuteOptions, receive_callbacks, PJRT_ExecuteOptions, recv_callbacks),
    FIELD(ExecuteOptions, send_count, PJRT_ExecuteOptions, num_send_ops),
    FIELD(ExecuteOptions, receive_count, PJRT_ExecuteOptions, num_recv_ops),
    FIELD(ExecuteOptions, launch_id, PJRT_ExecuteOptions, launch_id),
    FIELD(ExecuteOptions, not_donated, PJRT_ExecuteOptions, non_donatable_input_indices),
    FIELD(ExecuteOptions, not_donated_count, PJRT_ExecuteOptions, num_non_donatable_input_indices),
    FIELD(ExecuteOptions, context, PJRT_ExecuteOptions, context),
    FIELD(ExecuteOptions, call_location, PJRT_ExecuteOptions, call_location),
    FIELD(ExecuteOptions, task_count, PJRT_ExecuteOptions, num_tasks),
    FIELD(ExecuteOptions, task_ids, PJRT_ExecuteOptions, task_ids),
    FIELD(ExecuteOptions, incarnation_ids, PJRT_ExecuteOptions, incarnation_ids),
    FIELD(TiledLayout, minor_to_major, PJRT_Buffer_MemoryLayout_Tiled, minor_to_major),
    FIELD(TiledLayout, rank, PJRT_Buffer_MemoryLayout_Tiled, minor_to_major_size),
    FIELD(TiledLayout, tile_dims, PJRT_Buffer_MemoryLayout_Tiled, tile_dims),
    FIELD(TiledLayout, tile_dim_counts, PJRT_Buffer_MemoryLayout_Tiled, tile_dim_sizes),
    FIELD(TiledLayout, tile_count, PJRT_Buffer_MemoryLayout_Tiled, num_tiles),
    FIELD(MemoryLayout, kind, PJRT_Buffer_MemoryLayout, type),
    FIELD(MemoryLayout, tiled, PJRT_Buffer_MemoryLayout, tiled),
};
// clang-format on

TEST(PjrtAbi, HasEachMemberWhereTheHeaderHasIt) {
  for (const FieldRow& row : fields) {
    EXPECT_EQ(row.our_offset, row.their_offset) << row.name;
    EXPECT_EQ(row.our_size, row.their_size) << row.name;
  }
}

struct CallRow {
  const char* name;
  size_t our_offset, our_size, their_offset, their_size;
};
#define CALL(ours, theirs)                                                              \
  {                                                                                     \
    Entry<ours>::name, table_head_size + Entry<ours>::slot * sizeof(AnyFunction),       \
        Entry<ours>::struct_size, offsetof(PJRT_Api, theirs), theirs##_Args_STRUCT_SIZE \
  }
// clang-format off
const CallRow calls[] = {
    CALL(ErrorDestroyArgs, PJRT_Error_Destroy),
    CALL(ErrorMessageArgs, PJRT_Error_Message),
    CALL(ErrorCodeArgs, PJRT_Error_GetCode),
    CALL(PluginInitializeArgs, PJRT_Plugin_Initialize),
    CALL(PluginAttributesArgs, PJRT_Plugin_Attributes),
    CALL(EventDestroyArgs, PJRT_Event_Destroy),
    CALL(EventIsReadyArgs, PJRT_Event_IsReady),
    CALL(EventErrorArgs, PJRT_Event_Error),
    CALL(EventAwaitArgs, PJRT_Event_Await),
    CALL(EventOnReadyArgs, PJRT_Event_OnReady),
    CALL(ClientCreateArgs, PJRT_Client_Create),
    CALL(ClientDestroyArgs, PJRT_Client_Destroy),
    CALL(ClientPlatformNameArgs, PJRT_Client_PlatformName),
    CALL(ClientPlatformVersionArgs, PJRT_Client_PlatformVersion),
    CALL(ClientAddressableDevicesArgs, PJRT_Client_AddressableDevices),
    CALL(ClientCompileArgs, PJRT_Client_Compile),
    CALL(ClientBufferFromHostArgs, PJRT_Client_BufferFromHostBuffer),
    CALL(DeviceDescriptionIdArgs, PJRT_DeviceDescription_Id),
    CALL(DeviceDescriptionAttributesArgs, PJRT_DeviceDescription_Attributes),
    CALL(DeviceDescriptionKindArgs, PJRT_DeviceDescription_Kind),
    CALL(DeviceDescriptionToStringArgs, PJRT_DeviceDescription_ToString),
    CALL(DeviceGetDescriptionArgs, PJRT_Device_GetDescription),
    CALL(DeviceLocalHardwareIdArgs, PJRT_Device_LocalHardwareId),
    CALL(DeviceMemoryStatsArgs, PJRT_Device_MemoryStats),
    CALL(ExecutableDestroyArgs, PJRT_Executable_Destroy),
    CALL(ExecutableNameArgs, PJRT_Executable_Name),
    CALL(ExecutableNumOutputsArgs, PJRT_Executable_NumOutputs),
    CALL(ExecutableCodeSizeArgs, PJRT_Executable_SizeOfGeneratedCodeInBytes),
    CALL(ExecutableCostAnalysisArgs, PJRT_Executable_GetCostAnalysis),
    CALL(ExecutableSerializeArgs, PJRT_Executable_Serialize),
    CALL(LoadedExecutableDestroyArgs, PJRT_LoadedExecutable_Destroy),
    CALL(LoadedExecutableGetExecutableArgs, PJRT_LoadedExecutable_GetExecutable),
    CALL(LoadedExecutableAddressableDevicesArgs, PJRT_LoadedExecutable_AddressableDevices),
    CALL(LoadedExecutableExecuteArgs, PJRT_LoadedExecutable_Execute),
    CALL(ExecutableDeserializeAndLoadArgs, PJRT_Executable_DeserializeAndLoad),
    CALL(BufferDestroyArgs, PJRT_Buffer_Destroy),
    CALL(BufferElementTypeArgs, PJRT_Buffer_ElementType),
    CALL(BufferDimensionsArgs, PJRT_Buffer_Dimensions),
    CALL(BufferOnDeviceSizeArgs, PJRT_Buffer_OnDeviceSizeInBytes),
    CALL(BufferDeleteArgs, PJRT_Buffer_Delete),
    CALL(BufferIsDeletedArgs, PJRT_Buffer_IsDeleted),
    CALL(BufferToHostArgs, PJRT_Buffer_ToHostBuffer),
    CALL(BufferReadyEventArgs, PJRT_Buffer_ReadyEvent),
    CALL(TopologyCreateArgs, PJRT_TopologyDescription_Create),
    CALL(TopologyDestroyArgs, PJRT_TopologyDescription_Destroy),
    CALL(TopologyPlatformVersionArgs, PJRT_TopologyDescription_PlatformVersion),
    CALL(TopologyDevicesArgs, PJRT_TopologyDescription_GetDeviceDescriptions),
    CALL(CompileArgs, PJRT_Compile),
    CALL(ExecutableMemoryStatsArgs, PJRT_Executable_GetCompiledMemoryStats),
};
// clang-format on

TEST(PjrtAbi, HasEachFunctionInTheHeadersSlot) {
  for (const CallRow& row : calls) {
    EXPECT_EQ(row.our_offset, row.their_offset) << row.name;
    EXPECT_EQ(row.our_size, row.their_size) << row.name;
  }
}

TEST(PjrtAbi, HasTheHeadersNumbers) {
  EXPECT_EQ(execute_options_size, static_cast<size_t>(PJRT_ExecuteOptions_STRUCT_SIZE));
  EXPECT_EQ(program_size, static_cast<size_t>(PJRT_Program_STRUCT_SIZE));
  EXPECT_EQ(named_value_size, static_cast<size_t>(PJRT_NamedValue_STRUCT_SIZE));
  EXPECT_EQ(memory_layout_size, static_cast<size_t>(PJRT_Buffer_MemoryLayout_STRUCT_SIZE));
  EXPECT_EQ(tiled_layout_size, static_cast<size_t>(PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE));
  EXPECT_EQ(static_cast<int>(Code::unauthenticated), PJRT_Error_Code_UNAUTHENTICATED);
  EXPECT_EQ(static_cast<int>(Code::failed_precondition), PJRT_Error_Code_FAILED_PRECONDITION);
  EXPECT_EQ(static_cast<int>(ElementType::bf16), PJRT_Buffer_Type_BF16);
  EXPECT_EQ(static_cast<int>(ElementType::c128), PJRT_Buffer_Type_C128);
  EXPECT_EQ(static_cast<int>(ElementType::u4), PJRT_Buffer_Type_U4);
  EXPECT_EQ(static_cast<int>(ElementType::token), PJRT_Buffer_Type_TOKEN);
  EXPECT_EQ(static_cast<int>(ValueType::boolean), PJRT_NamedValue_kBool);
  EXPECT_EQ(static_cast<int>(HostSemantics::until_transferred),
            PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes);
  EXPECT_EQ(PJRT_Buffer_MemoryLayout_Type_Tiled, 0);
}

#else

TEST(PjrtAbi, HasEachMemberWhereTheHeaderHasIt) {
  GTEST_SKIP()
      << "NOT COMPARED: pjrt_c_api.h is not here. `./run bench --peers` installs the wheel "
         "that has it (tensorflow-cpu, 274 MB); then configure again.";
}

#endif

}  // namespace
}  // namespace systolic
