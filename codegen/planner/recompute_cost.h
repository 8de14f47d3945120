#pragma once

#include "codegen/planner/group.h"
#include "codegen/region/verdict.h"

namespace tenon::codegen {

/// Whether computing `node` again in front of the group's anchor, or beside its result, is likely to cost less than
/// storing it once and loading it. An anchor of products reads every element many times, so only cheap functions are
/// repeated there.
Verdict worth_recomputing(const GraphData& graph, const Group& group, NodeId node);

/// Bytes of everything the node reads are no more than the bytes of its result.
bool reads_no_more_than_it_writes(const GraphData& graph, NodeId node);

}  // namespace tenon::codegen
