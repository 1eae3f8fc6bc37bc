#pragma once
// What the bindings of boosting in memory and in passes share: tables, options and trees.
#include "../tree_convert.hpp"
#include "boosting/trainer.hpp"
#include "options.hpp"

// The columns of a table, checked; the arrays must outlive it.
boosting::RawTable raw_table(const Strided2& numeric, const Columns2<std::int32_t>& codes,
                             const Array1<std::uint8_t>& nominal, const Array1<std::uint32_t>& column,
                             const Array1<std::uint32_t>& n_categories);

// The options, checked against the table.
boosting::TrainerConfig checked(boosting::TrainerConfig config, std::size_t n_features);
