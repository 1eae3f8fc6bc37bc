#pragma once
// What the bindings of learning in passes share: sums as NumPy adds them, and the bins of a table whose rows are
// elsewhere.
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "boosting/binned.hpp"
#include "columns/exact_sum.hpp"
#include "trainer_convert.hpp"

// Pairs of 64 bits as NumPy adds them: whole numbers, wrapped around.
template <class Pair>
NumPy<std::int64_t> pairs_to_numpy(const std::vector<Pair>& pairs) {
    static_assert(sizeof(Pair) == 16);
    std::vector<std::int64_t> flat(2 * pairs.size());
    if (!pairs.empty()) std::memcpy(flat.data(), pairs.data(), sizeof(Pair) * pairs.size());
    return to_numpy(std::move(flat), {pairs.size(), 2});
}

template <class Pair>
std::vector<Pair> pairs_from(const Array2<std::int64_t>& flat) {
    require(flat.shape(1) == 2, "sums come in pairs");
    std::vector<Pair> pairs(flat.shape(0));
    if (!pairs.empty()) std::memcpy(static_cast<void*>(pairs.data()), flat.data(), sizeof(Pair) * pairs.size());
    return pairs;
}

inline NumPy<std::int64_t> limbs_to_numpy(std::initializer_list<const vaglio::ExactSum*> sums) {
    std::vector<std::int64_t> limbs;
    for (const vaglio::ExactSum* sum : sums) limbs.insert(limbs.end(), sum->parts().begin(), sum->parts().end());
    return to_numpy(std::move(limbs), {sums.size(), vaglio::ExactSum::limbs});
}

// The bins of all features, as Python holds them: an entry per feature in each array.
struct BoostingLayout {
    std::vector<std::uint8_t> nominal;
    std::vector<std::uint32_t> bins;
    std::vector<std::uint8_t> missing;
    std::vector<std::vector<double>> thresholds;
};

inline std::vector<boosting::BinnedFeature> features_from_layout(const BoostingLayout& layout) {
    std::vector<boosting::BinnedFeature> features(layout.nominal.size());
    require(layout.bins.size() == features.size() && layout.missing.size() == features.size() && !features.empty(),
            "one number of bins per feature is needed");
    require(layout.thresholds.size() == features.size(), "thresholds of every feature are needed");
    for (std::size_t f = 0; f < features.size(); ++f) {
        features[f].nominal = layout.nominal[f] != 0;
        features[f].bins = layout.bins[f];
        features[f].missing = layout.missing[f] != 0;
        features[f].thresholds = layout.thresholds[f];
        require(features[f].nominal || features[f].thresholds.size() + 1 == features[f].bins,
                "thresholds and bins differ");
    }
    return features;
}

inline boosting::Target target_of(const std::string& loss, std::size_t outputs) {
    boosting::Target target;
    target.loss = loss_from(loss);
    target.outputs = outputs;
    require(outputs >= 1 && (outputs == 1 || target.loss == boosting::LossKind::multinomial),
            "only the multinomial loss has several outputs");
    require(!target.leaf_quantiles(), "quantiles are not learned in passes");
    return target;
}

// The exact sum in a line of limbs.
inline vaglio::ExactSum sum_from(const Array2<std::int64_t>& limbs, std::size_t line) {
    vaglio::ExactSum::Limbs own;
    std::copy_n(limbs.data() + line * own.size(), own.size(), own.begin());
    return vaglio::ExactSum(own);
}

// The rows of a part in the bins of a layout.
inline std::unique_ptr<boosting::BinnedTable> binned_part(const BoostingLayout& layout, const Strided2& numeric,
                                                          const Columns2<std::int32_t>& codes,
                                                          const Array1<std::uint8_t>& nominal,
                                                          const Array1<std::uint32_t>& column,
                                                          const Array1<std::uint32_t>& n_categories) {
    const boosting::RawTable raw = raw_table(numeric, codes, nominal, column, n_categories);
    std::vector<boosting::BinnedFeature> features = features_from_layout(layout);
    require(features.size() == raw.features.size(), "the layout has other features");
    for (std::size_t f = 0; f < features.size(); ++f) {
        require(features[f].nominal == raw.features[f].nominal, "the layout has other features");
        require(!features[f].nominal || raw.categories[raw.features[f].column] <= features[f].bins,
                "the layout has fewer categories");
    }
    return run_kernel(nb::none(), [&](vaglio::Control&) {
        return std::make_unique<boosting::BinnedTable>(raw, std::move(features), 1);
    });
}
