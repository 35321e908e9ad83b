// Foreign functions, written as their callers write them: against the call frame alone.
#include "plugin/ffi/ffi_function.h"

#include <gtest/gtest.h>

#include <string>

#include "plugin/ffi/ffi_options.h"
#include "plugin/ffi/ffi_table.h"
#include "systolic/base/error.h"
#include "systolic/runtime/custom_function.h"

namespace systolic {
namespace {

using namespace plugin;

constexpr int minor_version = 3;
int major_version = 0;

ffi::Error* metadata_or(ffi::CallFrame* frame, ffi::Error* (*run)(ffi::CallFrame*)) {
  if (frame->extensions == nullptr) return run(frame);
  auto* extension = reinterpret_cast<ffi::MetadataExtension*>(frame->extensions);
  extension->metadata->version.major = major_version;
  extension->metadata->version.minor = minor_version;
  return nullptr;
}

std::string text_of(const ffi::Text* text) { return {text->data, text->size}; }

// results[0][i] = arguments[0][i] * factor + sum of `numbers`, as the options say.
ffi::Error* scale(ffi::CallFrame* frame) {
  return metadata_or(frame, [](ffi::CallFrame* f) -> ffi::Error* {
    const auto* x = static_cast<const ffi::Buffer*>(f->arguments.buffers[0]);
    const auto* y = static_cast<const ffi::Buffer*>(f->results.buffers[0]);
    EXPECT_EQ(f->struct_size, ffi::call_frame_size);
    EXPECT_EQ(f->stage, ffi::Stage::execute);
    EXPECT_EQ(x->dtype, ffi::DataType::f32);
    EXPECT_EQ(x->rank, 2);
    EXPECT_EQ(x->dims[1], 2);
    EXPECT_EQ(f->options.size, 3);
    EXPECT_EQ(text_of(f->options.names[0]), "factor");
    EXPECT_EQ(f->options.types[0], ffi::OptionType::scalar);
    EXPECT_EQ(text_of(f->options.names[1]), "more");
    EXPECT_EQ(f->options.types[1], ffi::OptionType::dictionary);
    EXPECT_EQ(text_of(f->options.names[2]), "word");
    EXPECT_EQ(f->options.types[2], ffi::OptionType::text);
    EXPECT_EQ(text_of(static_cast<const ffi::Text*>(f->options.values[2])), "twice");
    const auto* factor = static_cast<const ffi::Scalar*>(f->options.values[0]);
    const auto* more = static_cast<const ffi::Options*>(f->options.values[1]);
    EXPECT_EQ(text_of(more->names[0]), "numbers");
    const auto* numbers = static_cast<const ffi::Array*>(more->values[0]);
    int64_t sum = 0;
    for (size_t i = 0; i < numbers->size; ++i) sum += static_cast<int64_t*>(numbers->data)[i];
    for (int64_t i = 0; i < x->dims[0] * x->dims[1]; ++i) {
      static_cast<float*>(y->data)[i] =
          static_cast<float*>(x->data)[i] *
              static_cast<float>(*static_cast<uint8_t*>(factor->value)) +
          static_cast<float>(sum);
    }
    return nullptr;
  });
}

ffi::Error* fail(ffi::CallFrame* frame) {
  return metadata_or(frame, [](ffi::CallFrame* f) {
    ffi::ErrorCreateArgs args;
    args.struct_size = sizeof args;
    args.message = "the matrix is not square";
    args.code = ffi::Code::invalid_argument;
    return f->table->error_create(&args);
  });
}

// Asks for all that the table has.
ffi::Error* curious(ffi::CallFrame* frame) {
  return metadata_or(frame, [](ffi::CallFrame* f) -> ffi::Error* {
    ffi::AllocateArgs memory;
    memory.size = 100;
    memory.alignment = 128;
    EXPECT_EQ(f->table->allocate(&memory), nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data) % 128, 0u);
    ffi::FreeArgs given_back;
    given_back.data = memory.data;
    EXPECT_EQ(f->table->free(&given_back), nullptr);
    int64_t threads = 0;
    ffi::ThreadsArgs asks;
    asks.threads = &threads;
    EXPECT_EQ(f->table->threads(&asks), nullptr);
    EXPECT_EQ(threads, 1);
    bool ran = false;
    ffi::ScheduleArgs task;
    task.task = [](void* data) { *static_cast<bool*>(data) = true; };
    task.data = &ran;
    EXPECT_EQ(f->table->schedule(&task), nullptr);
    EXPECT_TRUE(ran);
    return f->table->stream_get(nullptr);
  });
}

std::unique_ptr<const CustomFunction> made(const char* name, ffi::Handler* handler,
                                           std::vector<ir::CustomOption> options = {}) {
  ffi::register_handler(name, handler);
  return make_custom_function({.call_target_name = name, .options = std::move(options)});
}

template <class Kind>
void expect_error(const CustomFunction& function, const std::string& message) {
  try {
    function.run({}, {});
    FAIL() << message;
  } catch (const Kind& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(ForeignFunction, IsGivenBuffersAndOptions) {
  const Literal numbers = Literal::from(std::vector<int64_t>{3, 4}, {2});
  const auto function = made("test.scale", scale,
                             {{"factor", Literal::scalar(uint8_t{2})},
                              {"more", std::vector<ir::CustomOption>{{"numbers", numbers}}},
                              {"word", std::string("twice")}});
  std::vector<float> x{1, 2, 3, 4, 5, 6}, y(6);
  const ir::Type type{DType::f32, {3, 2}};
  const CustomArray from{type, reinterpret_cast<std::byte*>(x.data())};
  const CustomArray to{type, reinterpret_cast<std::byte*>(y.data())};
  function->run({&from, 1}, {&to, 1});
  EXPECT_EQ(y, (std::vector<float>{9, 11, 13, 15, 17, 19}));
}

TEST(ForeignFunction, ErrorsAreOurs) {
  expect_error<InvalidArgument>(*made("test.fail", fail), "test.fail: the matrix is not square");
  expect_error<Unimplemented>(*made("test.curious", curious), "without streams");
}

TEST(ForeignFunction, OfAnotherMajorVersionIsRefused) {
  major_version = 1;
  EXPECT_THROW(ffi::register_handler("test.later", fail), InvalidArgument);
  major_version = 0;
  EXPECT_FALSE(is_custom_function("test.later"));
}

}  // namespace
}  // namespace systolic
