#pragma once
// A forest's arrays as Python holds them.
#include "forest/ranked/ranked.hpp"
#include "tree_convert.hpp"

using Bytes = Array2<std::uint8_t>;  // (nodes, 16): NumPy's own records have no type here

// Rows are predicted as they are given, in either precision.
using Numbers = std::variant<Array2<double>, Array2<float>>;

// The forest's arrays and the features they speak of; the caller has checked every index.
struct PackedForest {
    Bytes nodes;
    Array1<std::int64_t> starts;
    Array1<std::uint32_t> tables;
    std::vector<vaglio::Feature> features;
    std::vector<std::uint32_t> categories;
    std::unique_ptr<vaglio::forest::RankedForestOnce> ranked = std::make_unique<vaglio::forest::RankedForestOnce>();

    PackedForest(Bytes packed, Array1<std::int64_t> tree_starts, Array1<std::uint32_t> bitsets,
                 const Array1<std::uint8_t>& nominal, const Array1<std::uint32_t>& column,
                 const Array1<std::uint32_t>& n_categories)
        : nodes(packed), starts(tree_starts), tables(bitsets), features(features_from(nominal, column)) {
        require(nodes.shape(1) == sizeof(vaglio::ForestNode), "a node has 16 bytes");
        require(starts.size() >= 2, "a forest needs a tree");
        require(starts.data()[0] == 0 && starts.data()[starts.size() - 1] == static_cast<std::int64_t>(nodes.shape(0)),
                "the trees do not fill the nodes");
        for (const vaglio::Feature& feature : features) {
            require(!feature.nominal || feature.column < n_categories.size(), "a nominal column does not exist");
            categories.push_back(feature.nominal ? n_categories.data()[feature.column] : 0);
        }
    }

    vaglio::ForestView view() const {
        return {{reinterpret_cast<const vaglio::ForestNode*>(nodes.data()), nodes.shape(0)},
                span_of(starts),
                span_of(tables),
                categories};
    }

    vaglio::ForestRows rows(const Array2<double>& numeric, const Array2<std::int32_t>& codes) const {
        vaglio::ForestRows found = rows(numeric.shape(0), numeric.shape(1), codes);
        found.numeric = numeric.data();
        return found;
    }

    vaglio::ForestRows rows(const Numbers& numeric, const Array2<std::int32_t>& codes) const {
        if (const auto* doubles = std::get_if<Array2<double>>(&numeric)) return rows(*doubles, codes);
        const auto& single = std::get<Array2<float>>(numeric);
        vaglio::ForestRows found = rows(single.shape(0), single.shape(1), codes);
        found.single = single.data();
        return found;
    }

    std::size_t n_trees() const { return starts.size() - 1; }

 private:
    vaglio::ForestRows rows(std::size_t count, std::size_t width, const Array2<std::int32_t>& codes) const {
        require(count == codes.shape(0), "numeric and nominal columns differ in their rows");
        require(width + codes.shape(1) == features.size(), "the table has other columns than the forest");
        return {count, features, nullptr, width, codes.data(), codes.shape(1)};
    }
};

inline void check_forest(const vaglio::tree::TreeConfig& chosen) {
    require(chosen.missing == vaglio::tree::MissingPolicy::learned &&
                chosen.nominal_split == vaglio::tree::NominalSplit::subset && !chosen.strict,
            "the trees of a forest have two branches a node, and a missing value takes one of them");
}
