// Where a layer's configuration and weights in Keras's files differ from what its fields() say.
// Most layers need none: the same names, the same weights in the same order.
//
// A layer that does differ says so beside itself:
//
//   struct MultiHeadAttention {
//     ...
//     static KerasForm keras_form();     // in multi_head_attention.cc
//   };
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace systolic::inline v0 {

struct KerasForm {
  using Names = std::vector<std::pair<std::string, std::string>>;

  // False: Keras has no such layer. Files that hold it are read by this library alone.
  bool is_of_keras = true;
  // Fields that have another name there: {ours, Keras's}.
  Names renamed = {};
  // Entries that Keras writes and the layer has no field for, and the value, as JSON, at which they
  // say nothing ("*": whatever it is). With another value the file is refused.
  Names silent = {};
  // Fields that are arguments of the call there, not of the constructor.
  std::vector<std::string> call_fields = {};
  // Names of the call's inputs, in order. None: one input, or one list of them.
  std::vector<std::string> inputs = {};
  // Layers inside, or the first part of weights' names ("query/kernel"): {ours, the attribute's
  // name there}. A name that ends in * is any that begins so; what stands in its place takes that
  // of a * there.
  Names inside = {};
  // The first part of paths of weights there ("grouped_query_attention"), where it is not the kind
  // in snake case.
  std::string path = {};
  // Weights of the layer inside that there are the layer's own as well, and come first: a file has
  // them twice.
  std::vector<std::string> also_own = {};
  // The attribute that holds the layers inside as a list, in which each is known by its class.
  std::string list = {};
  // The configuration has neither "trainable" nor "dtype".
  bool is_bare = false;
};

}  // namespace systolic::inline v0
