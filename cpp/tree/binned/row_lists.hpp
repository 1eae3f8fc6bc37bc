#pragma once
// The rows of open nodes: lists that belong together, of which a node has a range. What a row adds to sums stands
// beside its number, so that it is read in order, and nothing else has to be held per row of the table.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tree/binned/choose.hpp"

namespace vaglio::tree {

// What is known of some rows beside their table.
struct RowsGiven {
    std::span<const std::uint16_t> drawn;     // how often each counts, or not at all; empty: once
    std::span<const double> weights, counts;  // where rows have been spread; empty: those of the table
};

struct RowLists {
    std::vector<std::uint32_t> rows;
    std::vector<Label> labels;            // classification
    std::vector<std::uint16_t> drawn;     // how often each row counts; empty: once, or `weights` say it
    std::vector<double> weights, counts;  // weights that are no counts of rows; numbers of rows where these are more

    // Room for so many rows; what is not used of it is not touched.
    void reserve(const BinnedSetting& setting, const BinnedTable& table, bool real, std::size_t size);
    // Adds the rows [begin, end) of a table.
    void append(const BinnedSetting& setting, const BinnedTable& table, const RowsGiven& given, std::size_t begin,
                std::size_t end);
};

// All rows of a table.
RowLists all_rows(const BinnedSetting& setting, const BinnedTable& table, const RowsGiven& given);

// Memory that is not written to before it is needed: pages that no row comes to are never held.
template <class T>
class Buffer {
 public:
    T* fit(std::size_t size) {
        if (size > size_) {
            data_.reset();
            data_ = std::make_unique_for_overwrite<T[]>(size);
            size_ = size;
        }
        return data_.get();
    }

 private:
    std::unique_ptr<T[]> data_;
    std::size_t size_ = 0;
};

// Where rows are put that leave their place.
struct SpareRows {
    Buffer<std::uint32_t> rows;
    Buffer<Label> labels;
    Buffer<std::uint16_t> drawn;
    Buffer<double> weights, counts;
    Buffer<std::int32_t> branch;
};

// Sorts the rows [start, start + size) by the branch of their codes, in their order; returns the sizes of the branches.
std::vector<std::size_t> sort_by_branch(RowLists& lists, std::size_t start, std::size_t size,
                                        const BinnedColumn& column, const BranchOf& branch_of, std::size_t branches,
                                        SpareRows& spare);

// The rows [start, start + size) in lists of each branch: those whose branch is open go into all, with shares of their
// weight; what rounds to nothing is dropped.
std::vector<std::shared_ptr<RowLists>> spread_rows(const BinnedSetting& setting, const BinnedTable& table,
                                                   const RowLists& lists, std::size_t start, std::size_t size,
                                                   std::size_t feature, const BranchOf& branch_of,
                                                   std::span<const double> shares);

}  // namespace vaglio::tree
