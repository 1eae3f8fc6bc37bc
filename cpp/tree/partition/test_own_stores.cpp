// Rows of unknown value go into every branch with a share of their weight: what each child gets, against the rows of
// one branch after the other.
#include <algorithm>

#include "base/check.hpp"
#include "base/random.hpp"
#include "tree/partition/partition.hpp"

using namespace vaglio;
using namespace vaglio::tree;

namespace {

struct Case {
    std::uint32_t rows;
    std::int32_t branches;
    bool classes, weighted;  // labels or targets; weights that are more than counts of rows
};

// A node in the middle of its store: positions within the node differ from those in the store.
GrowNode make_node(const Case& drawn, Random& random) {
    constexpr std::size_t before = 3;
    auto store = std::make_shared<RowStore>();
    store->integral = false;
    store->weighted = drawn.weighted;
    store->capacity = before + drawn.rows;
    GrowNode node;
    for (std::uint32_t i = 0; i < store->capacity; ++i) {
        store->rows.push_back(2 * i);
        if (drawn.classes) store->labels.push_back(static_cast<Label>(random.below(3)));
        if (!drawn.classes) store->targets.push_back(random.uniform());
        store->weights.push_back(0.25 + random.uniform());
        if (drawn.weighted) store->counts.push_back(1 + static_cast<double>(random.below(3)));
    }
    node.store = store;
    node.start = before;
    node.size = drawn.rows;
    node.sums.assign(drawn.classes ? 3 : 2, 0.0);
    return node;
}

void check_child(const Case& drawn, const GrowNode& node, const Partition& partition, std::int32_t own) {
    const auto b = static_cast<std::size_t>(own);
    const GrowNode& child = partition.children[b];
    CHECK(child.store && child.store != node.store && child.start == 0);
    CHECK(!child.store->integral && child.store->weighted == drawn.weighted);
    std::uint32_t at = 0;
    for (std::uint32_t i = 0; i < node.size; ++i) {
        const std::int32_t branch = partition.branch[i];
        if (branch != own && branch != every_branch) continue;
        const double share = branch == own ? 1.0 : partition.share[b];
        CHECK(child.rows()[at] == node.rows()[i]);
        CHECK(child.weights()[at] == node.weights()[i] * share);
        if (drawn.weighted) CHECK(child.counts()[at] == node.counts()[i] * share);
        if (drawn.classes) CHECK(child.labels()[at] == node.labels()[i]);
        if (!drawn.classes) CHECK(child.targets()[at] == node.targets()[i]);
        ++at;
    }
    CHECK(at == child.size && at == child.store->rows.size());
}

void check_spread(const Case& drawn, std::uint64_t seed) {
    Random random(seed);
    const GrowNode node = make_node(drawn, random);
    TreeData data;
    data.classes = drawn.classes ? 3 : 0;
    Partition partition;
    partition.branches = drawn.branches;
    const auto choices = static_cast<std::uint64_t>(drawn.branches) + 1;
    for (std::uint32_t i = 0; i < node.size; ++i)
        partition.branch.push_back(static_cast<std::int32_t>(random.below(choices)) - 1);
    partition.branch[0] = every_branch;
    measure_branches(node, data, partition);
    CHECK(partition.spread);
    std::vector<bool> wanted;
    for (std::int32_t b = 0; b < drawn.branches; ++b) wanted.push_back(b == 0 || random.below(2) == 0);
    std::vector<PartitionScratch> scratch(1);
    move_rows(node, wanted, 0, false, 1, scratch, partition);
    for (std::int32_t b = 0; b < drawn.branches; ++b) {
        if (wanted[static_cast<std::size_t>(b)]) {
            check_child(drawn, node, partition, b);
        } else {
            CHECK(!partition.children[static_cast<std::size_t>(b)].store);
        }
    }
}

}  // namespace

int main() {
    std::uint64_t seed = 0;
    for (const std::uint32_t rows : {1u, 2u, 17u, 500u})
        for (const std::int32_t branches : {2, 3, 16})
            for (const bool classes : {false, true})
                for (const bool weighted : {false, true}) check_spread({rows, branches, classes, weighted}, ++seed);
    return check_result();
}
