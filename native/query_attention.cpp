#include "query_attention.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "attention_lanes.hpp"
#include "hot.hpp"

namespace prune4sed {
namespace {

using std::size_t;

// Up to sixteen rows of `width` numbers as (width, 16), and back.
PRUNE4SED_INLINE void turn(const float* rows, int count, int width, float* to) {
    for (int r = 0; r < count; ++r)
        for (int j = 0; j < width; ++j) to[j * kLanes + r] = rows[static_cast<size_t>(r) * width + j];
}
PRUNE4SED_INLINE void turn_back(const float* from, int count, int width, float* rows) {
    for (int r = 0; r < count; ++r)
        for (int j = 0; j < width; ++j) rows[static_cast<size_t>(r) * width + j] = from[j * kLanes + r];
}

struct Room {
    std::vector<float> asked, found, told, back;  // (width, 16)
    std::vector<float> shares;                    // (nodes, 16)
    std::vector<float> log_mass, inner;           // (heads, 16)
    std::vector<float> keys;                      // (nodes, 2 * width, 16)

    Room(int width, int heads) {
        for (auto* one : {&asked, &found, &told, &back}) one->resize(static_cast<size_t>(width) * kLanes);
        for (auto* one : {&log_mass, &inner}) one->resize(static_cast<size_t>(heads) * kLanes);
    }
};

PRUNE4SED_HOT void find(const Keys& keys, const QueryLook& look_, std::int64_t row, int count, Room& room, float* found,
                        float* log_mass) {
    const int width = look_.width, heads = look_.heads;
    turn(look_.asked + row * width, count, width, room.asked.data());
    look(keys, room.asked.data(), width, heads, room.shares.data(), room.found.data(), room.log_mass.data());
    turn_back(room.found.data(), count, width, found + row * width);
    turn_back(room.log_mass.data(), count, heads, log_mass + row * heads);
}

// The same rows on the way back; what sixteen rows say of keys and values is added up lane by lane.
PRUNE4SED_HOT void undo(const Keys& keys, int width, int heads, Room& room) {
    const int depth = width / heads;
    const float scale = 1.0f / std::sqrt(static_cast<float>(depth));
    for (int h = 0; h < heads; ++h) {
        const float* asked = room.asked.data() + h * depth * kLanes;
        const float* told = room.told.data() + h * depth * kLanes;
        float* back = room.back.data() + h * depth * kLanes;
        Lanes inner{};
        for (int d = 0; d < depth; ++d) {
            inner += load(told + d * kLanes) * load(room.found.data() + (h * depth + d) * kLanes);
            store(back + d * kLanes, Lanes{});
        }
        for (int v = 0; v < keys.nodes; ++v) {
            const float *key = keys.told + static_cast<size_t>(v) * 2 * width + h * depth, *value = key + width;
            float* to_key = room.keys.data() + (static_cast<size_t>(v) * 2 * width + h * depth) * kLanes;
            float* to_value = to_key + width * kLanes;
            Lanes score{}, pull{};
            for (int d = 0; d < depth; ++d) {
                score += load(asked + d * kLanes) * key[d];
                pull += load(told + d * kLanes) * value[d];
            }
            const Lanes share = exp_below(score * scale - load(room.log_mass.data() + h * kLanes));
            const Lanes by = share * (pull - inner) * scale;
            for (int d = 0; d < depth; ++d) {
                store(back + d * kLanes, load(back + d * kLanes) + by * key[d]);
                store(to_key + d * kLanes, load(to_key + d * kLanes) + by * load(asked + d * kLanes));
                store(to_value + d * kLanes, load(to_value + d * kLanes) + share * load(told + d * kLanes));
            }
        }
    }
}

Keys keys_of(const QueryRows& queries, std::int64_t graph, int width) {
    const std::int64_t query = queries.query_of.empty() ? graph : queries.query_of[graph];
    const std::int64_t from = queries.starts[query];
    return {static_cast<int>(queries.starts[query + 1] - from), queries.told.data() + from * 2 * width};
}

}  // namespace

void query_means(std::span<const std::int64_t> starts, const QueryLook& look, float* found, float* log_mass) {
    Room room(look.width, look.heads);
    for (size_t graph = 0; graph + 1 < starts.size(); ++graph) {
        const Keys keys = keys_of(look.queries, static_cast<std::int64_t>(graph), look.width);
        room.shares.resize(static_cast<size_t>(keys.nodes) * kLanes);
        for (std::int64_t row = starts[graph]; row < starts[graph + 1]; row += kLanes)
            find(keys, look, row, static_cast<int>(std::min<std::int64_t>(kLanes, starts[graph + 1] - row)), room, found,
                 log_mass);
    }
}

void query_mean_gradients(std::span<const std::int64_t> starts, const QueryLook& look, const float* log_mass,
                          const float* found, const float* told, float* asked, float* keys_to) {
    const int width = look.width, heads = look.heads;
    Room room(width, heads);
    for (size_t graph = 0; graph + 1 < starts.size(); ++graph) {
        const Keys keys = keys_of(look.queries, static_cast<std::int64_t>(graph), width);
        room.keys.assign(static_cast<size_t>(keys.nodes) * 2 * width * kLanes, 0.0f);
        for (std::int64_t row = starts[graph]; row < starts[graph + 1]; row += kLanes) {
            const int count = static_cast<int>(std::min<std::int64_t>(kLanes, starts[graph + 1] - row));
            if (count < kLanes)  // rows that are not there say nothing
                for (auto* one : {&room.asked, &room.told}) std::fill(one->begin(), one->end(), 0.0f);
            turn(look.asked + row * width, count, width, room.asked.data());
            turn(found + row * width, count, width, room.found.data());
            turn(told + row * width, count, width, room.told.data());
            turn(log_mass + row * heads, count, heads, room.log_mass.data());
            undo(keys, width, heads, room);
            turn_back(room.back.data(), count, width, asked + row * width);
        }
        float* to = keys_to + (keys.told - look.queries.told.data());
        for (size_t i = 0; i < static_cast<size_t>(keys.nodes) * 2 * width; ++i) to[i] += total(load(room.keys.data() + i * kLanes));
    }
}

}  // namespace prune4sed
