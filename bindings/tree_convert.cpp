#include "tree_convert.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

template <class T>
std::vector<T> vector_from(const Arrays& arrays, const char* name) {
    require(arrays.contains(name), (std::string("the tree has no array ") + name).c_str());
    const auto array = nb::cast<nb::ndarray<const T, nb::numpy, nb::c_contig, nb::device::cpu>>(arrays[name]);
    return std::vector<T>(array.data(), array.data() + array.size());
}

}  // namespace

std::vector<vaglio::Feature> features_from(const Array1<std::uint8_t>& nominal, const Array1<std::uint32_t>& column) {
    require(nominal.size() == column.size(), "feature kinds and columns differ in number");
    std::vector<vaglio::Feature> features;
    for (std::size_t f = 0; f < nominal.size(); ++f) features.push_back({nominal.data()[f] != 0, column.data()[f]});
    return features;
}

void TreeTable::keep() {
    known = std::make_shared<Known>();
    known->data = checked();
    find_complete(known->data, 1);
    known->orders.columns = std::vector<vaglio::tree::RootOrders::Column>(known->data.values.size());
    known->data.orders = &known->orders;
}

vaglio::tree::TreeData TreeTable::checked() const {
    vaglio::tree::TreeData data;
    data.rows = std::max(ranks.shape(0), codes.shape(0));
    require(ranks.shape(1) == firsts.size(), "one array of first rows per numeric column is needed");
    require(numeric.shape(0) == ranks.shape(0) && numeric.shape(1) == ranks.shape(1),
            "numbers and their ranks differ in shape");
    require(codes.shape(1) == categories.size(), "one number of categories per nominal column is needed");
    require(ranks.shape(1) == 0 || ranks.shape(0) == data.rows, "ranks and codes differ in their rows");
    require(codes.shape(1) == 0 || codes.shape(0) == data.rows, "ranks and codes differ in their rows");
    data.features = features_from(nominal, column);
    for (const auto& f : data.features)
        require(f.column < (f.nominal ? categories.size() : firsts.size()),
                "a feature names a column that is not there");
    data.ranks = ranks.data();
    data.codes = codes.data();
    const vaglio::tree::MatrixView numbers{numeric.data(), numeric.shape(0), numeric.shape(1), numeric.stride(0),
                                           numeric.stride(1)};
    for (std::size_t c = 0; c < firsts.size(); ++c) {
        const auto rows = span_of(firsts[c]);
        require(std::all_of(rows.begin(), rows.end(), [&](std::uint32_t row) { return row < numbers.rows; }),
                "the first row of a rank is outside the table");
        data.values.emplace_back(numbers.column(c), numbers.row_stride, rows);
    }
    data.categories.assign(categories.data(), categories.data() + categories.size());
    for (std::uint32_t c = 0; c < firsts.size(); ++c) {
        const std::uint32_t* ranked = data.rank_column(c);
        const std::size_t distinct = data.values[c].size();
        const bool fits = std::all_of(ranked, ranked + data.rows,
                                      [&](std::uint32_t r) { return r < distinct || r == vaglio::tree::missing_rank; });
        require(fits, "a rank is outside its column's distinct values");
    }
    for (std::uint32_t c = 0; c < categories.size(); ++c) {
        const std::int32_t* coded = data.code_column(c);
        const std::int64_t known = data.categories[c];
        const bool fits = std::all_of(coded, coded + data.rows, [&](std::int32_t code) { return code < known; });
        require(fits, "a code is outside its column's categories");
    }
    return data;
}

