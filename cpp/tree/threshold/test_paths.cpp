// Every path to a threshold finds what the plain scan of an order finds on the same node, and each node takes the path
// that the table in threshold.cpp names.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/check.hpp"
#include "tree/partition/order.hpp"
#include "tree/sieve/sieve.hpp"
#include "tree/threshold/threshold.hpp"

using namespace vaglio;
using namespace vaglio::tree;

namespace {

enum class Weighing : std::uint8_t { ones, counts, shares, given };  // shares: rows in several branches

struct Kind {
    Criterion criterion = Criterion::gain;
    std::size_t classes = 3;
    Weighing weighing = Weighing::ones;
    bool missing = false;  // some values
    std::uint32_t size = 700;
};

constexpr std::uint32_t columns = 4;
constexpr std::uint32_t distinct[columns] = {2, 9, 200, 5000};

// A node of random rows. The class, or the number to predict, depends on every column, and on chance.
struct Example {
    std::vector<std::uint32_t> ranks;
    std::vector<std::vector<double>> values;
    TreeData data;
    TreeConfig config;
    GrowNode node;
    Scorer scorer;
    bool integral;
    std::vector<std::uint32_t> features;

    Example(const Kind& kind, std::uint64_t seed)
        : scorer(kind.criterion, log_table(16 * kind.size)),
          integral(kind.weighing == Weighing::ones || kind.weighing == Weighing::counts) {
        Random random(seed);
        config.criterion = kind.criterion;
        data.rows = 2 * static_cast<std::size_t>(kind.size);
        data.classes = kind.classes;
        data.complete.assign(columns, !kind.missing);
        for (std::uint32_t c = 0; c < columns; ++c) {
            data.features.push_back({false, c});
            features.push_back(c);
            std::vector<double>& list = values.emplace_back();
            for (std::uint32_t v = 0; v < distinct[c]; ++v) list.push_back(v + 0.25 * static_cast<double>(v % 3));
        }
        for (const auto& list : values) data.values.emplace_back(list);
        ranks.resize(data.rows * columns);
        auto store = std::make_shared<RowStore>();
        store->capacity = kind.size;
        store->integral = integral;
        store->weighted = kind.weighing == Weighing::given;
        for (std::size_t i = 0; i < data.rows; ++i) {
            double signal = 0;
            for (std::uint32_t c = 0; c < columns; ++c) {
                const auto rank = static_cast<std::uint32_t>(random.below(distinct[c]));
                signal += (c + 1.0) * rank / (10.0 * distinct[c]);
                ranks[c * data.rows + i] = kind.missing && random.below(9) == 0 ? missing_rank : rank;
            }
            if (i % 2 == 0) add_row(*store, i, kind, random.below(3) > 0 ? signal : random.uniform(), random);
        }
        data.ranks = ranks.data();
        node.store = store;
        node.size = kind.size;
        node.key = seed;
        if (kind.classes > 0 && integral) pack(*store, kind.classes);
    }

    void add_row(RowStore& store, std::size_t row, const Kind& kind, double signal, Random& random) {
        double weight = 1;
        if (kind.weighing == Weighing::counts) weight = 1.0 + static_cast<double>(random.below(7));
        if (!integral) weight = 0.1 + random.uniform();
        store.rows.push_back(static_cast<std::uint32_t>(row));
        if (kind.weighing != Weighing::ones) store.weights.push_back(weight);
        node.weight += weight;
        node.count += store.weighted ? 1 : weight;
        node.sums.resize(std::max<std::size_t>(kind.classes, 2), 0.0);
        if (kind.classes > 0) {
            const double place = signal * static_cast<double>(kind.classes);
            store.labels.push_back(
                static_cast<Label>(std::min<std::size_t>(static_cast<std::size_t>(place), kind.classes - 1)));
            node.sums[store.labels.back()] += weight;
        } else {
            store.targets.push_back(std::rint(64 * signal));
            node.sums[0] += weight * store.targets.back();
            node.sums[1] += weight * store.targets.back() * store.targets.back();
        }
    }

    static void pack(RowStore& store, std::size_t classes) {
        store.count_bits = store.weights.empty() ? 0 : 3;
        store.payload_bits = store.count_bits + std::bit_width(classes - 1);
        for (std::size_t i = 0; i < store.rows.size(); ++i)
            store.payload.push_back(static_cast<std::uint32_t>(store.labels[i]) << store.count_bits |
                                    (store.weights.empty() ? 0 : static_cast<std::uint32_t>(store.weights[i])));
    }

    // Keeps the order of every column, with the classes in its entries or without.
    void keep_orders(bool labelled) {
        node.store->orders = make_large_array<std::uint32_t>(node.store->capacity * columns);
        node.store->labelled = labelled;
        node.known.assign(columns, 0);
        for (std::uint32_t c = 0; c < columns; ++c) node.known[c] = order_root(data, c, node, node.order(c)).length;
    }

