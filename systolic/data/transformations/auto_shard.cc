// Dividing a dataset among workers: by file where that is possible, so that each reads less.
#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/node.h"
#include "systolic/data/transformations/sharing.h"

namespace systolic::inline v0 {
namespace data {
namespace {

class FileShardNode : public UnaryNode {
 public:
  FileShardNode(NodePointer input, int64_t shards, int64_t index, std::string label)
      : UnaryNode(std::move(input), std::move(label)), shards_(shards), index_(index) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    Context inner = context;
    inner.file_shard = index_ + context.file_shard * shards_;  // of the files that are left by this
    inner.file_shards = context.file_shards * shards_;
    return input().make(inner);
  }
  int64_t cardinality() const override {
    return input().cardinality() == infinite_cardinality ? infinite_cardinality
                                                         : unknown_cardinality;
  }

 private:
  int64_t shards_, index_;
};

}  // namespace

Dataset Dataset::auto_shard(int64_t num_workers, int64_t index, AutoShardPolicy policy,
                            SourceLocation location) const {
  if (num_workers < 1 || index < 0 || index >= num_workers) {
    raise<InvalidArgument>({.what = str("auto_shard(", num_workers, ", ", index, ")"),
                            .wanted = "an index in [0, num_workers)",
                            .location = location});
  }
  const AutoShardPolicy rule = sharing_of(*node_, num_workers, policy).policy;
  if (rule == AutoShardPolicy::off) return *this;
  if (rule == AutoShardPolicy::data) return shard(num_workers, index, location);
  const int64_t files = fewest_files(*node_);
  if (files < num_workers) {
    raise<InvalidArgument>({.what = files < 0
                                        ? std::string("auto_shard by file: a source reads no files")
                                        : str("auto_shard by file: ", files, " files"),
                            .wanted = str("at least one a worker, of ", num_workers),
                            .hint = "write more files, or divide by element: AutoShardPolicy::data",
                            .location = location});
  }
  return Dataset(
      std::make_shared<FileShardNode>(node_, num_workers, index, label_at("auto_shard", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