// In Python the terms lie in the order of the nodes, with n + 1 offsets; no offsets at all where no test is linear.
static void write_linear(const vaglio::tree::Tree& tree, Arrays& result) {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> features;
    std::vector<double> coefficients;
    if (!tree.linear_feature.empty()) {
        for (std::size_t i = 0; i < tree.size(); ++i) {
            offsets.push_back(static_cast<std::int64_t>(features.size()));
            if (tree.linear_start[i] < 0) continue;
            const auto start = static_cast<std::size_t>(tree.linear_start[i]);
            for (std::size_t t = start; t < start + static_cast<std::size_t>(tree.linear_terms[i]); ++t) {
                features.push_back(tree.linear_feature[t]);
                coefficients.push_back(tree.linear_coef[t]);
            }
        }
        offsets.push_back(static_cast<std::int64_t>(features.size()));
    }
    result["linear_start"] = to_numpy(std::move(offsets));
    result["linear_feature"] = to_numpy(std::move(features));
    result["linear_coef"] = to_numpy(std::move(coefficients));
}

static void read_linear(const Arrays& arrays, vaglio::tree::Tree& tree) {
    const std::size_t n = tree.size();
    tree.linear_start.assign(n, -1);
    tree.linear_terms.assign(n, 0);
    if (!arrays.contains("linear_feature")) return;
    tree.linear_feature = vector_from<std::int32_t>(arrays, "linear_feature");
    tree.linear_coef = vector_from<double>(arrays, "linear_coef");
    if (tree.linear_feature.empty()) return;
    const auto offsets = vector_from<std::int64_t>(arrays, "linear_start");
    require(offsets.size() == n + 1 && tree.linear_coef.size() == tree.linear_feature.size(),
            "the tree's linear terms do not fit its nodes");
    for (std::size_t i = 0; i < n; ++i) {
        require(offsets[i] >= 0 && offsets[i] <= offsets[i + 1] &&
                    offsets[i + 1] <= static_cast<std::int64_t>(tree.linear_feature.size()),
                "the tree's linear terms do not fit its nodes");
        if (offsets[i] == offsets[i + 1]) continue;
        tree.linear_start[i] = offsets[i];
        tree.linear_terms[i] = static_cast<std::int32_t>(offsets[i + 1] - offsets[i]);
    }
}

Arrays tree_to_dict(vaglio::tree::Tree&& tree) {
    Arrays result;
    write_linear(tree, result);
    const std::size_t n = tree.size(), width = tree.width;
    result["kind"] = to_numpy(std::move(tree.kind));
    result["feature"] = to_numpy(std::move(tree.feature));
    result["threshold"] = to_numpy(std::move(tree.threshold));
    result["first_child"] = to_numpy(std::move(tree.first_child));
    result["n_children"] = to_numpy(std::move(tree.n_children));
    result["missing_branch"] = to_numpy(std::move(tree.missing_branch));
    result["table_start"] = to_numpy(std::move(tree.table_start));
    result["tables"] = to_numpy(std::move(tree.tables));
    result["value"] = to_numpy(std::move(tree.value), {n, width});
    result["weight"] = to_numpy(std::move(tree.weight));
    result["impurity"] = to_numpy(std::move(tree.impurity));
    result["gain"] = to_numpy(std::move(tree.gain));
    result["strict"] = nb::cast(to_numpy(std::move(tree.strict))).attr("view")("bool");
    return result;
}

vaglio::tree::Tree tree_from(const Arrays& arrays) {
    vaglio::tree::Tree tree;
    tree.kind = vector_from<std::uint8_t>(arrays, "kind");
    tree.feature = vector_from<std::int32_t>(arrays, "feature");
    tree.threshold = vector_from<double>(arrays, "threshold");
    tree.first_child = vector_from<std::int32_t>(arrays, "first_child");
    tree.n_children = vector_from<std::int32_t>(arrays, "n_children");
    tree.missing_branch = vector_from<std::int32_t>(arrays, "missing_branch");
    tree.table_start = vector_from<std::int64_t>(arrays, "table_start");
    tree.tables = vector_from<std::uint32_t>(arrays, "tables");
    tree.value = vector_from<double>(arrays, "value");
    tree.weight = vector_from<double>(arrays, "weight");
    tree.impurity = vector_from<double>(arrays, "impurity");
    tree.gain = vector_from<double>(arrays, "gain");
    const auto strict = vector_from<bool>(arrays, "strict");
    tree.strict.assign(strict.begin(), strict.end());
    const std::size_t n = tree.size();
    require(n > 0 && tree.value.size() % n == 0 && tree.value.size() >= n, "the tree's values do not fit its nodes");
    tree.width = tree.value.size() / n;
    for (const std::size_t length : {tree.feature.size(), tree.threshold.size(), tree.first_child.size(),
                                     tree.n_children.size(), tree.missing_branch.size(), tree.table_start.size(),
                                     tree.weight.size(), tree.impurity.size(), tree.gain.size(), tree.strict.size()})
        require(length == n, "the tree's arrays differ in length");
    read_linear(arrays, tree);
    return tree;
}

