// GATv2 on a CPU: every node takes a weighted mean of itself and its neighbours, and what that says of its weights.
#pragma once

#include "node_rows.hpp"

namespace prune4sed {

// Features of nodes as sources and as ends (rows, width), and the vector (width,) that scores them.
struct GraphLook {
    int width;
    const float *source, *end, *attention;
};

// Means (rows, width), and the logarithms of the sums of shares (rows,).
void graph_means(const NodeRows& rows, const GraphLook& look, float* out, float* log_mass);

struct GraphLookGradients {
    float *source, *end;  // of these rows, written
    float* attention;     // added to
};

// From the gradient of the means, and its product with them, row by row.
void graph_mean_gradients(const NodeRows& rows, const GraphLook& look, const float* log_mass, const float* told,
                          const float* inner, const GraphLookGradients& gradients);

}  // namespace prune4sed
