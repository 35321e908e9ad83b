#include "systolic/data/sources/file_source.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/held_bytes.h"
#include "systolic/data/interleave/interleave.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace data {
namespace {

class FileStage : public Stage {
 public:
  FileStage(const Context& context, const Node& node, std::string_view name, std::string path,
            std::unique_ptr<RecordReader> reader, SourceLocation made_at)
      : Stage(context, &node, name),
        path_(std::move(path)),
        reader_(std::move(reader)),
        made_at_(made_at) {
    held_.set(reader_->held_bytes());
    reader_->set_read_ahead_room([this](size_t bytes) { return ahead_.hold(bytes); });
  }

 protected:
  Chunk produce(int64_t most) override {
    Chunk chunk;
    const auto count = static_cast<size_t>(std::min(most, largest_chunk));
    chunk.reserve(count);
    try {
      size_t bytes = 0;
      Example element;
      // As far as the next one, taken to be as large as those before, has room too.
      while (chunk.size() < count &&
             (chunk.empty() || bytes + bytes / chunk.size() <= run().large_chunk_bytes()) &&
             read(element)) {
        bytes += element.byte_size();
        ++records_;
        chunk.push_back(std::move(element));
      }
    } catch (...) {
      return fail_after(std::move(chunk));
    }
    held_.set(reader_->held_bytes());
    return chunk;
  }
  // Compressed files cannot be entered in the middle, and checking the records before the place
  // finds a file that has changed.
  void transfer_members(StateArchive& archive) override {
    int64_t records = records_;
    archive.integer(records, 0, INT64_MAX);
    Example element;
    for (; !archive.saving() && records_ < records; ++records_) {
      check_cancelled();
      if (read(element)) continue;
      raise<FailedPrecondition>({.what = str("'", path_, "' ended after ", records_, " records"),
                                 .wanted = str(records, ", as many as the saved iterator had read"),
                                 .hint = "restore with the same files"});
    }
  }

 private:
  bool read(Example& element) {
    try {
      return reader_->next(element);
    } catch (const Error& error) {
      error.rethrow_within("", made_at_);
    }
  }

  const std::string path_;
  ReadAheadBudget::Part ahead_{run().read_ahead()};
  std::unique_ptr<RecordReader> reader_;
  const SourceLocation made_at_;
  HeldBytes held_{counters()};
  int64_t records_ = 0;
};

class FileNode : public Node {
 public:
  FileNode(std::string path, const FileSource& source)
      : Node(source.reading, Options{}), path_(std::move(path)), source_(source) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return make_file_stage(context, *this, label(), path_, open(), source_.made_at);
  }
  int64_t cardinality() const override { return unknown_cardinality; }
  ElementSpec spec() const override { return source_.spec; }

 private:
  std::unique_ptr<RecordReader> open() const {
    try {
      return source_.open(path_);
    } catch (const Error& error) {
      error.rethrow_within("", source_.made_at);
    }
  }

  std::string path_;
  const FileSource& source_;
};

// The files of a list, one after the other.
class InputsOfFiles : public Inputs {
 public:
  InputsOfFiles(const Context& context, const Node& maker, const FileSource& source)
      : Inputs(context, maker), source_(source) {
    const auto count = static_cast<int64_t>(source.files.size());
    for (int64_t i = context.file_shard; i < count; i += context.file_shards)
      files_.push_back(source.files[static_cast<size_t>(i)]);
    // Before those of the maker, as the data flow.
    context.run->counters(inner_context().made_by, source.reading);
  }

 protected:
  Chunk next_origin() override {
    if (next_ == static_cast<int64_t>(files_.size())) return {};
    return {Example{{"file", Literal::scalar(files_[static_cast<size_t>(next_++)])}}};
  }
  NodePointer dataset_of(const Chunk& origin) override {
    const Literal& path = origin.front().only();
    const bool known = path.dtype() == DType::string && path.size() == 1 &&
                       std::find(files_.begin(), files_.end(), path.bytes()) != files_.end();
    if (!known) {
      raise<FailedPrecondition>({.what = str("the saved iterator reads ", path),
                                 .wanted = str("one of the ", files_.size(), " files"),
                                 .hint = "restore with the same list of files"});
    }
    return std::make_shared<FileNode>(std::string(path.bytes()), source_);
  }
  void transfer_origins(StateArchive& archive) override {
    archive.expect("files", static_cast<int64_t>(files_.size()));
    archive.integer(next_, 0, static_cast<int64_t>(files_.size()));
  }

 private:
  const FileSource& source_;
  std::vector<std::string> files_;
  int64_t next_ = 0;
};

class FilesNode : public Node {
 public:
  FilesNode(FileSource source, uint64_t bytes, std::string label)
      : Node(std::move(label), Options{}), source_(std::move(source)), bytes_(bytes) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return make_interleave(context, *this, std::make_unique<InputsOfFiles>(context, *this, source_),
                           source_.turns);
  }
  int64_t cardinality() const override { return unknown_cardinality; }
  ElementSpec spec() const override { return source_.spec; }
  FileTotals files() const override {
    return {static_cast<int64_t>(source_.files.size()), bytes_, source_.of_records};
  }
  std::string origin() const override {
    std::string files;
    for (const std::string& file : source_.files) {
      const auto status = io::file_system(file).status(file).value_or(io::FileStatus{});
      files += str(file, " ", status.bytes, " ", status.generation, ";");
    }
    return files;
  }
  std::string moved_origin() const override {
    std::string files = str(bytes_, " bytes;");
    for (const std::string& file : source_.files) files += file.substr(file.rfind('/') + 1) + ";";
    return files;
  }

 private:
  FileSource source_;
  uint64_t bytes_;  // of all files, when they were opened first
};

}  // namespace

std::unique_ptr<Stage> make_file_stage(const Context& context, const Node& node,
                                       std::string_view name, const std::string& path,
                                       std::unique_ptr<RecordReader> reader,
                                       SourceLocation made_at) {
  return std::make_unique<FileStage>(context, node, name, path, std::move(reader), made_at);
}

NodePointer make_unchecked_file_source(FileSource source, std::string label) {
  return std::make_shared<FilesNode>(std::move(source), 0, std::move(label));
}

NodePointer make_file_source(FileSource source, std::string_view name, SourceLocation location) {
  if (source.files.empty()) {
    raise<InvalidArgument>({.what = str(name, " of no files"),
                            .hint = "check the pattern given to io::glob",
                            .location = location});
  }
  source.made_at = location;
  const uint64_t bytes = io::check_readable(source.files, location);
  return std::make_shared<FilesNode>(std::move(source), bytes, label_at(name, location));
}

}  // namespace data
}  // namespace systolic::inline v0
