// Kernel values computed from features, in tiles of a blocked matrix product, with a cache of whole rows.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/parallel.hpp"
#include "svm/gram.hpp"
#include "svm/packed.hpp"

namespace vaglio {
namespace {

// Kernel rows over the kept columns, least recently used out first.
template <class T>
class RowCache {
 public:
    RowCache(std::size_t rows, std::size_t bytes) : slot_of_(rows, -1), bytes_(bytes) {}

    void resize(std::size_t stride) {
        stride_ = stride;
        const std::size_t capacity = capacity_for(stride);
        std::fill(slot_of_.begin(), slot_of_.end(), -1);
        owner_.assign(capacity, -1);
        used_.assign(capacity, 0);
        reserve(capacity * stride);
        next_ = 0;
    }

    // Keeps, of every cached row, the columns at `positions` (ascending positions among the present columns).
    void shrink(std::span<const std::int32_t> positions, std::size_t stride) {
        for (std::size_t slot = 0; slot < owner_.size(); ++slot) {
            const T* from = values_.get() + slot * stride_;
            T* to = values_.get() + slot * stride;
            for (std::size_t c = 0; c < positions.size(); ++c) to[c] = from[positions[c]];
        }
        stride_ = stride;
        const std::size_t capacity = std::max(owner_.size(), capacity_for(stride));
        if (owner_.empty()) reserve(capacity * stride);
        owner_.resize(std::min(capacity, reserved_ / stride), -1);
        used_.resize(owner_.size(), 0);
    }

    T* find(std::int32_t row) {
        const std::int32_t slot = slot_of_[row];
        if (slot < 0) return nullptr;
        used_[slot] = clock_;
        return values_.get() + slot * stride_;
    }

    // A place for a new row, or null when every place is in use since the last tick.
    T* claim(std::int32_t row) {
        if (owner_.empty()) return nullptr;
        for (std::size_t tries = 0; tries < owner_.size(); ++tries) {
            const std::size_t slot = next_++ % owner_.size();
            // A clock hand instead of exact age: rows touched in the last rounds are passed over.
            if (owner_[slot] >= 0 && used_[slot] + 2 > clock_) continue;
            if (owner_[slot] >= 0) slot_of_[owner_[slot]] = -1;
            owner_[slot] = row;
            slot_of_[row] = static_cast<std::int32_t>(slot);
            used_[slot] = clock_;
            return values_.get() + slot * stride_;
        }
        return nullptr;
    }
    void tick() { ++clock_; }

 private:
    // Rows that are turned over before they are used again cost more than they save: a cache that holds less than a
    // share of the kept rows is no cache.
    std::size_t capacity_for(std::size_t stride) const {
        const std::size_t fitting = stride ? bytes_ / (stride * sizeof(T)) : 0;
        return fitting * 3 < stride ? 0 : std::min(fitting, slot_of_.size());
    }

    // Left uninitialised: a page is touched only when a row is stored in it.
    void reserve(std::size_t count) {
        if (count <= reserved_) return;
        values_.reset(new T[count]);
        reserved_ = count;
    }

    std::vector<std::int32_t> slot_of_, owner_;
    std::vector<std::uint64_t> used_;
    std::unique_ptr<T[]> values_;
    std::size_t reserved_ = 0;
    std::size_t bytes_, stride_ = 0, next_ = 0;
    std::uint64_t clock_ = 2;
};

template <class T>
std::vector<double> centre_of(const DenseRows& rows, std::span<const std::int32_t> index) {
    std::vector<double> centre(rows.d, 0.0);
    for (const std::int32_t i : index)
        for (std::size_t k = 0; k < rows.d; ++k) centre[k] += rows.row(i)[k];
    for (double& value : centre) value /= static_cast<double>(index.size());
    return centre;
}

// A kernel value of narrower rows is computed in less time than it takes to store it and fetch it from memory.
constexpr std::size_t cache_from_width = 64;

template <class T>
class FeatureGram final : public Gram<T> {
 public:
    FeatureGram(const DenseRows& rows, std::span<const std::int32_t> index, const KernelSpec& spec,
                std::size_t cache_bytes, int threads, Control& control)
        : loops_(kernel_loops<T>()),
          spec_(spec),
          store_(rows.values, index.size(), rows.d, index,
                 spec.kind == KernelKind::rbf ? centre_of<T>(rows, index) : std::vector<double>{}),
          cache_(index.size(), rows.d >= cache_from_width ? cache_bytes : 0),
          threads_(threads),
          control_(control) {}

    std::size_t size() const override { return store_.n; }

    void keep(std::span<const std::int32_t> columns) override {
        std::vector<std::int32_t> positions;
        const bool subset = is_subset(columns, positions);
        kept_.assign(columns.begin(), columns.end());
        panels_.pack(store_, columns, static_cast<std::size_t>(loops_.panel_width));
        if (subset) {
            cache_.shrink(positions, panels_.padded());
        } else {
            cache_.resize(panels_.padded());
        }
    }

