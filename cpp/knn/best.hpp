#pragma once
// The k nearest rows seen so far, per query: a list in order, or for many a heap with the worst row on top. Of two
// equal distances the higher row is the worse one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace vaglio::knn {

struct Candidate {
    double distance;  // in the metric's own order: squared for Euclid, a power for Minkowski
    std::uint32_t row;

    friend bool operator<(const Candidate& a, const Candidate& b) {
        return a.distance < b.distance || (a.distance == b.distance && a.row < b.row);
    }
};

// NaN (two infinities apart) is as far as can be.
inline double ordered(double distance) {
    return distance == distance ? distance : std::numeric_limits<double>::infinity();
}

// Where k rows and their distances are written for every query.
struct Found {
    std::int64_t* rows;
    double* distances;
};

class Best {
 public:
    Best(std::size_t queries, std::size_t k) : k_(k), size_(queries, 0), held_(queries * k) {}

    // The distance above which no row can enter; infinity until k rows are held.
    double worst(std::size_t query) const {
        if (size_[query] < k_) return std::numeric_limits<double>::infinity();
        return held_[query * k_ + (in_order() ? k_ - 1 : 0)].distance;
    }

    // True if the row entered.
    bool offer(std::size_t query, Candidate candidate) {
        Candidate* held = held_.data() + query * k_;
        std::size_t& size = size_[query];
        const bool full = size == k_;
        if (full && !(candidate < held[in_order() ? k_ - 1 : 0])) return false;
        if (in_order()) {
            std::size_t place = full ? k_ - 1 : size;
            for (; place > 0 && candidate < held[place - 1]; --place) held[place] = held[place - 1];
            held[place] = candidate;
        } else if (full) {
            replace_top(held, candidate);
        } else {
            held[size] = candidate;
            std::push_heap(held, held + size + 1);
        }
        size += full ? 0 : 1;
        return true;
    }

    // Forgets what was offered for a query.
    void clear(std::size_t query) { size_[query] = 0; }

    // One of the rows held for a query, in no order.
    std::uint32_t row(std::size_t query, std::size_t i) const { return held_[query * k_ + i].row; }

    // Writes the rows of a query, nearest first, as those of `place`; no more can be offered.
    void write(std::size_t query, Found out, std::size_t place) {
        Candidate* held = held_.data() + query * k_;
        if (!in_order()) std::sort_heap(held, held + size_[query]);
        for (std::size_t i = 0; i < k_; ++i) {
            out.rows[place * k_ + i] = held[i].row;
            out.distances[place * k_ + i] = held[i].distance;
        }
    }

 private:
    // Few candidates are kept in order, which costs less than a heap that must be sorted in the end.
    bool in_order() const { return k_ <= 24; }

    void replace_top(Candidate* heap, Candidate candidate) const {
        std::size_t hole = 0;
        for (std::size_t child; (child = 2 * hole + 1) < k_; hole = child) {
            if (child + 1 < k_ && heap[child] < heap[child + 1]) ++child;
            if (!(candidate < heap[child])) break;
            heap[hole] = heap[child];
        }
        heap[hole] = candidate;
    }

    std::size_t k_;
    std::vector<std::size_t> size_;
    std::vector<Candidate> held_;
};

}  // namespace vaglio::knn
