// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/dpp/decode_cache.h"

namespace archipelago::ctm::dpp {
namespace {

constexpr size_t kFirstTable = 1024;
constexpr uint8_t kAlways = 0xff;  // JUMP_FUNC

// A register by name, and whether the set is of all because aL is added to it.
void touch(Decoded& d, unsigned index, bool relative) {
    if (relative)
        d.touched.add_all();
    else
        d.touched.add(index);
}

void touch_math(Decoded& d) {
    const isa::Alu& alu = d.inst.alu;
    for (unsigned i = 0; i < alu.plan.source_count; ++i) {
        const isa::MathPlan::Source& source = alu.plan.sources[i];
        if (source.kind == isa::MathPlan::Source::Kind::Temporary)
            touch(d, source.index, source.relative);
    }
    for (const isa::AluHalf* half : {&alu.rgb, &alu.alpha}) {
        if (half->write_mask != 0)
            touch(d, half->destination, half->destination_relative);
    }
}

Decoded make_decoded(const isa::Words& words) {
    Decoded d;
    d.inst = isa::decode(words);
    const isa::Instruction& inst = d.inst;
    switch (inst.type) {
        case isa::Type::Alu:
        case isa::Type::Out:
            touch_math(d);
            d.acquires = (inst.alu.rgb.target & 1) != 0;
            d.per_processor = (inst.alu.rgb.target & 2) != 0;
            break;
        case isa::Type::Texture:
            if (inst.texture.op != isa::TextureOp::Nop)
                touch(d, inst.texture.source, inst.texture.source_relative);
            if (isa::is_lookup(inst) && inst.texture.write_mask != 0)
                touch(d, inst.texture.destination, inst.texture.destination_relative);
            break;
        case isa::Type::FlowControl:
            break;
    }
    d.falls_through = !(inst.type == isa::Type::Out && inst.last) &&
                      !(inst.type == isa::Type::FlowControl && inst.flow.op == isa::FlowOp::Jump &&
                        inst.flow.jump_function == kAlways);
    if (!inst.alu.plan.relative_constants && inst.error.empty())
        d.needs = isa::needs(inst, isa::Thread{});
    return d;
}

}  // namespace

DecodeCache::DecodeCache() : table_(kFirstTable, nullptr) {}

const Decoded& DecodeCache::add(const isa::Words& words) {
    const auto insert = [this](const Decoded& d) {
        size_t i = hash(d.inst.words);
        while (table_[i & (table_.size() - 1)] != nullptr)
            ++i;
        table_[i & (table_.size() - 1)] = &d;
    };
    pool_.push_back(make_decoded(words));
    if (2 * pool_.size() > table_.size()) {
        table_.assign(2 * table_.size(), nullptr);
        for (const Decoded& d : pool_)
            insert(d);
    } else {
        insert(pool_.back());
    }
    return pool_.back();
}

}  // namespace archipelago::ctm::dpp
