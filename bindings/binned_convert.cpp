#include "binned_convert.hpp"

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

vaglio::TreesPlan plan_from(const Fields& fields, std::size_t n_features) {
    using Words = Array1<std::uint64_t>;
    const auto words = [&](const char* name) { return nb::cast<Words>(fields[name]); };
    const Words seeds = words("seeds"), bags = words("bags"), first = words("first_out"), last = words("last_out");
    const auto features = nb::cast<std::vector<Array1<std::uint32_t>>>(fields["features"]);
    vaglio::TreesPlan plan;
    plan.draws = nb::cast<std::size_t>(fields["draws"]);
    plan.hash_seed = nb::cast<std::uint64_t>(fields["hash_seed"]);
    require(seeds.size() > 0, "a plan needs a tree");
    require(bags.size() == seeds.size() && first.size() == seeds.size() && last.size() == seeds.size() &&
                features.size() == seeds.size(),
            "every tree of a plan needs its rows and features");
    for (std::size_t t = 0; t < seeds.size(); ++t) {
        const auto& own = features[t];
        vaglio::TreePlan tree{{own.data(), own.data() + own.size()},
                              seeds.data()[t],
                              bags.data()[t],
                              first.data()[t],
                              last.data()[t],
                              {}};
        require(own.size() > 0 && std::is_sorted(tree.features.begin(), tree.features.end()) &&
                    tree.features.back() < n_features,
                "the features of a tree are some of the table's, in their order");
        plan.leaves_out = plan.leaves_out || tree.first_out <= tree.last_out;
        plan.trees.push_back(std::move(tree));
    }
    if (fields.contains("blocks")) {
        const auto blocks = nb::cast<Array2<std::uint64_t>>(fields["blocks"]);
        require(blocks.shape(0) == seeds.size() && blocks.shape(1) > 0, "every tree of a plan needs its blocks");
        for (std::size_t t = 0; t < seeds.size(); ++t) {
            const std::uint64_t* own = blocks.data() + t * blocks.shape(1);
            plan.trees[t].blocks.assign(own, own + blocks.shape(1));
        }
    }
    return plan;
}

Fields plan_to_dict(const vaglio::TreesPlan& plan) {
    std::vector<std::uint64_t> seeds, bags, first, last;
    nb::list features;
    for (const vaglio::TreePlan& tree : plan.trees) {
        seeds.push_back(tree.seed);
        bags.push_back(tree.bag);
        first.push_back(tree.first_out);
        last.push_back(tree.last_out);
        features.append(to_numpy(std::vector<std::uint32_t>(tree.features)));
    }
    Fields fields;
    fields["draws"] = plan.draws;
    fields["hash_seed"] = plan.hash_seed;
    fields["seeds"] = to_numpy(std::move(seeds));
    fields["bags"] = to_numpy(std::move(bags));
    fields["first_out"] = to_numpy(std::move(first));
    fields["last_out"] = to_numpy(std::move(last));
    fields["features"] = features;
    return fields;
}

vaglio::TreesPlan plan_or_one_tree(const std::optional<Fields>& fields, std::size_t n_features, std::uint64_t seed) {
    if (fields) return plan_from(*fields, n_features);
    vaglio::TreePlan tree;
    for (std::size_t f = 0; f < n_features; ++f) tree.features.push_back(static_cast<std::uint32_t>(f));
    tree.seed = seed;
    vaglio::TreesPlan plan;
    plan.trees.push_back(std::move(tree));
    return plan;
}

nb::typed<nb::list, Arrays> trees_to_list(std::vector<vaglio::tree::Tree>&& trees) {
    nb::list list;
    for (vaglio::tree::Tree& tree : trees) list.append(tree_to_dict(std::move(tree)));
    return list;
}
