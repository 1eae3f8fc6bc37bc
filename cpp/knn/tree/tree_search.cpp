// Searches of many queries in a tree of boxes, and what is made of their neighbours: block by block on all threads,
// while the neighbours are still in the cache.
#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "base/parallel.hpp"
#include "base/radix_sort.hpp"
#include "knn/pricing.hpp"
#include "knn/search.hpp"

namespace vaglio::knn {
namespace {

constexpr std::size_t chunk_queries = 64;  // queries per task

// A query and the leaf it lies in.
struct Place {
    std::uint32_t leaf, query;
};

// Queries in the order of the leaves they lie in, so that the rows of one are still in the cache for the next.
std::vector<Place> by_leaf(const KdTree& tree, const Points& queries, const Distance& by, int threads) {
    std::vector<Place> places(queries.n_rows), spare(queries.n_rows);
    const std::size_t part = 4 * chunk_queries;
    parallel_for(threads, (queries.n_rows + part - 1) / part, [&](std::size_t p, int) {
        for (std::size_t q = p * part; q < std::min((p + 1) * part, queries.n_rows); ++q) {
            places[q] = {tree.leaf_of(by, queries.row(q)), static_cast<std::uint32_t>(q)};
        }
    });
    const Place* sorted = radix_sort(places.data(), spare.data(), places.size(), 0, std::bit_width(tree.nodes()),
                                     [](const Place& place) { return place.leaf; });
    if (sorted == spare.data()) places.swap(spare);
    return places;
}

// The neighbours of one query after the other.
class Searcher {
 public:
    Searcher(const KdTree& tree, const Distance& by, const Points& queries, std::size_t k)
        : tree_(tree), by_(by), queries_(queries), k_(k), list_{k}, best_(1, k) {}

    void search(Place place, std::size_t self) {
        const double* x = queries_.row(place.query);
        listed_ = tree_.can_list(x, k_);
        if (listed_) {
            list_.clear();
            tree_.list(by_, x, place.leaf, self, list_);
        } else {
            const std::vector<std::int32_t> codes = query_codes(queries_, place.query, 1);
            best_.clear(0);
            tree_.search(by_, {x, codes.data(), 0.0}, self, 0, best_);
        }
    }

    // One of the k rows found, in no order.
    std::uint32_t row(std::size_t i) const { return listed_ ? tree_.row_at(list_.places[i]) : best_.row(0, i); }

    // Writes them nearest first.
    void write(Found out, std::size_t place) {
        if (listed_) {
            best_.clear(0);
            for (std::size_t i = 0; i < k_; ++i) best_.offer(0, {list_.distances[i], row(i)});
        }
        best_.write(0, out, place);
    }

 private:
    const KdTree& tree_;
    const Distance& by_;
    const Points& queries_;
    const std::size_t k_;
    Shortlist list_;
    Best best_;
    bool listed_ = false;
};

// Calls use(query, searcher) when the neighbours of a query are found; make_use() gives every task a `use` of its own.
template <class MakeUse>
void search_all(const KdTree& tree, const Points& train, const Points& queries, const NeighborConfig& config,
                Control& control, const MakeUse& make_use) {
    const Pricing pricing(train, config);
    const std::vector<Place> order = by_leaf(tree, queries, pricing.distance(), config.threads);
    const std::size_t n_chunks = (queries.n_rows + chunk_queries - 1) / chunk_queries;
    control.expect(n_chunks);
    parallel_for(config.threads, n_chunks, [&](std::size_t c, int) {
        Searcher searcher(tree, pricing.distance(), queries, config.k);
        auto use = make_use();
        for (std::size_t i = c * chunk_queries; i < std::min((c + 1) * chunk_queries, queries.n_rows); ++i) {
            const std::size_t query = order[i].query;
            searcher.search(order[i], config.exclude_self ? query : train.n_rows);
            use(query, searcher);
            control.check();
        }
        control.advance(1);
    });
}

}  // namespace

void search_kd_tree(const KdTree& tree, const Points& train, const Points& queries, const NeighborConfig& config,
                    Control& control, Found out) {
    search_all(tree, train, queries, config, control,
               [&] { return [&](std::size_t query, Searcher& found) { found.write(out, query); }; });
}

bool vote_kd_tree(const KdTree& tree, const Points& train, const Points& queries, const NeighborConfig& config,
                  Control& control, std::span<const std::int64_t> labels, std::span<double> shares) {
    const std::size_t classes = queries.n_rows > 0 ? shares.size() / queries.n_rows : 0;
    const auto k = static_cast<double>(config.k);
    std::atomic<bool> sound = true;
    // Votes are counted apart: the shares of one query often lie beside those that another thread writes.
    const auto voting = [&] {
        return [&, votes = std::vector<std::uint32_t>(classes)](std::size_t query, const Searcher& found) mutable {
            std::fill(votes.begin(), votes.end(), 0u);
            for (std::size_t i = 0; i < config.k; ++i) {
                // A negative number is a very large one without its sign.
                const auto label = static_cast<std::size_t>(labels[found.row(i)]);
                if (label < classes) {
                    ++votes[label];
                } else {
                    sound = false;
                }
            }
            double* const out = shares.data() + query * classes;
            for (std::size_t c = 0; c < classes; ++c) out[c] = votes[c] / k;
        };
    };
    search_all(tree, train, queries, config, control, voting);
    return sound;
}

}  // namespace vaglio::knn
