// A small tree with its nodes depth first, and what rows with weights, with missing values and with targets leave
// there.
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/check.hpp"
#include "tree/preorder.hpp"

using namespace vaglio;
using namespace vaglio::tree;

namespace {

// Siblings side by side: the root tests column 0, its right child column 1.
struct Sample {
    std::vector<std::int32_t> feature{0, -1, 1, -1, -1}, first_child{1, -1, 3, -1, -1}, missing{0, -1, 1, -1, -1};
    std::vector<double> threshold{0.5, 0, 2.5, 0, 0};
    std::vector<float> values{0, 9, 1, 2, 1, 3, 1, 3, std::numeric_limits<float>::quiet_NaN(), 1, 1, 2};
    std::vector<double> weights{1, 2, 0, 4, 8, 1}, targets{1, 2, 3, 4, 5, 6};

    ThresholdTests tests() const { return {feature, threshold, first_child, missing}; }
    SingleRows rows() const { return {values.data(), 6, 2, 2, 1}; }
};

Preorder laid_out(const Sample& sample, std::vector<std::uint8_t> complete, const RowAmounts& amounts) {
    Control control;
    return lay_out(sample.tests(), sample.rows(), complete, amounts, control);
}

template <class T>
bool same(const std::vector<T>& found, std::vector<T> expected) {
    return found == expected;
}

void test_order_and_rows() {
    const Sample sample;
    const Preorder found = laid_out(sample, {0, 1}, {});
    CHECK(same<std::int64_t>(found.order, {0, 1, 2, 3, 4}));
    CHECK(same<std::int64_t>(found.left, {1, -1, 3, -1, -1}));
    CHECK(same<std::int64_t>(found.right, {2, -1, 4, -1, -1}));
    CHECK(same<std::int64_t>(found.rows, {6, 2, 4, 2, 2}));
    // Column 0 has a missing value, which goes left as the tree says; of column 1 equally many rows go either way.
    CHECK(same<std::uint8_t>(found.missing_left, {1, 0, 0, 0, 0}));
    CHECK(found.depth == 2 && found.weight.empty() && found.sums.empty());
}

void test_amounts() {
    const Sample sample;
    const Preorder found = laid_out(sample, {0, 1}, {sample.weights, sample.targets, 1});
    CHECK(same<std::int64_t>(found.rows, {5, 2, 3, 2, 1}));
    CHECK(same<double>(found.weight, {16, 9, 7, 3, 4}));
    CHECK(same<double>(found.sums, {67, 41, 26, 10, 16}));
    CHECK(same<std::uint8_t>(found.missing_left, {1, 0, 1, 0, 0}));
    const Preorder two = laid_out(sample, {0, 1}, {{}, {sample.targets.data(), 6}, 1});
    CHECK(same<double>(two.sums, {21, 6, 15, 8, 7}));
}

void test_left_branch_first() {
    Sample sample;  // the left child of the root is the one that is split
    sample.feature = {0, 1, -1, -1, -1};
    sample.first_child = {1, 3, -1, -1, -1};
    sample.missing = {1, 1, -1, -1, -1};
    sample.threshold = {0.5, 5, 0, 0, 0};
    const Preorder found = laid_out(sample, {0, 1}, {});
    CHECK(same<std::int64_t>(found.order, {0, 1, 3, 4, 2}));
    CHECK(same<std::int64_t>(found.left, {1, 2, -1, -1, -1}));
    CHECK(same<std::int64_t>(found.right, {4, 3, -1, -1, -1}));
    CHECK(same<std::int64_t>(found.rows, {6, 1, 0, 1, 5}));
}

void test_refusals() {
    for (const auto& children : std::vector<std::vector<std::int32_t>>{
             {0, -1, -1, -1, -1}, {4, -1, -1, -1, -1}, {1, 3, 3, -1, -1}, {1, -1, 1, -1, -1}}) {
        Sample sample;
        sample.feature.assign(5, 0);
        sample.first_child = children;
        bool refused = false;
        try {
            laid_out(sample, {1, 1}, {});
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        CHECK(refused);
    }
    bool refused = false;
    try {
        laid_out(Sample{}, {1}, {});
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

}  // namespace

int main() {
    test_order_and_rows();
    test_amounts();
    test_left_branch_first();
    test_refusals();
    return check_result();
}
