#include "systolic/io/records/tf_example.h"

#include "systolic/base/protobuf/wire.h"
#include "systolic/base/test_errors.h"
#include "systolic/core/ragged_tensor.h"

namespace systolic {
namespace {

using io::ExampleParser;

std::string field(int number, const std::string& bytes) {
  std::string out;
  protobuf::append_bytes_header(static_cast<uint32_t>(number), bytes.size(), out);
  return out + bytes;
}
std::string entry(const std::string& name, int kind, const std::string& list) {
  return field(1, field(1, name) + field(2, field(kind, list)));
}
std::string record_of(const std::string& entries) { return field(1, entries); }

const ExampleParser& mnist_parser() {
  static const ExampleParser parser({{"image", FixedLenFeature{.dtype = DType::string}},
                                     {"label", FixedLenFeature{.dtype = DType::i64}}});
  return parser;
}

TEST(TFExample, EncodesByteForByteAsProtobufDoes) {
  // tf.train.Example with one int64 feature "a" = [1, 300]: the bytes by the format's definition.
  const std::string list = field(1, std::string("\x01\xac\x02", 3));
  EXPECT_EQ(io::encode_example({{"a", Literal::of<int64_t>({1, 300})}}),
            record_of(entry("a", 3, list)));
  EXPECT_EQ(io::encode_example({{"s", Literal::strings({"x", ""})}}),
            record_of(entry("s", 1, field(1, "x") + field(1, ""))));
  EXPECT_EQ(io::encode_example({{"f", Literal::of<float>({1})}}),
            record_of(entry("f", 2, field(1, std::string("\0\0\x80\x3f", 4)))));
}

TEST(TFExample, DecodesWhatItEncodes) {
  const Example all{{"image", Literal::scalar("pixels").reshape({1})},
                    {"label", Literal::of<int64_t>({-1, 0, INT64_MAX, INT64_MIN})},
                    {"weights", Literal::of<float>({0.5f, -2})},
                    {"empty", Literal(DType::i64, {0})}};
  EXPECT_EQ(io::decode_example(io::encode_example(all)), all);
  const Example narrow{{"a", Literal::of<uint8_t>({255})},
                       {"b", Literal::of<double>({0.5})},
                       {"c", Literal::of<bool>({true})}};
  EXPECT_EQ(io::decode_example(io::encode_example(narrow)),
            (Example{{"a", Literal::of<int64_t>({255})},
                     {"b", Literal::of<float>({0.5f})},
                     {"c", Literal::of<int64_t>({1})}}));
  EXPECT_CONTAINS(error_of([] {
                    io::encode_example({{"a", Literal::scalar(UINT64_MAX)}});
                  }),
                  "does not fit int64");
  EXPECT_CONTAINS(error_of([] {
                    io::encode_example({{"a", Literal::scalar(std::complex<float>(1))}});
                  }),
                  "type c64");
}

TEST(TFExample, ParsesFixedFeaturesOfOneRecordAndOfABatch) {
  const Example first{{"image", Literal::scalar("abc")}, {"label", Literal::scalar<int64_t>(3)}};
  const Example second{{"label", Literal::scalar<int64_t>(-9)},
                       {"image", Literal::scalar("")}};  // another order
  EXPECT_EQ(mnist_parser().parse(io::encode_example(first)), first);
  const Literal records = Literal::strings({io::encode_example(first), io::encode_example(second)});
  const Example batch = mnist_parser().parse_batch(records);
  EXPECT_EQ(batch, (Example{{"image", Literal::strings({"abc", ""})},
                            {"label", Literal::of<int64_t>({3, -9})}}));
  EXPECT_EQ(batch["image"].string_at(0).data(),
            records.string_at(0).data() + records.string_at(0).find("abc"));
  EXPECT_EQ(mnist_parser().parse_batch(Literal(DType::string, {0}))["label"].shape(), Shape{0});
}

TEST(TFExample, PackedAndUnpackedValuesMixAndUnknownFieldsAreSkipped) {
  std::string list;
  protobuf::append_tag(1, protobuf::WireType::varint, list);
  protobuf::append_varint(7, list);
  list += field(1, std::string("\x08\x09", 2));
  protobuf::append_tag(9, protobuf::WireType::fixed64, list);
  list += "12345678";
  std::string floats;
  protobuf::append_tag(1, protobuf::WireType::fixed32, floats);
  floats += std::string("\0\0\x80\x3f", 4);
  floats += field(1, std::string("\0\0\0\x40\0\0\x40\x40", 8));
  const std::string record =
      field(7, "unknown") + record_of(entry("n", 3, list) + entry("f", 2, floats)) + field(99, "");
  const ExampleParser parser({{"n", FixedLenFeature{.shape = {3}, .dtype = DType::i64}},
                              {"f", FixedLenFeature{.shape = {3, 1}, .dtype = DType::f32}}});
  EXPECT_EQ(parser.parse(record), (Example{{"n", Literal::of<int64_t>({7, 8, 9})},
                                           {"f", Literal::of<float>({{1}, {2}, {3}})}}));
}

TEST(TFExample, DefaultsStandInForMissingFeatures) {
  const ExampleParser parser(
      {{"a",
        FixedLenFeature{.shape = {2}, .dtype = DType::f32, .default_value = Literal::scalar(5)}},
       {"s", FixedLenFeature{.dtype = DType::string, .default_value = Literal::scalar("none")}},
       {"v", VarLenFeature{DType::i64}}});
  Example parsed;
  {
    const ExampleParser copy = parser;
    parsed = copy.parse(io::encode_example(Example{}));
  }
  EXPECT_EQ(parsed["a"], Literal::of<float>({5, 5}));
  EXPECT_EQ(parsed["s"].bytes(), "none");
  EXPECT_EQ(parsed["v"].shape(), Shape{0});
  EXPECT_EQ(parser.parse(io::encode_example({{"v", Literal::of<int64_t>({4, 5})}}))["v"],
            Literal::of<int64_t>({4, 5}));
}

TEST(TFExample, RaggedFeaturesOfABatchAreRaggedTensors) {
  const std::vector<std::vector<int64_t>> rows{{3, 1}, {}, {9}, {4, 4, 4}};
  std::vector<std::string> records;
  for (const std::vector<int64_t>& row : rows) {
    const Literal ids = Literal::from(row, {static_cast<int64_t>(row.size())});
    std::vector<std::string_view> words(row.size(), "word");
    records.push_back(io::encode_example(
        {{"ids", ids},
         {"weights", ids.convert(DType::f32)},
         {"words", Literal::strings(words, {static_cast<int64_t>(words.size())})}}));
  }
  records.push_back(io::encode_example(Example{}));  // without the features
  const ExampleParser parser({{"ids", RaggedFeature{DType::i64}},
                              {"words", RaggedFeature{DType::string}},
                              {"weights", RaggedFeature{DType::f32}}});
  const Example batch = parser.parse_batch(Literal::strings(records));
  EXPECT_EQ(batch.size(), 6u);
  EXPECT_EQ(RaggedTensor::in(batch, "ids"),
            RaggedTensor::from_rows<int64_t>({{3, 1}, {}, {9}, {4, 4, 4}, {}}));
  EXPECT_EQ(RaggedTensor::in(batch, "weights"),
            RaggedTensor::from_rows<float>({{3, 1}, {}, {9}, {4, 4, 4}, {}}));
  const RaggedTensor words = RaggedTensor::in(batch, "words");
  EXPECT_EQ(words.row_splits, Literal::of<int64_t>({0, 2, 2, 3, 6, 6}));
  EXPECT_EQ(words.values.string_at(5), "word");
  EXPECT_EQ(parser.parse(records[3])["ids"], Literal::of<int64_t>({4, 4, 4}));
  EXPECT_EQ(
      RaggedTensor::in(parser.parse_batch(Literal::strings(std::vector<std::string>{})), "ids")
          .rows(),
      0);
}

TEST(TFExample, FaultsNameTheFeature) {
  const std::string record = io::encode_example({{"image", Literal::scalar("x")},
                                                 {"labels", Literal::of<int64_t>({1, 2})},
                                                 {"w", Literal::scalar(1.0f)}});
  struct Case {
    std::vector<FeatureSpec> features;
    const char* wanted;
  };
  const Case table[] = {
      {{{"label", FixedLenFeature{.dtype = DType::i64}}},
       "feature 'label' is missing in the record, got image, labels, w.\n  hint: did you mean "
       "'labels'."},
      {{{"image", FixedLenFeature{.dtype = DType::i64}}},
       "feature 'image' holds bytes, expected int64s (dtype i64)"},
      {{{"w", FixedLenFeature{.dtype = DType::string}}},
       "feature 'w' holds floats, expected bytes"},
      {{{"labels", FixedLenFeature{.dtype = DType::i64}}},
       "feature 'labels' holds 2 values, expected 1 (shape ())"},
      {{{"labels", FixedLenFeature{.shape = {3}, .dtype = DType::i64}}},
       "holds 2 values, expected 3 (shape (3,))"},
      {{{"label", FixedLenFeature{.dtype = DType::u8}}},
       "feature 'label' of type u8, expected string, i64 or f32"},
      {{{"a",
         FixedLenFeature{
             .shape = {2}, .dtype = DType::f32, .default_value = Literal::of<float>({1, 2, 3})}}},
       "a default of shape (3,), expected (2,) or one value"},
  };
  for (const Case& row : table) {
    EXPECT_CONTAINS(error_of([&] { ExampleParser(row.features).parse(record); }), row.wanted);
  }
  const Literal batch =
      Literal::strings({io::encode_example({{"v", Literal::of<int64_t>({1})}}),
                        io::encode_example({{"v", Literal::of<int64_t>({1, 2})}})});
  EXPECT_CONTAINS(error_of([&] {
                    ExampleParser({{"v", VarLenFeature{DType::i64}}}).parse_batch(batch);
                  }),
                  "record 1 of the batch: feature 'v' holds 2 values, expected 1 as in the first");
  EXPECT_CONTAINS(error_of([&] {
                    ExampleParser({{"v", RaggedFeature{DType::f32}}}).parse_batch(batch);
                  }),
                  "record 0 of the batch: feature 'v' holds int64s, expected floats");
}

TEST(TFExample, EveryTruncationAndFlipEndsWell) {
  const std::string record = io::encode_example(
      {{"image", Literal::scalar("pixels")}, {"label", Literal::scalar<int64_t>(300)}});
  for (size_t size = 0; size < record.size(); ++size) {
    EXPECT_NE(error_of([&] { mnist_parser().parse(record.substr(0, size)); }), "no error") << size;
  }
  for (size_t bit = 0; bit < 8 * record.size(); ++bit) {
    std::string damaged = record;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    error_of([&] { mnist_parser().parse(damaged); });  // an error or another value, but no crash
    error_of([&] { io::decode_example(damaged); });
  }
}

TEST(TFExample, HostileBytesAreRefused) {
  std::string nested = "x";
  for (int depth = 0; depth < 10000; ++depth) nested = field(1, nested).substr(0, 1 << 12);
  std::string groups(10000, '\x0b');  // start-group tags
  for (const std::string& record :
       {std::string(11, '\xff'), std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11),
        groups, std::string(1, '\0'), record_of(entry("a", 3, field(1, std::string(20, '\x80')))),
        record_of(entry("a", 2, field(1, "abc")))}) {
    EXPECT_CONTAINS(error_of([&] { io::decode_example(record); }), "DataLoss: not a tf.Example: ");
  }
  error_of([&] { io::decode_example(nested); });
}

}  // namespace
}  // namespace systolic
