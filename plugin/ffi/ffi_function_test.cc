// Foreign functions, written as their callers write them: against the call frame alone.
#include "plugin/ffi/ffi_function.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

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

ffi::HandlerBundle executed_by(ffi::Handler* handler) {
  return {.instantiate = nullptr, .prepare = nullptr, .initialize = nullptr, .execute = handler};
}

std::unique_ptr<const CustomFunction> made(const char* name, ffi::Handler* handler,
                                           std::vector<ir::CustomOption> options = {}) {
  ffi::register_handlers(name, executed_by(handler));
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

// A thread doubles the argument after the handler has returned; for a negative one it makes an
// error.
ffi::Error* later(ffi::CallFrame* frame) {
  return metadata_or(frame, [](ffi::CallFrame* f) -> ffi::Error* {
    ffi::FutureCreateArgs created;
    EXPECT_EQ(f->table->future_create(&created), nullptr);
    f->future = created.future;
    auto* x = static_cast<float*>(static_cast<ffi::Buffer*>(f->arguments.buffers[0])->data);
    auto* y = static_cast<float*>(static_cast<ffi::Buffer*>(f->results.buffers[0])->data);
    std::thread([x, y, future = created.future, table = f->table] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (*x < 0) {
        ffi::ErrorCreateArgs error;
        error.message = "a root of a negative number";
        error.code = ffi::Code::invalid_argument;
        ffi::FutureSetErrorArgs failed;
        failed.future = future;
        failed.error = table->error_create(&error);
        table->future_set_error(&failed);
        return;
      }
      *y = 2 * *x;
      ffi::FutureSetAvailableArgs done;
      done.future = future;
      table->future_set_available(&done);
    }).detach();
    return nullptr;
  });
}

TEST(ForeignFunction, IsWaitedForWhereItGoesOnAfterItReturned) {
  const auto function = made("test.later", later);
  float x = 3, y = 0;
  const CustomArray from{{DType::f32, {}}, reinterpret_cast<std::byte*>(&x)};
  const CustomArray to{{DType::f32, {}}, reinterpret_cast<std::byte*>(&y)};
  function->run({&from, 1}, {&to, 1});
  EXPECT_EQ(y, 6);
  x = -1;
  try {
    function->run({&from, 1}, {&to, 1});
    FAIL() << "expected the error that the thread gave";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("test.later: a root of a negative number"),
              std::string::npos)
        << error.what();
  }
}

// A call counts its runs in an object that `instantiate` made; each run's `prepare` leaves a word
// for it.
int live_counters = 0;
struct Counter {
  Counter() { ++live_counters; }
  ~Counter() { --live_counters; }
  int runs = 0;
};
ffi::TypeId counter_type = {}, word_type = {};

ffi::Error* set_state(ffi::CallFrame* f, ffi::TypeId& type, void* object) {
  ffi::StateSetArgs args;
  args.context = f->context;
  args.stage = f->stage;
  args.type_id = &type;
  args.state = object;
  return f->table->state_set(&args);
}

void* state(ffi::CallFrame* f, ffi::Stage stage, ffi::TypeId& type) {
  ffi::StateGetArgs args;
  args.context = f->context;
  args.stage = stage;
  args.type_id = &type;
  ffi::Error* error = f->table->state_get(&args);
  if (error == nullptr) return args.state;
  ffi::ErrorDestroyArgs gone;
  gone.error = error;
  f->table->error_destroy(&gone);
  return nullptr;
}

ffi::Error* make_counter(ffi::CallFrame* frame) {
  return metadata_or(frame, [](ffi::CallFrame* f) -> ffi::Error* {
    EXPECT_EQ(f->stage, ffi::Stage::instantiate);
    EXPECT_EQ(f->arguments.size, 0);
    return set_state(f, counter_type, new Counter);
  });
}

ffi::Error* leave_a_word(ffi::CallFrame* frame) {
  return metadata_or(frame, [](ffi::CallFrame* f) -> ffi::Error* {
    EXPECT_EQ(f->stage, ffi::Stage::prepare);
    return set_state(f, word_type, new std::string("ready"));
  });
}

ffi::Error* count_run(ffi::CallFrame* frame) {
  return metadata_or(frame, [](ffi::CallFrame* f) -> ffi::Error* {
    auto* counter = static_cast<Counter*>(state(f, ffi::Stage::instantiate, counter_type));
    const auto* word = static_cast<std::string*>(state(f, ffi::Stage::prepare, word_type));
    EXPECT_EQ(state(f, ffi::Stage::instantiate, word_type), nullptr);  // of another type
    EXPECT_EQ(state(f, ffi::Stage::initialize, word_type), nullptr);   // of a stage that set none
    EXPECT_EQ(*word, "ready");
    *static_cast<int32_t*>(static_cast<ffi::Buffer*>(f->results.buffers[0])->data) =
        ++counter->runs;
    return nullptr;
  });
}

void register_type(const char* name, ffi::TypeId& type, void (*deleter)(void*)) {
  ffi::TypeInfo info;
  info.deleter = deleter;
  ffi::TypeRegisterArgs args;
  args.name = {name, std::string(name).size()};
  args.type_id = &type;
  args.info = &info;
  EXPECT_EQ(ffi::table().type_register(&args), nullptr);
}

int32_t run_of(const CustomFunction& function) {
  int32_t result = 0;
  const CustomArray to{{DType::i32, {}}, reinterpret_cast<std::byte*>(&result)};
  function.run({}, {&to, 1});
  return result;
}

TEST(ForeignFunction, StagesLeaveStatesForLaterOnes) {
  register_type("test.counter", counter_type, [](void* p) { delete static_cast<Counter*>(p); });
  register_type("test.word", word_type, [](void* p) { delete static_cast<std::string*>(p); });
  ffi::register_handlers("test.count", {.instantiate = make_counter,
                                        .prepare = leave_a_word,
                                        .initialize = nullptr,
                                        .execute = count_run});
  auto first = make_custom_function({.call_target_name = "test.count", .options = {}});
  const auto second = make_custom_function({.call_target_name = "test.count", .options = {}});
  EXPECT_EQ(run_of(*first), 1);
  EXPECT_EQ(run_of(*first), 2);
  EXPECT_EQ(run_of(*second), 1);  // each call in a program has its own
  EXPECT_EQ(live_counters, 2);
  first.reset();
  EXPECT_EQ(live_counters, 1);
}

TEST(ForeignFunction, TypesKeepTheirNumbers) {
  const ffi::TypeId before = counter_type;
  register_type("test.counter", counter_type, nullptr);
  EXPECT_EQ(counter_type.id, before.id);
  ffi::TypeId other = {before.id};
  ffi::TypeRegisterArgs args;
  const std::string name = "test.other";
  args.name = {name.data(), name.size()};
  args.type_id = &other;
  args.info = nullptr;
  ffi::Error* error = ffi::table().type_register(&args);
  ASSERT_NE(error, nullptr);
  EXPECT_THROW(ffi::raise_error("test", error), InvalidArgument);
}

TEST(ForeignFunction, OfAnotherMajorVersionIsRefused) {
  major_version = 1;
  EXPECT_THROW(ffi::register_handlers("test.newer", executed_by(fail)), InvalidArgument);
  major_version = 0;
  EXPECT_FALSE(is_custom_function("test.newer"));
}

}  // namespace
}  // namespace systolic
