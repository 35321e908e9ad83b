#include "systolic/data/workers/worker.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "systolic/base/test_errors.h"
#include "systolic/data/dataset.h"

namespace systolic {
namespace {

using Variables = std::map<std::string, std::string>;

// These variables for as long as it lives, and no others of those that count.
class Environment {
 public:
  explicit Environment(const Variables& variables) {
    clear();
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() { clear(); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void clear() {
    for (const char* name : {"TF_CONFIG", "TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID",
                             "MEGASCALE_NUM_SLICES", "MEGASCALE_SLICE_ID"})
      ::unsetenv(name);
  }
};

std::string config(const std::string& type, int index) {
  return str(R"({"cluster": {"chief": ["a:1"], "worker": ["b:1", "c:1", "d:1"], "ps": ["e:1"]},
                 "task": {"type": ")",
             type, R"(", "index": )", index, "}}");
}

TEST(Worker, IsWhatTheEnvironmentSays) {
  const std::pair<Variables, std::string> table[] = {
      {{}, "0 of 1 ()"},
      {{{"TF_CONFIG", ""}}, "0 of 1 ()"},
      {{{"TF_CONFIG", "{}"}}, "0 of 1 (TF_CONFIG)"},
      {{{"TF_CONFIG", config("chief", 0)}}, "0 of 4 (TF_CONFIG)"},
      {{{"TF_CONFIG", config("worker", 2)}}, "3 of 4 (TF_CONFIG)"},
      {{{"TF_CONFIG", config("evaluator", 0)}}, "0 of 1 (TF_CONFIG)"},
      {{{"TF_CONFIG", R"({"cluster": {"worker": ["a", "b"]},
                          "task": {"type": "worker", "index": 1}})"}},
       "1 of 2 (TF_CONFIG)"},
      {{{"TPU_WORKER_HOSTNAMES", "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4"}, {"TPU_WORKER_ID", "2"}},
       "2 of 4 (TPU_WORKER_HOSTNAMES)"},
      {{{"TPU_WORKER_HOSTNAMES", "localhost"}}, "0 of 1 (TPU_WORKER_HOSTNAMES)"},
      {{{"TPU_WORKER_HOSTNAMES", "a,b"},
        {"TPU_WORKER_ID", "1"},
        {"MEGASCALE_NUM_SLICES", "3"},
        {"MEGASCALE_SLICE_ID", "2"}},
       "5 of 6 (TPU_WORKER_HOSTNAMES)"},
      {{{"TF_CONFIG", config("worker", 0)},
        {"TPU_WORKER_HOSTNAMES", "a,b"},
        {"TPU_WORKER_ID", "1"}},
       "1 of 4 (TF_CONFIG)"},
  };
  for (const auto& [variables, wanted] : table) {
    const Environment environment(variables);
    const data::Worker worker = data::this_worker();
    EXPECT_EQ(str(worker.index, " of ", worker.count, " (", worker.said_by, ")"), wanted);
  }
}

TEST(Worker, WhatMakesNoSenseIsNamed) {
  const std::pair<Variables, std::string> table[] = {
      {{{"TF_CONFIG", "worker 1"}}, "TF_CONFIG is 'worker 1', expected a JSON object"},
      {{{"TF_CONFIG", "[]"}}, "TF_CONFIG"},
      {{{"TF_CONFIG", config("worker", 3)}}, "a task that is in the cluster"},
      {{{"TF_CONFIG", config("worker", -1)}}, "a task that is in the cluster"},
      {{{"TF_CONFIG", R"({"cluster": {"worker": ["a"]}})"}}, "a 'task' with its 'type'"},
      {{{"TF_CONFIG", R"({"cluster": 3, "task": {"type": "worker", "index": 0}})"}},
       "in the cluster"},
      {{{"TF_CONFIG",
         R"({"cluster": {"worker": ["a"]}, "task": {"type": "worker", "index": "0"}})"}},
       "a 'task' with its 'index'"},
      {{{"TPU_WORKER_HOSTNAMES", "a,b"}}, "TPU_WORKER_ID is '', expected a number from 0 to 1"},
      {{{"TPU_WORKER_HOSTNAMES", "a,b"}, {"TPU_WORKER_ID", "2"}}, "TPU_WORKER_ID is '2'"},
      {{{"TPU_WORKER_HOSTNAMES", "a,b"}, {"TPU_WORKER_ID", "x"}}, "unset TPU_WORKER_ID"},
      {{{"TPU_WORKER_HOSTNAMES", "a"}, {"MEGASCALE_NUM_SLICES", "2"}}, "MEGASCALE_SLICE_ID is ''"},
  };
  for (const auto& [variables, part] : table) {
    const Environment environment(variables);
    EXPECT_CONTAINS(error_of([] { data::this_worker(); }), part);
  }
}

TEST(Worker, AutoShardReadsItsPart) {
  const auto numbers = [](const data::Dataset& dataset) {
    std::vector<int64_t> result;
    for (const Example& element : dataset) result.push_back(element.only().item<int64_t>());
    return result;
  };
  const auto part = [](const data::Dataset& dataset) {
    const data::Worker worker = data::this_worker();
    return dataset.auto_shard(worker.count, worker.index);
  };
  const data::Dataset ten = data::range(10);
  {
    const Environment environment({{"TF_CONFIG", config("worker", 0)}});
    EXPECT_EQ(numbers(ten.apply(part)), (std::vector<int64_t>{1, 5, 9}));
  }
  const Environment environment({});
  EXPECT_EQ(numbers(ten.apply(part)), numbers(ten));
}

}  // namespace
}  // namespace systolic
