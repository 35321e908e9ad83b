// One row for each constraint of the specification: a program that breaks it and nothing before it.
// long because: one table.
#include "systolic/ir/infer/infer.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/window.h"

namespace systolic {
namespace {

using namespace ir;

struct Case {
  const char* label;    // of the specification
  const char* numbers;  // what the message must name
  std::function<void(Builder&)> build;
};

Value f32(Builder& b, Shape shape) { return b.argument({DType::f32, shape}); }
Value i32(Builder& b, Shape shape) { return b.argument({DType::i32, shape}); }
Value pred(Builder& b, Shape shape) { return b.argument({DType::pred, shape}); }

Value one(Builder& b, OpCode code, std::initializer_list<Value> operands, Attributes attributes,
          std::vector<Type> requested = {}) {
  return b.append_one(code, operands, std::move(attributes), {}, std::move(requested));
}

template <class Change>
void dot_with(Builder& b, Shape lhs, Shape rhs, Change change) {
  DotAttributes a;
  change(a);
  dot_general(f32(b, lhs), f32(b, rhs), a);
}

template <class Change>
void convolution_with(Builder& b, Change change, Shape lhs = {2, 5, 5, 4},
                      Shape rhs = {3, 3, 4, 8}) {
  ConvolutionAttributes a = channels_last_convolution(2);
  change(a);
  convolution(f32(b, lhs), f32(b, rhs), a);
}

// Rows of a table: operand [10, 3], indices [5].
template <class Change>
void gather_with(Builder& b, Change change, Shape x = {10, 3}, Shape indices = {5}) {
  GatherAttributes a;
  a.offset_dims = {1};
  a.collapsed_slice_dims = {0};
  a.start_index_map = {0};
  a.index_vector_dim = 1;
  a.slice_sizes = {1, 3};
  change(a);
  gather(f32(b, x), i32(b, indices), a);
}

template <class Change>
void scatter_with(Builder& b, Change change, Shape updates = {5, 3}) {
  ScatterAttributes a;
  a.update_window_dims = {1};
  a.inserted_window_dims = {0};
  a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
  change(a);
  scatter(f32(b, {10, 3}), i32(b, {5}), f32(b, updates), a, OpCode::add);
}

template <class Change>
void window_with(Builder& b, Change change) {
  WindowAttributes a{{2}, {2}, {1}, {1}, {{0, 0}}};
  change(a);
  reduce_window(f32(b, {6}), OpCode::add, a);
}

template <class Change>
void select_and_scatter_with(Builder& b, Change change, Shape source = {3}) {
  WindowAttributes a{{2}, {2}, {}, {}, {{0, 0}}};
  change(a);
  select_and_scatter(f32(b, {6}), f32(b, source), a);
}

CollectiveAttributes groups(std::vector<std::vector<int64_t>> ids) {
  return {std::move(ids), 0, false};
}

using A = ConvolutionAttributes;
using G = GatherAttributes;
using S = ScatterAttributes;
using W = WindowAttributes;
using D = DotAttributes;

const std::vector<Case> cases{
    {"add_c1", "f32[2,3]",
     [](Builder& b) {
       f32(b, {2, 3}) + f32(b, {3, 2});
     }},
    {"add_c1", "i32[2]", [](Builder& b) { f32(b, {2}) + i32(b, {2}); }},
    {"subtract_i1", "pred[2]", [](Builder& b) { pred(b, {2}) - pred(b, {2}); }},
    {"tanh_i1", "i32[2]", [](Builder& b) { unary(OpCode::tanh, i32(b, {2})); }},
    {"and_i1", "f32[2]", [](Builder& b) { binary(OpCode::and_, f32(b, {2}), f32(b, {2})); }},
    {"abs_i1", "u32[2]",
     [](Builder& b) {
       unary(OpCode::abs, b.argument({DType::u32, {2}}));
     }},
    {"compare_c1", "f32[3]", [](Builder& b) { compare(f32(b, {2}), f32(b, {3}), Direction::lt); }},
    {"compare_i1", "c64[2]",
     [](Builder& b) {
       const Value x = b.argument({DType::c64, {2}});
       compare(x, x, Direction::lt);
     }},
    {"compare_c3", "i32[2]",
     [](Builder& b) {
       one(b, OpCode::compare, {i32(b, {2}), i32(b, {2})},
           CompareAttributes{Direction::lt, CompareType::total_order});
     }},
    {"complex_i1", "i32[2]", [](Builder& b) { binary(OpCode::complex, i32(b, {2}), i32(b, {2})); }},
    {"clamp_c1", "f32[3]", [](Builder& b) { clamp(f32(b, {3}), f32(b, {2}), f32(b, {})); }},
    {"clamp_c2", "f32[3]", [](Builder& b) { clamp(f32(b, {}), f32(b, {2}), f32(b, {3})); }},
    {"clamp_c3", "i32[]", [](Builder& b) { clamp(i32(b, {}), f32(b, {2}), f32(b, {})); }},
    {"select_i1", "i32[2]", [](Builder& b) { select(i32(b, {2}), f32(b, {2}), f32(b, {2})); }},
    {"select_c1", "pred[3]", [](Builder& b) { select(pred(b, {3}), f32(b, {2}), f32(b, {2})); }},
    {"select_c2", "f32[4]", [](Builder& b) { select(pred(b, {}), f32(b, {2}), f32(b, {4})); }},
    {"convert_c1", "f32[2]",
     [](Builder& b) {
       one(b, OpCode::convert, {f32(b, {2})}, {}, {{DType::i32, {3}}});
     }},
    {"bitcast_convert_c1", "u8[2,4]",
     [](Builder& b) {
       bitcast_convert(f32(b, {2}), {DType::u8, {2, 2}});
     }},
    {"bitcast_convert_c1", "f32",
     [](Builder& b) {
       bitcast_convert(b.argument({DType::u8, {2, 3}}), {DType::f32, {2}});
     }},
    {"bitcast_convert_c2", "c64[2]",
     [](Builder& b) {
       bitcast_convert(f32(b, {2}), {DType::c64, {2}});
     }},
    {"reduce_precision_c2", "exponent_bits is 0",
     [](Builder& b) {
       one(b, OpCode::reduce_precision, {f32(b, {2})}, ReducePrecisionAttributes{0, 3});
     }},
    {"reduce_precision_c3", "mantissa_bits is -1",
     [](Builder& b) {
       one(b, OpCode::reduce_precision, {f32(b, {2})}, ReducePrecisionAttributes{5, -1});
     }},
    {"constant_i1", "string", [](Builder& b) { b.constant(Literal::scalar("text")); }},
    {"iota_c1", "2",
     [](Builder& b) {
       b.iota({DType::i32, {3, 4}}, 2);
     }},
    {"rng_bit_generator_c2", "u64[3]",
     [](Builder& b) {
       rng_bit_generator(b.argument({DType::u64, {3}}), {DType::u32, {4}}, RngAlgorithm::three_fry);
     }},
    {"fft_c2", "f32 or f64",
     [](Builder& b) {
       one(b, OpCode::fft, {b.argument({DType::c64, {8}})}, FftAttributes{FftType::rfft, {8}});
     }},
    {"fft_c3", "2 lengths",
     [](Builder& b) {
       one(b, OpCode::fft, {b.argument({DType::c64, {8}})}, FftAttributes{FftType::fft, {8, 8}});
     }},
    {"fft_c4", "the size of the axis 8",
     [](Builder& b) {
       one(b, OpCode::fft, {f32(b, {3, 8})}, FftAttributes{FftType::rfft, {7}});
     }},
    {"fft_c5", "the size of the axis 8",
     [](Builder& b) {
       one(b, OpCode::fft, {b.argument({DType::c64, {8}})}, FftAttributes{FftType::irfft, {8}});
     }},
    {"custom_call_c1", "0 entries",
     [](Builder& b) {
       one(b, OpCode::custom_call, {f32(b, {3})}, CustomCallAttributes{"f"}, {{DType::f32, {3}}});
     }},
    {"custom_call_c2", "[0, 0]",
     [](Builder& b) {
       one(b, OpCode::custom_call, {f32(b, {3, 4})},
           CustomCallAttributes{"f", {}, {{0, 0}}, {{0, 1}}}, {{DType::f32, {3, 4}}});
     }},
    {"custom_call_i4", "share memory",
     [](Builder& b) {
       one(b, OpCode::custom_call, {f32(b, {3, 3})},
           CustomCallAttributes{"f", {}, {{0, 1}}, {{1, 0}}, {{0, 0}}}, {{DType::f32, {3, 3}}});
     }},
    {"broadcast_in_dim_c2", "1 entries",
     [](Builder& b) {
       broadcast_in_dim(f32(b, {2, 3}), {2, 3}, {0});
     }},
    {"broadcast_in_dim_c3", "holds 2",
     [](Builder& b) {
       broadcast_in_dim(f32(b, {2, 3}), {2, 3}, {0, 2});
     }},
    {"broadcast_in_dim_c4", "[1, 1]",
     [](Builder& b) {
       broadcast_in_dim(f32(b, {3, 3}), {2, 3}, {1, 1});
     }},
    {"broadcast_in_dim_c5", "size 4",
     [](Builder& b) {
       broadcast_in_dim(f32(b, {2}), {3, 4}, {1});
     }},
    {"concatenate_c1", "i32[2]",
     [](Builder& b) {
       concatenate(std::vector<Value>{f32(b, {2}), i32(b, {2})}, 0);
     }},
    {"concatenate_c2", "f32[3,3]",
     [](Builder& b) {
       concatenate(std::vector<Value>{f32(b, {2, 3}), f32(b, {3, 3})}, 1);
     }},
    {"concatenate_c4", "holds 1",
     [](Builder& b) { concatenate(std::vector<Value>{f32(b, {2})}, 1); }},
    {"dynamic_slice_c2", "1 entries",
     [](Builder& b) {
       dynamic_slice(f32(b, {4, 4}), std::vector<Value>{i32(b, {})}, {1, 1});
     }},
    {"dynamic_slice_c3", "f32[]",
     [](Builder& b) { dynamic_slice(f32(b, {4}), std::vector<Value>{f32(b, {})}, {1}); }},
    {"dynamic_slice_c4", "[5]",
     [](Builder& b) { dynamic_slice(f32(b, {4}), std::vector<Value>{i32(b, {})}, {5}); }},
    {"dynamic_update_slice_c2", "i32[2]",
     [](Builder& b) {
       dynamic_update_slice(f32(b, {4}), i32(b, {2}), std::vector<Value>{i32(b, {})});
     }},
    {"dynamic_update_slice_c3", "f32[2,1]",
     [](Builder& b) {
       dynamic_update_slice(f32(b, {4}), f32(b, {2, 1}), std::vector<Value>{i32(b, {})});
     }},
    {"dynamic_update_slice_c4", "0 entries",
     [](Builder& b) { dynamic_update_slice(f32(b, {4}), f32(b, {2}), {}); }},
    {"dynamic_update_slice_c5", "f32[]",
     [](Builder& b) {
       dynamic_update_slice(f32(b, {4}), f32(b, {2}), std::vector<Value>{f32(b, {})});
     }},
    {"dynamic_update_slice_c6", "f32[5]",
     [](Builder& b) {
       dynamic_update_slice(f32(b, {4}), f32(b, {5}), std::vector<Value>{i32(b, {})});
     }},
    {"pad_c1", "i32[]", [](Builder& b) { pad(f32(b, {2}), i32(b, {}), {0}, {0}); }},
    {"pad_c2", "2 entries",
     [](Builder& b) {
       pad(f32(b, {2}), f32(b, {}), {0, 0}, {0});
     }},
    {"pad_c3", "-1", [](Builder& b) { pad(f32(b, {2}), f32(b, {}), {0}, {0}, {-1}); }},
    {"pad_c4", "-1", [](Builder& b) { pad(f32(b, {2}), f32(b, {}), {-3}, {0}); }},
    {"reshape_c2", "6 elements",
     [](Builder& b) {
       reshape(f32(b, {2, 3}), {4});
     }},
    {"reverse_c2", "[0, 0]",
     [](Builder& b) {
       reverse(f32(b, {2}), {0, 0});
     }},
    {"reverse_c3", "holds 1", [](Builder& b) { reverse(f32(b, {2}), {1}); }},
    {"slice_c2", "1 entries",
     [](Builder& b) {
       slice(f32(b, {2, 2}), {0}, {1});
     }},
    {"slice_c3", "to 9", [](Builder& b) { slice(f32(b, {4}), {1}, {9}); }},
    {"slice_c4", "[0]", [](Builder& b) { slice(f32(b, {4}), {1}, {2}, {0}); }},
    {"transpose_c2", "[1, 1]",
     [](Builder& b) {
       transpose(f32(b, {2, 3}), {1, 1});
     }},

    {"dot_general_c1", "0 entries",
     [](Builder& b) {
       dot_with(b, {2, 3}, {2, 3}, [](D& a) { a.lhs_batching_dimensions = {0}; });
     }},
    {"dot_general_c2", "0 entries",
     [](Builder& b) {
       dot_with(b, {2, 3}, {2, 3}, [](D& a) { a.lhs_contracting_dimensions = {0}; });
     }},
    {"dot_general_c3", "[0, 0]",
     [](Builder& b) {
       dot_with(b, {2, 3}, {2, 2}, [](D& a) {
         a.lhs_batching_dimensions = a.lhs_contracting_dimensions = {0};
         a.rhs_batching_dimensions = {0};
         a.rhs_contracting_dimensions = {1};
       });
     }},
    {"dot_general_c4", "[1, 1]",
     [](Builder& b) {
       dot_with(b, {2, 3}, {2, 2}, [](D& a) {
         a.lhs_batching_dimensions = {0};
         a.lhs_contracting_dimensions = {1};
         a.rhs_batching_dimensions = a.rhs_contracting_dimensions = {1};
       });
     }},
    {"dot_general_c5", "holds 2",
     [](Builder& b) {
       dot_with(b, {2, 3}, {2, 3}, [](D& a) {
         a.lhs_batching_dimensions = {2};
         a.rhs_batching_dimensions = {0};
       });
     }},
    {"dot_general_c6", "holds 5",
     [](Builder& b) {
       dot_with(b, {2, 3}, {2, 3}, [](D& a) {
         a.lhs_contracting_dimensions = {5};
         a.rhs_contracting_dimensions = {0};
       });
     }},
    {"dot_general_c7", "holds -1",
     [](Builder& b) {
       dot_with(b, {2, 3}, {2, 3}, [](D& a) {
         a.lhs_batching_dimensions = {0};
         a.rhs_batching_dimensions = {-1};
       });
     }},
    {"dot_general_c8", "holds 2",
     [](Builder& b) {
       dot_with(b, {2, 3}, {2, 3}, [](D& a) {
         a.lhs_contracting_dimensions = {0};
         a.rhs_contracting_dimensions = {2};
       });
     }},
    {"dot_general_c9", "size 3",
     [](Builder& b) {
       dot_with(b, {2, 3}, {2, 3}, [](D& a) {
         a.lhs_batching_dimensions = {0};
         a.rhs_batching_dimensions = {1};
       });
     }},
    {"dot_general_c10", "size 3",
     [](Builder& b) {
       dot(f32(b, {2, 3}), f32(b, {4, 5}));
     }},
    {"dot_general_c13", "i32[3,5]",
     [](Builder& b) {
       dot(f32(b, {2, 3}), i32(b, {3, 5}));
     }},

    {"convolution_c1", "f32[3,3]",
     [](Builder& b) {
       convolution_with(b, [](A&) {}, {2, 5, 5, 4}, {3, 3});
     }},
    {"convolution_c2", "1 entries",
     [](Builder& b) { convolution_with(b, [](A& a) { a.window_strides = {1}; }); }},
    {"convolution_c3", "[0, 1]",
     [](Builder& b) { convolution_with(b, [](A& a) {
                        a.window_strides = {0, 1};
                      }); }},
    {"convolution_c4", "3 entries",
     [](Builder& b) { convolution_with(b, [](A& a) { a.padding.resize(3); }); }},
    {"convolution_c5", "0 entries",
     [](Builder& b) { convolution_with(b, [](A& a) { a.lhs_dilation = {}; }); }},
    {"convolution_c6", "[1, 0]",
     [](Builder& b) { convolution_with(b, [](A& a) {
                        a.lhs_dilation = {1, 0};
                      }); }},
    {"convolution_c7", "0 entries",
     [](Builder& b) { convolution_with(b, [](A& a) { a.rhs_dilation = {}; }); }},
    {"convolution_c8", "[1, -2]",
     [](Builder& b) { convolution_with(b, [](A& a) {
                        a.rhs_dilation = {1, -2};
                      }); }},
    {"convolution_c9", "1 entries",
     [](Builder& b) { convolution_with(b, [](A& a) { a.window_reversal = {true}; }); }},
    {"convolution_c10", "size 2",
     [](Builder& b) { convolution_with(b, [](A& a) { a.batch_group_count = 4; }); }},
    {"convolution_c11", "size 4",
     [](Builder& b) { convolution_with(b, [](A& a) { a.feature_group_count = 3; }); }},
    {"convolution_c12", "1 entries",
     [](Builder& b) { convolution_with(b, [](A& a) { a.input_spatial_dimensions = {1}; }); }},
    {"convolution_c13", "[0, 3, 1, 3]",
     [](Builder& b) { convolution_with(b, [](A& a) {
                        a.input_spatial_dimensions = {1, 3};
                      }); }},
    {"convolution_c14", "takes 5",
     [](Builder& b) {
       convolution_with(b, [](A&) {}, {2, 5, 5, 4}, {3, 3, 5, 8});
     }},
    {"convolution_c15", "size 7",
     [](Builder& b) {
       convolution_with(b, [](A& a) { a.batch_group_count = 2; }, {2, 5, 5, 4}, {3, 3, 4, 7});
     }},
    {"convolution_c16", "size 7",
     [](Builder& b) {
       convolution_with(b, [](A& a) { a.feature_group_count = 2; }, {2, 5, 5, 4}, {3, 3, 2, 7});
     }},
    {"convolution_c17", "3 entries",
     [](Builder& b) {
       convolution_with(b, [](A& a) { a.kernel_spatial_dimensions = {0, 1, 2}; });
     }},
    {"convolution_c18", "holds 7",
     [](Builder& b) { convolution_with(b, [](A& a) {
                        a.kernel_spatial_dimensions = {0, 7};
                      }); }},
    {"convolution_c19", "0 entries",
     [](Builder& b) { convolution_with(b, [](A& a) { a.output_spatial_dimensions = {}; }); }},
    {"convolution_c20", "holds 4",
     [](Builder& b) { convolution_with(b, [](A& a) { a.output_batch_dimension = 4; }); }},
    {"convolution_c21", "[0]",
     [](Builder& b) { convolution_with(b, [](A& a) { a.feature_group_count = 0; }); }},
    {"convolution_c22", "[-1]",
     [](Builder& b) { convolution_with(b, [](A& a) { a.batch_group_count = -1; }); }},
    {"convolution_c23", "batch_group_count 2",
     [](Builder& b) {
       convolution_with(b, [](A& a) { a.feature_group_count = a.batch_group_count = 2; });
     }},
    {"convolution_c27", "i32[3,3,4,8]",
     [](Builder& b) {
       convolution(f32(b, {2, 5, 5, 4}), i32(b, {3, 3, 4, 8}), channels_last_convolution(2));
     }},

    {"gather_c1", "2 offset_dims",
     [](Builder& b) { gather_with(b, [](G& a) {
                        a.offset_dims = {1, 2};
                      }); }},
    {"gather_c2", "is 2", [](Builder& b) { gather_with(b, [](G& a) { a.index_vector_dim = 2; }); }},
    {"gather_c3", "2 entries",
     [](Builder& b) { gather_with(b, [](G& a) {
                        a.start_index_map = {0, 1};
                      }); }},
    {"gather_c5", "holds 2", [](Builder& b) { gather_with(b, [](G& a) { a.offset_dims = {2}; }); }},
    {"gather_c8", "holds 2",
     [](Builder& b) { gather_with(b, [](G& a) { a.collapsed_slice_dims = {2}; }); }},
    {"gather_c9", "is 2", [](Builder& b) { gather_with(b, [](G& a) {
                                             a.slice_sizes = {2, 3};
                                           }); }},
    {"gather_c6", "[0, 0]",
     [](Builder& b) {
       gather_with(b, [](G& a) {
         a.offset_dims = {};
         a.operand_batching_dims = {0};
       });
     }},
    {"gather_c16", "0 entries",
     [](Builder& b) {
       gather_with(b, [](G& a) {
         a.collapsed_slice_dims = {};
         a.operand_batching_dims = {0};
         a.start_index_map = {1};
       });
     }},
    {"gather_c17", "size 5",
     [](Builder& b) {
       gather_with(b, [](G& a) {
         a.collapsed_slice_dims = {};
         a.operand_batching_dims = {0};
         a.start_indices_batching_dims = {0};
         a.start_index_map = {1};
       });
     }},
    {"gather_c19", "holds 4",
     [](Builder& b) { gather_with(b, [](G& a) { a.start_index_map = {4}; }); }},
    {"gather_c20", "1 entries",
     [](Builder& b) { gather_with(b, [](G& a) { a.slice_sizes = {1}; }); }},
    {"gather_c21", "[1, 4]",
     [](Builder& b) { gather_with(b, [](G& a) {
                        a.slice_sizes = {1, 4};
                      }); }},
    {"scatter_c2", "2 update_window_dims",
     [](Builder& b) { scatter_with(b, [](S& a) {
                        a.update_window_dims = {0, 1};
                      }); }},
    {"scatter_c4", "f32[4,3]",
     [](Builder& b) {
       scatter_with(b, [](S&) {}, {4, 3});
     }},
    {"scatter_c4", "f32[5,4]",
     [](Builder& b) {
       scatter_with(b, [](S&) {}, {5, 4});
     }},
    {"scatter_c8", "holds 3",
     [](Builder& b) { scatter_with(b, [](S& a) { a.update_window_dims = {3}; }); }},
    {"scatter_c11", "holds 2",
     [](Builder& b) { scatter_with(b, [](S& a) { a.inserted_window_dims = {2}; }); }},
    {"scatter_c19", "0 entries",
     [](Builder& b) { scatter_with(b, [](S& a) { a.scatter_dims_to_operand_dims = {}; }); }},
    {"scatter_c21", "holds -1",
     [](Builder& b) { scatter_with(b, [](S& a) { a.scatter_dims_to_operand_dims = {-1}; }); }},
    {"scatter_c22", "is -1",
     [](Builder& b) { scatter_with(b, [](S& a) { a.index_vector_dim = -1; }); }},
    {"sort_c4", "is 1",
     [](Builder& b) {
       sort(std::vector<Value>{f32(b, {3})}, {1, false},
            [](std::span<const Value> p) { return compare(p[0], p[1], Direction::lt); });
     }},
    {"sort_c5", "f32[]",
     [](Builder& b) {
       sort(std::vector<Value>{f32(b, {3})}, {0, false},
            [](std::span<const Value> p) { return p[0]; });
     }},

    {"reduce_c4", "holds 2",
     [](Builder& b) {
       reduce_sum(f32(b, {2, 3}), {2});
     }},
    {"reduce_c5", "[0, 0]",
     [](Builder& b) {
       reduce_sum(f32(b, {2, 3}), {0, 0});
     }},
    {"reduce_c2", "i32[]",
     [](Builder& b) {
       std::vector<Block> regions;
       regions.push_back(b.fold_region(OpCode::add, DType::f32));
       b.append_one(OpCode::reduce, {f32(b, {2}), i32(b, {})}, AxesAttributes{{0}},
                    std::move(regions));
     }},
    {"reduce_c6", "i32[]",
     [](Builder& b) {
       std::vector<Block> regions;
       regions.push_back(b.fold_region(OpCode::add, DType::i32));
       b.append_one(OpCode::reduce, {f32(b, {2}), f32(b, {})}, AxesAttributes{{0}},
                    std::move(regions));
     }},
    {"reduce_window_c4", "2 entries",
     [](Builder& b) { window_with(b, [](W& a) {
                        a.window_dimensions = {1, 1};
                      }); }},
    {"reduce_window_c5", "[0]",
     [](Builder& b) { window_with(b, [](W& a) { a.window_dimensions = {0}; }); }},
    {"reduce_window_c6", "0 entries",
     [](Builder& b) { window_with(b, [](W& a) { a.window_strides = {}; }); }},
    {"reduce_window_c7", "[0]",
     [](Builder& b) { window_with(b, [](W& a) { a.window_strides = {0}; }); }},
    {"reduce_window_c8", "2 entries",
     [](Builder& b) { window_with(b, [](W& a) {
                        a.base_dilations = {1, 1};
                      }); }},
    {"reduce_window_c9", "[0]",
     [](Builder& b) { window_with(b, [](W& a) { a.base_dilations = {0}; }); }},
    {"reduce_window_c10", "2 entries",
     [](Builder& b) { window_with(b, [](W& a) {
                        a.window_dilations = {1, 1};
                      }); }},
    {"reduce_window_c11", "[0]",
     [](Builder& b) { window_with(b, [](W& a) { a.window_dilations = {0}; }); }},
    {"reduce_window_c12", "2 entries",
     [](Builder& b) { window_with(b, [](W& a) { a.padding.resize(2); }); }},
    {"select_and_scatter_c2", "f32[4]",
     [](Builder& b) { select_and_scatter_with(b, [](W&) {}, {4}); }},
    {"select_and_scatter_c4", "2 entries",
     [](Builder& b) { select_and_scatter_with(b, [](W& a) {
                        a.window_dimensions = {1, 1};
                      }); }},
    {"select_and_scatter_c5", "[0]",
     [](Builder& b) { select_and_scatter_with(b, [](W& a) { a.window_dimensions = {0}; }); }},
    {"select_and_scatter_c6", "2 entries",
     [](Builder& b) { select_and_scatter_with(b, [](W& a) {
                        a.window_strides = {1, 1};
                      }); }},
    {"select_and_scatter_c7", "[0]",
     [](Builder& b) { select_and_scatter_with(b, [](W& a) { a.window_strides = {0}; }); }},
    {"select_and_scatter_c8", "3 entries",
     [](Builder& b) { select_and_scatter_with(b, [](W& a) { a.padding.resize(3); }); }},
    {"select_and_scatter", "dilations [2]",
     [](Builder& b) { select_and_scatter_with(b, [](W& a) { a.base_dilations = {2}; }); }},
    {"select_and_scatter", "dilations [0]",
     [](Builder& b) { select_and_scatter_with(b, [](W& a) { a.window_dilations = {0}; }); }},
    {"select_and_scatter", "dilations [1, 1]",
     [](Builder& b) { select_and_scatter_with(b, [](W& a) {
                        a.window_dilations = {1, 1};
                      }); }},

    {"case_i1", "f32[]",
     [](Builder& b) {
       const std::vector<std::function<std::vector<Value>()>> branches{
           [] { return std::vector<Value>{}; }};
       switch_case(f32(b, {}), branches);
     }},
    {"if_i1", "i32[]",
     [](Builder& b) {
       if_else(
           i32(b, {}), [] { return std::vector<Value>{}; }, [] { return std::vector<Value>{}; });
     }},
    {"if_c2", "f32[3]",
     [](Builder& b) {
       const Value x = f32(b, {2}), y = f32(b, {3});
       if_else(
           pred(b, {}), [&] { return std::vector<Value>{x}; },
           [&] { return std::vector<Value>{y}; });
     }},
    {"while_c1", "f32[2]",
     [](Builder& b) {
       while_loop(
           std::vector<Value>{f32(b, {2})}, [](std::span<const Value> s) { return s[0]; },
           [](std::span<const Value> s) { return std::vector<Value>{s[0]}; });
     }},
    {"while_c2", "f32[4]",
     [](Builder& b) {
       const Value x = f32(b, {2}), other = f32(b, {4}), yes = pred(b, {});
       while_loop(
           std::vector<Value>{x}, [&](std::span<const Value>) { return yes; },
           [&](std::span<const Value>) { return std::vector<Value>{other}; });
     }},

    {"all_reduce_c1", "[0, 0]",
     [](Builder& b) {
       all_reduce(f32(b, {2}), OpCode::add, groups({{0, 0}}));
     }},
    {"all_reduce_c2", "2 ids",
     [](Builder& b) {
       all_reduce(f32(b, {2}), OpCode::add, groups({{0, 1}}));
     }},
    {"all_reduce_c3", "holds 7",
     [](Builder& b) {
       all_reduce(f32(b, {2}), OpCode::add, groups({{0, 1}, {2, 7}}));
     }},
    {"all_reduce_c4", "channel_id 0",
     [](Builder& b) {
       all_reduce(f32(b, {2}), OpCode::add, {{{0, 1, 2, 3}}, 0, true});
     }},
    {"all_gather_c1", "holds 1", [](Builder& b) { all_gather(f32(b, {2}), 1, 4); }},
    {"all_gather_c6", "f32[6]", [](Builder& b) { all_gather(f32(b, {2}), 0, 3); }},
    {"all_to_all_c1", "holds 3",
     [](Builder& b) {
       all_to_all(f32(b, {8}), {3, 0, 4, {}});
     }},
    {"all_to_all_c2", "f32[6,1]",
     [](Builder& b) {
       all_to_all(f32(b, {6, 1}), {0, 1, 4, {}});
     }},
    {"all_to_all_c3", "holds -1",
     [](Builder& b) {
       all_to_all(f32(b, {8}), {0, -1, 4, {}});
     }},
    {"all_to_all_c4", "[0]",
     [](Builder& b) {
       all_to_all(f32(b, {8}), {0, 0, 0, {}});
     }},
    {"all_to_all_c8", "is 2",
     [](Builder& b) {
       all_to_all(f32(b, {8}), {0, 0, 2, {}});
     }},
    {"reduce_scatter_c1", "f32[6]",
     [](Builder& b) { reduce_scatter(f32(b, {6}), OpCode::add, 0, 4); }},
    {"reduce_scatter_c2", "holds 1",
     [](Builder& b) { reduce_scatter(f32(b, {8}), OpCode::add, 1, 4); }},
    {"collective_permute_c2", "[0, 0]",
     [](Builder& b) {
       collective_permute(f32(b, {2}), {{{0, 1}, {0, 2}}, 0});
     }},
    {"collective_permute_c3", "[1, 1]",
     [](Builder& b) {
       collective_permute(f32(b, {2}), {{{0, 1}, {2, 1}}, 0});
     }},
    {"collective_permute_c4", "holds 4",
     [](Builder& b) {
       collective_permute(f32(b, {2}), {{{0, 4}}, 0});
     }},
    {"collective_broadcast_c2", "holds 9",
     [](Builder& b) {
       one(b, OpCode::collective_broadcast, {f32(b, {2})}, groups({{9, 1}}));
     }},
};

void expect_raised(const std::vector<Case>& rows) {
  for (const Case& row : rows) {
    Module module;
    module.num_replicas = 4;
    module.functions.emplace_back();
    Builder b(module.main(), &module);
    b.location = {"model.cc", 12};
    try {
      row.build(b);
      ADD_FAILURE() << row.label << " was not raised";
    } catch (const InvalidArgument& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(str("[", row.label, "]")), std::string::npos)
          << row.label << ": " << text;
      EXPECT_NE(text.find(row.numbers), std::string::npos) << row.label << ": " << text;
      EXPECT_NE(text.find("model.cc:12"), std::string::npos) << text;
    }
  }
}

// Sizes beyond memory, and beyond 64 bits on the way.
constexpr int64_t huge = int64_t{1} << 62;
const std::vector<Case> huge_cases{
    {"size", "the result",
     [](Builder& b) {
       broadcast_to(f32(b, {}), {huge, 8});
     }},
    {"size", "the result", [](Builder& b) { broadcast_to(f32(b, {1}), {int64_t{1} << 61}); }},
    {"size", "the result",
     [](Builder& b) { pad(f32(b, {5}), f32(b, {}), {huge}, {huge}, {huge}); }},
    {"size", "the result",
     [](Builder& b) { window_with(b, [](W& a) { a.base_dilations = {huge}; }); }},
    {"size", "the result",
     [](Builder& b) {
       convolution_with(b, [](A& a) { a.padding = {{huge, huge}, {huge, huge}}; });
     }},
    {"size", "the result",
     [](Builder& b) {
       b.iota({DType::f64, {-1}}, 0);
     }},
};

TEST(Infer, RefusesWhatNoMemoryHolds) { expect_raised(huge_cases); }

TEST(Infer, EveryConstraintHasItsMessage) { expect_raised(cases); }

}  // namespace
}  // namespace systolic
