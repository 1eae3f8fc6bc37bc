#include "base/distinct.hpp"
#include "support.hpp"

namespace {

auto distinct_items(const Array2<std::uint8_t>& items) {
    require(items.shape(1) > 0, "items must have a size");
    auto found = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            return vaglio::distinct_items(items.data(), items.shape(0), items.shape(1), control);
        },
        steps_of({items.shape(0), items.shape(1)}));
    return std::make_tuple(to_numpy(std::move(found.first)), to_numpy(std::move(found.code)));
}

std::optional<std::tuple<NumPy<std::int64_t>, NumPy<std::int64_t>>> whole_numbers(const Array2<std::uint8_t>& items,
                                                                                  bool signs) {
    const std::size_t width = items.shape(1);
    require(width == 1 || width == 2 || width == 4 || width == 8, "whole numbers have 1, 2, 4 or 8 bytes");
    auto found = run_kernel(
        nb::none(),
        [&](vaglio::Control& control) {
            return vaglio::whole_numbers(items.data(), items.shape(0), width, signs, control);
        },
        steps_of({items.shape(0)}));
    if (!found) return std::nullopt;
    return std::make_tuple(to_numpy(std::move(found->first)), to_numpy(std::move(found->code)));
}

}  // namespace

void register_distinct(nb::module_& m) {
    using namespace nb::literals;
    m.def("distinct_items", &distinct_items, "items"_a,
          "Where each distinct row of bytes occurs first, and which of them each row is.");
    m.def("whole_numbers", &whole_numbers, "items"_a, "signs"_a,
          "Where each whole number occurs first, in ascending order, and which of them each row is; None if they are "
          "far apart.");
}
