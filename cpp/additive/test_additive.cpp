// A step of one feature is the best division of its bins, found by trying all of them; a start that is no number is
// refused.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "additive/step.hpp"
#include "additive/trainer.hpp"
#include "base/check.hpp"
#include "base/random.hpp"

using namespace vaglio;
using namespace vaglio::additive;
using boosting::BinnedFeature;
using boosting::FixedPoint;
using boosting::GradientSums;

namespace {

constexpr std::size_t bins = 9;
constexpr double l2 = 1.0;

struct Example {
    BinnedFeature feature;
    FixedPoint unit{1000, 1.0, 1.0, true};  // every row has the Hessian 1
    std::vector<GradientSums> sums = std::vector<GradientSums>(bins + 1);
    StepConfig config;

    explicit Example(std::uint64_t seed) {
        feature.bins = bins;
        feature.offset = 40;  // as if other features came before it
        Random random(seed);
        for (std::size_t b = 0; b < bins; ++b) {
            const auto rows = 1 + random.below(20);
            sums[b].packed = rows;
            const double gradient = (random.uniform() - 0.5) * static_cast<double>(rows);
            sums[b].gradient = static_cast<std::int64_t>(gradient / unit.gradient_unit);
        }
        config.split.min_samples_leaf = 1;
        config.split.l2 = l2;
        config.max_leaves = 2;
    }

    double gain(std::size_t first, std::size_t last) const {
        double gradient = 0.0, rows = 0.0;
        for (std::size_t b = first; b < last; ++b) {
            gradient += unit.gradient(sums[b]);
            rows += static_cast<double>(unit.rows(sums[b]));
        }
        return gradient * gradient / (rows + l2);
    }
};

void check_against_all_divisions(std::uint64_t seed) {
    const Example example(seed);
    const StepTask task{example.config, example.feature, 0, example.unit, 1.0, example.sums.data()};
    std::vector<double> values;
    CHECK(take_step(task, values));
    CHECK(values.size() == bins + 1);
    double best = 0.0;
    for (std::size_t cut = 1; cut < bins; ++cut) {
        best = std::max(best, example.gain(0, cut) + example.gain(cut, bins));
    }
    std::size_t cut = 1;
    while (cut < bins && values[cut] == values[0]) ++cut;
    CHECK(std::abs(example.gain(0, cut) + example.gain(cut, bins) - best) < 1e-9);
    for (std::size_t b = cut; b < bins; ++b) CHECK(values[b] == values[cut]);
}

void check_a_rising_step(std::uint64_t seed) {
    Example example(seed);
    example.config.split.monotonic = {1};
    example.config.max_leaves = 5;
    const StepTask task{example.config, example.feature, 0, example.unit, 1.0, example.sums.data()};
    std::vector<double> values;
    if (!take_step(task, values)) return;
    for (std::size_t b = 1; b < bins; ++b) CHECK(values[b] >= values[b - 1]);
}

void check_nothing_to_gain() {
    Example example(1);
    for (std::size_t b = 0; b < bins; ++b) {
        example.sums[b] = {};
        example.sums[b].packed = 5;
    }
    const StepTask task{example.config, example.feature, 0, example.unit, 1.0, example.sums.data()};
    std::vector<double> values;
    CHECK(!take_step(task, values));
}

// No column has a term, so that no step would notice.
void check_a_start_that_is_no_number() {
    const double numbers[] = {1.0, 2.0}, weights[] = {1e90, 1e90};
    const std::uint8_t held[] = {0, 0};
    boosting::RawTable raw;
    raw.rows = 2;
    raw.features = {{false, 0}};
    raw.numeric = numbers;
    raw.row_stride = raw.column_stride = 1;
    const boosting::BinnedTable table(raw, 4, 0, 1);
    BagConfig config;
    config.boosted = {0};
    for (const double size : {1.0, 1e298}) {
        const double y[] = {1.0, size};
        boosting::Target target;
        target.loss = boosting::LossKind::gamma;
        target.rows = 2;
        target.y = y;
        target.weight = weights;
        bool refused = false;
        try {
            const Trainer trainer(table, target, held, 1, config, 1);
        } catch (const std::overflow_error&) {
            refused = true;
        }
        CHECK(refused == (size > 1));
    }
}

}  // namespace

int main() {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        check_against_all_divisions(seed);
        check_a_rising_step(seed);
    }
    check_nothing_to_gain();
    check_a_start_that_is_no_number();
    return check_result();
}
