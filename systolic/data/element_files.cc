// Elements on disk: save, load, cache with a file, snapshot. A file of elements is a TFRecord file
// whose records are encode_element()'s bytes.
#include <cstdio>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/data/advice.h"
#include "systolic/data/dataset.h"
#include "systolic/data/file_source.h"
#include "systolic/io/crc32c.h"
#include "systolic/io/file.h"
#include "systolic/io/make_folder.h"
#include "systolic/io/tfrecord_reader.h"
#include "systolic/io/tfrecord_writer.h"

namespace systolic::inline v0 {
namespace data {
namespace {

constexpr std::string_view file_in_folder = "/elements.tfrec";

class ElementReader : public RecordReader {
 public:
  explicit ElementReader(const std::string& path) : reader_(path) {}
  bool next(Example& element) override {
    std::string_view record;
    if (!reader_.next(record)) return false;
    try {
      element = decode_element(record);
    } catch (const Error& error) {
      error.rethrow_within(str("'", reader_.path(), "', element ", reader_.counts().records - 1));
    }
    return true;
  }
  size_t held_bytes() const override { return reader_.held_bytes(); }

 private:
  io::TFRecordReader reader_;
};

ElementSpec spec_of_file(const std::string& path) {
  Example first;
  return ElementReader(path).next(first) ? spec_of(first) : ElementSpec{};
}

// Writes what passes; the file gets its name when the input has ended, and else there is none.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path, SourceLocation location = SourceLocation::current())
      : writer_(path, {}, location) {}
  ~FileWriter() { writer_.discard(); }  // nothing after finish()
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  void write(const Example& element) { writer_.write(std::string_view(encode_element(element))); }
  void finish() { writer_.close(); }

 private:
  io::TFRecordWriter writer_;
};

class DiskCacheStage : public Stage {
 public:
  DiskCacheStage(const Context& context, const Node& node, const Node& input,
                 const std::string& path)
      : Stage(context, &node, node.label()),
        context_(context),
        node_(node),
        origin_(input),
        path_(path) {
    reads_file_ = io::exists(path_);
    open();
  }

 protected:
  Chunk produce(int64_t most) override {
    Chunk chunk = elements_->next(most);
    if (reads_file_ || passes_) return chunk;
    if (writer_ == nullptr && !ended_) writer_ = std::make_unique<FileWriter>(path_);
    for (const Example& element : chunk) writer_->write(element);
    if (chunk.empty() && !ended_) {
      ended_ = true;
      writer_->finish();
    }
    return chunk;
  }
  // A pass that is taken up in the middle leaves the file to the next one.
  void transfer_members(StateArchive& archive) override {
    archive.flag(reads_file_);
    if (!archive.saving()) {
      passes_ = !reads_file_;
      open();
    }
    elements_->transfer(archive);
  }

 private:
  void open() {
    elements_ = reads_file_ ? make_file_stage(context_, node_, path_,
                                              std::make_unique<ElementReader>(path_))
                            : origin_.make(context_);
  }

  const Context context_;
  const Node& node_;
  const Node& origin_;
  const std::string path_;
  bool reads_file_ = false, passes_ = false, ended_ = false;
  std::unique_ptr<Stage> elements_;
  std::unique_ptr<FileWriter> writer_;
};

class DiskCacheNode : public UnaryNode {
 public:
  DiskCacheNode(NodePointer input, std::string path, std::string label)
      : UnaryNode(std::move(input), std::move(label)), path_(std::move(path)) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<DiskCacheStage>(context, *this, input(), path_);
  }

 private:
  std::string path_;
};

// The transformations before it by their names, and what they read, so that another pipeline or
// other data get another snapshot.
uint32_t checksum_of_pipeline(const Node& node, uint32_t sum) {
  for (const Node* input : node.inputs()) sum = checksum_of_pipeline(*input, sum);
  const std::string text =
      str(node.label().substr(0, node.label().find(" at ")), ";", node.origin());
  return io::crc32c(text.data(), text.size(), sum);
}

}  // namespace

void Dataset::save(const std::string& path, SourceLocation location) const {
  for (const std::string& line : advice_on_kept(*node_, "save")) log_warning(line);
  io::make_folder(path, location);
  FileWriter writer(path + std::string(file_in_folder), location);
  for (const Example& element : *this) writer.write(element);
  writer.finish();
}

Dataset load(const std::string& path, SourceLocation location) {
  const std::string file = path + std::string(file_in_folder);
  if (!io::exists(file)) {
    raise<NotFound>({.what = str("no saved dataset in '", path, "'"),
                     .hint = "write one with dataset.save(path)",
                     .location = location});
  }
  return Dataset(make_file_source(
      {.files = {file},
       .open = [](const std::string& name) { return std::make_unique<ElementReader>(name); },
       .spec = spec_of_file(file),
       .reading = "reading of saved elements"},
      "load", location));
}

Dataset Dataset::cache(const std::string& path, SourceLocation location) const {
  return Dataset(std::make_shared<DiskCacheNode>(node_, path, label_at("cache", location)));
}

Dataset Dataset::snapshot(const std::string& path, SourceLocation location) const {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%08x", checksum_of_pipeline(*node_, 0));
  const std::string folder = str(path, "/", digits);
  io::make_folder(folder, location);
  return Dataset(std::make_shared<DiskCacheNode>(node_, folder + std::string(file_in_folder),
                                                 label_at("snapshot", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
