#pragma once
// Between Python's arrays and the kernels' view of a training table.
#include <memory>

#include "support.hpp"
#include "tree/config.hpp"
#include "tree/partition/order.hpp"
#include "tree/table/data.hpp"
#include "tree/table/outputs.hpp"
#include "tree/tree.hpp"

template <class T>
using Columns2 = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

// Numbers in any memory order.
using Strided2 = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::device::cpu>;

// A training table; the arrays are kept alive by the caller.
struct TreeTable {
    // What is found out once for all trees that are grown on the same rows.
    struct Known {
        vaglio::tree::TreeData data;
        vaglio::tree::RootOrders orders;
    };

    Strided2 numeric;
    Columns2<std::uint32_t> ranks;
    std::vector<Array1<std::uint32_t>> firsts;  // a row of each rank
    Columns2<std::int32_t> codes;
    Array1<std::uint32_t> categories;
    Array1<std::uint8_t> nominal;
    Array1<std::uint32_t> column;
    std::shared_ptr<Known> known = {};  // null: one tree is grown on this table

    // Checks shapes, that every rank and code is below its column's number of values, and that every row is there.
    vaglio::tree::TreeData checked() const;
    vaglio::tree::TreeData data() const { return known ? known->data : checked(); }
    void keep();
};

using Weight = std::optional<Array1<double>>;

// What is to be predicted, checked against the table: labels for classes > 0, numbers for regression.
void set_target(vaglio::tree::TreeData& data, const AnyArray& y, std::size_t n_classes, const Weight& weight,
                const std::optional<Array1<std::uint32_t>>& multiplicity);

// The same for several targets: class codes (n, count) of so many classes each, or numbers (n, count) for no classes.
vaglio::tree::Outputs outputs_from(vaglio::tree::TreeData& data, const AnyArray& y,
                                   const std::vector<std::size_t>& n_classes, const Weight& weight);

std::vector<vaglio::Feature> features_from(const Array1<std::uint8_t>& nominal, const Array1<std::uint32_t>& column);
