#include "binned_convert.hpp"

#include <algorithm>

#include "columns/look.hpp"

std::uint32_t BinnedLayout::bins(std::size_t feature) const {
    const auto [nominal, column] = features[feature];
    return nominal ? categories[column] : static_cast<std::uint32_t>(edges[column].lowest.size());
}

vaglio::tree::TreeData BinnedLayout::data() const {
    vaglio::tree::TreeData data;
    data.features = features;
    data.categories = categories;
    for (const vaglio::tree::BinEdges& bins : edges) {
        data.values.emplace_back(bins.greatest);
        data.lowest.emplace_back(bins.lowest);
    }
    return data;
}

namespace {

vaglio::BinnedColumn column_from(const CodeArray& array, std::uint32_t bins, std::size_t rows) {
    return std::visit(
        [&](const auto& codes) -> vaglio::BinnedColumn {
            require(codes.size() == rows, "columns differ in their rows");
            require(vaglio::are_within(span_of(codes), 0, std::int64_t{bins} + 1),
                    "a code is outside its column's bins");
            return {codes.data(), sizeof *codes.data(), bins};
        },
        array);
}

}  // namespace

vaglio::tree::BinnedTable binned_table(const BinnedLayout& layout, const std::vector<CodeArray>& columns,
                                       const AnyArray& y, std::size_t n_classes,
                                       const std::optional<Array1<double>>& weight) {
    require(n_classes <= 65535, "more than 65535 classes");
    vaglio::tree::BinnedTable table;
    table.layout = layout.data();
    table.layout.classes = n_classes;
    if (n_classes > 0) {
        const auto labels = nb::cast<Array1<std::uint16_t>>(y, false);
        table.layout.rows = labels.size();
        require(vaglio::are_within(span_of(labels), 0, static_cast<std::int64_t>(n_classes)),
                "a label is outside the classes");
        table.labels = labels.data();
    } else {
        const auto targets = nb::cast<Array1<double>>(y, false);
        table.layout.rows = targets.size();
        table.targets = targets.data();
    }
    require(table.layout.rows < 0x7FFFFFFFu, "the table has more than 2^31 rows");
    require(columns.size() == layout.features.size(), "one column per feature is needed");
    for (std::size_t f = 0; f < columns.size(); ++f)
        table.columns.push_back(column_from(columns[f], layout.bins(f), table.layout.rows));
    if (weight) {
        require(weight->size() == table.layout.rows, "weight and the table differ in their rows");
        table.weights = weight->data();
    }
    return table;
}

vaglio::TreesPlan plan_from(const PlanArrays& arrays, std::size_t n_features) {
    const std::size_t n = arrays.seeds.size();
    vaglio::TreesPlan plan;
    plan.draws = arrays.draws;
    plan.hash_seed = arrays.hash_seed;
    require(n > 0, "a plan needs a tree");
    require(arrays.bags.size() == n && arrays.first_out.size() == n && arrays.last_out.size() == n &&
                arrays.features.size() == n,
            "every tree of a plan needs its rows and features");
    require(arrays.blocks.empty() || arrays.blocks.size() == n, "every tree of a plan needs its blocks");
    for (std::size_t t = 0; t < n; ++t) {
        const auto& own = arrays.features[t];
        require(!own.empty() && std::is_sorted(own.begin(), own.end()) && own.back() < n_features,
                "the features of a tree are some of the table's, in their order");
        vaglio::TreePlan tree{own, arrays.seeds[t], arrays.bags[t], arrays.first_out[t], arrays.last_out[t], {}};
        if (!arrays.blocks.empty()) tree.blocks = arrays.blocks[t];
        require(arrays.blocks.empty() || !tree.blocks.empty(), "every tree of a plan needs its blocks");
        plan.leaves_out = plan.leaves_out || tree.first_out <= tree.last_out;
        plan.trees.push_back(std::move(tree));
    }
    return plan;
}

PlanArrays arrays_of(vaglio::TreesPlan&& plan) {
    PlanArrays arrays{plan.draws, plan.hash_seed, {}, {}, {}, {}, {}, {}};
    for (vaglio::TreePlan& tree : plan.trees) {
        arrays.seeds.push_back(tree.seed);
        arrays.bags.push_back(tree.bag);
        arrays.first_out.push_back(tree.first_out);
        arrays.last_out.push_back(tree.last_out);
        arrays.features.push_back(std::move(tree.features));
    }
    return arrays;
}

vaglio::TreesPlan plan_or_one_tree(const std::optional<PlanArrays>& arrays, std::size_t n_features,
                                   std::uint64_t seed) {
    if (arrays) return plan_from(*arrays, n_features);
    vaglio::TreePlan tree;
    for (std::size_t f = 0; f < n_features; ++f) tree.features.push_back(static_cast<std::uint32_t>(f));
    tree.seed = seed;
    vaglio::TreesPlan plan;
    plan.trees.push_back(std::move(tree));
    return plan;
}
