// Element types, errors, texts, files and events: what the rest stands on.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

TEST(TypeExamples, NamesAndParts) {
  EXPECT_EQ(find_dtype("float32"), DType::f32);
  EXPECT_EQ(find_dtype("i1"), DType::pred);
  EXPECT_FALSE(find_dtype("float12").has_value());
  EXPECT_TRUE(is_integer(DType::u8));
  EXPECT_FALSE(is_integer(DType::f32));
  EXPECT_EQ(real_part_type(DType::c64), DType::f32);
  static_assert(Element<float> && !Element<std::string>);
  static_assert(std::is_same_v<TypeTag<float>::type, float>);
  EXPECT_THROW(raise_not_numeric(DType::string), InvalidArgument);
}

// The bit patterns are those of IEEE 754 and of OCP's formats of 8 bits.
TEST(TypeExamples, BitsOfNarrowFloats) {
  EXPECT_EQ(float_to_float16(1), 0x3c00);
  EXPECT_EQ(float_to_float16(-2), 0xc000);
  EXPECT_EQ(float_to_float8_e4m3fn(1), 0x38);
  EXPECT_EQ(float_to_float8_e5m2(1), 0x3c);
}

TEST(ArrayExamples, WhatAnArgumentMayBe) {
  const ArrayLike of_vector = std::vector<float>{1, 2};
  expect_numbers(numbers(of_vector.array()), {1, 2});
  const HostMemory sixteen_bytes(16);
  EXPECT_TRUE(sixteen_bytes.unique());
}

TEST(ErrorExamples, KindsAndScopes) {
  static_assert(std::is_base_of_v<ErrorOf<Cancelled>, Cancelled>);
  const ErrorScope scope("Dense 'head'");
  const ErrorReport report = with_scope({.what = "units must be above 0", .got = "-1"});
  EXPECT_EQ(report.what, "Dense 'head': units must be above 0");
  EXPECT_THROW(raise<Cancelled>({.what = "stopped"}), Cancelled);
  EXPECT_THROW(ensure(1 + 1 == 3, "the sum"), Internal);
  ensure(1 + 1 == 2, "the sum");
}

TEST(TextExamples, PartsOfTexts) {
  const TextPart number = 2.5;
  std::string text = "a = ";
  number.append_to(text);
  EXPECT_EQ(text, "a = 2.5");
  EXPECT_EQ(text_source(7), 7);
  EXPECT_EQ(text_source(DType::f32), "f32");
  EXPECT_EQ(trim("  both ends \n"), "both ends");
}

TEST(TextExamples, NamesAndPlacesKnowTheirLine) {
  static_assert(Position<int> && !Position<std::string>);
  const NameAt name = "kernel";
  const PositionAt place = 3;
  EXPECT_EQ(name.name, "kernel");
  EXPECT_EQ(place.position, 3);
  EXPECT_EQ(place.location.line, name.location.line + 1);
}

TEST(LogExamples, ALineThatIsSaidOnce) {
  std::vector<std::string> lines;
  LogSink before = set_log_sink([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  log_once(LogLevel::info, "an example is logged");
  log_once(LogLevel::info, "an example is logged");
  publish_warning("an example warns");
  set_log_sink(std::move(before));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "an example is logged");
  const Stopwatch since;
  EXPECT_GE(since.seconds(), 0);
  EXPECT_EQ(logs_text({{"loss", 0.1234}, {"accuracy", 0.5}}), "loss: 0.1234 - accuracy: 0.5000");
}

TEST(FileExamples, CompressedRecordsAndTheirBytes) {
  const std::string path = testing::TempDir() + "examples_of_records.gz";
  const io::TFRecordWriterOptions packed{.compression = io::Compression::gzip,
                                         .compression_level = 9};
  io::TFRecordWriter writer(path, packed);
  writer.write("one");
  writer.close();
  EXPECT_EQ(io::to_string(packed.compression), "GZIP");

  const std::string plain = io::read_possibly_gzipped(path, 1 << 20);
  EXPECT_EQ(plain.size(), 8 + 4 + 3 + 4U);  // length, its checksum, the record, its checksum
  const std::unique_ptr<io::ByteSource> source = io::open_source(path, io::Compression::gzip);
  const io::ReadAheadRoom any = [](size_t) { return true; };
  source->set_read_ahead_room(any);
  std::string read(100, '\0');
  EXPECT_EQ(source->read(read.data(), read.size()), plain.size());
  EXPECT_EQ(io::recognize("\x89PNG\r\n\x1a\n"), "PNG");
  EXPECT_EQ(io::open_remote_file_system("ftp"), nullptr);
}

TEST(FileExamples, TypesOfArraysByTheBeginningOfTheirFile) {
  const std::string path = testing::TempDir() + "examples_of_arrays.npy";
  io::write_npy(path, Literal::of<float>({{1, 2}, {3, 4}}));
  const std::string bytes = io::read_possibly_gzipped(path, 1 << 20);
  EXPECT_EQ(io::parse_npy_type(bytes.substr(0, 128), path).shape, (Shape{2, 2}));
}

// What a program hears of a run: a sink of its own.
class Heard : public EventSink {
 public:
  void handle(const events::Moment&, const Event& event) override {
    if (const auto* begin = std::get_if<events::RunBegin>(&event))
      evaluates = begin->kind == events::RunKind::evaluate;
    if (const auto* wait = std::get_if<events::InputWait>(&event)) share = wait->share;
    if (const auto* ended = std::get_if<events::DataEnded>(&event)) steps = ended->steps;
    if (const auto* stopped = std::get_if<events::Interruption>(&event)) loss = stopped->loss;
    if (const auto* shown = std::get_if<events::Summary>(&event)) tag = shown->tag;
  }
  bool evaluates = false;
  double share = 0;
  int64_t steps = 0;
  std::optional<double> loss;
  std::string tag;
};

TEST(EventExamples, ASinkTakesWhatItKnows) {
  Heard heard;
  heard.handle({}, events::RunBegin{.kind = events::RunKind::evaluate, .name = "network"});
  heard.handle({}, events::InputWait{.share = 0.4});
  heard.handle({}, events::DataEnded{.steps = 7});
  heard.handle({}, events::Interruption{.loss = 0.5});
  heard.handle({}, events::Summary{.tag = "lr", .step = 3, .number = 0.1});
  EXPECT_TRUE(heard.evaluates);
  EXPECT_EQ(heard.share, 0.4);
  EXPECT_EQ(heard.steps, 7);
  EXPECT_EQ(heard.loss, 0.5);
  EXPECT_EQ(heard.tag, "lr");
}

TEST(PlanExamples, BatchesAndNetworksOfADryRun) {
  EXPECT_EQ(plan::parse_batches("8,16,128"), (std::vector<int64_t>{8, 16, 128}));
  EXPECT_THROW(plan::parse_batches("8,0"), InvalidArgument);
  plan::Request request;
  plan::set_network(request, "64", "25Gbit");
  EXPECT_EQ(request.processes, 64);
  EXPECT_THROW(plan::set_network(request, "64", {}), InvalidArgument);
}

TEST(DeviceExamples, NamesOfCores) {
  EXPECT_EQ(core_name(0), "/job:worker/replica:0/task:0/device:TPU:0");
  EXPECT_EQ(runtime::device_name(runtime::Topology::Core{.process = 3, .local = 2}),
            "/job:worker/replica:0/task:3/device:TPU:2");
  const DeviceScope scope("/TPU:0");
  EXPECT_EQ(DeviceScope::core(), 0);
}

}  // namespace
}  // namespace systolic
