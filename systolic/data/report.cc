#include "systolic/data/report.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "systolic/base/text.h"
#include "systolic/base/threads/thread_calibration.h"

namespace systolic::inline v0 {
namespace data {
namespace {

double per_thread_seconds(const StageReport& stage) {
  return stage.busy_seconds / std::max(stage.threads, 1);
}

bool share_threads(const StageReport& a, const StageReport& b) {
  return &a == &b || (a.team > 0 && a.team == b.team);
}

// The share of all that its threads do.
double team_seconds(const PipelineReport& report, const StageReport& stage) {
  double seconds = 0;
  for (const StageReport& each : report) {
    if (share_threads(each, stage)) seconds += per_thread_seconds(each);
  }
  return seconds;
}

// "4 threads, which also run interleave at a.cc:3": what else takes a tenth of their work.
std::string threads_of(const PipelineReport& report, const StageReport& stage) {
  std::vector<std::string> others;
  for (const StageReport& each : report) {
    const bool felt = per_thread_seconds(each) >= 0.1 * team_seconds(report, stage);
    if (&each != &stage && share_threads(each, stage) && felt) others.push_back(each.name);
  }
  const std::string threads = str(stage.threads, stage.threads == 1 ? " thread" : " threads");
  if (others.empty()) return threads;
  return str(threads, ", which also ", stage.threads == 1 ? "runs " : "run ", join(others));
}

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

constexpr std::string_view more_calls =
    "map(..., {.num_parallel_calls = data::autotune}) uses all processors";

std::string map_remedy(const PipelineReport& report, const StageReport& stage) {
  const bool batched_later = std::any_of(report.begin(), report.end(), [&](const StageReport& s) {
    return starts_with(s.name, "batch") && s.elements * 2 < stage.elements;
  });
  // Handing an element to another thread and back costs as much.
  constexpr double handing_over_seconds = 10e-6;
  const bool tiny = stage.busy_seconds < handing_over_seconds * static_cast<double>(stage.elements);
  const std::string batch_first =
      "batch before this map, so that the function works on whole batches";
  if (batched_later && tiny) return batch_first;
  if (stage.threads == 1) return std::string(more_calls);
  if (stage.threads < usable_processors())
    return str("num_parallel_calls above ", stage.threads, ", or data::autotune");
  const std::string waits =
      "more parallel calls where the function waits for a network or a disk; else ";
  if (batched_later) return waits + batch_first;
  return waits +
         "cache() after it where its results are the same in every epoch, or cheaper work: bytes "
         "(u8) to the device and the arithmetic there";
}

constexpr std::string_view nearer_files =
    "more parallel reads where the files are remote; else cache() after it where it fits, a "
    "nearer disk, or files that are not compressed";

struct Remedy {
  std::string_view name;
  std::string_view text;
  std::string_view of_all_processors = {};  // where all of them are at it already
};
constexpr Remedy remedies[] = {
    {"reading of TFRecord",
     "tfrecords(files, {.num_parallel_reads = data::autotune}), over more files", nearer_files},
    {"tfrecords",
     "fewer and larger files (systolic tfrecord shard), or more num_parallel_reads: it "
     "opens one after the other for longer than it reads"},
    {"reading of a cache", "prefetch(data::autotune) after it"},
    {"reading of", "read several files at a time: interleave with num_parallel_calls",
     nearer_files},
    {"from_generator", "prefetch(data::autotune) after it, or several generators by interleave"},
    {"interleave", "interleave(..., {.num_parallel_calls = data::autotune})",
     "batch() inside of its function, so that fewer elements change hands"},
    {"flat_map", "interleave with num_parallel_calls instead"},
    {"shuffle", "shuffle what is small (file names, records before they are decoded)"},
    {"cache", "prefetch(data::autotune) after it"},
    {"batch", "bytes (u8) in place of floats, and prefetch(data::autotune) after it"},
    {"padded_batch", "bucket_by_sequence_length, so that less is padded"},
    {"filter", "a map that marks the elements by several threads before a cheap filter"},
    {"unique", "fewer or smaller arrays in the elements"},
};

std::string remedy_for(const PipelineReport& report, const StageReport& stage) {
  std::string text;
  if (starts_with(stage.name, "map")) {
    text = map_remedy(report, stage);
  } else {
    const auto found =
        std::find_if(std::begin(remedies), std::end(remedies),
                     [&](const Remedy& each) { return starts_with(stage.name, each.name); });
    const bool known = found != std::end(remedies);
    const bool all_at_it = stage.threads > 1 && stage.threads >= usable_processors();
    text = !known ? std::string_view("prefetch(data::autotune) after it")
           : all_at_it && !found->of_all_processors.empty() ? found->of_all_processors
                                                            : found->text;
  }
  if (!report.ends_in_prefetch && text.find("prefetch") == std::string::npos)
    text += "; prefetch(data::autotune) at the end";
  return text;
}

// A shuffle that has taken more than twice what it has given, so that whoever works for it fills
// its buffer; nullptr where there is none. `last`: the stage that is looked at; only those after it
// wait for it.
const StageReport* filling_shuffle(const PipelineReport& report, const StageReport& last) {
  for (size_t i = 1; i < report.size(); ++i) {
    const StageReport& stage = report[i];
    if (&stage >= &last && starts_with(stage.name, "shuffle") &&
        report[i - 1].elements > 2 * stage.elements)
      return &stage;
  }
  return nullptr;
}

std::string diagnosis_of_filling(const StageReport& shuffle, const StageReport& busiest,
                                 const std::string& work) {
  const int64_t taken = (&shuffle - 1)->elements;
  std::string text =
      str(shuffle.name, " fills its buffer, before which nothing comes out: ", with_commas(taken),
          " elements went in, ", with_commas(shuffle.elements), " came out; ");
  if (&busiest != &shuffle) text += str(busiest.name, " works longest for it: ");
  text += str(work,
              "a smaller buffer, or a shuffle of what is small (file names, records before they "
              "are decoded)");
  const bool map_alone = starts_with(busiest.name, "map") && busiest.threads == 1;
  return map_alone ? str(text, "; ", more_calls) : text;
}

std::string percent(double share) {
  return str(static_cast<int64_t>(100 * std::clamp(share, 0.0, 1.0) + 0.5), " %");
}

}  // namespace

const StageReport* PipelineReport::limiting() const {
  const auto work = [this](const StageReport& stage) {
    return std::pair(team_seconds(*this, stage), stage.busy_seconds);
  };
  const auto longest =
      std::max_element(stages.begin(), stages.end(),
                       [&](const auto& a, const auto& b) { return work(a) < work(b); });
  return longest == stages.end() || longest->busy_seconds <= 0 ? nullptr : &*longest;
}

double PipelineReport::limiting_share() const {
  const StageReport* stage = limiting();
  return stage == nullptr || seconds <= 0 ? 0
                                          : std::min(1.0, team_seconds(*this, *stage) / seconds);
}

std::string PipelineReport::diagnosis() const {
  const StageReport* stage = limiting();
  if (stage == nullptr || seconds <= 0) return "nothing was read yet";
  const double waited = reader_waited_seconds / seconds;
  if (waited < 0.05)
    return str("the reader limits: it waited ", percent(waited), " of the time for the pipeline");
  const std::string work =
      str("at work ", percent(limiting_share()), " of the time on ", threads_of(*this, *stage),
          "; the reader waited ", percent(waited), " of the time. Remedy: ");
  if (const StageReport* shuffle = filling_shuffle(*this, *stage))
    return diagnosis_of_filling(*shuffle, *stage, work);
  // What works on the reader's own thread can do so only while that waits.
  const double of_time = ends_in_prefetch ? 1 : std::min(waited, 1.0);
  if (limiting_share() >= 0.5 * of_time)
    return str(stage->name, " limits: ", work, remedy_for(*this, *stage));
  double all = 0;
  for (const StageReport& each : stages) all += per_thread_seconds(each) / seconds;
  if (all >= 0.75 * of_time) {
    return str("no stage limits alone, they work in turns, ", stage->name, " longest: ", work,
               "prefetch(data::autotune) between them; ", remedy_for(*this, *stage));
  }
  return str("no stage limits, threads wait for one another or for a processor; ", stage->name,
             " works longest: ", work,
             "batch earlier, so that fewer and larger elements change hands, fewer threads, or "
             "other programs off the processors");
}

std::string to_string(const PipelineReport& report) {
  size_t width = 5;
  for (const StageReport& row : report) width = std::max(width, row.name.size());
  auto padded = [](std::string text, size_t size) {
    text.append(size > text.size() ? size - text.size() : 0, ' ');
    return text;
  };
  std::string text = str(padded("stage", width),
                         "  elements      bytes       busy       threads  waiting    holds\n");
  int64_t held = 0;
  for (const StageReport& row : report) {
    held += row.held_bytes;
    text += str(padded(row.name, width), "  ", padded(with_commas(row.elements), 12), "  ",
                padded(bytes_text(row.bytes), 10), "  ",
                padded(str(fixed(row.busy_seconds, 3), " s"), 9), "  ", padded(str(row.threads), 7),
                "  ", padded(str(fixed(row.waiting_seconds, 3), " s"), 9), "  ",
                bytes_text(row.held_bytes), "\n");
  }
  return str(text, report.diagnosis(), ".\n", bytes_text(held), " are held ahead, of a budget of ",
             bytes_text(report.memory_budget_bytes), ".\n");
}

}  // namespace data
}  // namespace systolic::inline v0