static void set_weight(vaglio::tree::TreeData& data, const Weight& weight,
                       const std::optional<Array1<std::uint32_t>>& multiplicity) {
    require(data.rows > 0, "the table has no rows");
    require(data.rows < 0x7FFFFFFFu, "the table has more than 2^31 rows");
    if (weight) {
        require(weight->size() == data.rows, "weight and the table differ in their rows");
        data.weights = weight->data();
    }
    if (multiplicity) {
        require(multiplicity->size() == data.rows, "multiplicity and the table differ in their rows");
        data.multiplicity = multiplicity->data();
    }
}

// What is to be predicted, checked against the table: labels for classes > 0, numbers for regression.
void set_target(vaglio::tree::TreeData& data, const AnyArray& y, std::size_t n_classes, const Weight& weight,
                const std::optional<Array1<std::uint32_t>>& multiplicity) {
    require(n_classes <= 65535, "more than 65535 classes");
    data.classes = n_classes;
    // Nothing is converted: the kernel reads this memory after we return, and a converted copy would be gone by then.
    if (n_classes > 0) {
        const auto labels = nb::cast<Array1<std::int64_t>>(y, false);
        if (data.features.empty()) data.rows = labels.size();
        require(labels.size() == data.rows, "y and the table differ in their rows");
        for (std::size_t i = 0; i < labels.size(); ++i)
            require(labels.data()[i] >= 0 && static_cast<std::size_t>(labels.data()[i]) < n_classes,
                    "a label is outside the classes");
        data.labels = labels.data();
    } else {
        const auto targets = nb::cast<Array1<double>>(y, false);
        if (data.features.empty()) data.rows = targets.size();
        require(targets.size() == data.rows, "y and the table differ in their rows");
        data.targets = targets.data();
    }
    set_weight(data, weight, multiplicity);
}

vaglio::tree::Outputs outputs_from(vaglio::tree::TreeData& data, const AnyArray& y,
                                   const std::vector<std::size_t>& n_classes, const Weight& weight) {
    vaglio::tree::Outputs outputs;
    const auto fits = [&](const auto& targets) {
        outputs.count = targets.shape(1);
        if (data.features.empty()) data.rows = targets.shape(0);
        require(targets.shape(0) == data.rows, "y and the table differ in their rows");
        require(outputs.count > 0, "y has no columns");
    };
    if (n_classes.empty()) {
        const auto targets = nb::cast<Array2<double>>(y, false);
        fits(targets);
        outputs.targets = targets.data();
    } else {
        const auto labels = nb::cast<Array2<std::int64_t>>(y, false);
        fits(labels);
        require(n_classes.size() == outputs.count, "one number of classes per column of y is needed");
        outputs.starts.push_back(0);
        for (const std::size_t classes : n_classes) outputs.starts.push_back(outputs.starts.back() + classes);
        require(outputs.starts.back() < UINT32_MAX, "y has too many classes");
        outputs.places.resize(labels.size());
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const std::size_t k = i % outputs.count;
            require(labels.data()[i] >= 0 && static_cast<std::size_t>(labels.data()[i]) < n_classes[k],
                    "a label is outside the classes");
            outputs.places[i] =
                static_cast<std::uint32_t>(outputs.starts[k] + static_cast<std::size_t>(labels.data()[i]));
        }
    }
    set_weight(data, weight, std::nullopt);
    return outputs;
}
