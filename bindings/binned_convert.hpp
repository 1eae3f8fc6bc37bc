#pragma once
// Between Python's arrays and tables of bins.
#include "forest/trees_plan.hpp"
#include "support.hpp"
#include "tree/binned/choose.hpp"
#include "tree/binned/edges.hpp"
#include "tree_convert.hpp"

// Features, categories and bins of a table, without its rows.
struct BinnedLayout {
    std::vector<vaglio::Feature> features;
    std::vector<std::uint32_t> categories;      // per nominal column
    std::vector<vaglio::tree::BinEdges> edges;  // per numeric column

    std::uint32_t bins(std::size_t feature) const;
    vaglio::tree::TreeData data() const;
};

// Codes per feature, kept alive by the caller: arrays of one, two or four bytes.
using CodeArray = std::variant<Array1<std::uint8_t>, Array1<std::uint16_t>, Array1<std::uint32_t>>;

// A table of these columns, checked; `y` are labels (uint16) for classes > 0, else numbers.
vaglio::tree::BinnedTable binned_table(const BinnedLayout& layout, const std::vector<CodeArray>& columns,
                                       const AnyArray& y, std::size_t n_classes,
                                       const std::optional<Array1<double>>& weight);

// Trees that are grown together, as Python holds them: vaglio::TreesPlan with an entry per tree in each array.
struct PlanArrays {
    std::size_t draws = 0;
    std::uint64_t hash_seed = 0;
    std::vector<std::uint64_t> seeds, bags, first_out, last_out;
    std::vector<std::vector<std::uint32_t>> features;
    std::vector<std::vector<std::uint64_t>> blocks;  // empty: not known yet
};

vaglio::TreesPlan plan_from(const PlanArrays& arrays, std::size_t n_features);
PlanArrays arrays_of(vaglio::TreesPlan&& plan);
// None: one tree of all rows and features, with this seed.
vaglio::TreesPlan plan_or_one_tree(const std::optional<PlanArrays>& arrays, std::size_t n_features, std::uint64_t seed);