    NodeContext context(double least = 1) const {
        const Minimum minimum = node.store->weighted ? Minimum{0, least} : Minimum{least, 0};
        return {data, config, scorer, node, node.sums, node.weight, minimum, 1.0, integral, nullptr};
    }
};

bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }

bool same(const NodeContext& context, Candidate found, Candidate plain) {
    if (found.valid != plain.valid || !found.valid) return found.valid == plain.valid;
    read_ranks(context, found);
    read_ranks(context, plain);
    const bool beside = found.by_threshold || (found.lower == plain.lower && found.upper == plain.upper);
    return found.feature == plain.feature && beside && found.missing_branch == plain.missing_branch &&
           found.only_missing == plain.only_missing && found.drawn == plain.drawn &&
           found.threshold == plain.threshold && close(found.gain, plain.gain) && close(found.worth, plain.worth);
}

Candidate plain_scan(const NodeContext& context, std::uint32_t feature) {
    ScanScratch scratch;
    return *scan_path(ThresholdPath::order, context, static_cast<std::int32_t>(feature), no_order, scratch);
}

// One path on all columns of the node, kept in order (slot == column) or not.
void force(ThresholdPath path, const NodeContext& context, bool kept) {
    ScanScratch scratch;
    int valid = 0;
    for (std::uint32_t c = 0; c < columns; ++c) {
        const auto found = scan_path(path, context, static_cast<std::int32_t>(c), kept ? c : no_order, scratch);
        CHECK(found.has_value());
        if (found) CHECK(same(context, *found, plain_scan(context, c)));
        valid += found && found->valid;
    }
    CHECK(valid > 0);
}

// A path that cannot do without a value says so, and the column is scanned by the order of those it has.
void refuses(ThresholdPath path, const NodeContext& context) {
    ScanScratch scratch;
    for (std::uint32_t c = 0; c < columns; ++c) {
        CHECK(!scan_path(path, context, static_cast<std::int32_t>(c), no_order, scratch));
        CHECK(same(context, scan_threshold(context, static_cast<std::int32_t>(c), no_order, scratch),
                   plain_scan(context, c)));
    }
}

// A sieve finds the best of all features.
template <class Scan>
void sift(Scan scan, const Example& example, const NodeContext& context) {
    ScanScratch scratch;
    std::vector<Candidate> sifted(columns), plain;
    scan(context, example.features, scratch, sifted);
    for (const std::uint32_t f : example.features) plain.push_back(plain_scan(context, f));
    const auto less = [](const Candidate& a, const Candidate& b) {
        return a.valid < b.valid || (a.valid == b.valid && a.gain < b.gain);
    };
    const Candidate& best = *std::max_element(plain.begin(), plain.end(), less);
    CHECK(best.valid);
    CHECK(same(context, *std::max_element(sifted.begin(), sifted.end(), less), best));
}

bool takes(const NodeContext& context, std::uint32_t column, std::uint32_t slot, ThresholdPath path) {
    return threshold_path(context, column, slot) == path;
}

// Whole counts of complete columns: all paths of counts, the one by values and the sieve serve the same node.
void check_counts(const Kind& kind, bool c45, double least, std::uint64_t seed) {
    Example example(kind, seed);
    example.config.mdl_correction = c45;
    example.config.c45_numeric_minimum = c45;
    const NodeContext context = example.context(least);
    CHECK(takes(context, 0, no_order, ThresholdPath::histogram));
    CHECK(takes(context, 2, no_order, ThresholdPath::histogram));
    CHECK(takes(context, 3, no_order, ThresholdPath::sorted_keys));
    force(ThresholdPath::histogram, context, false);
    force(ThresholdPath::sorted_keys, context, false);
    if (context.scorer.entropy() && kind.classes <= 4) force(ThresholdPath::values, context, false);
    CHECK(sieve_applies(context) == (!c45 && kind.criterion != Criterion::gain_ratio));
    if (sieve_applies(context)) sift(scan_sieve, example, context);
    for (const bool labelled : {false, true}) {
        if (labelled && (kind.weighing != Weighing::ones || kind.classes > most_entry_labels)) continue;
        example.keep_orders(labelled);
        CHECK(takes(context, 0, 0, ThresholdPath::kept_counts));
        force(ThresholdPath::kept_counts, context, true);
        force(ThresholdPath::order, context, true);
    }
}

void check_drawn(const Kind& kind, std::uint64_t seed) {
    Example example(kind, seed);
    example.config.random_thresholds = true;
    const NodeContext context = example.context();
    example.keep_orders(false);
    CHECK(takes(context, 1, no_order, ThresholdPath::drawn_counts));
    CHECK(takes(context, 1, 1, ThresholdPath::drawn_counts));
    force(ThresholdPath::drawn_counts, context, false);
    example.config.strict = true;
    force(ThresholdPath::drawn_counts, context, false);
    example.config.mdl_correction = true;
    CHECK(takes(context, 1, no_order, ThresholdPath::order));
}

