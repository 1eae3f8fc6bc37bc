#include "tree_convert.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

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
