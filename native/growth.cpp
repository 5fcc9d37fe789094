// Mappings to begin with: a connected piece of the target that looks like the query, from another corner each time.
#include <algorithm>
#include <limits>

#include "local_search.hpp"

namespace prune4sed {
namespace {

constexpr int kUnplaced = -1;
constexpr int kTries = 8;  // random target nodes to choose from where there is no neighbour to follow
// Nobody looks at the clock meanwhile, so the effort is bounded: a few milliseconds for the densest of graphs.
constexpr int kMostNodes = 128, kMostPlaces = 400;

}  // namespace

bool LocalSearch::grow(std::vector<int>& mapping) {
    const int nq = instance_.nq(), nt = instance_.nt();
    if (nq > kMostNodes) return false;
    image_.assign(nq, kUnplaced);
    owner_.assign(nt, -1);
    placed_neighbours_.assign(nq, 0);
    for (int k = 0; k < nq; ++k) {
        const int u = next_to_grow(), v = best_place(u);
        image_[u] = v < 0 ? nt + u : v;
        if (v >= 0) owner_[v] = u;
        for (int w : instance_.query().neighbours(u)) ++placed_neighbours_[w];
    }
    mapping = image_;
    return true;
}

// The query node with most neighbours placed; any of them, if there are several.
int LocalSearch::next_to_grow() {
    int next = -1, most = -1, equal = 0;
    for (int u = 0; u < instance_.nq(); ++u) {
        if (image_[u] != kUnplaced || placed_neighbours_[u] < most) continue;
        if (placed_neighbours_[u] > most) equal = 0;
        most = placed_neighbours_[u];
        if (pick(++equal) == 0) next = u;
    }
    return next;
}

// The free target node next to the images of u's neighbours that keeps most; -1: none is free.
int LocalSearch::best_place(int u) {
    const int nt = instance_.nt();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    int best = -1, equal = 0, places = 0;
    const auto consider = [&](int v) {
        if (owner_[v] >= 0 || ++places > kMostPlaces) return;
        const std::int64_t value = promise(u, v);
        if (value < most) return;
        if (value > most) equal = 0;
        most = value;
        if (pick(++equal) == 0) best = v;
    };
    for (int w : instance_.query().neighbours(u)) {
        if (places > kMostPlaces) break;
        if (image_[w] != kUnplaced && instance_.is_target(image_[w]))
            for (int v : instance_.target().neighbours(image_[w])) consider(v);
    }
    if (best < 0)
        for (int k = 0; nt > 0 && k < kTries; ++k) consider(pick(nt));
    for (int v = 0; best < 0 && v < nt; ++v) consider(v);
    return best;
}

// What u saves at v towards the nodes already placed, and a little for room to place the others.
std::int64_t LocalSearch::promise(int u, int v) const {
    const auto neighbours = instance_.query().neighbours(u);
    const int* classes = instance_.incident_classes(u);
    std::int64_t saved = -instance_.node_cost(u, v);
    for (std::size_t i = 0; i < neighbours.size(); ++i)
        if (image_[neighbours[i]] != kUnplaced) saved += instance_.column_gain(classes[i], image_[neighbours[i]], v);
    const int degree = std::max(1, instance_.query().degree(u));
    return 4 * saved + std::min(3, 3 * instance_.target().degree(v) / degree) * instance_.costs().edge_deletion;
}

}  // namespace prune4sed
