#include "filter_body.hpp"

void vaglio::knn::filter_base(const FilterBlock& block) { scan(block); }
