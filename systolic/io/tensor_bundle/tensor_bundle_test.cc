// Writing and reading again, and what damage says.
#include "systolic/io/tensor_bundle/tensor_bundle.h"

#include <filesystem>

#include "systolic/base/protobuf/wire.h"
#include "systolic/base/test_errors.h"
#include "systolic/core/example.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensor_bundle/object_graph.h"
#include "systolic/io/tensor_bundle/sorted_table.h"

namespace systolic {
namespace {

using io::BundleEntry;

std::string bundle_path(const TemporaryFolder& folder) { return folder / "ckpt"; }

// A checkpoint of these entries, and one file of numbers.
void put_bundle(const std::string& prefix, const std::map<std::string, std::string>& entries,
                std::string_view numbers, const std::string& header) {
  io::SortedTableWriter table;
  table.add("", header);
  for (const auto& [name, entry] : entries) table.add(name, entry);
  put_file(prefix + ".index", table.finish());
  put_file(prefix + ".data-00000-of-00001", numbers);
}

void put_bundle(const std::string& prefix, const BundleEntry& entry, std::string_view numbers) {
  put_bundle(prefix, {{"x", io::encode_bundle_entry(entry)}}, numbers,
             io::encode_bundle_header({.shards = 1}));
}

std::string error_of_reading(const std::string& prefix) {
  return error_of([&] {
    const auto bundle = io::open_tensor_bundle(prefix);
    for (size_t i = 0; i < bundle->tensors().size(); ++i) bundle->read(i);
  });
}

TEST(TensorBundle, WhatIsWrittenIsReadAgain) {
  const TemporaryFolder folder;
  const Example written{
      {"b", Literal::of<float>({{1, 2}, {3, 4}})},
      {"a", Literal::scalar<bool>(true)},
      {"c/" + std::string(70, 'n'), Literal::strings({"", "text"})},
      {"empty", Literal::zeros(DType::i16, {0, 2})},
      {"half", Literal::of<float>({0.5, -2}).convert(DType::bf16)},
  };
  io::TensorBundleWriter writer(bundle_path(folder));
  for (const auto& tensor : written) writer.add(tensor.name, tensor.value);
  writer.close();

  const auto bundle = io::open_tensor_bundle(bundle_path(folder));
  ASSERT_EQ(bundle->tensors().size(), written.size());
  EXPECT_EQ(bundle->tensors()[0].name, "a");
  for (size_t i = 0; i < written.size(); ++i)
    EXPECT_EQ(bundle->read(i), written[bundle->tensors()[i].name]);
  EXPECT_FALSE(bundle->read(1).owns_memory());  // a view of the file
}

TEST(TensorBundle, ManyBlocks) {
  const TemporaryFolder folder;
  io::TensorBundleWriter writer(bundle_path(folder));
  constexpr int count = 5000;
  for (int i = count; i > 0; --i) writer.add(str("layer_", i, "/kernel"), Literal::scalar(i));
  writer.close();
  const auto bundle = io::open_tensor_bundle(bundle_path(folder) + ".index");
  ASSERT_EQ(bundle->tensors().size(), static_cast<size_t>(count));
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQ(bundle->tensors()[i].name, str("layer_", bundle->read(i).item<int>(), "/kernel"));
}

TEST(TensorBundle, WithoutCloseNothingRemains) {
  const TemporaryFolder folder;
  { io::TensorBundleWriter(bundle_path(folder)).add("x", Literal::scalar(1)); }
  EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
}

TEST(TensorBundle, NamesThatCannotBe) {
  const TemporaryFolder folder;
  io::TensorBundleWriter writer(bundle_path(folder));
  writer.add("x", Literal::scalar(1));
  for (const std::string& name : {std::string("x"), std::string(), std::string("\0x", 2)}) {
    EXPECT_CONTAINS(error_of([&] { writer.add(name, Literal::scalar(1)); }),
                    "InvalidArgument: tensor '");
  }
}

TEST(TensorBundle, EntriesThatDoNotFit) {
  const TemporaryFolder folder;
  const std::string numbers(8, '\1');
  const uint32_t crc = io::mask_crc(io::crc32c(numbers));
  const BundleEntry good{.type_number = 1, .dims = {2}, .size = 8, .masked_crc = crc};
  put_bundle(bundle_path(folder), good, numbers);
  EXPECT_EQ(error_of_reading(bundle_path(folder)), "no error");
  struct Case {
    BundleEntry entry;
    std::string says;
  };
  const int64_t huge = int64_t{1} << 60;
  auto changed = [&](auto change) {
    BundleEntry entry = good;
    change(entry);
    return entry;
  };
  const std::vector<Case> cases = {
      {changed([](auto& e) { e.dims = {3}; }), "8 bytes for f32(3,), which has 12"},
      {changed([](auto& e) { e.dims = {-2}; }), "a shape of dimensions (-2)"},
      {changed([&](auto& e) {
         e.dims = {huge, huge};
       }),
       "a shape of dimensions"},
      {changed([](auto& e) { e.dims.assign(255, 1); }), "a shape of dimensions"},
      {changed([](auto& e) { e.shard = 1; }), "file 1 of 1"},
      {changed([](auto& e) { e.shard = -1; }), "file -1 of 1"},
      {changed([](auto& e) { e.offset = 1; }), "8 bytes at 1 of file 0, which has 8"},
      {changed([](auto& e) { e.offset = INT64_MAX - 4; }), "of file 0, which has 8"},
      {changed([](auto& e) { e.offset = -8; }), "8 bytes at -8"},
      {changed([&](auto& e) {
         e.dims = {huge};
         e.size = 4 * huge;
       }),
       "bytes at"},
      {changed([](auto& e) { ++e.masked_crc; }), "a wrong checksum"},
      {changed([](auto& e) { e.type_number = 7; }), "checksum of the strings' lengths"},
      {changed([&](auto& e) {
         e.type_number = 7;
         e.dims = {huge};
       }),
       "strings in 8 bytes"},
  };
  for (const Case& each : cases) {
    put_bundle(bundle_path(folder), each.entry, numbers);
    expect_parts(error_of_reading(bundle_path(folder)), {"DataLoss: '", "ckpt.index", each.says});
  }
}

// An entry that stands for parts: a message per axis, {start, length}.
std::string entry_of_parts(const std::vector<std::pair<int, int>>& rows) {
  std::string entry = io::encode_bundle_entry({.type_number = 1, .dims = {4}});
  for (const auto& [start, length] : rows) {
    std::string extent, slice;
    protobuf::append_tag(1, protobuf::WireType::varint, extent);
    protobuf::append_varint(static_cast<uint64_t>(start), extent);
    protobuf::append_tag(2, protobuf::WireType::varint, extent);
    protobuf::append_varint(static_cast<uint64_t>(length), extent);
    protobuf::append_bytes_header(1, extent.size(), slice);
    slice += extent;
    protobuf::append_bytes_header(7, slice.size(), entry);
    entry += slice;
  }
  return entry;
}

TEST(TensorBundle, PartsThatDoNotFit) {
  const TemporaryFolder folder;
  const std::string numbers(16, '\0'), part_bytes(8, '\0');
  const uint32_t crc = io::mask_crc(io::crc32c(part_bytes));
  auto key = [](int start) { return io::slice_key("x", {{{start, 2}}}); };
  const std::string part =
      io::encode_bundle_entry({.type_number = 1, .dims = {2}, .size = 8, .masked_crc = crc});
  struct Case {
    std::vector<std::pair<int, int>> rows;
    std::string says;
  };
  const std::vector<Case> cases = {
      {{{0, 2}, {2, 2}}, "no error"},
      {{{0, 2}, {1, 2}}, "parts that overlap"},
      {{{0, 2}}, "parts of 2 elements in all"},
      {{{0, 2}, {3, 2}}, "a part of 2 from 3 on"},
      {{{0, 1}, {1, 3}}, "a part that is not there"},
  };
  for (const Case& each : cases) {
    put_bundle(bundle_path(folder),
               {{"x", entry_of_parts(each.rows)}, {key(0), part}, {key(2), part}}, numbers,
               io::encode_bundle_header({.shards = 1}));
    EXPECT_CONTAINS(error_of_reading(bundle_path(folder)), each.says);
  }
  put_bundle(bundle_path(folder),
             {{"x", entry_of_parts({{0, 2}, {2, 2}})}, {key(0), part}, {key(2), part}}, part_bytes,
             io::encode_bundle_header({.shards = 1}));
  EXPECT_CONTAINS(error_of_reading(bundle_path(folder)), "16 bytes in files of 8");
}

TEST(TensorBundle, HeadersThatDoNotFit) {
  const TemporaryFolder folder;
  const std::string big_endian = io::encode_bundle_header({.shards = 1}) + "\x10\x01";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\xff", "DataLoss: '"}, {"", "0 files of numbers"}, {big_endian, "big-endian numbers"}};
  for (const auto& [header, says] : cases) {
    put_bundle(bundle_path(folder), std::map<std::string, std::string>{}, "", header);
    expect_parts(error_of_reading(bundle_path(folder)), {"ckpt.index", says});
  }
  put_bundle(bundle_path(folder), BundleEntry{.type_number = 1, .dims = {0}}, "");
  std::filesystem::remove(bundle_path(folder) + ".data-00000-of-00001");
  EXPECT_CONTAINS(error_of_reading(bundle_path(folder)), "NotFound: ");
}

// Every byte of a table changed, and every shorter one. No checksum covers the footer.
TEST(TensorBundle, DamagedTables) {
  constexpr size_t footer = 48;
  io::SortedTableWriter writer;
  for (int i = 10; i < 50; ++i) writer.add(str("layer/", i), "something");
  const std::string whole = writer.finish();
  auto error_of_table = [](std::string_view bytes) {
    return error_of([&] { io::read_sorted_table(bytes, "ckpt.index", {}); });
  };
  EXPECT_EQ(error_of_table(whole), "no error");
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_CONTAINS(error_of_table(whole.substr(0, i)), "DataLoss: 'ckpt.index': ");
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    const std::string error = error_of_table(damaged);
    if (i + footer < whole.size()) {
      EXPECT_CONTAINS(error, "DataLoss: 'ckpt.index': ") << "byte " << i;
    }
  }
}

// Keys of which each has one byte more than the one before, and stores only that one.
TEST(TensorBundle, NamesThatFillTheMemory) {
  std::string table;
  auto put_block = [&](std::string block) {
    block.append("\0\0\0\0\1\0\0\0\0", 9);  // one restart; not packed
    const uint32_t crc = io::mask_crc(io::crc32c(block));
    std::string handle;
    protobuf::append_varint(table.size(), handle);
    protobuf::append_varint(block.size() - 1, handle);
    table += block.append(reinterpret_cast<const char*>(&crc), sizeof(crc));
    return handle;
  };
  std::string pairs;
  for (uint64_t shared = 0; shared < 50'000; ++shared) {
    protobuf::append_varint(shared, pairs);
    pairs.append("\1\0k", 3);
  }
  const std::string data = put_block(pairs);
  const std::string index = std::string("\0\1", 2) + static_cast<char>(data.size()) + "z" + data;
  std::string footer = put_block("");
  footer += put_block(index);
  footer.resize(40);
  table += footer + "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
  EXPECT_CONTAINS(error_of([&] { io::read_sorted_table(table, "ckpt.index", {}); }),
                  "names that fill the memory");
}

TEST(TensorBundle, GraphsThatPointElsewhere) {
  io::ObjectGraph graph;
  graph.nodes.resize(1);
  graph.nodes[0].children = {{"a", 1}};
  EXPECT_CONTAINS(
      error_of([&] { io::parse_object_graph(io::encode_object_graph(graph), "ckpt.index"); }),
      "DataLoss: 'ckpt.index': its graph of 1 objects points to others");
  EXPECT_CONTAINS(error_of([] { io::parse_object_graph("\x0a\x7f", "ckpt.index"); }),
                  "DataLoss: 'ckpt.index': its graph of objects is damaged");
  graph.nodes[0].children = {{"self", 0}};  // a cycle is no harm
  EXPECT_EQ(io::parse_object_graph(io::encode_object_graph(graph), "").find("self/self/self"), 0u);
}

}  // namespace
}  // namespace systolic
