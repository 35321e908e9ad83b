// The readers of data files.
#include <stdexcept>
#include <string>

#include "systolic/io/records/tf_example.h"
#include "systolic/io/records/tfrecord_reader.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/io/tensors/torch/pickle.h"
#include "systolic/io/tensors/torch/torch_file.h"
#include "tests/fuzz/attempt.h"
#include "tests/fuzz/targets.h"

namespace fuzz {
namespace {

using namespace systolic;

void read_records(const std::string& path, io::Compression compression) {
  io::TFRecordReader reader(path, {.compression = compression,
                                   .on_corrupt = io::OnCorrupt::skip_record,
                                   .max_record_bytes = 1 << 20});
  for (std::string_view record; reader.next(record);) attempt([&] { io::decode_example(record); });
}

}  // namespace

void example(std::string_view bytes) {
  attempt([&] {
    const Example decoded = io::decode_example(bytes);
    const std::string encoded = io::encode_example(decoded);
    if (io::encode_example(io::decode_example(encoded)) != encoded) {
      throw std::logic_error("what was decoded is encoded as something else");
    }
  });
  static const io::ExampleParser parser({{"image", FixedLenFeature{.dtype = DType::string}},
                                         {"label", FixedLenFeature{.dtype = DType::i64}},
                                         {"x", VarLenFeature{.dtype = DType::f32}},
                                         {"r", RaggedFeature{.dtype = DType::i64}}});
  attempt([&] { parser.parse(bytes); });
  attempt([&] { parser.parse_batch(Literal::strings({std::string(bytes)})); });
}

void tfrecord(std::string_view bytes) {
  const MemoryFile file(bytes);
  attempt([&] { read_records(file.path(), io::Compression::none); });
  attempt([&] { read_records(file.path(), io::Compression::gzip); });
}

void numpy(std::string_view bytes) {
  attempt([&] { io::parse_npy(bytes, "array.npy"); });
  const MemoryFile file(bytes);
  attempt([&] { io::read_npz(file.path()); });
}

void safetensors(std::string_view bytes) {
  const MemoryFile file(bytes);
  attempt([&] { io::read_safetensors(file.path()); });
}

void pickle(std::string_view bytes) {
  attempt([&] { io::Pickle(bytes, "fuzz", [](std::string_view) { return true; }); });
  const MemoryFile file(bytes);
  attempt([&] {
    const auto tensors = io::open_torch_file(file.path());
    for (size_t i = 0; i < tensors->tensors().size(); ++i) {
      attempt([&] { tensors->read(i); });
    }
  });
}

}  // namespace fuzz
