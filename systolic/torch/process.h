// What a process of PyTorch has for itself: values and gradients of parameters, the mode of
// modules, generators, what is recorded for backward(). The program has one; each ordinal that
// xmp::spawn starts, a thread here, has another, which begins as fork() would make it. Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "systolic/torch/autograd.h"
#include "systolic/torch/generator.h"
#include "systolic/torch/parameter.h"

namespace systolic::inline v0 {
namespace torch {
namespace internal {

// A parameter in one process.
struct OwnParameter {
  Variable variable;
  Tensor gradient;
};

struct ParameterState {
  ParameterOptions options;
  Literal host;       // what new processes begin with
  OwnParameter main;  // of the program itself
};

class Process {
 public:
  // That of the calling thread.
  static Process& current();
  static Process& main();
  // The one of an ordinal, numbered so that masks of dropout differ between ordinals.
  static std::unique_ptr<Process> forked(int ordinal);
  // Before processes are forked: the parameters' values on the host are what they are now.
  static void write_back();

  OwnParameter& own(const std::shared_ptr<ParameterState>& parameter);
  Autograd& autograd() { return autograd_; }
  Generator& generator() { return generator_; }
  void seed(uint64_t seed);
  // A key for random numbers on the device; each call gives another.
  systolic::Tensor next_key();

  // Whether the module of that number trains; those do that were never told.
  bool is_training(uint64_t module) const;
  void set_training(uint64_t module, bool wanted) { training_[module] = wanted; }

 private:
  explicit Process(int ordinal) : ordinal_(ordinal) {}

  const int ordinal_;  // -1: the program
  std::unordered_map<std::shared_ptr<ParameterState>, OwnParameter> parameters_;
  std::unordered_map<uint64_t, bool> training_;
  Generator generator_;
  uint64_t device_seed_ = Generator::default_seed, device_draws_ = 0;
  Autograd autograd_;
};

// Makes a process that of the calling thread.
class ProcessScope {
 public:
  explicit ProcessScope(Process& process);
  ~ProcessScope();
  ProcessScope(const ProcessScope&) = delete;
  ProcessScope& operator=(const ProcessScope&) = delete;

 private:
  Process* previous_;
};

// Known to write_back() for as long as it lives.
std::shared_ptr<ParameterState> make_parameter(Literal initial, ParameterOptions options);

}  // namespace internal
}  // namespace torch
}  // namespace systolic::inline v0
