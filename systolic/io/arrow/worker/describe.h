// What the library is told of a schema.
#pragma once

#include <arrow/type.h>

#include <optional>
#include <string>

#include "systolic/io/arrow/wire.h"

namespace worker {

// What the values of a type are; those of an extension type are those that it is stored as.
systolic::io::arrow_wire::FieldKind kind_of(const arrow::DataType& type);
// The storage of an extension type; other types themselves.
const arrow::DataType& stored_type(const arrow::DataType& type);

std::string described(const arrow::Schema& schema, std::optional<int64_t> rows);

}  // namespace worker
