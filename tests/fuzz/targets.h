// What is fuzzed: readers of what files and peers contain. A target may throw a systolic::Error; it
// may not crash, hang, or take memory without bound.
#pragma once

#include <span>
#include <string_view>

namespace fuzz {

// StableHLO text: read, printed, read again (the same text), imported.
void text(std::string_view bytes);
// MLIR bytecode: read, printed, imported.
void bytecode(std::string_view bytes);
// StableHLO text: imported, verified, interpreted on zeros within a budget of ops.
void program(std::string_view bytes);
// tf.train.Example: decoded, encoded, decoded again; parsed by a schema.
void example(std::string_view bytes);
// TFRecord, plain and gzip: read with damage skipped.
void tfrecord(std::string_view bytes);
// .npy and .npz.
void numpy(std::string_view bytes);
// .safetensors.
void safetensors(std::string_view bytes);
// Pickles by themselves, and PyTorch's files, which hold them.
void pickle(std::string_view bytes);
// Pictures of every format, decoded whole and scaled.
void image(std::string_view bytes);
// Paths, patterns and parts of data sets, as users and files write them.
void path(std::string_view bytes);
// What Google's servers answer: objects, listings, errors, tokens; credentials on the disk.
void answer(std::string_view bytes);
// The state of an iterator, its checksum made right; and elements.
void state(std::string_view bytes);
// Parquet and Arrow files, read by the process that reads them for users, and their rows; and the
// bytes as what that process answers.
void parquet(std::string_view bytes);
// Tables in text, and archives.
void table(std::string_view bytes);
// A tokenizer.json, and after a NUL a text: read, the text encoded and decoded, written, read
// again.
void tokenizer(std::string_view bytes);
// A text, after a byte that chooses a tokenizer: encoded in all ways, those that must agree
// compared; cut, padded and decoded.
void encode(std::string_view bytes);
// A chat template, and after a NUL the values that it knows, as JSON: written.
void chat_template(std::string_view bytes);
// A model's config.json: read, written, read again.
void config(std::string_view bytes);
// HDF5, read by the process that reads it for users.
void h5(std::string_view bytes);
// A TensorFlow checkpoint: the bytes as its table, as a graph of objects, and as names and entries
// of a table whose checksums are right.
void bundle(std::string_view bytes);
// A model's configuration as Keras writes it: read, its layers written, read again; and the archive
// that holds one.
void keras(std::string_view bytes);
// A SavedModel's keras_metadata.pb, as it is and with the bytes as its model's configuration,
// beside a checkpoint that lies.
void saved_model(std::string_view bytes);
// A step's folder of a run, from which fit goes on: the bytes as its file, and as what the file's
// header says, with arrays that fit a model.
void checkpoint(std::string_view bytes);

// A message to the coordination service of a run ("m" first), or to a served device, after another.
void rpc(std::string_view bytes);

struct Target {
  const char* name;  // of its corpus too: tests/fuzz/corpus/NAME
  void (*run)(std::string_view bytes);
};
std::span<const Target> targets();

}  // namespace fuzz
