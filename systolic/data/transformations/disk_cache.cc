// cache with a file, and snapshot: elements kept on disk after they have passed once.
//
// The first record of the file says which pipeline wrote it, so that no other one takes it for its
// own.
#include <cstdio>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"
#include "systolic/data/sources/element_stream.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"

namespace systolic::inline v0 {
namespace data {
namespace {

constexpr std::string_view first_words = "elements of ";

std::string digits_of(uint32_t checksum) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%08x", checksum);
  return digits;
}

// The transformations up to a place by their names, in order, and a checksum of what they read.
// Functions and most arguments have no name to be known by.
struct Description {
  std::string names;
  uint32_t sources = 0;
};

using Origin = std::string (Node::*)() const;

void describe(const Node& node, Origin origin_of, Description& described) {
  for (const Node* input : node.inputs()) describe(*input, origin_of, described);
  described.names += str(described.names.empty() ? "" : ", ", name_in(node.label()));
  const std::string origin = (node.*origin_of)();
  described.sources = io::crc32c(origin.data(), origin.size(), described.sources);
}

// Another pipeline or other data get another snapshot.
std::string folder_of_snapshot(const Node& node) {
  Description described;
  describe(node, &Node::origin, described);
  return digits_of(io::crc32c(described.names.data(), described.names.size(), described.sources));
}

// "elements of tfrecords, map, batch: 40 of them; what is read there: 5f3a9c01"
std::string description_of(const Node& node) {
  Description described;
  describe(node, &Node::moved_origin, described);
  const int64_t count = node.cardinality();
  return str(first_words, described.names, ": ",
             count == infinite_cardinality  ? "endless"
             : count == unknown_cardinality ? "of unknown number"
                                            : str(count, " of them"),
             "; what is read there: ", digits_of(described.sources));
}

class CacheReader : public RecordReader {
 public:
  CacheReader(const std::string& path, const std::string& description, SourceLocation location)
      : path_(path), elements_(path) {
    std::string_view text;
    const bool known = with_hint([&] { return elements_.next_text(text); }) &&
                       text.substr(0, first_words.size()) == first_words;
    if (known && text == description) return;
    constexpr size_t most_shown = 500;
    raise<FailedPrecondition>(
        {.what = known ? str("the cache '", path, "' was written by another pipeline")
                       : str("'", path, "' does not say which pipeline it is a cache of"),
         .got = known ? str("'", text.substr(0, most_shown), "'") : "",
         .wanted = str("'", description.substr(0, most_shown), "'"),
         .hint = hint(),
         .location = location});
  }
  bool next(Example& element) override {
    return with_hint([&] { return elements_.next(element); });
  }
  size_t held_bytes() const override { return elements_.held_bytes(); }
  void set_read_ahead_room(io::ReadAheadRoom room) override {
    elements_.set_read_ahead_room(std::move(room));
  }

 private:
  std::string hint() const {
    return str("give this cache a path of its own; or, if '", path_,
               "' is an old one, delete it: the next pass writes it again");
  }
  template <class Read>
  bool with_hint(const Read& read) const {
    try {
      return read();
    } catch (const DataLoss& error) {
      ErrorReport report = error.report();
      report.hint = hint();
      throw DataLoss(std::move(report));
    }
  }

  const std::string path_;
  ElementReader elements_;
};

// A file that keeps elements, and a description of the pipeline that they come from.
struct CacheFile {
  std::string path, description;
  SourceLocation location;  // the user's line

  std::unique_ptr<Stage> read(const Context& context, const Node& node) const {
    return make_file_stage(context, node, "reading of a cache", path,
                           std::make_unique<CacheReader>(path, description, location), location);
  }
};

// Every pass that finds no file is like the first. So a run that is resumed during the first, which
// leaves the file to the next pass, continues with the elements that the file would hold.
std::unique_ptr<Stage> make_origin(const Node& origin, Context context) {
  context.epoch = 0;
  return origin.make(context);
}

class DiskCacheStage : public Stage {
 public:
  // `elements` reads the file, or what `origin` makes.
  DiskCacheStage(const Context& context, const Node& node, const Node& origin,
                 const CacheFile& file, bool reads_file, std::unique_ptr<Stage> elements)
      : Stage(context, &node, node.label()),
        context_(context),
        node_(node),
        origin_(origin),
        file_(file),
        reads_file_(reads_file),
        elements_(std::move(elements)) {}

 protected:
  Chunk produce(int64_t most) override {
    Chunk chunk = elements_->next(most);
    if (reads_file_ || passes_) return chunk;
    if (writer_ == nullptr && !ended_) start_writing();
    for (const Example& element : chunk) writer_->write(element);
    if (chunk.empty() && !ended_) {
      ended_ = true;
      writer_->finish();
    }
    return chunk;
  }
  // A pass that is resumed in the middle leaves the file to the next one.
  void transfer_members(StateArchive& archive) override {
    archive.flag(reads_file_);
    if (!archive.saving()) {
      passes_ = !reads_file_;
      elements_ = reads_file_ ? file_.read(context_, node_) : make_origin(origin_, context_);
    }
    elements_->transfer(archive);
  }

 private:
  void start_writing() {
    try {
      writer_ = std::make_unique<ElementWriter>(file_.path, SourceLocation{});
    } catch (const Error& error) {
      error.rethrow_within(node_.label());
    }
    writer_->write_text(file_.description);
  }

  const Context context_;
  const Node& node_;
  const Node& origin_;
  const CacheFile& file_;
  bool reads_file_, passes_ = false, ended_ = false;
  std::unique_ptr<Stage> elements_;
  std::unique_ptr<ElementWriter> writer_;
};

class DiskCacheNode : public UnaryNode {
 public:
  DiskCacheNode(NodePointer input, std::string path, std::string_view name, SourceLocation location)
      : UnaryNode(std::move(input), label_at(name, location)),
        file_{std::move(path), description_of(this->input()), location} {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    const bool there = io::exists(file_.path);
    auto elements = there ? file_.read(context, *this) : make_origin(input(), context);
    return std::make_unique<DiskCacheStage>(context, *this, input(), file_, there,
                                            std::move(elements));
  }

 private:
  const CacheFile file_;
};

}  // namespace

Dataset Dataset::cache(const std::string& path, SourceLocation location) const {
  return Dataset(std::make_shared<DiskCacheNode>(node_, path, "cache", location));
}

Dataset Dataset::snapshot(const std::string& path, SourceLocation location) const {
  const std::string folder = str(path, "/", folder_of_snapshot(*node_));
  io::make_folder(folder, location);
  return Dataset(std::make_shared<DiskCacheNode>(node_, folder + std::string(file_in_folder),
                                                 "snapshot", location));
}

}  // namespace data
}  // namespace systolic::inline v0