    void square(std::span<const std::int32_t> rows, int stride, T* out) override {
        Packed<T> blocks, panels;
        blocks.pack(store_, rows, static_cast<std::size_t>(loops_.block_rows));
        panels.pack(store_, rows, static_cast<std::size_t>(loops_.panel_width));
        parallel_for(threads_for(rows.size() * rows.size()), blocks.groups, [&](std::size_t b, int) {
            std::vector<T> tile(static_cast<std::size_t>(loops_.block_rows * loops_.panel_width));
            const std::size_t first = b * loops_.block_rows;
            const std::size_t count = std::min<std::size_t>(loops_.block_rows, rows.size() - first);
            for (std::size_t p = 0; p < panels.groups; ++p) {
                loops_.tile(spec_, blocks.group(b), blocks.group_norms(b), panels.group(p), panels.group_norms(p),
                            static_cast<int>(store_.d), tile.data());
                const std::size_t column = p * loops_.panel_width;
                const std::size_t width = std::min<std::size_t>(loops_.panel_width, rows.size() - column);
                for (std::size_t r = 0; r < count; ++r)
                    std::memcpy(out + (first + r) * stride + column, tile.data() + r * loops_.panel_width,
                                width * sizeof(T));
            }
        });
    }

    void add(std::span<const std::int32_t> rows, std::span<const double> coef, double* sum) override {
        cache_.tick();
        const Request request = sort_by_cache(rows, coef);
        const std::size_t per_chunk = std::max<std::size_t>(1, 512 / loops_.panel_width);
        const std::size_t chunks = (panels_.groups + per_chunk - 1) / per_chunk;
        parallel_for(threads_for(rows.size() * panels_.padded()), chunks, [&](std::size_t chunk, int) {
            control_.check();
            const std::size_t first = chunk * per_chunk, last = std::min(panels_.groups, first + per_chunk);
            add_computed(request, first, last, sum);
            const std::size_t column = first * loops_.panel_width;
            const int count = static_cast<int>((last - first) * loops_.panel_width);
            for (std::size_t r = 0; r < request.cached.size(); ++r)
                loops_.add_rows(request.cached[r] + column, 0, &request.cached_coef[r], 1, sum + column, count);
        });
    }

 private:
    struct Request {
        Packed<T> blocks;
        std::vector<double> coef;  // of the rows in blocks, padded with zeros
        std::vector<T*> place;     // where each computed row is stored, or null
        std::vector<const T*> cached;
        std::vector<double> cached_coef;
    };

    Request sort_by_cache(std::span<const std::int32_t> rows, std::span<const double> coef) {
        Request request;
        std::vector<std::int32_t> computed;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            if (const T* found = cache_.find(rows[r])) {
                request.cached.push_back(found);
                request.cached_coef.push_back(coef[r]);
            } else {
                computed.push_back(rows[r]);
                request.coef.push_back(coef[r]);
            }
        }
        for (const std::int32_t row : computed) request.place.push_back(cache_.claim(row));
        request.blocks.pack(store_, std::span<const std::int32_t>(computed),
                            static_cast<std::size_t>(loops_.block_rows));
        request.coef.resize(request.blocks.padded(), 0.0);
        request.place.resize(request.blocks.padded(), nullptr);
        return request;
    }

    void add_computed(const Request& request, std::size_t first, std::size_t last, double* sum) const {
        std::vector<T> tile(static_cast<std::size_t>(loops_.block_rows * loops_.panel_width));
        for (std::size_t p = first; p < last; ++p) {
            const std::size_t column = p * loops_.panel_width;
            for (std::size_t b = 0; b < request.blocks.groups; ++b) {
                loops_.tile(spec_, request.blocks.group(b), request.blocks.group_norms(b), panels_.group(p),
                            panels_.group_norms(p), static_cast<int>(store_.d), tile.data());
                loops_.add_rows(tile.data(), loops_.panel_width, request.coef.data() + b * loops_.block_rows,
                                loops_.block_rows, sum + column, loops_.panel_width);
                for (int r = 0; r < loops_.block_rows; ++r)
                    if (T* to = request.place[b * loops_.block_rows + r])
                        std::memcpy(to + column, tile.data() + r * loops_.panel_width, loops_.panel_width * sizeof(T));
            }
        }
    }

    bool is_subset(std::span<const std::int32_t> columns, std::vector<std::int32_t>& positions) const {
        if (kept_.empty() || columns.empty() || columns.size() > kept_.size()) return false;
        std::size_t at = 0;
        for (const std::int32_t column : columns) {
            while (at < kept_.size() && kept_[at] < column) ++at;
            if (at == kept_.size() || kept_[at] != column) return false;
            positions.push_back(static_cast<std::int32_t>(at));
        }
        return true;
    }

    // Waking the pool costs some microseconds: a small product is quicker alone.
    int threads_for(std::size_t values) const { return values * (store_.d + 16) < 2'000'000 ? 1 : threads_; }

    const KernelLoops<T>& loops_;
    KernelSpec spec_;
    KernelRows<T> store_;
    std::vector<std::int32_t> kept_;
    Packed<T> panels_;
    RowCache<T> cache_;
    int threads_;
    Control& control_;
};

}  // namespace

template <class T>
std::unique_ptr<Gram<T>> feature_gram(const DenseRows& rows, std::span<const std::int32_t> index,
                                      const KernelSpec& spec, std::size_t cache_bytes, int threads, Control& control) {
    return std::make_unique<FeatureGram<T>>(rows, index, spec, cache_bytes, threads, control);
}
template std::unique_ptr<Gram<float>> feature_gram(const DenseRows&, std::span<const std::int32_t>, const KernelSpec&,
                                                   std::size_t, int, Control&);
template std::unique_ptr<Gram<double>> feature_gram(const DenseRows&, std::span<const std::int32_t>, const KernelSpec&,
                                                    std::size_t, int, Control&);

}  // namespace vaglio