void check_drawn_squares(Weighing weighing, std::uint64_t seed) {
    Example example({Criterion::squared_error, 0, weighing}, seed);
    example.config.random_thresholds = true;
    for (const double least : {1.0, 150.0}) {
        const NodeContext context = example.context(least);
        CHECK(takes(context, 1, no_order, ThresholdPath::drawn_squares));
        example.config.strict = least > 1;
        force(ThresholdPath::drawn_squares, context, false);
    }
    example.config.monotonic.assign(columns, 1);
    CHECK(takes(example.context(), 1, no_order, ThresholdPath::order));
    Example incomplete({Criterion::squared_error, 0, weighing, true}, seed);
    incomplete.config.random_thresholds = true;
    CHECK(takes(incomplete.context(), 1, no_order, ThresholdPath::order));
}

// Rows in several branches: entropies of real weights, with values that are missing or not.
void check_shares(Kind kind, std::uint64_t seed) {
    kind.weighing = Weighing::shares;
    Example example(kind, seed);
    example.config.missing = MissingPolicy::fractional;
    example.config.mdl_correction = true;
    const NodeContext context = example.context(2);
    CHECK(takes(context, 1, no_order, ThresholdPath::values));
    CHECK(takes(context, 3, no_order, ThresholdPath::order));
    force(ThresholdPath::values, context, false);
    example.keep_orders(false);
    CHECK(takes(context, 1, 1, ThresholdPath::order));
    force(ThresholdPath::order, context, true);
    if (!kind.missing) return;
    example.config.missing = MissingPolicy::own_branch;
    refuses(ThresholdPath::values, context);
}

void check_missing_counts(Kind kind, std::uint64_t seed) {
    kind.missing = true;
    Example example(kind, seed);
    const NodeContext context = example.context();
    CHECK(takes(context, 1, no_order, ThresholdPath::histogram));
    refuses(ThresholdPath::histogram, context);
    refuses(ThresholdPath::sorted_keys, context);
    CHECK(sieve_applies(context) && sieve_takes(context, 1));
    sift(scan_sieve, example, context);
    example.keep_orders(kind.classes <= most_entry_labels);
    CHECK(takes(context, 1, 1, ThresholdPath::order));
    force(ThresholdPath::order, context, true);
}

void check_given_weights(std::size_t classes, std::uint64_t seed) {
    Example example({Criterion::gini, classes, Weighing::given, false, 5000}, seed);
    example.config.max_depth = 1;
    const NodeContext context = example.context();
    CHECK(weighs_rows(context) && weighs_column(context, 0));
    CHECK(takes(context, 1, no_order, ThresholdPath::order));
    sift(scan_weighed, example, context);
    CHECK(!weighs_rows(example.context(2)));
}

void check_targets(bool missing, Weighing weighing, std::uint64_t seed) {
    const Example example({Criterion::squared_error, 0, weighing, missing, 3000}, seed);
    const NodeContext context = example.context();
    CHECK(sieves_targets(context));
    CHECK(takes(context, 1, no_order, ThresholdPath::order));
    sift(scan_targets, example, context);
}

// What no faster path can do.
void check_plain() {
    Example example({Criterion::error}, 1);
    CHECK(takes(example.context(), 1, no_order, ThresholdPath::order));
    Example constrained({Criterion::gini, 2}, 2);
    constrained.config.monotonic.assign(columns, 1);
    CHECK(takes(constrained.context(), 1, no_order, ThresholdPath::order));
    // Nodes much smaller than the number of values have no use for sums per value.
    Example small({Criterion::gini, 2, Weighing::ones, false, 30}, 3);
    CHECK(takes(small.context(), 2, no_order, ThresholdPath::sorted_keys));
    force(ThresholdPath::histogram, small.context(), false);
    force(ThresholdPath::sorted_keys, small.context(), false);
}

}  // namespace

int main() {
    std::uint64_t seed = 0;
    for (const std::size_t classes : {2u, 3u, 4u, 9u})
        for (const Criterion criterion : {Criterion::gain, Criterion::gain_ratio, Criterion::gini}) {
            for (const Weighing weighing : {Weighing::ones, Weighing::counts}) {
                const Kind kind{criterion, classes, weighing};
                for (const double least : {1.0, 20.0}) check_counts(kind, false, least, ++seed);
                check_counts(kind, true, 2, ++seed);
                check_drawn(kind, ++seed);
            }
            if (criterion != Criterion::gain_ratio) check_missing_counts({criterion, classes}, ++seed);
            if (criterion == Criterion::gini || classes > 4) continue;
            for (const bool missing : {false, true})
                check_shares({criterion, classes, Weighing::shares, missing}, ++seed);
        }
    for (const std::size_t classes : {2u, 3u, 4u}) check_given_weights(classes, ++seed);
    for (const bool missing : {false, true})
        for (const Weighing weighing : {Weighing::ones, Weighing::counts}) check_targets(missing, weighing, ++seed);
    for (const Weighing weighing : {Weighing::ones, Weighing::counts, Weighing::given})
        check_drawn_squares(weighing, ++seed);
    check_plain();
    return check_result();
}
