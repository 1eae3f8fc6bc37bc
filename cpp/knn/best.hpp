#pragma once
// The k nearest rows seen so far: one heap per query with the worst row on top. Of two equal distances the higher row
// is the worse one.
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

class Best {
 public:
    Best(std::size_t queries, std::size_t k) : k_(k), size_(queries, 0), heap_(queries * k) {}

    // The distance above which no row can enter; infinity until k rows are held.
    double worst(std::size_t query) const {
        return size_[query] < k_ ? std::numeric_limits<double>::infinity() : heap_[query * k_].distance;
    }

    // True if the row entered.
    bool offer(std::size_t query, Candidate candidate) {
        Candidate* heap = heap_.data() + query * k_;
        std::size_t& size = size_[query];
        if (size < k_) {
            heap[size++] = candidate;
            std::push_heap(heap, heap + size);
            return true;
        }
        if (!(candidate < heap[0])) return false;
        replace_top(heap, candidate);
        return true;
    }

    // The candidates of a query, nearest first; the heap is spent.
    const Candidate* sorted(std::size_t query) {
        Candidate* heap = heap_.data() + query * k_;
        std::sort_heap(heap, heap + size_[query]);
        return heap;
    }

 private:
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
    std::vector<Candidate> heap_;
};

}  // namespace vaglio::knn
