// Finding the Tensors in what is passed to and returned from traced functions.
//
// A Tensor is a tree, and so are vectors, arrays, pairs, tuples, maps and optionals of trees; a
// class becomes one with a member `template <class Visit> void visit_tensors(Visit&& visit)` that
// calls visit(part) for its parts. Anything else (numbers, models, references) contains no Tensors.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Calls visit(Tensor&) for each Tensor of the tree, in a fixed order.
template <class Visit>
void visit_tensors(Tensor& tensor, Visit&& visit) {
  visit(tensor);
}
template <class T, class Visit>
void visit_tensors(std::vector<T>& trees, Visit&& visit);
template <class T, size_t n, class Visit>
void visit_tensors(std::array<T, n>& trees, Visit&& visit);
template <class A, class B, class Visit>
void visit_tensors(std::pair<A, B>& trees, Visit&& visit);
template <class... T, class Visit>
void visit_tensors(std::tuple<T...>& trees, Visit&& visit);
template <class Key, class T, class Visit>
void visit_tensors(std::map<Key, T>& trees, Visit&& visit);
template <class T, class Visit>
void visit_tensors(std::optional<T>& tree, Visit&& visit);
template <class T, class Visit>
void visit_tensors(T& value, Visit&& visit) {
  if constexpr (requires { value.visit_tensors(visit); }) {
    value.visit_tensors([&](auto& part) { visit_tensors(part, visit); });
  }
}

template <class T, class Visit>
void visit_tensors(std::vector<T>& trees, Visit&& visit) {
  for (T& tree : trees) visit_tensors(tree, visit);
}
template <class T, size_t n, class Visit>
void visit_tensors(std::array<T, n>& trees, Visit&& visit) {
  for (T& tree : trees) visit_tensors(tree, visit);
}
template <class A, class B, class Visit>
void visit_tensors(std::pair<A, B>& trees, Visit&& visit) {
  visit_tensors(trees.first, visit);
  visit_tensors(trees.second, visit);
}
template <class... T, class Visit>
void visit_tensors(std::tuple<T...>& trees, Visit&& visit) {
  std::apply([&](auto&... tree) { (visit_tensors(tree, visit), ...); }, trees);
}
template <class Key, class T, class Visit>
void visit_tensors(std::map<Key, T>& trees, Visit&& visit) {
  for (auto& [key, tree] : trees) visit_tensors(tree, visit);
}
template <class T, class Visit>
void visit_tensors(std::optional<T>& tree, Visit&& visit) {
  if (tree) visit_tensors(*tree, visit);
}

// Whether a type can have Tensors in it.
template <class T>
    struct HoldsTensors : std::bool_constant < requires(T& value) {
  value.visit_tensors([](auto&) {});
} > {};
template <>
struct HoldsTensors<Tensor> : std::true_type {};
// Containers hold Tensors where what they contain can.
template <class T>
struct HoldsTensors<std::vector<T>> : HoldsTensors<T> {};
template <class T, size_t n>
struct HoldsTensors<std::array<T, n>> : HoldsTensors<T> {};
template <class A, class B>
struct HoldsTensors<std::pair<A, B>>
    : std::bool_constant<HoldsTensors<A>::value || HoldsTensors<B>::value> {};
template <class... T>
struct HoldsTensors<std::tuple<T...>> : std::bool_constant<(HoldsTensors<T>::value || ...)> {};
template <class Key, class T>
struct HoldsTensors<std::map<Key, T>> : HoldsTensors<T> {};
template <class T>
struct HoldsTensors<std::optional<T>> : HoldsTensors<T> {};

template <class T>
concept TensorTree = HoldsTensors<std::remove_cvref_t<T>>::value;

// The Tensors in a tree, in the order in which visit_tensors() comes to them.
template <class Tree>
std::vector<Tensor> tensors_of(Tree& tree) {
  std::vector<Tensor> tensors;
  visit_tensors(tree, [&](Tensor& tensor) { tensors.push_back(tensor); });
  return tensors;
}

// Puts the tensors into the tree in the order in which tensors_of lists them.
template <class Tree>
void replace_tensors(Tree& tree, const std::vector<Tensor>& tensors) {
  size_t next = 0;
  visit_tensors(tree, [&](Tensor& tensor) { tensor = tensors.at(next++); });
}

}  // namespace systolic::inline v0
