#pragma once
// The two loops of a search in a tree of boxes, compiled per level (base/dispatch.hpp).
#include "knn/measure.hpp"

namespace vaglio::knn {

inline constexpr std::size_t fan = 8;  // boxes measured together

// Of one column: the least and the greatest number in each box, and what a row of it may cost at most. A box with
// missing values caps the cost of the column at that of a missing value; others have no cap.
struct BoxColumn {
    double low[fan], high[fan], cap[fan];
};

// bounds[b] becomes what no row in box b is nearer than, by its numbers alone. `complete`: no box has a cap, and no
// number of the query is missing. Returns a bit for each box that is not farther than `worst`.
VAGLIO_DECLARE_LEVELS(std::uint32_t box_distances(const Distance& by, const BoxColumn* columns, const double* x,
                                                  bool complete, double worst, double* bounds);)

// What `measure` gives for complete numbers without categories. Returns a bit for each row of the panel that is not
// farther than `worst`; none, and no distances, if that is clear before all columns are seen.
VAGLIO_DECLARE_LEVELS(std::uint32_t row_distances(const Distance& by, const double* panel, const double* x,
                                                  double worst, double* sums);)

}  // namespace vaglio::knn
