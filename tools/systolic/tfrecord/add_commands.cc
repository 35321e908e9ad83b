#include "tools/systolic/tfrecord/add_commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "tools/systolic/tfrecord/commands.h"

namespace tool::tfrecord {
namespace {

using Commands = std::vector<std::pair<CLI::App*, std::function<int()>>>;

struct Options {
  Files files;
  std::string folder;
  int64_t cores = 8, records = 5;
  ShardOptions shard;
  WriteOptions write;
};

CLI::App& verb(CLI::App& app, const char* name, const char* what, const char* examples) {
  return *app.add_subcommand(name, what)->footer(std::string("examples\n") + examples);
}

void add_files(CLI::App& command, Files& files) {
  command.add_option("FILE", files, "paths, gs://..., https://..., or patterns in quotes")
      ->required();
}

void add_cores(CLI::App& command, int64_t& cores) {
  command.add_option("--cores", cores, "that will read: 8 of a v3-8")
      ->capture_default_str()
      ->check(CLI::Range(1, 65'536));
}

void add_looks(CLI::App& app, Commands& commands, const std::shared_ptr<Options>& options) {
  CLI::App& info_verb =
      verb(app, "info", "records, sizes, features, and what the guides would have otherwise",
           "  systolic tfrecord info 'gs://bucket/train-*.tfrec' --cores 8");
  add_files(info_verb, options->files);
  add_cores(info_verb, options->cores);
  commands.emplace_back(&info_verb,
                        [options] { return info(options->files, options->cores, std::cout); });
  CLI::App& verify_verb = verb(app, "verify", "check both checksums of every record",
                               "  systolic tfrecord verify train-*.tfrec");
  add_files(verify_verb, options->files);
  commands.emplace_back(&verify_verb, [options] { return verify(options->files, std::cout); });
  CLI::App& cat_verb = verb(app, "cat", "every record as a line of JSON",
                            "  systolic tfrecord cat train.tfrec | jq .features.feature.label");
  add_files(cat_verb, options->files);
  commands.emplace_back(&cat_verb, [options] { return cat(options->files, std::cout); });
  CLI::App& head_verb = verb(app, "head", "the first records, values cut short",
                             "  systolic tfrecord head --records 3 train.tfrec");
  add_files(head_verb, options->files);
  head_verb.add_option("--records,-n", options->records, "of each file")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40));
  commands.emplace_back(&head_verb,
                        [options] { return head(options->files, options->records, std::cout); });
}

void add_copies(CLI::App& app, Commands& commands, const std::shared_ptr<Options>& options) {
  CLI::App& shard_verb =
      verb(app, "shard", "deal the records out to files of the number and size the guides advise",
           "  systolic tfrecord shard big.tfrec --output train\n"
           "  systolic tfrecord shard 'part-*' --output gs://bucket/train --shards 16");
  add_files(shard_verb, options->shard.files);
  shard_verb.add_option("--output", options->shard.output, "PREFIX-00000-of-00016.tfrec ...")
      ->required();
  shard_verb.add_option("--shards", options->shard.shards, "files (default: as the guides advise)")
      ->check(CLI::Range(1, 99'999));
  add_cores(shard_verb, options->shard.cores);
  shard_verb.add_flag("--gzip", options->shard.gzip, "compress them");
  shard_verb.add_flag("--force", options->shard.force, "replace shards that are there");
  commands.emplace_back(&shard_verb, [options] { return shard(options->shard, std::cout); });
  CLI::App& repair_verb =
      verb(app, "repair", "copy what is whole of damaged files",
           "  mkdir whole && systolic tfrecord repair train-*.tfrec --output whole");
  add_files(repair_verb, options->files);
  repair_verb.add_option("--output", options->folder, "folder for files of the same names")
      ->required();
  commands.emplace_back(&repair_verb,
                        [options] { return repair(options->files, options->folder, std::cout); });
}

void add_write(CLI::App& app, Commands& commands, const std::shared_ptr<Options>& options) {
  CLI::App& command = verb(
      app, "write", "make a data set of images, CSV, text, IDX or JSON lines, as tfds has them",
      "  systolic tfrecord write flowers/ --output data --name flowers\n"
      "  systolic tfrecord write train-images-idx3-ubyte.gz train-labels-idx1-ubyte.gz \\\n"
      "      --output data --name mnist --format idx\n"
      "read it with datasets::load, or tfds.builder_from_directory(\"data/flowers/1.0.0\")");
  WriteOptions& write_options = options->write;
  command.add_option("SOURCE", write_options.sources, "a folder of class folders, or files")
      ->required();
  command.add_option("--output", write_options.output, "folder of data sets, also gs://...")
      ->required();
  command.add_option("--name", write_options.name, "of the data set")->required();
  command.add_option("--version", write_options.version)->capture_default_str();
  command.add_option("--split", write_options.split)->capture_default_str();
  command.add_option("--format", write_options.format,
                     "images, csv, text, idx, jsonl (default: by the source's name)");
  command.add_option("--tokenizer", write_options.tokenizer,
                     "a model's folder: lines of text become its tokens, input_ids");
  command.add_option("--shards", write_options.shards, "files (default: as the guides advise)")
      ->check(CLI::Range(1, 99'999));
  add_cores(command, write_options.cores);
  command.add_option("--seed", write_options.seed, "of the order")->capture_default_str();
  command.add_flag("!--no-shuffle", write_options.shuffle, "keep the source's order");
  command.add_flag("--force", write_options.force, "replace the split if it is there");
  commands.emplace_back(&command, [options] { return write(options->write, std::cout); });
}

}  // namespace

void add_commands(CLI::App& app, Commands& commands) {
  CLI::App& group = *app.add_subcommand("tfrecord", "look at, check, reshard, mend, make TFRecords")
                         ->require_subcommand(1)
                         ->footer("`systolic tfrecord VERB --help` has examples.");
  const auto options = std::make_shared<Options>();
  add_looks(group, commands, options);
  add_copies(group, commands, options);
  add_write(group, commands, options);
}

}  // namespace tool::tfrecord
